import type { HostFailure, TroubleKind } from './failure.ts';

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
