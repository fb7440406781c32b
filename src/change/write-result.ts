import { parseStored } from '../storage/parse-json.ts';
import type { Receipt, Unsent } from '../hosting/client.ts';
import type { Change } from '../storage/changes.ts';
import type { ChangeEvent } from './change.ts';

/** What the host's answer to a write means for its change; pure. `outcome.ts` saves it. */

/**
 * The result of a change in `sending`: the host's answer, or that certainly nothing was written. `isBegun`: whether the
 * change ever was in `sending` is unknown, because that commit got no answer.
 */
export type Outcome = Receipt | (Unsent & { readonly isBegun?: 'not known' });

/** The host's answer to the write of this change; undefined: none was saved. */
export const receiptFor = ({ receipt }: Pick<Change, 'receipt'>): Receipt | undefined =>
  receipt === null ? undefined : parseStored<Receipt>(receipt);

const busyAgainMs = 15_000;
const maxBusyMs = 5 * 60_000;

/** Whether the host did nothing, so that the change may be sent again. */
export const tookNothing = ({ kind }: Outcome): boolean => kind === 'not sent' || kind === 'throttled';

type Sent = Pick<Change, 'version' | 'sent_at' | 'lost_at'>;
type Row = Pick<Change, 'state' | 'version' | 'sent_at'>;

/** Whether the row is still in the same send. Another owner's claim doesn't matter; another send does. */
export const isSameSend = (row: Row, sent: Omit<Sent, 'lost_at'>): boolean =>
  row.state === 'sending' && row.version === sent.version && row.sent_at === sent.sent_at;

/** The event for an answer if the change is still as it was sent. */
export function eventOf(outcome: Outcome): ChangeEvent {
  switch (outcome.kind) {
    case 'not sent':
      return { kind: 'send_aborted' };
    case 'accepted':
      return { kind: 'accept', operation: outcome.operation ?? null };
    case 'throttled':
      return { kind: 'throttle', retryAfterMs: Math.min(outcome.retryAfterMs ?? busyAgainMs, maxBusyMs) };
    case 'rejected':
      return { kind: 'reject' };
    case 'unknown':
      return { kind: 'outcome_lost' };
  }
}

/**
 * Whether exactly this send became unknown, and no other send may have written. A change that was asked again after a
 * failover may have been sent before.
 */
const isUnknownSince = (row: Row, sent: Sent): boolean =>
  row.state === 'unknown' && row.version === sent.version + 1 && row.sent_at === sent.sent_at && sent.lost_at === null;

/** The event for a late answer to `sent`, given the change as it is now; undefined: none. */
export function lateEvent(outcome: Outcome, row: Row, sent: Sent): ChangeEvent | undefined {
  const { state } = row;
  if (outcome.kind === 'not sent') return isUnknownSince(row, sent) ? { kind: 'send_aborted_late' } : undefined;
  if (outcome.kind === 'accepted') {
    const operation = outcome.operation ?? null;
    // The change is being sent a second time and has no answer yet, but the host did accept it once.
    if (state === 'sending') return { kind: 'accept', operation };
    return state === 'unknown' ? { kind: 'accept_late', operation } : undefined;
  }
  return outcome.kind === 'rejected' && state === 'unknown' ? { kind: 'reject_late' } : undefined;
}
