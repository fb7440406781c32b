import { states, type State } from '../words/states.ts';
import type { Change } from '../storage/changes.ts';
import { hourMs, wholeMinute } from '../words/duration.ts';

/**
 * The life of a change as a pure function: the moves, and what each does to the row and its locks. Only this file
 * decides states; `change-store.ts` writes them.
 */

/** The columns that moves depend on. Times are epoch milliseconds. */
export type TransitionInput = Pick<
  Change,
  | 'state'
  | 'risk'
  | 'cools_down'
  | 'sent_at'
  | 'settled_at'
  | 'scheduled_at'
  | 'expires_at'
  | 'attempts'
  | 'throttle_count'
  | 'progress'
  | 'lost_at'
  | 'post_review'
>;

/** What can happen to a change. */
export type ChangeEvent =
  | { readonly kind: 'approve' }
  | { readonly kind: 'decline' | 'cancel' | 'expire' | 'invalidated' | 'supersede' }
  /** Its owner begins to send. This is saved before anything goes to the host. */
  | { readonly kind: 'send'; readonly owner: string; readonly leaseMs: number }
  /** No connection; nothing was sent. */
  | { readonly kind: 'connect_failed' }
  /** Its owner was too late to send and wrote nothing. */
  | { readonly kind: 'send_aborted' }
  /** The host answered 429 and did nothing. */
  | { readonly kind: 'throttle'; readonly retryAfterMs: number }
  | { readonly kind: 'accept'; readonly operation: string | null }
  | { readonly kind: 'reject' }
  /** Sent, and the answer got lost; or accepted, and the host stopped answering about it. */
  | { readonly kind: 'outcome_lost' }
  /** The host says it is finished, or a read proves it. */
  | { readonly kind: 'finish' }
  /** Done without a write: none was needed. */
  | { readonly kind: 'complete' }
  /** The host says it failed. */
  | { readonly kind: 'fail' }
  /** Accepted, and nothing more can be verified. `lockMs`: how long its targets stay locked. */
  | { readonly kind: 'unverified'; readonly lockMs: number }
  /** A person says whether an unknown outcome happened. */
  | { readonly kind: 'confirmed_happened' | 'confirmed_not' }
  /** The database lost commits: it says unsent, but the change was or may have been sent, at `sentAt` (epoch ms). */
  | { readonly kind: 'commit_lost'; readonly sentAt: number }
  /** The database may have lost commits, so votes are void. The new ones are wanted until `expiresAt` (epoch ms). */
  | { readonly kind: 'ask_again'; readonly expiresAt: number; readonly remindAt: number }
  /** An answer that came after the change became unknown. */
  | { readonly kind: 'accept_late'; readonly operation: string | null }
  | { readonly kind: 'reject_late' }
  /** Its owner wrote nothing, and could not save that before the change became unknown. */
  | { readonly kind: 'send_aborted_late' }
  /** A batch begins. It may begin changes until `expiresAt` (epoch ms). */
  | { readonly kind: 'start'; readonly expiresAt: number }
  /** A batch begins no more changes: for now (`halt`), for good (`end`), or because all are done. `go_on` ends a halt. */
  | { readonly kind: 'halt' | 'go_on' | 'end' | 'all_done' | 'all_accepted' };

/** The columns that a move writes, besides the version. */
export type Patch = Pick<Change, 'state' | 'settled_at' | 'due_at' | 'owner' | 'lease_until'> &
  Partial<
    Pick<
      Change,
      'expires_at' | 'sent_at' | 'attempts' | 'throttle_count' | 'operation' | 'lost_at' | 'reminders' | 'post_review'
    >
  >;

/**
 * What happens to its locks. `keepMs`: how long all of them last from now on; `sharedMs`: those on what it only reads.
 * `extend`: the latter last until they are freed.
 */
export type Locks = 'take' | 'keep' | 'free' | 'extend' | { readonly keepMs: number } | { readonly sharedMs: number };
export type Transition = { readonly patch: Patch; readonly locks: Locks };

/** Attempts that wrote nothing before the change expires. */
export const maxAttempts = 3;
/** How many 429 answers put a change back; one more expires it. */
export const maxThrottles = 2;
/** A change stays valid at least this long after its approval, or after its request if it needs no approval. */
export const validMs = 5 * 60_000;
/** Longer than a write can take. A change still in *sending* after that becomes unknown. */
export const sendLeaseMs = 45_000;
/** How long an unknown change locks what it only read: no copy takes longer. */
const unknownSharedMs = hourMs;
/** A process that froze between its last check and its write could still send until then. */
const closableAfterMs = sendLeaseMs + 5 * 60_000;
const retryDelaysMs = [2_000, 8_000];
const firstPollAfterMs = 2_000;
/** Without an operation, the host is usually done when it answers, so the result is read almost at once. */
const readBackAfterMs = 200;
const firstPoll = (operation: string | null, now: number) => ({
  operation,
  due_at: now + (operation === null ? readBackAfterMs : firstPollAfterMs),
});

/** The states in which each event can happen, and the state it leads to. A retry may lead to *expired* instead. */
const moves: { readonly [K in ChangeEvent['kind']]: { readonly from: readonly State[]; readonly to: State } } = {
  approve: { from: ['waiting'], to: 'approved' },
  decline: { from: ['waiting'], to: 'declined' },
  cancel: { from: ['waiting', 'approved'], to: 'cancelled' },
  expire: { from: ['waiting', 'approved'], to: 'expired' },
  invalidated: { from: ['waiting', 'approved'], to: 'invalidated' },
  supersede: { from: ['waiting', 'approved'], to: 'superseded' },
  send: { from: ['approved'], to: 'sending' },
  connect_failed: { from: ['approved'], to: 'approved' },
  send_aborted: { from: ['sending'], to: 'approved' },
  throttle: { from: ['sending'], to: 'approved' },
  accept: { from: ['sending'], to: 'accepted' },
  reject: { from: ['sending'], to: 'rejected' },
  outcome_lost: { from: ['sending', 'accepted'], to: 'unknown' },
  finish: { from: ['accepted'], to: 'done' },
  complete: { from: ['approved'], to: 'done' },
  fail: { from: ['accepted'], to: 'failed' },
  unverified: { from: ['accepted'], to: 'accepted' },
  commit_lost: { from: ['waiting', 'approved'], to: 'unknown' },
  ask_again: { from: ['waiting', 'approved'], to: 'waiting' },
  confirmed_happened: { from: ['unknown'], to: 'happened' },
  confirmed_not: { from: ['unknown'], to: 'did_not_happen' },
  accept_late: { from: ['unknown'], to: 'accepted' },
  reject_late: { from: ['unknown'], to: 'rejected' },
  send_aborted_late: { from: ['unknown'], to: 'expired' },
  start: { from: ['approved'], to: 'running' },
  halt: { from: ['running'], to: 'stopped' },
  go_on: { from: ['stopped'], to: 'running' },
  end: { from: ['running', 'stopped'], to: 'ended' },
  all_done: { from: ['running', 'stopped'], to: 'done' },
  all_accepted: { from: ['running', 'stopped'], to: 'accepted' },
};

/**
 * The move that `event` makes at `now` (epoch ms). Undefined if it can't happen: the change is settled, in another
 * state, no longer valid for sending, or too fresh to be closed.
 */
export function move(change: TransitionInput, event: ChangeEvent, now: number): Transition | undefined {
  const moved = moveOf(change, event, now);
  const { state, lost_at: lost = change.lost_at } = moved?.patch ?? change;
  // What certainly was not sent is not reviewed.
  if (moved === undefined || change.post_review === null || lost !== null || !states[state].isUnsent) return moved;
  return { ...moved, patch: { ...moved.patch, post_review: null } };
}

function moveOf(change: TransitionInput, event: ChangeEvent, now: number): Transition | undefined {
  const { from, to } = moves[event.kind];
  if (change.settled_at !== null || !from.includes(change.state)) return undefined;
  if (!isOfItsKind(change, event) || !isTimely(change, event, now)) return undefined;
  if (isBatchEvent(event)) return moveOfBatch(event, to, now);
  if (isEnd(event)) return { patch: settled(to, now), locks: 'free' };
  switch (event.kind) {
    case 'approve':
      return {
        patch: { ...at(to), ...readyToSend(change, now) },
        locks: lockingMove(change) === 'approve' ? 'take' : 'keep',
      };
    case 'send':
      return {
        patch: { ...at(to), ...leasedTo(event.owner, now + event.leaseMs), sent_at: now },
        locks: lockingMove(change) === 'send' ? 'take' : 'keep',
      };
    case 'connect_failed':
    case 'send_aborted':
      return again(to, change, now, { attempts: change.attempts + 1 }, retryDelaysMs[change.attempts] ?? 8_000);
    case 'throttle':
      return again(to, change, now, { throttle_count: change.throttle_count + 1 }, event.retryAfterMs);
    case 'accept':
    case 'accept_late':
      return {
        patch: { ...at(to), ...firstPoll(event.operation, now) },
        locks: event.kind === 'accept' ? 'keep' : 'extend',
      };
    case 'outcome_lost':
      return { patch: { ...at(to), ...lostAt(now) }, locks: { sharedMs: unknownSharedMs } };
    case 'commit_lost':
      // Locks that were lost too are not retaken: a new holder must not block this move.
      return { patch: { ...at(to), ...lostAt(now), sent_at: event.sentAt }, locks: { sharedMs: unknownSharedMs } };
    case 'ask_again':
      return { patch: { ...at(to), ...askedAnew(event, now) }, locks: 'free' };
    case 'send_aborted_late':
      // Expire it. People were told it may have been sent and may have asked again.
      return { patch: { ...settled(to, now), sent_at: null, lost_at: null }, locks: 'free' };
    case 'unverified':
      return { patch: settled(to, now), locks: event.lockMs > 0 ? { keepMs: event.lockMs } : 'free' };
  }
}

/** The move that locks its targets; undefined: none does. The changes of a batch lock theirs one by one. */
export const lockingMove = ({
  risk,
  progress,
  scheduled_at,
}: Pick<TransitionInput, 'risk' | 'progress' | 'scheduled_at'>) =>
  risk === 'routine' || progress !== null ? undefined : scheduled_at === null ? 'approve' : 'send';

/** Nothing moves the change after these, and nothing needs its locks. */
const ends = [
  'decline',
  'cancel',
  'expire',
  'invalidated',
  'supersede',
  'reject',
  'finish',
  'complete',
  'fail',
  'confirmed_happened',
  'confirmed_not',
  'reject_late',
] as const;
type End = Extract<ChangeEvent, { kind: (typeof ends)[number] }>;
const isEnd = (event: ChangeEvent): event is End => ends.some((kind) => kind === event.kind);

const batchEvents = ['start', 'halt', 'go_on', 'end', 'all_done', 'all_accepted'] as const;
type BatchEvent = Extract<ChangeEvent, { kind: (typeof batchEvents)[number] }>;
const isBatchEvent = (event: ChangeEvent): event is BatchEvent => batchEvents.some((kind) => kind === event.kind);

/** A batch sends nothing itself, and only a batch begins changes. */
const isOfItsKind = ({ progress }: TransitionInput, event: ChangeEvent): boolean =>
  progress === null ? !isBatchEvent(event) : event.kind !== 'send' && event.kind !== 'complete';

/** A batch holds no locks: its changes do. */
function moveOfBatch(event: BatchEvent, to: State, now: number): Transition {
  const isOver = to === 'ended' || to === 'done' || to === 'accepted';
  const when = isOver ? { settled_at: now } : { due_at: now };
  const valid = event.kind === 'start' ? { expires_at: event.expiresAt } : {};
  return { patch: { ...at(to), ...when, ...valid }, locks: 'keep' };
}

/** Only a valid change can be approved or sent, and none before its time. It can't be closed while its write could still arrive. */
function isTimely(change: TransitionInput, { kind }: ChangeEvent, now: number): boolean {
  const mustBeValid = ['approve', 'send', 'complete', 'start', 'go_on'].includes(kind);
  const isTooEarly = kind !== 'approve' && now < (change.scheduled_at ?? 0);
  if (mustBeValid) return now < change.expires_at && !isTooEarly;
  return (kind !== 'confirmed_happened' && kind !== 'confirmed_not') || now >= closableFrom(change);
}

/** The columns of a change that is ready to be sent. */
export function readyToSend(
  change: Pick<TransitionInput, 'cools_down' | 'expires_at' | 'scheduled_at'>,
  now: number,
): Required<Pick<Patch, 'due_at' | 'expires_at'>> {
  const { scheduled_at: scheduledAt } = change;
  const expires_at = scheduledAt === null ? Math.max(change.expires_at, now + validMs) : change.expires_at;
  return { expires_at, due_at: coolsDown(change) ? expires_at : Math.max(now, scheduledAt ?? now) };
}

/**
 * Whether people get time to press *Stop* after the approval. That time begins when the message with *Stop* is
 * posted; until then, only the end of its validity is due.
 */
export const coolsDown = ({ cools_down }: Pick<TransitionInput, 'cools_down'>): boolean => cools_down === 1;

/** `closableFrom` rounded up to the minute, for sentences. */
export const closableMinute = (change: Pick<TransitionInput, 'sent_at'>): number => wholeMinute(closableFrom(change));

/** When a person may first say what came of an unknown change, epoch ms. */
export const closableFrom = ({ sent_at }: Pick<TransitionInput, 'sent_at'>): number => (sent_at ?? 0) + closableAfterMs;

/** Back to approved for another attempt, or expired with nothing sent if the attempts are used up. */
function again(
  to: State,
  change: TransitionInput,
  now: number,
  counts: Pick<Patch, 'attempts' | 'throttle_count'>,
  afterMs: number,
): Transition {
  const usedUp = (counts.attempts ?? 0) >= maxAttempts || (counts.throttle_count ?? 0) > maxThrottles;
  if (usedUp || now + afterMs >= change.expires_at) {
    return { patch: { ...at('expired'), ...counts, settled_at: now, sent_at: null }, locks: 'free' };
  }
  return { patch: { ...at(to), ...counts, due_at: now + afterMs, sent_at: null }, locks: 'keep' };
}

/** The outcome is unknown from now on; gathering evidence is due at once. */
const lostAt = (now: number) => ({ due_at: now, lost_at: now, reminders: null });

/** `lost_at` records that it may have been sent before. */
const askedAnew = ({ expiresAt, remindAt }: Extract<ChangeEvent, { kind: 'ask_again' }>, now: number) => ({
  expires_at: expiresAt,
  due_at: remindAt,
  lost_at: now,
  attempts: 0,
  throttle_count: 0,
});

const leasedTo = (owner: string, until: number) => ({ due_at: until, owner, lease_until: until });

const settled = (to: State, now: number): Patch => ({ ...at(to), settled_at: now });

const at = (state: State): Patch => ({ state, settled_at: null, due_at: null, owner: null, lease_until: null });
