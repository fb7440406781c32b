import { parseStored } from '../storage/parse-json.ts';
import { type Change, isPartOfBatch } from '../storage/changes.ts';
import { type Message, enqueueMessage } from '../storage/messages.ts';
import { joined, say, type Text } from '../words/text.ts';
import { states } from '../words/states.ts';
import { type Button, buttonsFor, decisionButtons } from './buttons.ts';
import { approvedBy, type Approved, type Note, type Telling } from './card.ts';
import { frozenCardOf, type Undo, headingOf } from './freeze.ts';
import { markOf, stateText } from './states-and-events.ts';
import type { Tx } from '../storage/database.ts';
import { toldPeople } from '../access/approver-lookup.ts';
import { authorizationOf } from '../access/authorization.ts';

/**
 * The messages about a change: queued with each of its moves, and drawn from what they tell and from how it is now.
 */

/** How it stands when the message is drawn. */
type Now = {
  readonly change: Change;
  readonly approved: readonly Approved[];
  readonly installation: string;
  /** Whether nothing newer like it asks its reader to decide: only one message at a time has the buttons. */
  readonly isNewest: boolean;
};

/** The note of a message about a change: the words of its moment while they hold; then what lasts of them. */
export function drawTelling(message: Message, telling: Telling, now: Now): Note {
  const { change } = now;
  if (isPastRequest(message, telling, change)) return withdrawnRequest(change, now.approved);
  const { lasting, when: _, ...said } = telling;
  const buttons = said.buttons?.flatMap((one) => live(one, message, now));
  const note = { ...said, ...(buttons && { buttons }) };
  if (lasting === undefined) return note;
  const by = said.buttons?.some(({ press }) => press.kind === 'undo') ? undoneBy(change) : undefined;
  if (by !== undefined) return { ...note, text: joined([lasting, say`#${by} has undone it.`]) };
  if (isHeldUp(change)) return { ...(message.kind === 'reply' && note), text: withState(lasting, change) };
  const when = whenOf(message, telling, change);
  return when.version === change.version ? note : sinceThen(message, note, { lasting, when }, change);
}

const withState = (lasting: Text, change: Change): Text =>
  joined([lasting, joined([markOf(change), stateText(change)])], '\n');

type When = NonNullable<Telling['when']>;

/**
 * The change when the message was queued. An older Sitehand did not store it: of its messages, requests have nothing
 * that lasts, and the version stands only in buttons.
 */
function whenOf({ kind }: Pick<Message, 'kind'>, { when, lasting, buttons = [] }: Telling, change: Change): When {
  if (when !== undefined) return when;
  if (lasting === undefined) return { state: 'waiting', version: change.version };
  const [version = 0] = buttons.flatMap(({ press }) => ('version' in press ? press.version : []));
  return { state: kind === 'reply' ? 'approved' : 'unknown', version };
}

/** A message about a change that has moved on. Its thread tells the rest; elsewhere the message says how it is. */
function sinceThen(
  { kind, created_at }: Message,
  note: Note,
  { lasting, when }: { readonly lasting: Text; readonly when: When },
  change: Change,
): Note {
  const isPromise = when.state === 'approved';
  const wasKept = isPromise && isSentSoon(change, created_at);
  if (kind === 'reply') return isPromise && !wasKept ? { text: lasting } : note;
  return wasKept && !isReported(change) ? note : { text: withState(lasting, change) };
}

/**
 * Whether it asked somebody to approve what no longer waits, or is asked again by a newer message. The requester's own
 * messages tell them how it goes on.
 */
export function isPastRequest(message: Message, telling: Telling, change: Change): boolean {
  if (message.kind !== 'direct' || message.recipient === change.requester) return false;
  const { state, version } = whenOf(message, telling, change);
  return state === 'waiting' && (change.state !== 'waiting' || change.version !== version);
}

/** The button as it works now, if it does. What a restored database posts anew, it also takes back. */
function live(button: Button, { ts }: Message, { change, installation, isNewest }: Now): readonly Button[] {
  const { press } = button;
  if (press.kind === 'undo' && undoneBy(change) !== undefined) return [];
  if (press.kind === 'decision' && !(isNewest && press.version === change.version)) return [];
  const isOurs = 'installation' in press && (press.kind === 'decision' || ts === null);
  return [isOurs ? { ...button, press: { ...press, installation } } : button];
}

/** Whether an approved change could not be sent at once. */
const isHeldUp = (change: Change): boolean =>
  change.state === 'approved' && (change.last_note !== null || wasTried(change));

const wasTried = ({ attempts, throttle_count: throttled }: Change): boolean => attempts + throttled > 0;

/** Longer than the ten seconds of *Stop* last. */
const soonMs = 15_000;

/** Whether it was sent as `asOf` (epoch ms) promised. What sends nothing itself, such as a batch, does not say when it began. */
const isSentSoon = (change: Change, asOf: number): boolean =>
  change.sent_at !== null && change.sent_at - asOf < soonMs && !wasTried(change);

/** Whether everybody who was told of a change directly hears that it is in this state. */
const isReported = ({ state, settled_at }: Change): boolean =>
  settled_at !== null || state === 'waiting' || state === 'unknown' || state === 'stopped';

const undoneBy = ({ undo }: Change): number | undefined =>
  undo === null ? undefined : parseStored<Undo>(undo).undoneBy;

/** What is left of a request to approve once others have decided: who decided what. */
export function withdrawnRequest(change: Change, approved: readonly Approved[]): Note {
  const { number, settled_at } = change;
  const mark = isReported(change) ? markOf(change) : states.approved.mark;
  const title = say`**${frozenCardOf(change).title}** · #${number}`;
  const by = approved.length > 0 ? say`Approved by ${joined(approvedBy(approved), '; ')}.` : undefined;
  // Another message may ask the same people to decide something about these.
  const isOpen = settled_at === null && isReported(change);
  const says = isOpen || settled_at !== null ? stateText(change) : undefined;
  const rest = isOpen ? undefined : 'Nothing is left for you to decide.';
  return { text: joined([joined([mark, title]), by, says, rest], '\n') };
}

/** What is left of a message to somebody who may no longer read what it is about, or in a channel that may not hear it. */
export function noLongerShown({ kind, change }: Pick<Message, 'kind' | 'change'>): Text {
  const who = kind === 'notice' ? 'This channel' : 'You';
  return say`${who} may no longer see ${change === null ? 'what this was about' : `#${change}`}, so I've taken out what was here.`;
}

/** What is left of a message about an unknown outcome once it is known. */
export const wasUnknown = say`⚠️ **The outcome was unknown.**`;

/** Who made a move, and the messages that go with it. */
export type TransitionNote = {
  /** Slack user id, or `sitehand`. */
  readonly by: string;
  /** Epoch milliseconds, the database's clock. */
  readonly at: number;
  /** For the audit trail: plain JSON, no secrets. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** A reply in the thread. */
  readonly reply?: Telling;
  /** Whether the reply has the current decision buttons: only the newest message to somebody has them. */
  readonly decide?: boolean;
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

/** Queues the thread reply, and its copies for the ops channel and for people. Changes of a batch have neither. */
export async function enqueueReply(
  tx: Tx,
  change: Change,
  note: TransitionNote,
  reply: Telling,
  { key, installation }: { readonly key: string; readonly installation: string },
): Promise<void> {
  if (isPartOfBatch(change)) return;
  const { at, decide, replyKey } = note;
  const toDecide = decide ? decisionButtons(change, installation) : [];
  const { buttons = [] } = reply;
  const decides = toDecide.length > 0;
  const all = [...buttons, ...toDecide];
  // *Stop* works for ten seconds only, so it stays in the thread.
  const isBrief = decides && change.state === 'approved';
  const inThread = tellingOf(change, { ...reply, buttons: all });
  const threadKey = isBrief ? stopKey(change) : (replyKey ?? key);
  await enqueueMessage(tx, { ...inThread, key: threadKey, kind: 'reply', decides, at });
  const lasting = reply.lasting ?? (decides && change.state === 'unknown' ? wasUnknown : undefined);
  const elsewhere = { ...reply, lasting, buttons: isBrief ? buttons : all };
  await enqueueElsewhere(tx, change, note, elsewhere, { key, decides: decides && !isBrief });
}

/** Queues the copies of a reply for the ops channel and for people. They name the change. */
async function enqueueElsewhere(
  tx: Tx,
  change: Change,
  { at, ops, tell = [], tellKey }: TransitionNote,
  { text, lasting, buttons = [] }: Telling,
  { key, decides }: { readonly key: string; readonly decides: boolean },
): Promise<void> {
  const named = (one: Text): Text => say`${headingOf(change)}\n${one}`;
  const telling = { text: named(text), lasting: lasting && named(lasting) };
  const tellingFor = (isAsker: boolean) =>
    tellingOf(change, { ...telling, buttons: buttonsFor({ isAsker }, change, buttons) });
  const of = { decides, at };
  if (ops) await enqueueMessage(tx, { ...tellingFor(false), ...of, key: `${tellKey ?? key}:ops`, kind: 'ops' });
  for (const recipient of new Set(tell)) {
    const to = { key: `${tellKey ?? key}:${recipient}`, kind: 'direct', recipient } as const;
    await enqueueMessage(tx, { ...tellingFor(recipient === change.requester), ...of, ...to });
  }
}

/** What a message about a change tells, as a row. What holds only for now is drawn again when the change moves. */
export function tellingOf(change: Change, telling: Telling) {
  const { number, state, version } = change;
  const body = JSON.stringify({ ...telling, when: { state, version } } satisfies Telling);
  const acts = telling.buttons?.some(({ press }) => press.kind === 'decision' || press.kind === 'undo') === true;
  return { change: number, body, follows: acts || telling.lasting !== undefined || state === 'waiting' };
}

/** Key of the message with *Stop*. The time to press it begins when that is posted, also after it was asked again. */
export const stopKey = ({ number, lost_at }: Pick<Change, 'number' | 'lost_at'>): string =>
  lost_at === null ? `${number}:stop` : `${number}:stop:${lost_at}`;

/** Sends the card with its buttons to everybody who is told directly. */
export async function enqueueCopies(tx: Tx, change: Change, at: number): Promise<void> {
  for (const recipient of toldPeople(authorizationOf(change))) {
    const key = `${change.number}:card:${recipient}`;
    await enqueueMessage(tx, { key, change: change.number, kind: 'copy', recipient, at });
  }
}
