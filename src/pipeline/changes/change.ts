import type { Risk, State } from '../../storage/schema.ts';

/**
 * The life of a change, as a pure function: which moves there are, and what each does to the row and its locks.
 * Nothing else decides a state; `change-store.ts` writes what this says.
 */

/** What the moves look at. Times are epoch milliseconds. */
export type TransitionInput = {
  readonly state: State;
  readonly risk: Risk;
  readonly target_live: number;
  readonly sent_at: number | null;
  readonly settled_at: number | null;
  readonly expires_at: number;
  readonly tries: number;
  readonly throttled: number;
};

/** What can happen to a change. */
export type ChangeEvent =
  | { readonly kind: 'approve' }
  | { readonly kind: 'decline' | 'cancel' | 'expire' | 'void' | 'supersede' }
  /** Its owner begins to send; nothing is written before this is saved. */
  | { readonly kind: 'send'; readonly owner: string; readonly leaseMs: number }
  /** No connection; nothing was sent. */
  | { readonly kind: 'stumble' }
  /** Its owner came too late to send and wrote nothing. */
  | { readonly kind: 'hand back' }
  /** The host took nothing: 429. */
  | { readonly kind: 'throttle'; readonly retryAfterMs: number }
  | { readonly kind: 'accept'; readonly operation: string | null }
  | { readonly kind: 'reject' }
  /** Sent, and the answer is lost; or accepted, and the host stopped answering about it. */
  | { readonly kind: 'lose' }
  /** The host says it is finished, or a read proves it. */
  | { readonly kind: 'finish' }
  /** Nothing had to be written for it, and nothing was: it is done. */
  | { readonly kind: 'complete' }
  /** The host says it failed. */
  | { readonly kind: 'fail' }
  /** Accepted, and there is no way to see more. `lockMs`: how long its targets stay locked. */
  | { readonly kind: 'leave'; readonly lockMs: number }
  /** What a person says of an unknown outcome. */
  | { readonly kind: 'affirm' | 'deny' }
  /** It had been sent (epoch ms), or may have been, and the database says that it never was: it lost commits. */
  | { readonly kind: 'commit_lost'; readonly sentAt: number }
  /** An answer that came after the outcome was called unknown. */
  | { readonly kind: 'accept late'; readonly operation: string | null }
  | { readonly kind: 'reject late' };

/** What a move writes into the row, besides the version. */
export type Patch = {
  readonly state: State;
  readonly settled_at: number | null;
  readonly due_at: number | null;
  readonly owner: string | null;
  readonly lease_until: number | null;
  readonly approved_at?: number;
  readonly expires_at?: number;
  readonly sent_at?: number | null;
  readonly tries?: number;
  readonly throttled?: number;
  readonly operation?: string | null;
  readonly lost_at?: number;
  readonly reminders?: null;
};

/** What becomes of the locks on its targets. */
export type Locks = 'take' | 'keep' | 'free' | { readonly keepMs: number };
export type Transition = { readonly patch: Patch; readonly locks: Locks };

/** A connection is tried this often before the change expires. */
export const maxTries = 3;
/** A write answered 429 goes back this often. */
export const maxThrottles = 2;
/** Once approved it stays valid at least this long, however late the approval came; without approval just as long. */
export const validMs = 5 * 60_000;
/** Longer than a write can take; when it is over, whoever finds the change calls it unknown. */
export const leaseMs = 45_000;
/** A machine that was frozen between its last check and its write can send late: before this nobody knows. */
const closableAfterMs = leaseMs + 5 * 60_000;
const tryAgainAfterMs = [2_000, 8_000];
const firstLookAfterMs = 2_000;
/** What the host has done by the time it answers can be read back at once. */
const readBackAfterMs = 200;
const firstLook = (operation: string | null, now: number) => ({
  operation,
  due_at: now + (operation === null ? readBackAfterMs : firstLookAfterMs),
});

/** From which states each thing can happen, and what it leads to. */
const moves: { readonly [K in ChangeEvent['kind']]: { readonly from: readonly State[]; readonly to: State } } = {
  approve: { from: ['waiting'], to: 'approved' },
  decline: { from: ['waiting'], to: 'declined' },
  cancel: { from: ['waiting', 'approved'], to: 'cancelled' },
  expire: { from: ['waiting', 'approved'], to: 'expired' },
  void: { from: ['waiting', 'approved'], to: 'void' },
  supersede: { from: ['waiting', 'approved'], to: 'superseded' },
  send: { from: ['approved'], to: 'sending' },
  stumble: { from: ['approved'], to: 'approved' },
  'hand back': { from: ['sending'], to: 'approved' },
  throttle: { from: ['sending'], to: 'approved' },
  accept: { from: ['sending'], to: 'accepted' },
  reject: { from: ['sending'], to: 'rejected' },
  lose: { from: ['sending', 'accepted'], to: 'unknown' },
  finish: { from: ['accepted'], to: 'done' },
  complete: { from: ['approved'], to: 'done' },
  fail: { from: ['accepted'], to: 'failed' },
  leave: { from: ['accepted'], to: 'accepted' },
  commit_lost: { from: ['waiting', 'approved'], to: 'unknown' },
  affirm: { from: ['unknown'], to: 'happened' },
  deny: { from: ['unknown'], to: 'did not happen' },
  'accept late': { from: ['unknown'], to: 'accepted' },
  'reject late': { from: ['unknown'], to: 'rejected' },
};

/**
 * The move that `happening` makes of a change at `now` (epoch ms), or undefined where it cannot happen: it is settled,
 * in another state, or no longer valid to be sent.
 */
export function move(change: TransitionInput, event: ChangeEvent, now: number): Transition | undefined {
  const { from, to } = moves[event.kind];
  if (change.settled_at !== null || !from.includes(change.state) || !isTime(change, event, now)) return undefined;
  switch (event.kind) {
    case 'approve':
      return {
        patch: { ...at(to), ...approvedAt(change, now) },
        locks: change.risk === 'routine' ? 'keep' : 'take',
      };
    case 'send':
      return { patch: { ...at(to), ...leased(event, now), sent_at: now }, locks: 'keep' };
    case 'stumble':
    case 'hand back':
      return again(to, change, now, { tries: change.tries + 1 }, tryAgainAfterMs[change.tries] ?? 8_000);
    case 'throttle':
      return again(to, change, now, { throttled: change.throttled + 1 }, event.retryAfterMs);
    case 'accept':
    case 'accept late':
      return { patch: { ...at(to), ...firstLook(event.operation, now) }, locks: 'keep' };
    case 'lose':
      return { patch: { ...at(to), ...lostAt(now) }, locks: 'keep' };
    case 'commit_lost':
      // Locks that were lost as well are not taken again: whoever has them now must not keep this from being said.
      return { patch: { ...at(to), ...lostAt(now), sent_at: event.sentAt }, locks: 'keep' };
    case 'leave':
      return {
        patch: { ...at(to), settled_at: now },
        locks: event.lockMs > 0 ? { keepMs: event.lockMs } : 'free',
      };
    case 'decline':
    case 'cancel':
    case 'expire':
    case 'void':
    case 'supersede':
    case 'reject':
    case 'finish':
    case 'complete':
    case 'fail':
    case 'affirm':
    case 'deny':
    case 'reject late':
      return { patch: { ...at(to), settled_at: now }, locks: 'free' };
  }
}

/** What is no longer valid is not approved or sent; what may still arrive at the host is not closed. */
function isTime(change: TransitionInput, { kind }: ChangeEvent, now: number): boolean {
  if (kind === 'approve' || kind === 'send' || kind === 'complete') return now < change.expires_at;
  return (kind !== 'affirm' && kind !== 'deny') || now >= closableFrom(change);
}

/** What a change is born with, or becomes, when nothing but the sending is left to do. */
export function approvedAt(
  change: Pick<TransitionInput, 'risk' | 'target_live' | 'expires_at'>,
  now: number,
): Required<Pick<Patch, 'due_at' | 'approved_at' | 'expires_at'>> {
  const expires_at = Math.max(change.expires_at, now + validMs);
  return { approved_at: now, expires_at, due_at: coolsDown(change) ? expires_at : now };
}

/**
 * Whether there is time to stop it once it is approved. That time begins when the message with *Stop* stands; until
 * then nothing is due but the end of its validity.
 */
export const coolsDown = ({ risk, target_live }: Pick<TransitionInput, 'risk' | 'target_live'>): boolean =>
  risk === 'destructive' && target_live === 1;

/** The same as a time that can be told to the minute: not before it. */
export const closableMinute = (change: Pick<TransitionInput, 'sent_at'>): number =>
  Math.ceil(closableFrom(change) / 60_000) * 60_000;

/** From when on a person may say what came of an unknown outcome, epoch ms. */
export const closableFrom = ({ sent_at }: Pick<TransitionInput, 'sent_at'>): number => (sent_at ?? 0) + closableAfterMs;

/** Back to approved, to be tried again later; or, its tries used up, expired with nothing sent. */
function again(
  to: State,
  change: TransitionInput,
  now: number,
  counts: Pick<Patch, 'tries' | 'throttled'>,
  afterMs: number,
): Transition {
  const usedUp = (counts.tries ?? 0) >= maxTries || (counts.throttled ?? 0) > maxThrottles;
  if (usedUp || now + afterMs >= change.expires_at) {
    return { patch: { ...at('expired'), ...counts, settled_at: now, sent_at: null }, locks: 'free' };
  }
  return { patch: { ...at(to), ...counts, due_at: now + afterMs, sent_at: null }, locks: 'keep' };
}

/** From now on nobody knows what came of it: what can be read is looked for at once. */
const lostAt = (now: number) => ({ due_at: now, lost_at: now, reminders: null });

const leased = ({ owner, leaseMs }: { readonly owner: string; readonly leaseMs: number }, now: number) => ({
  due_at: now + leaseMs,
  owner,
  lease_until: now + leaseMs,
});

const at = (state: State): Patch => ({ state, settled_at: null, due_at: null, owner: null, lease_until: null });
