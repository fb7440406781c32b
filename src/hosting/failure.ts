import { errors } from 'undici';

export type TroubleKind =
  | 'unreachable'
  | 'time-out'
  | 'not found'
  | 'unauthorized'
  | 'bad request'
  | 'throttled'
  | 'no turn'
  | 'server error'
  | 'odd answer';

/** One failed attempt. */
export type Failure = {
  readonly kind: TroubleKind;
  /** A short phrase for people. */
  readonly says: string;
  readonly status?: number;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
};

const noName: readonly [TroubleKind, string] = ['unreachable', "the host's name could not be looked up"];
const silence: readonly [TroubleKind, string] = ['time-out', 'the host did not answer in time'];
const noConnection: readonly [TroubleKind, string] = ['unreachable', 'the connection to the host took too long'];
const closed: readonly [TroubleKind, string] = ['unreachable', 'the connection was closed before an answer'];
const reset: readonly [TroubleKind, string] = ['unreachable', 'the connection was reset before an answer'];
const unreadable: readonly [TroubleKind, string] = ['odd answer', 'the host did not answer in HTTP'];

const byCode: ReadonlyMap<string, readonly [TroubleKind, string]> = new Map([
  ['ENOTFOUND', noName],
  ['EAI_AGAIN', noName],
  ['ECONNREFUSED', ['unreachable', 'the host refused the connection']],
  ['UND_ERR_CONNECT_TIMEOUT', noConnection],
  ['ETIMEDOUT', noConnection],
  ['ECONNRESET', reset],
  ['EPIPE', reset],
  ['UND_ERR_SOCKET', closed],
  ['UND_ERR_HEADERS_TIMEOUT', silence],
  ['UND_ERR_BODY_TIMEOUT', silence],
  ['UND_ERR_HEADERS_OVERFLOW', unreadable],
]);

/** The failure for a missing or incomplete answer: an error of the socket, TLS or HTTP, in words. */
export function failureOf(error: unknown): Failure {
  const code = codeOf(error);
  const known = byCode.get(code);
  if (known) return { kind: known[0], says: known[1], cause: error };
  if (isTimeOut(error)) return { kind: silence[0], says: silence[1], cause: error };
  if (error instanceof errors.HTTPParserError) return { kind: unreadable[0], says: unreadable[1], cause: error };
  if (/CERT|SIGNATURE/.test(code)) {
    return { kind: 'unreachable', says: `the host's certificate is not valid (${code})`, cause: error };
  }
  return { kind: 'unreachable', says: `the connection failed${code && ` (${code})`}`, cause: error };
}

/** The failure for an answer's status; `says` is the host's message, or the status alone. */
export function failureOfStatus(status: number, message: string, retryAfterMs: number | undefined): Failure {
  return { kind: kindOf(status), status, says: message || `the host answered ${status}`, retryAfterMs };
}

function kindOf(status: number): TroubleKind {
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 404) return 'not found';
  if (status === 408) return 'time-out';
  if (status === 429) return 'throttled';
  if (status >= 500) return 'server error';
  return status >= 400 ? 'bad request' : 'odd answer';
}

/** Whether the same read may work a moment later. */
export function mayPass({ kind }: Failure): boolean {
  return kind === 'unreachable' || kind === 'time-out' || kind === 'throttled' || kind === 'server error';
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

const isTimeOut = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError';
