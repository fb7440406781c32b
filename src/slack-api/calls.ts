import { LogLevel, type Logger as BoltLogger } from '@slack/bolt';
import { WebClient, type WebClientOptions } from '@slack/web-api';
import { Agent, fetch as fetchBy } from 'undici';
import { boundedConnector } from '../base/connections.ts';
import { createLog, type Logger } from '../base/log.ts';
import { readBeginning } from '../base/bounded-reads.ts';
import { startDeadline } from '../base/time-limit.ts';
import type { z } from 'zod';
import { isErrorCode, isLacking, isLasting, refusalOf } from './api-errors.ts';
import { platformError } from './messenger.ts';
import { rateLimitMs } from './rate-limits.ts';

/** How calls to Slack are made: bounded in time and bytes, and, where no answer is a value too, without rejecting. */

/** How much of an answer is read, in bytes. A page of 200 people, the longest we ask for, has less than 1 MB. */
const maxAnswer = 4_000_000;

/** How long a post may take, in ms. One that is given up may stand all the same, and would be posted again. */
export const postTimeoutMs = 10_000;

/** Options for calls to Slack: 2.5 s by default, and 4 MB. No retries and no waiting for rate limits: our queue does that. */
export const clientOptions = (slackApiUrl: string, logger?: BoltLogger, timeout = 2_500): WebClientOptions => ({
  slackApiUrl,
  fetch: fetchWithin(timeout),
  retryConfig: { retries: 0 },
  rejectRateLimitedCalls: true,
  ...(logger && { logger }),
});

/** The connections to Slack, whose answers are bounded. */
export const toSlack = new Agent({ connect: boundedConnector(maxAnswer), bodyTimeout: postTimeoutMs });

/**
 * As `fetch`, but rejects if the whole answer is not there within `milliseconds`, or is longer than `maxAnswer` unpacked.
 * Resolves after reading all of it.
 */
export const fetchWithin =
  (milliseconds: number): typeof fetch =>
  async (what, init) => {
    using late = startDeadline(milliseconds);
    const asked = new Request(what, init);
    // Node's own `fetch` and its forms are of another version of undici than the connections.
    const { status, statusText, headers, body } = await fetchBy(asked.url, {
      method: asked.method,
      headers: [...asked.headers],
      body: asked.body && (await asked.bytes()),
      redirect: asked.redirect,
      signal: AbortSignal.any([asked.signal, late.signal]),
      dispatcher: toSlack,
    });
    const { bytes, isWhole } = await readBeginning(body ?? [], maxAnswer);
    if (!isWhole) throw new Error('the answer is too large');
    return new Response(bytes.length > 0 ? bytes : null, { status, statusText, headers: [...headers] });
  };

/** Bolt's logger. It logs warnings and errors only, because Bolt's debug lines contain whole payloads. */
export function boltLogger(log: Logger): BoltLogger {
  const logAs =
    (level: 'warn' | 'error') =>
    (...what: unknown[]): void =>
      log[level]({ from: 'slack' }, what.map(String).join(' '));
  const silent = (): void => {};
  return {
    debug: silent,
    info: silent,
    warn: logAs('warn'),
    error: logAs('error'),
    setLevel: silent,
    getLevel: () => LogLevel.WARN,
    setName: silent,
  };
}

/** A client for single calls on the machine. It logs nothing. */
export const quietClient = (slackApiUrl: string, token: string): WebClient =>
  new WebClient(token, clientOptions(slackApiUrl, boltLogger(createLog('silent'))));

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
