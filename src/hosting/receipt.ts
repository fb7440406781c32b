import { fieldOf, isPage, jsonOf, restOf, saidIn } from './answer.ts';
import { operationId } from './contract/fields.ts';

/** What the host answered to a write. */
export type Receipt =
  | {
      readonly kind: 'accepted';
      readonly status: number;
      /** By which the host can be asked how it goes on. */
      readonly operation?: string;
      readonly message?: string;
      /** Answered `{result: null}`: it is done rather than begun. */
      readonly immediate: boolean;
    }
  /** Not taken; it may be sent again after a rest. */
  | { readonly kind: 'throttled'; readonly retryAfterMs: number | undefined }
  /** Refused: nothing happened. `message` is the host's own, maybe empty. */
  | { readonly kind: 'rejected'; readonly status: number; readonly message: string }
  /** It may have happened or not; `why` is a phrase for people: `it answered 500`. */
  | { readonly kind: 'unknown'; readonly why: string; readonly status?: number };

/** Provably nothing of the write left this machine; `why` is a phrase for people. */
export type Unsent = { readonly kind: 'not sent'; readonly why: string };

/** Refusals that may have come after the work was begun: time-outs, conflicts, too early, client gone. */
const doubtful = new Set([408, 409, 425, 499]);

/**
 * What a status means for a write, with what of its body and headers came. A page instead of the API's JSON is of
 * something in between, which does not know what the host did; else the body never changes the verdict.
 */
export function receiptOf(
  status: number,
  body: string,
  retryAfter: string | string[] | undefined,
  now: number,
): Receipt {
  if (status < 500 && status !== 429 && isPage(body))
    return { kind: 'unknown', why: `a page answered ${status} instead of the host`, status };
  if (status >= 200 && status < 300) return accepted(status, body);
  if (status === 429) return { kind: 'throttled', retryAfterMs: restOf(retryAfter, now) };
  if (status >= 400 && status < 500 && !doubtful.has(status)) {
    return { kind: 'rejected', status, message: saidIn(body) };
  }
  return { kind: 'unknown', why: `it answered ${status}`, status };
}

function accepted(status: number, body: string): Receipt {
  const answer = jsonOf(body);
  const operation = operationId.safeParse(fieldOf(answer, 'operation_id')).data;
  const message = saidIn(body.trimStart().startsWith('{') ? body : '');
  return {
    kind: 'accepted',
    status,
    ...(operation && { operation }),
    ...(message && { message }),
    immediate: fieldOf(answer, 'result') === null,
  };
}
