import type { ActionProof } from '../commands/kit/action.ts';
import type { OperationState } from '../hosting/contract/sites.ts';
import type { Change } from '../storage/changes.ts';
import type { Text } from '../words/text.ts';
import type { ChangeEvent } from '../change/change.ts';
import { receiptFor } from '../change/write-result.ts';
import { failed, finished, lostSight, unverified } from '../change/replies.ts';
import { hourMs } from '../words/duration.ts';

/** The progress of polling, stored with the change. */
export type PollState = {
  /** When polling began, epoch ms. */
  readonly since: number;
  readonly looks: number;
  /** Whether the host ever said that it knows this operation. */
  readonly known: boolean;
  /** Consecutive answers *failed*, and when the first one came, epoch ms. */
  readonly failing?: { readonly times: number; readonly since: number } | undefined;
  /** Consecutive polls without a usable answer: *failed*, or the host couldn't be asked. */
  readonly unclear: number;
};

/** What a read shows about a change. */
export type Proof = ActionProof & {
  /** The state that the change left, as JSON. */
  readonly left?: string;
};

/** What one poll of the host showed. */
export type Observation = {
  /** Undefined: the host gave no operation to ask about. `trouble`: the host couldn't be asked. */
  readonly operation: OperationState | 'trouble' | undefined;
  readonly message?: string | undefined;
  /** The host's `Retry-After`. */
  readonly restMs?: number | undefined;
  /** `trouble`: the read failed. */
  readonly proof: Proof | 'trouble' | undefined;
};

/** Poll again after `wait` ms, or apply `event` now. `says` is for the card, `reply` for the thread. */
export type PollResult =
  | { readonly wait: number; readonly poll: PollState }
  | { readonly event: ChangeEvent; readonly says: Text };

/** Intervals between polls; the last one repeats. */
const intervalsMs = [2_000, 4_000, 8_000, 15_000, 30_000];
/** Right after accepting, the host may not know its operation yet or not show its effect. */
const notKnownMs = 60_000;
const maxMs = hourMs;
/** The host's own errors look like a failed operation, so *failed* counts only if repeated over a while. */
const failuresThatCount = 3;
const failingMs = 60_000;
/** Polling stops after this if the host has never answered about any operation. */
const neverAnsweredMs = 10 * 60_000;
/** Polling never ends before this many unclear polls in a row, so the first poll after a long downtime isn't the last. */
const unclearThatCount = 5;
/** While the host can't be asked, the interval doubles up to this. */
const maxTroubleMs = 2 * 60_000;
/** The longest `Retry-After` that is obeyed. */
const maxRestMs = 5 * 60_000;
/** How long a change keeps its targets locked if its operation can't be polled. */
const unfollowedLockMs = 15 * 60_000;

/** Whether this answer shows that the host knows operations. *failed* doesn't: any host can answer with an error. */
export const isKnown = (operation: Observation['operation']): boolean =>
  operation === 'finished' || operation === 'running';

/**
 * What to do after a poll; pure. *Done* needs the host's word or a proof. `works`: this host has answered about an
 * operation before, so its silence about this one means something.
 */
export function assessOperation(
  change: Change,
  poll: PollState,
  observed: Observation,
  works: boolean,
  now: number,
): PollResult {
  const { operation } = observed;
  const polledMs = now - poll.since;
  const sinceSentMs = now - (change.sent_at ?? poll.since);
  const next = polledAgain(poll, operation, now);
  const how = howProven(observed);
  if (how) return { event: { kind: 'finish' }, says: finished(how, sinceSentMs) };
  if (isFailed(next, now)) return { event: { kind: 'fail' }, says: failed(observed.message) };
  const again: PollResult = { wait: waitAfter(poll, observed), poll: next };
  if (operation === undefined) {
    return mayStillShow(observed, polledMs) ? again : unverifiedBy(change, observed, lockAfter(change));
  }
  if (operation === 'running') {
    return polledMs > maxMs ? endUnverified(change, 'never finished', unfollowedLockMs) : again;
  }
  if (operation !== 'not known') {
    if (next.unclear < unclearThatCount) return again;
    return afterSilence(change, observed, works || poll.known, polledMs) ?? again;
  }
  if (polledMs < notKnownMs) return again;
  if (poll.known) return outcomeLost('no longer knows it');
  return works ? outcomeLost('does not know it when asked') : unverifiedBy(change, observed, unfollowedLockMs);
}

/** How it is known that it is done; undefined: it is not. */
function howProven(observed: Observation): Parameters<typeof finished>[0] | undefined {
  const proof = observed.proof === 'trouble' ? undefined : observed.proof;
  if (proof?.verdict === 'yes') return { proof: proof.says };
  return observed.operation === 'finished' ? 'host' : undefined;
}

/** Whether a read may still show the result. */
const mayStillShow = ({ proof }: Observation, polledMs: number): boolean =>
  polledMs < notKnownMs && (proof === 'trouble' || proof?.verdict === 'not yet');

/** What comes of many polls without a clear answer; undefined: polling goes on. `answers`: the host has answered before. */
function afterSilence(
  change: Change,
  observed: Observation,
  answers: boolean,
  polledMs: number,
): PollResult | undefined {
  if (answers) return polledMs > maxMs ? outcomeLost('no longer answers about it') : undefined;
  return polledMs < neverAnsweredMs ? undefined : unverifiedBy(change, observed, unfollowedLockMs);
}

/** The state after one more poll. */
function polledAgain(poll: PollState, operation: Observation['operation'], now: number): PollState {
  const { times, since } = poll.failing ?? { times: 0, since: now };
  return {
    since: poll.since,
    looks: poll.looks + 1,
    known: poll.known || isKnown(operation),
    failing: operation === 'failed' ? { times: times + 1, since } : undefined,
    unclear: operation === 'trouble' || operation === 'failed' ? poll.unclear + 1 : 0,
  };
}

const isFailed = ({ failing }: PollState, now: number): boolean =>
  failing !== undefined && failing.times >= failuresThatCount && now - failing.since >= failingMs;

function waitAfter({ looks, unclear }: PollState, { operation, restMs = 0 }: Observation): number {
  const usual = intervalsMs[Math.min(looks, intervalsMs.length - 1)] ?? maxMs;
  if (operation !== 'trouble') return usual;
  const backedOff = Math.min(2_000 * 2 ** (unclear + 1), maxTroubleMs);
  return Math.max(usual, backedOff, Math.min(restMs, maxRestMs));
}

/** An immediate answer (`{result: null}`) means that it is over. Without an operation it may still be running. */
function lockAfter(change: Change): number {
  const receipt = receiptFor(change);
  return receipt?.kind === 'accepted' && receipt.immediate ? 0 : unfollowedLockMs;
}

const outcomeLost = (why: string): PollResult => ({ event: { kind: 'outcome_lost' }, says: lostSight(why) });
const endUnverified = (change: Change, why: Parameters<typeof unverified>[1], lockMs: number): PollResult => ({
  event: { kind: 'unverified', lockMs },
  says: unverified(change, why),
});

function unverifiedBy(change: Change, { operation, proof }: Observation, lockMs: number): PollResult {
  if (proof && proof !== 'trouble') return endUnverified(change, { proof: proof.says }, lockMs);
  if (operation === undefined) return endUnverified(change, proof === 'trouble' ? 'not read' : 'no proof', lockMs);
  return endUnverified(change, operation === 'not known' ? 'not followed' : 'asked in vain', lockMs);
}
