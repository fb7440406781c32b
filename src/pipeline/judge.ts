import type { Verdict as ProofVerdict } from '../commands/action.ts';
import type { OperationState } from '../hosting/contract/operations.ts';
import type { Receipt } from '../hosting/client.ts';
import type { Change } from '../storage/changes.ts';
import { thawed } from '../storage/json.ts';
import type { Text } from '../text.ts';
import type { Happening } from './change.ts';
import { failed, finished, left, lostSight } from './tell.ts';

/** How following stands, kept with the change. */
export type Trail = {
  /** When following began, epoch ms. */
  readonly since: number;
  readonly looks: number;
  /** Whether the host ever knew this operation. */
  readonly known: boolean;
  /** Failed answers in a row. */
  readonly failures: number;
};

/** What reading back shows of a change. */
export type Proof = {
  readonly verdict: ProofVerdict;
  readonly says: Text;
  /** What was seen of what the change has left. */
  readonly left?: string;
};

/** What one look at the host showed. */
export type Seen = {
  /** Undefined: the host gave no operation to ask about. `trouble`: it could not be asked. */
  readonly operation: OperationState | 'trouble' | undefined;
  readonly message?: string | undefined;
  /** `trouble`: it could not be read back. */
  readonly proof: Proof | 'trouble' | undefined;
};

/** Look again later, or settle it now. */
export type Verdict =
  | { readonly wait: number; readonly trail: Trail }
  | { readonly happening: Happening; readonly says: Text; readonly proven: boolean };

/** Looks again after so long, the last one for ever. */
const everyMs = [2_000, 4_000, 8_000, 15_000, 30_000];
/** Just after the acceptance the host may not know its operation yet, nor show what it did. */
const notKnownMs = 60_000;
const longestMs = 3_600_000;
/** A 500 may be a passing trouble of the host; the third in a row counts. */
const failuresThatCount = 3;
/** How long a change that cannot be followed keeps its targets locked. */
const unfollowedLockMs = 15 * 60_000;

/** Whether the host answered about the operation itself. */
export const isKnown = (operation: Seen['operation']): boolean =>
  operation === 'finished' || operation === 'running' || operation === 'failed';

/**
 * What to do about what was seen: pure. *Done* only with the host's word or a proof. `works`: this host has answered
 * about some operation before, so its silence about this one means something.
 */
export function judge(change: Change, trail: Trail, seen: Seen, works: boolean, now: number): Verdict {
  const { operation } = seen;
  const proof = seen.proof === 'trouble' ? undefined : seen.proof;
  const past = now - trail.since;
  const after = now - (change.sent_at ?? trail.since);
  const failures = operation === 'failed' ? trail.failures + 1 : 0;
  if (proof?.verdict === 'yes') return settled({ kind: 'finish' }, finished({ proof: proof.says }, after), true);
  if (operation === 'finished') return settled({ kind: 'finish' }, finished('host', after), true);
  if (failures >= failuresThatCount) return settled({ kind: 'fail' }, failed(seen.message));
  const known = trail.known || isKnown(operation);
  const wait = everyMs[Math.min(trail.looks, everyMs.length - 1)] ?? longestMs;
  const again: Verdict = { wait, trail: { ...trail, looks: trail.looks + 1, known, failures } };
  if (operation === undefined) {
    const mayStillShow = seen.proof === 'trouble' || proof?.verdict === 'not yet';
    return mayStillShow && past < notKnownMs ? again : unverified(change, seen, lockAfter(change));
  }
  if (past > longestMs) {
    const says = left(change, 'never finished');
    return operation === 'running' ? leave(says, unfollowedLockMs) : lose('does not answer about it any more');
  }
  if (operation !== 'not known' || past < notKnownMs) return again;
  if (trail.known) return lose('does not know it any more');
  return works ? lose('does not know it when asked') : unverified(change, seen, unfollowedLockMs);
}

/** Answered `{result: null}` it is over; without an operation to ask about it may still be going on. */
function lockAfter(change: Change): number {
  const receipt = change.receipt === null ? undefined : thawed<Receipt>(change.receipt);
  return receipt?.kind === 'accepted' && receipt.immediate ? 0 : unfollowedLockMs;
}

const settled = (happening: Happening, says: Text, proven = false): Verdict => ({ happening, says, proven });
const lose = (why: string): Verdict => settled({ kind: 'lose' }, lostSight(why));
const leave = (says: Text, lockMs: number): Verdict => settled({ kind: 'leave', lockMs }, says);

function unverified(change: Change, { operation, proof }: Seen, lockMs: number): Verdict {
  if (proof && proof !== 'trouble') return leave(left(change, { proof: proof.says }), lockMs);
  return leave(left(change, operation === undefined ? 'no proof' : 'not followed'), lockMs);
}
