import { LogLevel, type Logger as BoltLogger } from '@slack/bolt';
import { WebClient, type WebClientOptions } from '@slack/web-api';
import { createLog, type Logger } from '../../log.ts';

/** Options for calls to Slack: no retries or waiting after a rate limit (our queue does that), at most 2.5 s. */
export const clientOptions = (slackApiUrl: string, logger?: BoltLogger): WebClientOptions => ({
  slackApiUrl,
  timeout: 2_500,
  retryConfig: { retries: 0 },
  rejectRateLimitedCalls: true,
  ...(logger && { logger }),
});

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

/** A client for single questions on the machine, which logs nothing. */
export const quietClient = (slackApiUrl: string, token: string): WebClient =>
  new WebClient(token, clientOptions(slackApiUrl, boltLogger(createLog('silent'))));
