import type { WebClient } from '@slack/web-api';
import type { z } from 'zod';
import { isErrorCode, isLacking, isLasting, refusalOf } from './api-errors.ts';
import { platformError } from './messenger.ts';
import { rateLimitMs } from './rate-limits.ts';

/** Calls to Slack that never reject: no answer is a value too. */

/** Why there is no answer from Slack. */
export class NoAnswer {
  /** Slack's error code; undefined if Slack did not answer at all. */
  readonly errorCode: string | undefined;
  /** Whether Slack will repeat this answer until somebody fixes the cause. */
  readonly isLasting: boolean;
  /** How long Slack asks us to wait, in milliseconds. */
  readonly restMs: number | undefined;

  constructor(errorCode?: string, restMs?: number) {
    this.errorCode = errorCode;
    this.isLasting = errorCode !== undefined && isLasting(errorCode);
    this.restMs = restMs;
  }
}

/** Used if Slack does not say how long to wait. */
const defaultRestMs = 30_000;

export type BoundedCallOptions = {
  readonly client: WebClient;
  /** Called once for each method that Slack does not let us use. */
  readonly onMissing: (method: string) => void;
  /** Called after each answer with whether Slack accepts our token. */
  readonly onToken: (isTaken: boolean) => void;
};

export type BoundedCall = <T>(
  method: string,
  args: Record<string, unknown>,
  schema: z.ZodType<T>,
) => Promise<T | NoAnswer>;

/** Makes one call to Slack; never rejects. */
export function createBoundedCall({ client, onMissing, onToken }: BoundedCallOptions): BoundedCall {
  const missing = new Set<string>();
  return async (method, args, schema) => {
    try {
      const answer = schema.parse(await client.apiCall(method, args));
      onToken(true);
      return answer;
    } catch (error) {
      const failure = noAnswer(error);
      const { errorCode = '' } = failure;
      if (refusalOf(errorCode).kind === 'token') onToken(false);
      if (isLacking(errorCode) && !missing.has(method)) {
        missing.add(method);
        onMissing(method);
      }
      return failure;
    }
  };
}

function noAnswer(error: unknown): NoAnswer {
  const restMs = rateLimitMs(error, defaultRestMs);
  if (restMs !== undefined) return new NoAnswer('ratelimited', restMs);
  const errorCode = platformError(error);
  return new NoAnswer(errorCode !== undefined && isErrorCode(errorCode) ? errorCode : undefined);
}

/** Callers that ask the same thing at the same time share one call. */
export function shareCalls<T>(ask: (id: string) => Promise<T>): (id: string) => Promise<T> {
  const pending = new Map<string, Promise<T>>();
  return (id) => {
    const answer = pending.get(id) ?? ask(id).finally(() => pending.delete(id));
    pending.set(id, answer);
    return answer;
  };
}
