import { LogLevel, type Logger as BoltLogger } from '@slack/bolt';
import { WebClient, type WebClientOptions } from '@slack/web-api';
import { Agent, fetch as fetchBy } from 'undici';
import { boundedConnector } from '../base/answer-bounds.ts';
import { createLog, type Logger } from '../base/log.ts';
import { readBeginning } from '../base/stream-beginning.ts';
import { startDeadline } from '../base/time-limit.ts';

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
