import { isPageInstead, jsonOf, retryAfterOf, contradictionIn, fieldOf, wordsIn } from './answer.ts';
import { hostFailureOf } from './failure.ts';
import { operationId } from './contract/fields.ts';

/** What the host answered to a write. `message`: its own words, see `wordsIn`. */
export type Receipt =
  | {
      readonly kind: 'accepted';
      readonly status: number;
      /** The id for asking the host about its progress. */
      readonly operation?: string;
      /** The answer was `{result: null}`: the write is done, not just started. */
      readonly immediate: boolean;
      /** Its body is no JSON, so it may say more than is known here. An empty body says nothing. */
      readonly isUnread?: true;
    }
  /** Not accepted; it may be sent again after a pause. */
  | { readonly kind: 'throttled'; readonly retryAfterMs: number | undefined; readonly message?: string }
  /** Refused: nothing happened. */
  | { readonly kind: 'rejected'; readonly status: number; readonly message?: string }
  /** It may or may not have happened. `why` is a phrase for people: `the host answered 500`. */
  | { readonly kind: 'unknown'; readonly why: string; readonly status?: number; readonly message?: string };

/** Provably nothing of the write left this machine. `why` is a phrase for people. */
export type Unsent = { readonly kind: 'not sent'; readonly why: string };

/** The work may have started before one of these statuses: time-outs, conflicts, too early, client closed. */
const doubtful = new Set([408, 409, 425, 499]);

/**
 * What an answer means for a write, with as much of its body as arrived. A page instead of JSON comes from something in
 * between, which does not know what the host did. A body that contradicts the status line
 * leaves open what happened; apart from that, the body never changes the verdict.
 */
export function receiptOf(
  status: number,
  body: string,
  retryAfter: string | string[] | undefined,
  now: number,
): Receipt {
  if (isPageInstead(status, body))
    return { kind: 'unknown', why: `a page answered ${status} instead of the host`, status };
  const words = wordsIn(body);
  const message = words !== '' && { message: words };
  const answer = jsonOf(body);
  const kind = meaningOf(status);
  const contradiction = contradictionIn(answer, status, meaningOf);
  if (contradiction !== undefined) return { kind: 'unknown', why: contradiction, status, ...message };
  switch (kind) {
    case 'accepted': {
      const operation = operationId.safeParse(fieldOf(answer, 'operation_id')).data;
      const immediate = fieldOf(answer, 'result') === null;
      const isUnread = answer === undefined && body.trim() !== '';
      return { kind, status, ...(operation && { operation }), immediate, ...(isUnread && { isUnread }) };
    }
    case 'throttled':
      return { kind, retryAfterMs: retryAfterOf(retryAfter, now), ...message };
    case 'rejected':
      return { kind, status, ...message };
    case 'unknown':
      return { kind, why: `the host answered ${status}`, status, ...message };
  }
}

/**
 * What is known of a write without a whole answer. `status`: what the answer began with. `waitedMs`: how long it was
 * waited for; undefined: `error` ended that.
 */
export function unanswered(status: number | undefined, error: unknown, waitedMs: number | undefined): Receipt {
  const [begun, whole] = status === undefined ? ['', ''] : [`the host began to answer ${status}, but `, 'whole '];
  const why =
    waitedMs === undefined
      ? hostFailureOf(error).says
      : `the host gave no ${whole}answer within ${Math.round(waitedMs / 100) / 10} s`;
  return { kind: 'unknown', why: begun + why, ...(status !== undefined && { status }) };
}

function meaningOf(status: number): Receipt['kind'] {
  if (status >= 200 && status < 300) return 'accepted';
  if (status === 429) return 'throttled';
  return status >= 400 && status < 500 && !doubtful.has(status) ? 'rejected' : 'unknown';
}
