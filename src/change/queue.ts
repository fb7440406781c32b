import { parseStored } from '../storage/parse-json.ts';
import type { Target } from '../hosting/contract/target.ts';
import { type ReadHandle, type Tx } from '../storage/schema.ts';
import { spokenDuration, hourMs } from '../words/duration.ts';
import type { Args } from '../base/errors.ts';
import { idsOf } from '../policy/memberships.ts';
import type { Change } from '../storage/changes.ts';
import { enqueueMessage, ownWords } from '../storage/messages.ts';
import { locksOf } from '../storage/locks.ts';
import { queueOf, removeQueued } from '../storage/queue.ts';
import { listOpen, type QueuedRequest } from '../storage/waiting.ts';
import { bold, code, mention, say, time, type Text } from '../words/text.ts';
import { withOption } from '../language/reparse.ts';
import type { AccessContext } from '../access/context.ts';
import { storedTargets } from '../access/targets.ts';
import { type Note, type Telling } from './card.ts';
import { tellingOf } from './change-messages.ts';
import { runButton, type Button } from './buttons.ts';

/** How queued requests move on and end, and what their requesters are told. The caller provides each transaction. */

/** Writes the audit line of something that isn't a change. */
type WriteLine = (
  tx: Tx,
  action: {
    readonly event: string;
    readonly by: string;
    readonly at: number;
    readonly about: readonly Target[];
    readonly details: Readonly<Record<string, unknown>>;
  },
) => Promise<void>;

export const queuedArgs = (row: Pick<QueuedRequest, 'args'>): Args => parseStored(row.args);

/** The request in words: its command and its target. */
export const queuedWords = ({ command, targets }: Pick<QueuedRequest, 'command' | 'targets'>): Text =>
  say`${code(command)} on ${storedTargets({ targets })[0]?.name ?? ''}`;

/** How many places one person may have. */
export const maxPlaces = 5;
/** The places of these ids of one person, oldest first. */
export const placesOf = (db: ReadHandle, requesters: readonly string[]): Promise<QueuedRequest[]> =>
  listOpen(db, ['queue'], { limit: maxPlaces, requesters });
/** How long a place in a queue is kept. */
export const placeMs = hourMs;
/** How long a turn lasts. */
const turnMs = 10 * 60_000;
/** When the turn of a request ends if it isn't used (epoch ms). */
export const turnEnd = ({ turn_at, expires_at }: Pick<QueuedRequest, 'turn_at' | 'expires_at'>): number =>
  Math.min(expires_at, (turn_at ?? expires_at) + turnMs);

export const leaveButton = ({ id }: Pick<QueuedRequest, 'id'>): Button =>
  runButton({ label: 'Leave the queue', args: ['queue', 'leave', String(id)] });

/** Queues the request again, at the end. */
const queueAgainButton = (row: QueuedRequest): Button =>
  runButton({ label: 'Queue again', args: withOption(queuedArgs(row), '--queue') });

type QueueStep = 'queue_join' | 'queue_leave' | 'queue_turn' | 'queue_used' | 'queue_end';

/** Writes the audit line of a step of a queued request. */
export function recordQueued(
  tx: Tx,
  record: WriteLine,
  row: QueuedRequest,
  step: QueueStep,
  {
    by = 'sitehand',
    at,
    ...more
  }: { readonly by?: string; readonly at: number } & Readonly<{ [key: string]: unknown }>,
): Promise<void> {
  const { id, command, args, requester, target_name: target, target: target_key } = row;
  const details = { target, target_key, place: id, command, args, requester, behind: row.behind, ...more };
  return record(tx, { event: step, by, at, about: storedTargets(row), details });
}

/** Tells the requester in direct messages. `change`: what came of the request. */
export async function tellQueued(
  tx: Tx,
  row: QueuedRequest,
  step: QueueStep,
  telling: Telling,
  at: number,
  change?: Change,
): Promise<void> {
  const to = { key: `queue:${row.id}:${step}:${at}`, kind: 'direct', recipient: row.requester, at } as const;
  await enqueueMessage(
    tx,
    change === undefined
      ? { ...to, about: ownWords, body: JSON.stringify(telling) }
      : { ...to, ...tellingOf(change, telling) },
  );
}

/** Replaces the message *Your turn*, if there is one, because its buttons no longer work. `says`: how the turn ended. */
export async function withdrawTurn(tx: Tx, row: QueuedRequest, says: Text, at: number): Promise<void> {
  if (row.turn_at === null) return;
  const text = say`🔔 It was your turn to review ${queuedWords(row)}. ${says}`;
  const to = { key: `queue:${row.id}:queue_turn:${row.turn_at}`, kind: 'direct', recipient: row.requester } as const;
  const body = JSON.stringify({ text } satisfies Note);
  await enqueueMessage(tx, { ...to, about: ownWords, body, at, isNews: false });
}

/** What the requester is told when a lock ends their turn. */
export const turnTaken = say`Somebody locked it first. You'll get another turn.`;

/** How a place ends without its request: the place or its turn expired, it was refused, or the queue was emptied. */
export type QueueEnd =
  | { readonly kind: 'expired' | 'unused' }
  | { readonly kind: 'refused'; readonly says: Text }
  /** `isAll`: the whole queue ends; otherwise only a request that needs another environment too. */
  | { readonly kind: 'unknown'; readonly change: Change; readonly isAll: boolean }
  | { readonly kind: 'set back'; readonly says: Text };

/** Ends a place. False, with nothing written, if it has ended or, with `isMine`, was claimed again by now. */
export async function endQueued(
  tx: Tx,
  record: WriteLine,
  row: QueuedRequest,
  why: QueueEnd,
  at: number,
  isMine = false,
): Promise<boolean> {
  if (!(await removeQueued(tx, row, at, isMine))) return false;
  await withdrawTurn(tx, row, say`It is over.`, at);
  const change = why.kind === 'unknown' ? { change: why.change.number } : {};
  await recordQueued(tx, record, row, 'queue_end', { at, why: why.kind, ...change });
  const buttons = ['expired', 'unused', 'refused'].includes(why.kind) ? [queueAgainButton(row)] : [];
  await tellQueued(tx, row, 'queue_end', { text: endWords(row, why), buttons }, at);
  return true;
}

function endWords(row: QueuedRequest, why: QueueEnd): Text {
  const what = queuedWords(row);
  switch (why.kind) {
    case 'expired':
      return row.turn_at === null
        ? say`⌛ **Your place in the queue for ${row.target_name} has expired.** ${what} was not sent.`
        : say`⌛ **Your turn for ${row.target_name} is over,** because your place in the queue has expired. ${what} was not sent.`;
    case 'unused':
      return say`⌛ **Your turn for ${row.target_name} is over:** you had ${spokenDuration(turnMs)}. ${what} was not sent.`;
    case 'refused':
      return say`⛔ **It was your turn for ${row.target_name}, but I couldn't send ${what}.** ${why.says} You're no longer in the queue.`;
    case 'unknown': {
      const front = say`${mention(why.change.requester)}'s ${why.change.command} (#${why.change.number})`;
      const ended = why.isAll
        ? say`**I emptied the queue for ${row.target_name},**`
        : say`**You're no longer in the queue for ${row.target_name},**`;
      return say`⚠️ ${ended} because the outcome of ${front} is unknown. ${what} was not sent. Ask again when somebody has said what came of #${why.change.number}.`;
    }
    case 'set back':
      return say`⚠️ **I emptied the queue for ${row.target_name}.** ${why.says} ${what} may have been sent already: please check before you ask again.`;
  }
}

/** A place as its owner sees it: it waits, or it is its turn. */
export function placeNote(row: QueuedRequest): Note {
  if (row.turn_at !== null) return turnNote(row);
  const text = say`⏳ ${queuedWords(row)} waits until ${row.target_name} is free, until ${time(row.expires_at)} at most.`;
  return { text, buttons: [leaveButton(row)] };
}

/** Empties the queues behind an unknown outcome and tells everybody in them: nobody knows how long they would wait. */
export async function emptyQueuesBehind(tx: Tx, record: WriteLine, change: Change, at: number): Promise<void> {
  for (const { target } of await locksOf(tx, change.number, at)) {
    for (const row of await queueOf(tx, target))
      await endQueued(tx, record, row, { kind: 'unknown', change, isAll: true }, at);
  }
}

/** The message *Your turn*, with the button that opens the review. */
export function turnNote(row: QueuedRequest, says?: Text): Note {
  const [review, leave] = ['Review', leaveButton(row)];
  const text = say`🔔 **Your turn: review ${queuedWords(row)}.** ${says ?? `${row.target_name} is free.`} Press ${bold(review)} to see what will happen. Others wait behind you until you've sent it or left the queue, until ${time(turnEnd(row))} at most. Nothing was sent yet.`;
  return {
    text,
    buttons: [{ label: review, press: { kind: 'review', args: queuedArgs(row) }, style: 'primary' }, leave],
  };
}

/**
 * Ends the place in a queue of the very request that was saved: it would be sent twice. A turn for another one stays,
 * and so does that of a person for whom a caller asks.
 */
export async function usePlace(
  context: Pick<AccessContext, 'policy'> & { readonly changeStore: { readonly note: WriteLine } },
  tx: Tx,
  saved: Change,
  at: number,
): Promise<void> {
  if (saved.caller !== null) return;
  const own = await placesOf(tx, idsOf(context.policy(), saved.requester));
  const row = own.find((one) => asSaved(one) === saved.args);
  if (row === undefined) return;
  await removeQueued(tx, row, at);
  await withdrawTurn(tx, row, say`You asked for it: it is #${saved.number} now.`, at);
  const by = { by: saved.requester, at, used: saved.number };
  await recordQueued(tx, context.changeStore.note, row, 'queue_used', by);
}

/** The arguments in the form in which a change stores them. */
export const asSaved = (row: Pick<QueuedRequest, 'args'>): string =>
  JSON.stringify(queuedArgs(row).filter((word) => !/^--(?:reason|handed-on)=/.test(word)));
