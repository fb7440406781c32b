import { errors } from 'undici';
import { AnswerTooLong } from '../sockets/answer-bounds.ts';
import { errorCode } from '../base/errors.ts';
import { TooLate } from '../base/time-limit.ts';

export type TroubleKind =
  | 'unreachable'
  | 'time-out'
  | 'not found'
  | 'unauthorized'
  | 'bad request'
  | 'throttled'
  | 'no room'
  | 'no turn'
  | 'server error'
  | 'odd answer';

/** One failed attempt. */
export type HostFailure = {
  readonly kind: TroubleKind;
  /** A short phrase for people. */
  readonly says: string;
  /** The host's own words, see `wordsIn`; undefined or empty: none. */
  readonly words?: string;
  readonly status?: number;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
};

type Words = Pick<HostFailure, 'kind' | 'says'>;
const unreachable = (says: string): Words => ({ kind: 'unreachable', says });
const noName = unreachable("the host's name could not be looked up");
const noConnection = unreachable('the connection to the host took too long');
const reset = unreachable('the connection was reset before a whole answer');
const silence: Words = { kind: 'time-out', says: 'the host did not answer in time' };
const unreadable: Words = { kind: 'odd answer', says: 'the host did not answer in HTTP' };

const byCode: ReadonlyMap<string, Words> = new Map([
  ['ENOTFOUND', noName],
  ['EAI_AGAIN', noName],
  ['ECONNREFUSED', unreachable('the host refused the connection')],
  ['UND_ERR_CONNECT_TIMEOUT', noConnection],
  ['ETIMEDOUT', noConnection],
  ['ECONNRESET', reset],
  ['EPIPE', reset],
  ['UND_ERR_SOCKET', unreachable('the connection was closed before a whole answer')],
  ['UND_ERR_HEADERS_TIMEOUT', silence],
  ['UND_ERR_BODY_TIMEOUT', silence],
  ['UND_ERR_HEADERS_OVERFLOW', unreadable],
]);

/** The failure for a missing or incomplete answer: an error of the socket, TLS or HTTP, in words. */
export const hostFailureOf = (error: unknown): HostFailure => ({ ...wordsFor(error), cause: error });

function wordsFor(error: unknown): Words {
  const code = errorCode(error);
  const known = byCode.get(code);
  if (known) return known;
  if (error instanceof TooLate) return silence;
  if (error instanceof AnswerTooLong) return { kind: 'odd answer', says: `the host ${error.message}` };
  if (error instanceof errors.HTTPParserError) return unreadable;
  if (/CERT|SIGNATURE/.test(code)) return unreachable(`the host's certificate is not valid (${code})`);
  return unreachable(`the connection failed${code && ` (${code})`}`);
}

/** The failure for an answer's status. */
export function failureOfStatus(status: number, words: string, retryAfterMs?: number): HostFailure {
  return { kind: kindOf(status), status, says: `the host answered ${status}`, words, retryAfterMs };
}

/** What a status means for a read. */
export const meaningOf = (status: number): TroubleKind | 'answer' =>
  status >= 200 && status < 300 ? 'answer' : kindOf(status);

function kindOf(status: number): TroubleKind {
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 404) return 'not found';
  if (status === 408) return 'time-out';
  if (status === 429) return 'throttled';
  if (status >= 500) return 'server error';
  return status >= 400 ? 'bad request' : 'odd answer';
}

/** Not asked: what this request may use of the host's requests a minute is used up. */
export const noRoom = (restMs: number): HostFailure => ({
  kind: 'no room',
  says: 'the host answers only so many requests a minute, and none is free for this now',
  retryAfterMs: restMs,
});

/** Whether the same read may work a moment later. */
export function isTransient({ kind }: HostFailure): boolean {
  return kind === 'unreachable' || kind === 'time-out' || kind === 'throttled' || kind === 'server error';
}
