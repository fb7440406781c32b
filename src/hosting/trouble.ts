import type { Failure, TroubleKind } from './failure.ts';

/** A read that came to nothing: what was wrong, how often it was tried and for how long. */
export class HostTrouble extends Error {
  readonly kind: TroubleKind;
  /** Undefined where there was no answer. */
  readonly status: number | undefined;
  readonly attempts: number;
  readonly elapsedMs: number;
  /** How long the host asks to be left alone. */
  readonly retryAfterMs: number | undefined;

  /** `message` is what the host said, as plain text of at most 300 characters, or a phrase of ours. */
  constructor(failure: Failure, tries: { readonly attempts: number; readonly elapsedMs: number }) {
    super(failure.says, { cause: failure.cause });
    this.name = 'HostTrouble';
    this.kind = failure.kind;
    this.status = failure.status;
    this.retryAfterMs = failure.retryAfterMs;
    this.attempts = tries.attempts;
    this.elapsedMs = tries.elapsedMs;
  }
}

/** No connection, so no write: provably nothing was sent. `message` is a sentence: `The host refused the connection.` */
export class NotSent extends Error {
  constructor(failure: Failure) {
    super(`${failure.says.slice(0, 1).toUpperCase()}${failure.says.slice(1)}.`, { cause: failure.cause });
    this.name = 'NotSent';
  }
}
