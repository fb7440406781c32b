import { enqueueMessage, lastingMessages, messagesToDecide, type Message } from '../storage/messages.ts';
import { redrawCards, replaceDirect } from '../storage/message-edits.ts';
import { listVotes } from '../storage/votes.ts';
import { parseStored } from '../storage/parse-json.ts';
import { sameId, type IdsOf } from '../storage/lease.ts';
import { isPartOfBatch, type Change } from '../storage/changes.ts';
import type { Tx } from '../storage/database.ts';
import { say, type Text } from '../words/text.ts';
import { toldPeople } from '../access/approver-lookup.ts';
import { authorizationOf } from '../access/authorization.ts';
import { type Note } from './card.ts';
import { buttonsFor, decisionButtons } from './buttons.ts';
import { headingOf } from './freeze.ts';
import { updatedNote, updatedReply, wasUnknown, withdrawnRequest } from './told.ts';

/** The messages that go with a move of a change: queued, edited and taken back in the transaction that moves it. */

/** Who made a move, and the messages that go with it. */
export type TransitionNote = {
  /** Slack user id, or `sitehand`. */
  readonly by: string;
  /** Epoch milliseconds, the database's clock. */
  readonly at: number;
  /** For the audit trail: plain JSON, no secrets. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** A reply in the thread. */
  readonly reply?: Note;
  /** Whether the reply has the current decision buttons. */
  readonly decide?: boolean;
  /** Whether to redraw the card although the state stays the same. */
  readonly redraw?: boolean;
  /** Whether the ops channel gets the reply too. */
  readonly ops?: boolean;
  /** People who get the reply as a direct message too. */
  readonly tell?: readonly string[];
  /** The result in a sentence, which the card shows from then on. */
  readonly lastNote?: Text;
  readonly also?: Partial<Pick<Change, 'receipt' | 'poll_state' | 'undo' | 'progress'>>;
  /** The key of the reply in the thread: it replaces an earlier reply with the same key. By default the reply is new. */
  readonly replyKey?: string;
  /** Key of what people and ops are told besides the thread: a later note with the same key replaces it. */
  readonly tellKey?: string;
};

/** Queues the thread reply, and its copies for the ops channel and for people. */
export async function enqueueReply(
  tx: Tx,
  change: Change,
  note: TransitionNote,
  reply: Note,
  { key, installation }: { readonly key: string; readonly installation: string },
): Promise<void> {
  const { at, decide, replyKey } = note;
  // The buttons move from the previous reminder to this one.
  if (decide) await removeButtons(tx, change, at, note.tell);
  const toDecide = decide ? decisionButtons(change, installation) : [];
  const { buttons = [] } = reply;
  const decides = toDecide.length > 0;
  const body = JSON.stringify({ ...reply, buttons: [...buttons, ...toDecide] });
  // *Stop* works for ten seconds only, so it stays in the thread.
  const isBrief = decides && change.state === 'approved';
  const inThread = { change: change.number, kind: 'reply', body, decides, at } as const;
  await enqueueMessage(tx, { ...inThread, key: isBrief ? stopKey(change) : (replyKey ?? key) });
  const kept = reply.lasting ?? (decides && change.state === 'unknown' ? wasUnknown : undefined);
  const copied = { ...reply, ...(kept && { lasting: kept }), buttons: isBrief ? buttons : [...buttons, ...toDecide] };
  await enqueueElsewhere(tx, change, note, copied, { key, decides: decides && !isBrief });
}

/** Queues the copies of a reply for the ops channel and for people. They name the change. */
async function enqueueElsewhere(
  tx: Tx,
  change: Change,
  { at, ops, tell = [], tellKey }: TransitionNote,
  { text, lasting, buttons = [] }: Note,
  { key, decides }: { readonly key: string; readonly decides: boolean },
): Promise<void> {
  const named = (one: Text): Text => say`${headingOf(change)}\n${one}`;
  const bodyFor = (isAsker: boolean): string =>
    JSON.stringify({
      text: named(text),
      lasting: lasting && named(lasting),
      buttons: buttonsFor({ isAsker }, change, buttons),
    });
  const base = { change: change.number, decides, at };
  if (ops) await enqueueMessage(tx, { ...base, key: `${tellKey ?? key}:ops`, kind: 'ops', body: bodyFor(false) });
  for (const recipient of new Set(tell)) {
    const body = bodyFor(recipient === change.requester);
    await enqueueMessage(tx, { ...base, key: `${tellKey ?? key}:${recipient}`, kind: 'direct', recipient, body });
  }
}

/** Key of the message with *Stop*. The time to press it begins when that is posted, also after it was asked again. */
export const stopKey = ({ number, lost_at }: Pick<Change, 'number' | 'lost_at'>): string =>
  lost_at === null ? `${number}:stop` : `${number}:stop:${lost_at}`;

/** Redraws the card, and withdraws what no longer decides anything. */
export async function showMove(
  tx: Tx,
  before: Change,
  moved: Change,
  { at, by, tell = [] }: TransitionNote,
  idsOf: IdsOf = sameId,
): Promise<void> {
  // Whoever made the move by a click needs no message about it.
  const told = [...tell, ...idsOf(by)];
  // Messages besides the card have decision buttons while it is approved, unknown or asked again.
  if (before.state === 'approved' || before.lost_at !== null) await removeButtons(tx, before, at, told);
  // Other moves are seen on the card, and by those who approved it.
  const isNews = isReported(before) || isReported(moved);
  const isHeldUp = moved.state === 'approved';
  const wasTried = before.attempts + before.throttle_count > 0;
  const wasHeldUp = before.state === 'approved' && (before.last_note !== null || wasTried);
  if (isNews || isHeldUp || wasHeldUp) await updateLasting(tx, moved, at, { tell: told, wasHeldUp });
  // Reminders, and what was said when it was asked again.
  if (before.state === 'waiting' && moved.state !== 'waiting') await withdrawDirect(tx, moved, at);
  if (isNews) return redrawCards(tx, moved.number, at, 'all');
  await redrawForVoters(tx, moved, at, idsOf);
}

/** Whether everybody who was told of a change directly hears that it is, or no longer is, in this state. */
const isReported = ({ state, settled_at }: Change): boolean =>
  settled_at !== null || state === 'waiting' || state === 'unknown' || state === 'stopped';

/** Removes the decision buttons from all messages that have them. `tell`: who gets another message, or needs none. */
async function removeButtons(tx: Tx, change: Change, at: number, tell: readonly string[] = []): Promise<void> {
  for (const message of await messagesToDecide(tx, change.number)) {
    const { key, kind, recipient } = message;
    const { text, lasting } = parseStored<Note>(message.body);
    const bare = { text, ...(lasting && { lasting }), ...(!isOnly(message, tell) && { minor: true }) } satisfies Note;
    await enqueueMessage(tx, { key, change: change.number, kind, recipient, body: JSON.stringify(bare), at });
  }
}

/** What was not posted yet is posted only if it is the only message to this person about this. */
const isOnly = ({ kind, ts, recipient }: Message, tell: readonly string[]): boolean =>
  kind === 'direct' && ts === null && !tell.includes(recipient ?? '');

/**
 * Edits messages that no longer hold. What people were told directly says how the change is now. Its thread no longer
 * says that it will be sent soon, if it is held up or ended unsent. What was not posted yet is dropped for whoever gets
 * another message, or needs none (`tell`).
 */
async function updateLasting(
  tx: Tx,
  change: Change,
  at: number,
  { tell = [], wasHeldUp = false }: { readonly tell?: readonly string[]; readonly wasHeldUp?: boolean } = {},
): Promise<void> {
  const messages = await lastingMessages(tx, change.number);
  for (const message of messages) {
    const { id, key, kind, recipient } = message;
    const stored = parseStored<Note>(message.body);
    const { lasting } = stored;
    if (lasting === undefined) continue;
    const edit = kind === 'reply' ? updatedReply(change, stored, lasting, wasHeldUp) : updatedNote(change, lasting);
    if (edit === undefined) continue;
    const isLast = !messages.some((one) => one.id > id && one.kind === kind && one.recipient === recipient);
    const note = isLast && isOnly(message, tell) ? { ...edit, minor: undefined } : edit;
    const decides = message.decides === 1 && note.buttons !== undefined;
    const body = JSON.stringify(note);
    await enqueueMessage(tx, { key, change: change.number, kind, recipient, decides, body, at });
  }
}

/** Sends the card with its buttons to everybody who is told directly. */
export async function enqueueCopies(tx: Tx, change: Change, at: number): Promise<void> {
  for (const recipient of toldPeople(authorizationOf(change))) {
    await enqueueMessage(tx, {
      key: `${change.number}:card:${recipient}`,
      change: change.number,
      kind: 'copy',
      recipient,
      at,
    });
  }
}

/** Replaces the direct requests to decide, except the copies of the card, with what was decided. */
async function withdrawDirect(tx: Tx, change: Change, at: number): Promise<void> {
  const body = JSON.stringify(withdrawnRequest(change, await listVotes(tx, change.number)));
  await replaceDirect(tx, change.number, change.requester, body, at);
}

/** Shows that an approved change is held up: on its card, and in what said that it will be sent. `idsOf`: all ids of a person. */
export async function showHeldUp(tx: Tx, change: Change, at: number, idsOf: IdsOf): Promise<void> {
  await updateLasting(tx, change, at);
  await redrawForVoters(tx, change, at, idsOf);
}

/** Redraws the card, and its copies for those who approved the change. */
async function redrawForVoters(tx: Tx, change: Change, at: number, idsOf: IdsOf): Promise<void> {
  const isApproved = !isPartOfBatch(change) && authorizationOf(change).approval !== 'none';
  const votes = isApproved ? await listVotes(tx, change.number) : [];
  await redrawCards(tx, change.number, at, { cardAndCopiesOf: votes.flatMap(({ person }) => idsOf(person)) });
}
