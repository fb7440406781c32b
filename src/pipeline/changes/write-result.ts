import type { Receipt, Unsent } from '../../hosting/client.ts';
import type { Change } from '../../storage/changes.ts';
import type { State } from '../../storage/schema.ts';
import type { ChangeEvent } from './change.ts';

/** What the host's answer to a write means for its change: pure. `outcome.ts` writes it down. */

/** What came of a change in `sending`: the host's answer, or the certainty that nothing was written. */
export type Outcome = Receipt | Unsent;

const busyAgainMs = 15_000;
const maxBusyMs = 5 * 60_000;

/** The host took nothing: it may be sent again. */
export const tookNothing = ({ kind }: Outcome): boolean => kind === 'not sent' || kind === 'throttled';

/** Claimed by somebody else meanwhile it is still the same; sent anew by somebody else it is not. */
export const isSameSend = (
  row: Pick<Change, 'state' | 'version' | 'sent_at'>,
  sent: Pick<Change, 'version' | 'sent_at'>,
): boolean => row.state === 'sending' && row.version === sent.version && row.sent_at === sent.sent_at;

/** Of an answer that comes while its change is still as it was sent. */
export function eventOf(outcome: Outcome): ChangeEvent {
  switch (outcome.kind) {
    case 'not sent':
      return { kind: 'hand back' };
    case 'accepted':
      return { kind: 'accept', operation: outcome.operation ?? null };
    case 'throttled':
      return { kind: 'throttle', retryAfterMs: Math.min(outcome.retryAfterMs ?? busyAgainMs, maxBusyMs) };
    case 'rejected':
      return { kind: 'reject' };
    case 'unknown':
      return { kind: 'lose' };
  }
}

/** Of one that comes later, by what the change is by then; undefined: it moves nothing any more. */
export function lateEvent(outcome: Outcome, state: State): ChangeEvent | undefined {
  if (outcome.kind === 'accepted') {
    const operation = outcome.operation ?? null;
    // Whoever sends it besides has no answer yet: that the host accepted it once is true whatever comes.
    if (state === 'sending') return { kind: 'accept', operation };
    return state === 'unknown' ? { kind: 'accept late', operation } : undefined;
  }
  return outcome.kind === 'rejected' && state === 'unknown' ? { kind: 'reject late' } : undefined;
}
