import { errors } from 'undici';
import { AnswerTooLong } from '../base/connections.ts';
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

/** A read that failed for good: the reason, the number of attempts and the time they took. */
export class HostTrouble extends Error {
  readonly kind: TroubleKind;
  /** Undefined if there was no answer. */
  readonly status: number | undefined;
  readonly attempts: number;
  readonly elapsedMs: number;
  /** The host's own words, see `wordsIn`; empty: none. */
  readonly words: string;
  /** How long the host asks us to wait. */
  readonly retryAfterMs: number | undefined;

  /** `message`, for the log, is a phrase of ours with the host's words. */
  constructor(failure: HostFailure, effort: { readonly attempts: number; readonly elapsedMs: number }) {
    const { says, words = '' } = failure;
    super(words === '' ? says : `${says}: ${words}`, { cause: failure.cause });
    this.name = 'HostTrouble';
    // What the host says has no place in our code, so a line of the log is short.
    this.stack = `${this.name}: ${this.message}`;
    this.words = words;
    this.kind = failure.kind;
    this.status = failure.status;
    this.retryAfterMs = failure.retryAfterMs;
    this.attempts = effort.attempts;
    this.elapsedMs = effort.elapsedMs;
  }
}

/** Whether a read failed because the host itself answered one of these statuses. */
export const isAnswered = <S extends number>(
  error: unknown,
  ...statuses: readonly S[]
): error is HostTrouble & { readonly status: S } =>
  error instanceof HostTrouble && error.kind !== 'odd answer' && statuses.some((one) => one === error.status);

/** No connection, so nothing was sent. `message` is a sentence: `The host refused the connection.` */
export class NotSent extends Error {
  override readonly name: string = 'NotSent';

  constructor(failure: HostFailure) {
    super(`${failure.says.slice(0, 1).toUpperCase()}${failure.says.slice(1)}.`, { cause: failure.cause });
  }
}

/** The share of the host's requests a minute is used up, so no connection was opened. */
export class HeldBack extends NotSent {
  override readonly name = 'HeldBack';
}
