import type { Evidence as ProofVerdict } from '../../commands/kit/action.ts';
import type { OperationState } from '../../hosting/contract/operations.ts';
import type { Receipt } from '../../hosting/client.ts';
import type { Change } from '../../storage/changes.ts';
import { parseStored } from '../../storage/parse-json.ts';
import type { Text } from '../../text.ts';
import type { ChangeEvent } from './change.ts';
import { failed, finished, left, lostSight } from './replies.ts';

/** How following stands, kept with the change. */
export type PollState = {
  /** When following began, epoch ms. */
  readonly since: number;
  readonly looks: number;
  /** Whether the host ever said that this operation runs. */
  readonly known: boolean;
  /** Answers in a row that call it failed, and when the first of them came, epoch ms. */
  readonly failing?: { readonly times: number; readonly since: number } | undefined;
  /** Looks in a row that said nothing of how it stands: an error, or the host could not be asked. */
  readonly unclear: number;
};

/** What reading back shows of a change. */
export type Proof = {
  readonly verdict: ProofVerdict;
  readonly says: Text;
  /** What was seen of what the change has left. */
  readonly left?: string;
};

/** What one look at the host showed. */
export type Observation = {
  /** Undefined: the host gave no operation to ask about. `trouble`: it could not be asked. */
  readonly operation: OperationState | 'trouble' | undefined;
  readonly message?: string | undefined;
  /** How long the host asks to be left alone. */
  readonly restMs?: number | undefined;
  /** `trouble`: it could not be read back. */
  readonly proof: Proof | 'trouble' | undefined;
};

/** Look again later, or settle it now. */
export type PollResult =
  | { readonly wait: number; readonly trail: PollState }
  | { readonly event: ChangeEvent; readonly says: Text; readonly proven: boolean };

/** Looks again after so long, the last one for ever. */
const everyMs = [2_000, 4_000, 8_000, 15_000, 30_000];
/** Just after the acceptance the host may not know its operation yet, nor show what it did. */
const notKnownMs = 60_000;
const maxMs = 3_600_000;
/** The host words its own trouble as it words a failed operation: only what it says so often, for so long, counts. */
const failuresThatCount = 3;
const failingMs = 60_000;
/** A host that never answered about any operation is not asked for longer than this. */
const neverAnsweredMs = 10 * 60_000;
/** However long it is: after an absence of ours, one look that says nothing is not the end. */
const unclearThatCount = 5;
/** While the host cannot be asked, each look comes twice as late as the one before, up to this. */
const maxTroubleMs = 2 * 60_000;
/** The longest rest that the host can ask for. */
const maxRestMs = 5 * 60_000;
/** How long a change that cannot be followed keeps its targets locked. */
const unfollowedLockMs = 15 * 60_000;

/** Whether the host shows that it knows operations. An error does not: a host without them may answer one as well. */
export const isKnown = (operation: Observation['operation']): boolean =>
  operation === 'finished' || operation === 'running';

/**
 * What to do about what was seen: pure. *Done* only with the host's word or a proof. `works`: this host has answered
 * about some operation before, so its silence about this one means something.
 */
export function judge(change: Change, trail: PollState, seen: Observation, works: boolean, now: number): PollResult {
  const { operation } = seen;
  const proof = seen.proof === 'trouble' ? undefined : seen.proof;
  const past = now - trail.since;
  const after = now - (change.sent_at ?? trail.since);
  const next = lookedAgain(trail, operation, now);
  if (proof?.verdict === 'yes') return settled({ kind: 'finish' }, finished({ proof: proof.says }, after), true);
  if (operation === 'finished') return settled({ kind: 'finish' }, finished('host', after), true);
  if (isFailed(next, now)) return settled({ kind: 'fail' }, failed(seen.message));
  const again: PollResult = { wait: waitAfter(trail, seen), trail: next };
  if (operation === undefined) {
    const mayStillShow = seen.proof === 'trouble' || proof?.verdict === 'not yet';
    return mayStillShow && past < notKnownMs ? again : unverified(change, seen, lockAfter(change));
  }
  if (operation === 'running') {
    return past > maxMs ? leave(left(change, 'never finished'), unfollowedLockMs) : again;
  }
  if (operation !== 'not known') {
    if (next.unclear < unclearThatCount) return again;
    if (past > maxMs && (works || trail.known)) return lose('does not answer about it any more');
    return past < neverAnsweredMs || works || trail.known ? again : unverified(change, seen, unfollowedLockMs);
  }
  if (past < notKnownMs) return again;
  if (trail.known) return lose('does not know it any more');
  return works ? lose('does not know it when asked') : unverified(change, seen, unfollowedLockMs);
}

/** The trail after one more look. */
function lookedAgain(trail: PollState, operation: Observation['operation'], now: number): PollState {
  const { times, since } = trail.failing ?? { times: 0, since: now };
  return {
    since: trail.since,
    looks: trail.looks + 1,
    known: trail.known || isKnown(operation),
    failing: operation === 'failed' ? { times: times + 1, since } : undefined,
    unclear: operation === 'trouble' || operation === 'failed' ? trail.unclear + 1 : 0,
  };
}

const isFailed = ({ failing }: PollState, now: number): boolean =>
  failing !== undefined && failing.times >= failuresThatCount && now - failing.since >= failingMs;

function waitAfter({ looks, unclear }: PollState, { operation, restMs = 0 }: Observation): number {
  const usual = everyMs[Math.min(looks, everyMs.length - 1)] ?? maxMs;
  if (operation !== 'trouble') return usual;
  const backedOff = Math.min(2_000 * 2 ** (unclear + 1), maxTroubleMs);
  return Math.max(usual, backedOff, Math.min(restMs, maxRestMs));
}

/** Answered `{result: null}` it is over; without an operation to ask about it may still be going on. */
function lockAfter(change: Change): number {
  const receipt = change.receipt === null ? undefined : parseStored<Receipt>(change.receipt);
  return receipt?.kind === 'accepted' && receipt.immediate ? 0 : unfollowedLockMs;
}

const settled = (event: ChangeEvent, says: Text, proven = false): PollResult => ({ event, says, proven });
const lose = (why: string): PollResult => settled({ kind: 'lose' }, lostSight(why));
const leave = (says: Text, lockMs: number): PollResult => settled({ kind: 'leave', lockMs }, says);

function unverified(change: Change, { operation, proof }: Observation, lockMs: number): PollResult {
  if (proof && proof !== 'trouble') return leave(left(change, { proof: proof.says }), lockMs);
  if (operation === undefined) return leave(left(change, 'no proof'), lockMs);
  return leave(left(change, operation === 'not known' ? 'not followed' : 'asked in vain'), lockMs);
}
