import type { exitCodes } from '../exit-codes.ts';

/** Why the setup stops. `message`: one or more sentences, without the files written so far. */
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
