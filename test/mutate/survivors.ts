/** A mutant that no test kills, and why that is as it should be. */
export type Survivor = {
  /** The line that it begins in, as it stands in the file. */
  readonly line: string;
  /** What was there → what stands there instead, on one line. */
  readonly mutant: string;
  /** `equivalent`: nobody can tell the difference; `not worth it`: the test would cost more than it shows. */
  readonly why: 'equivalent' | 'not worth it';
  readonly because: string;
};

/** Every survivor, by the file that it is in. Any other makes `npm run mutate` fail, and so does one that is dead. */
export const survivors: Readonly<Record<string, readonly Survivor[]>> = {};
