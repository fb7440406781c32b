import type { Random } from '../random.ts';

/** The moment an entry is written about: where, when, and whether something is going wrong there right now. */
export type Moment = {
  readonly hostname: string;
  readonly at: number;
  readonly incident: boolean;
  readonly random: Random;
};
