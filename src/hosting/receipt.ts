import { fieldOf, isPageInstead, jsonOf, retryAfterOf, messageIn } from './answer.ts';
import { operationId } from './contract/fields.ts';

/** What the host answered to a write. */
export type Receipt =
  | {
      readonly kind: 'accepted';
      readonly status: number;
      /** The id for asking the host about its progress. */
      readonly operation?: string;
      readonly message?: string;
      /** The answer was `{result: null}`: the write is done, not just started. */
      readonly immediate: boolean;
    }
  /** Not accepted; it may be sent again after a pause. */
  | { readonly kind: 'throttled'; readonly retryAfterMs: number | undefined }
  /** Refused: nothing happened. `message` is the host's own, possibly empty. */
  | { readonly kind: 'rejected'; readonly status: number; readonly message: string }
  /** It may or may not have happened. `why` is a phrase for people: `the host answered 500`. */
  | { readonly kind: 'unknown'; readonly why: string; readonly status?: number };

/** Provably nothing of the write left this machine. `why` is a phrase for people. */
export type Unsent = { readonly kind: 'not sent'; readonly why: string };

/** The work may have started before one of these statuses: time-outs, conflicts, too early, client closed. */
const doubtful = new Set([408, 409, 425, 499]);

/**
 * What an answer means for a write, with as much of its body as arrived. A page instead of JSON comes from something in
 * between, which does not know what the host did. Apart from that, the body never changes the verdict.
 */
export function receiptOf(
  status: number,
  body: string,
  retryAfter: string | string[] | undefined,
  now: number,
): Receipt {
  if (isPageInstead(status, body))
    return { kind: 'unknown', why: `a page answered ${status} instead of the host`, status };
  if (status >= 200 && status < 300) return accepted(status, body);
  if (status === 429) return { kind: 'throttled', retryAfterMs: retryAfterOf(retryAfter, now) };
  if (status >= 400 && status < 500 && !doubtful.has(status)) {
    return { kind: 'rejected', status, message: messageIn(body) };
  }
  return { kind: 'unknown', why: `the host answered ${status}`, status };
}

function accepted(status: number, body: string): Receipt {
  const answer = jsonOf(body);
  const operation = operationId.safeParse(fieldOf(answer, 'operation_id')).data;
  const message = messageIn(body.trimStart().startsWith('{') ? body : '');
  return {
    kind: 'accepted',
    status,
    ...(operation && { operation }),
    ...(message && { message }),
    immediate: fieldOf(answer, 'result') === null,
  };
}
