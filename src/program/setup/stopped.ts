/**
 * Exit codes, of `doctor` too: all is fine; something needs a look; wrong words, settings or answers; something is unknown
 * and nothing worse; Ctrl-C.
 */
export const exitCodes = { fine: 0, look: 1, wrong: 2, unknown: 3, interrupted: 130 } as const;

/** Why the setup does not go on. `message` is one sentence or more, without what was written so far. */
export class Stopped extends Error {
  readonly end: keyof typeof exitCodes;

  constructor(message: string, end: keyof typeof exitCodes) {
    super(message);
    this.name = 'Stopped';
    this.end = end;
  }
}

/** Somebody pressed Ctrl-C. */
export const interrupted = (): Stopped => new Stopped('Stopped.', 'interrupted');
