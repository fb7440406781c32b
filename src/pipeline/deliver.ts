import { setTimeout as wait } from 'node:timers/promises';
import { passing } from '../points.ts';
import { coolDown, findChange } from '../storage/changes.ts';
import type { Database, Tx } from '../storage/database.ts';
import { cardOf, claimMessages, drawn, giveUp, postpone, type Message, type Place } from '../storage/messages.ts';
import { approvals } from '../storage/votes.ts';
import { channel, say } from '../text.ts';
import { stopKey } from './advance.ts';
import { permitOf, renderCard, type Card, type Note } from './render.ts';
import { thawed } from '../storage/json.ts';

/** Where a message goes: a channel, a thread in it, or a person's direct messages. */
export type Recipient = { readonly channel: string; readonly thread?: string } | { readonly person: string };

/** What can be said to Slack; rejects with `Undeliverable` where Slack does not take it. */
export type Voice = {
  readonly post: (to: Recipient, what: Card | Note) => Promise<Place>;
  readonly edit: (place: Place, what: Card | Note) => Promise<void>;
};

/** Slack did not take a message: `gone`, there is no such place for us; `later`, it may take it after a while. */
export class Undeliverable extends Error {
  readonly kind: 'gone' | 'later';
  readonly afterMs: number;

  constructor(kind: 'gone' | 'later', why: string, afterMs = 0) {
    super(why);
    this.kind = kind;
    this.afterMs = afterMs;
  }
}

export type Delivery = {
  readonly database: Database;
  readonly voice: Voice;
  readonly owner: string;
  readonly opsChannel: () => string | undefined;
  readonly onTrouble: (what: string, error: unknown) => void;
};

const leaseMs = 20_000;
/** How long an approved change can be stopped, once the message that says so stands. */
const coolDownMs = 10_000;
const atOnce = 20;
/** A message that Slack has not taken for a day is given up; the change itself stays and can be asked for. */
const longestMs = 86_400_000;
const againMs = [1_000, 2_000, 5_000, 15_000, 60_000];
/** How long what came of a message is held while the database is away: one whose place is not noted is posted once more. */
const noteAgainAfterMs = [100, 300, 1_000, 3_000, 5_000];

/** Posts or edits what is owed and due; resolves with how many messages were tried. */
export async function deliver(desk: Delivery): Promise<number> {
  const { database, owner } = desk;
  const due = await database.unflushed(async (tx) =>
    claimMessages(tx, { owner, now: await database.now(tx), leaseMs, limit: atOnce }),
  );
  await Promise.all(due.toSorted(byTurn).map((message) => draw(desk, message)));
  return due.length;
}

/**
 * A channel takes one message at a time. A card goes before what is said below another one, because it shows how its
 * change stands by itself; then the longest owed has its turn, however often it was put back. Edits are few a minute:
 * what is newest is looked at most.
 */
const byTurn = (one: Message, other: Message): number =>
  Number(one.kind !== 'card') - Number(other.kind !== 'card') ||
  Number(isEdit(one)) - Number(isEdit(other)) ||
  (isEdit(one) ? (other.change ?? 0) - (one.change ?? 0) : 0) ||
  one.id - other.id;

const isEdit = ({ ts }: Message): boolean => ts !== null;

async function draw(desk: Delivery, message: Message): Promise<void> {
  const { database } = desk;
  try {
    const what = await whatOf(database, message);
    if (what) passing('posting', message.key);
    const place = what && (await put(desk, message, what));
    if (what) passing('posted', message.key);
    await note(desk, message, async (tx) => {
      if (place === undefined) return giveUp(tx, message);
      if (!(await drawn(tx, message, place))) return;
      if (message.change !== null && message.key === stopKey(message.change) && !isEdit(message)) {
        await coolDown(tx, message.change, (await database.now(tx)) + coolDownMs);
      }
    });
    passing('noted', message.key);
  } catch (error) {
    const afterMs =
      error instanceof Undeliverable && error.afterMs > 0
        ? error.afterMs
        : (againMs[Math.min(message.tries, againMs.length - 1)] ?? 60_000);
    if (!(error instanceof Undeliverable && error.kind === 'later')) desk.onTrouble(`posting ${message.key}`, error);
    await note(desk, message, async (tx) => {
      const now = await database.now(tx);
      const old = now - message.created_at > longestMs;
      await (old ? giveUp(tx, message) : postpone(tx, message, now + afterMs));
    });
  }
}

/** Saves what came of a message, again and again while the database is away. */
async function note(
  { database, onTrouble }: Delivery,
  message: Message,
  save: (tx: Tx) => Promise<void>,
): Promise<void> {
  for (const afterMs of [...noteAgainAfterMs, undefined]) {
    try {
      return await database.transaction(save);
    } catch (error) {
      if (afterMs === undefined) throw error;
      onTrouble(`noting what came of ${message.key}`, error);
      await wait(afterMs);
    }
  }
}

async function whatOf(database: Database, message: Message): Promise<Card | Note | undefined> {
  const isCard = message.kind === 'card' || message.kind === 'copy';
  if (!isCard) return message.body === null ? undefined : thawed<Note>(message.body);
  const change = message.change === null ? undefined : await findChange(database.db, message.change);
  // Who was never asked need not be told that nothing is to be decided any more.
  if (change === undefined || (message.kind === 'copy' && !isEdit(message) && change.state !== 'waiting'))
    return undefined;
  const approved = permitOf(change).approval === 'none' ? [] : await approvals(database.db, change.number);
  return renderCard(change, approved, database.installation);
}

/** Edits the message where it stands; where it is gone, or was never posted, posts it. */
async function put(desk: Delivery, message: Message, what: Card | Note): Promise<Place | undefined> {
  const { channel, ts } = message;
  if (channel !== null && ts !== null) {
    try {
      await desk.voice.edit({ channel, ts }, what);
      return { channel, ts };
    } catch (error) {
      if (!(error instanceof Undeliverable) || error.kind !== 'gone') throw error;
    }
  }
  return post(desk, message, what);
}

async function post(desk: Delivery, message: Message, what: Card | Note): Promise<Place | undefined> {
  const { database, voice } = desk;
  if (message.kind === 'ops') {
    const ops = desk.opsChannel();
    return ops === undefined ? undefined : voice.post({ channel: ops }, what);
  }
  if (message.kind === 'notice') return orNowhere(voice.post({ channel: message.recipient ?? '' }, what));
  if (message.kind === 'direct' || message.kind === 'copy')
    return orNowhere(voice.post({ person: message.recipient ?? '' }, what));
  const change = message.change === null ? undefined : await findChange(database.db, message.change);
  if (change === undefined) return undefined;
  if (message.kind === 'reply') {
    const card = await cardOf(database.db, change.number);
    return card?.channel && card.ts ? voice.post({ channel: card.channel, thread: card.ts }, what) : undefined;
  }
  try {
    return await voice.post({ channel: message.recipient ?? change.channel }, what);
  } catch (error) {
    if (!(error instanceof Undeliverable) || error.kind !== 'gone') throw error;
    const place = await voice.post({ person: change.asker }, what);
    const why = say`I cannot post in ${channel(change.channel)}, so this stands here. ${'/invite'} me there to have it in the channel.`;
    // Without this the card stands all the same; failing with it would post the card again.
    await voice
      .post({ channel: place.channel, thread: place.ts }, { text: why })
      .catch((error: unknown) => desk.onTrouble(`saying where the card of #${change.number} stands`, error));
    return place;
  }
}

/** Who or what cannot be written to is left out: it is told elsewhere too. */
async function orNowhere(posting: Promise<Place>): Promise<Place | undefined> {
  try {
    return await posting;
  } catch (error) {
    if (error instanceof Undeliverable && error.kind === 'gone') return undefined;
    throw error;
  }
}
