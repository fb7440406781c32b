import { failpoint, type Drawing } from '../../failpoints.ts';
import { findChange } from '../../storage/changes.ts';
import type { Database } from '../../storage/database.ts';
import { parseStored } from '../../storage/parse-json.ts';
import { claimMessages, drawn, giveUp, putOff, type Message } from '../../storage/messages.ts';
import { approvals } from '../../storage/votes.ts';
import { joined, plain } from '../../text.ts';
import { isEdit, note, putBack, taken, type Outbox } from './after-posting.ts';
import { createPoller, type Poller } from './poller.ts';
import { destinationsOf, postSomewhere, type Posted } from './destinations.ts';
import { permitOf } from '../access/permit.ts';
import { renderCard, type Card, type Note } from '../changes/card.ts';
import { standsHere } from './undelivered.ts';
import { createTurnsOfPlaces, inLine } from './fair-order.ts';
import { Undeliverable, type Messenger } from './messenger.ts';

export type Delivery = Outbox & {
  readonly messenger: Messenger;
  readonly owner: string;
  readonly idsOf: (id: string) => readonly string[];
  /** Whether Slack takes our token, as far as is known: while it does not, nothing is tried. */
  readonly isTaken: () => boolean;
  /** Told of a change that moved, or is new: its card is due. */
  readonly onCard: (change: number) => void;
  /** Told in how many milliseconds a place takes its next message that had just had one. */
  readonly onPace: (afterMs: number) => void;
};

const beatMs = 500;
/** Longer than a line takes, with its last message and where that goes instead. */
const leaseMs = 40_000;
const maxLineMs = 5_000;
const atOnce = 20;
const maxUnderWay = 60;
const maxInLine = 20;
/** When a message is looked at again whose place has enough others under way. */
const busyAgainMs = 300;
/** Posts and edits what is due, at every beat and when nudged; a place that is slow keeps no other one waiting. */
export function createDelivery(post: Omit<Delivery, 'onPace' | 'turns'>): Poller {
  const context: Delivery = { ...post, turns: createTurnsOfPlaces(), onPace: (afterMs) => poller.nudgeIn(afterMs) };
  const onTrouble = (error: unknown): void => post.onTrouble('posting', error);
  const look = async (): Promise<void> => {
    const { tried, lines } = await begin(context);
    for (const line of lines) void line.catch(onTrouble).finally(poller.nudge);
    if (tried > 0) poller.nudge();
  };
  const poller = createPoller({ everyMs: beatMs, look, onTrouble });
  return {
    ...poller,
    stop: async () => {
      await poller.stop();
      context.turns.isOver = true;
      await Promise.allSettled([...context.turns.lines.values()].map(({ end }) => end));
    },
  };
}

/** Posts or edits some of what is owed and due, by turns; resolves when that is done, with how many messages were tried. */
export async function deliver(context: Delivery): Promise<number> {
  const { tried, lines } = await begin(context);
  await Promise.all(lines);
  return tried;
}

type Begun = { readonly tried: number; readonly lines: readonly Promise<void>[] };

/** The same; resolves when all of it is under way, in a line for each place. */
async function begin(context: Delivery): Promise<Begun> {
  const { database, owner, turns } = context;
  const limit = Math.min(atOnce, maxUnderWay - turns.underWay);
  if (!context.isTaken() || limit <= 0) return { tried: 0, lines: [] };
  const claimedAt = performance.now();
  const due = await database.unflushed(async (tx) =>
    claimMessages(tx, { owner, now: await database.now(tx), leaseMs, limit }, turns.served, context.idsOf),
  );
  const ready = await Promise.all(due.map((message) => prepare(context, message)));
  const lines: Promise<void>[] = [];
  for (const [place, line] of Map.groupBy(ready, placeOf)) {
    if ((turns.lines.get(place)?.messages ?? 0) + line.length > maxInLine) await back(context, line, busyAgainMs);
    else lines.push(inLine(turns, place, line.length, () => drawInLine(context, line, claimedAt)));
  }
  return { tried: due.length, lines };
}

/** A place takes one message at a time; edits are in nobody's way. */
const placeOf = ({ message, destinations }: Ready): string => {
  const to = isEdit(message) ? undefined : destinations?.[0]?.to;
  if (to === undefined) return message.key;
  return 'person' in to ? to.person : to.channel;
};

/** Once a place takes no more, or has taken long, or we stop, the rest goes back: nothing is posted that is not ours any more. */
async function drawInLine(context: Delivery, line: readonly Ready[], claimedAt: number): Promise<void> {
  for (const [at, ready] of line.entries()) {
    if (context.turns.isOver || performance.now() - claimedAt > maxLineMs)
      return back(context, line.slice(at), busyAgainMs);
    const afterMs = await draw(context, ready);
    if (afterMs > 0) return back(context, line.slice(at + 1), afterMs);
  }
}

async function back({ database, onPace, onTrouble }: Delivery, line: readonly Ready[], afterMs: number): Promise<void> {
  if (line.length === 0) return;
  try {
    const messages = line.map(({ message }) => message);
    await database.unflushed(async (tx) => putOff(tx, messages, (await database.now(tx)) + afterMs));
    onPace(afterMs);
  } catch (error) {
    // Their lease ends by itself.
    onTrouble('putting messages off', error);
  }
}

/** A message with what it says now and the places where it may be posted, or why that could not be looked up. */
type Ready = {
  readonly message: Message;
  readonly what?: Card | Note | undefined;
  readonly destinations?: Destinations;
  readonly error?: unknown;
};
type Destinations = Awaited<ReturnType<typeof destinationsOf>>;

async function prepare(context: Delivery, message: Message): Promise<Ready> {
  try {
    const what = await whatOf(context.database, message);
    if (what === undefined || isEdit(message)) return { message, what };
    return { message, what, destinations: await placesOf(context, message, what) };
  } catch (error) {
    return { message, error };
  }
}

const placesOf = (context: Delivery, message: Message, what: Card | Note): Promise<Destinations> =>
  destinationsOf(context.database.db, message, what, context.opsChannel());

/** Resolves with the milliseconds until its place takes a message again, where that is why it took none; else with 0. */
async function draw(context: Delivery, ready: Ready): Promise<number> {
  const { message, what } = ready;
  const drawing = (): Drawing => ({ how: isEdit(message) ? 'edit' : 'post', says: what ? beginningOf(what) : '' });
  if (message.kind === 'card' && message.change !== null) context.onCard(message.change);
  try {
    if (ready.error !== undefined) throw ready.error;
    if (what) failpoint('posting', message.key, drawing);
    const posted = what && (await put(context, ready, what));
    if (what) failpoint('posted', message.key, drawing);
    await note(context, message, async (tx) => {
      if (posted === undefined) return void (await giveUp(tx, message));
      if (await drawn(tx, message, posted.place)) await taken(context, tx, message, posted);
    });
    if (what) failpoint('noted', message.key, drawing);
    return 0;
  } catch (error) {
    // Our own pace, and Slack's, is no trouble.
    const afterMs = error instanceof Undeliverable ? error.afterMs : 0;
    if (afterMs === 0) context.onTrouble(`posting ${message.key}`, error);
    else context.onPace(afterMs);
    await note(context, message, (tx) => putBack(context, tx, { message, what, error }));
    return afterMs;
  }
}

/** A card by the mark of its state and its headline, anything else by its words. */
const beginningOf = (what: Card | Note): string =>
  plain('headline' in what ? joined([what.mark, what.headline]) : what.text);

async function whatOf(database: Database, message: Message): Promise<Card | Note | undefined> {
  const isCard = message.kind === 'card' || message.kind === 'copy';
  if (!isCard) return message.body === null ? undefined : parseStored<Note>(message.body);
  const change = message.change === null ? undefined : await findChange(database.db, message.change);
  // Who was never asked need not be told that nothing is to be decided any more.
  if (change === undefined || (message.kind === 'copy' && !isEdit(message) && change.state !== 'waiting'))
    return undefined;
  const approved = permitOf(change).approval === 'none' ? [] : await approvals(database.db, change.number);
  return renderCard(change, approved, database.installation);
}

/**
 * Edits the message where it stands; where that cannot be, or it was never posted, posts it. What was told once, and
 * has only little to add, is not told again because its place takes no edits.
 */
async function put(context: Delivery, ready: Ready, what: Card | Note): Promise<Posted | undefined> {
  const { message } = ready;
  const { channel, ts } = message;
  if (channel !== null && ts !== null) {
    try {
      await context.messenger.edit({ channel, ts }, what);
      return { place: { channel, ts } };
    } catch (error) {
      if (!(error instanceof Undeliverable) || error.kind !== 'gone') throw error;
      const isMinor =
        'headline' in what ? message.kind === 'copy' && error.message !== 'message_not_found' : what.minor;
      if (isMinor) return { place: { channel, ts } };
    }
  }
  return post(context, message, ready.destinations ?? (await placesOf(context, message, what)));
}

async function post(
  { messenger, onTrouble }: Delivery,
  message: Message,
  destinations: Destinations,
): Promise<Posted | undefined> {
  const posted = await postSomewhere(messenger, destinations);
  if (message.kind !== 'card' || posted?.refused === undefined) return posted;
  const wanted = destinations[0]?.to;
  const asked = wanted && 'channel' in wanted ? wanted.channel : '';
  const { channel, ts } = posted.place;
  // Without this the card stands all the same; failing with it would post the card again.
  await messenger
    .post({ channel, thread: ts }, { text: standsHere(asked, posted.refused) })
    .catch((error: unknown) => onTrouble(`saying where ${message.key} stands`, error));
  return posted;
}
