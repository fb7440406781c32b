import { type Change, isPartOfBatch } from '../storage/changes.ts';
import { enqueueMessage } from '../storage/messages.ts';
import { say, type Text } from '../words/text.ts';
import { buttonsFor, decisionButtons, reviewButton } from './buttons.ts';
import { type Telling } from './card.ts';
import { headingOf } from './pin.ts';
import type { Tx } from '../storage/database.ts';
import { toldPeople } from '../access/approver-lookup.ts';
import { authorizationOf } from '../access/authorization.ts';
import { wasUnknown } from './told.ts';

/** The messages that go with a move of a change, queued in the transaction that moves it. */

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
  // It is drawn once the change is over.
  const later = change.settled_at === null && change.post_review !== null ? [reviewButton(change, installation)] : [];
  const toDecide = decide ? [...decisionButtons(change, installation), ...later] : [];
  const { buttons = [] } = reply;
  const decides = toDecide.length > 0;
  const all = [...buttons, ...toDecide];
  // *Stop* works for ten seconds only, so it stays in the thread: but whose approval is skipped may be anywhere.
  const isStop = decides && change.state === 'approved';
  const isBrief = isStop && authorizationOf(change).breakGlass === undefined;
  const inThread = tellingOf(change, { ...reply, buttons: all });
  const threadKey = isStop ? stopKey(change) : (replyKey ?? key);
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
