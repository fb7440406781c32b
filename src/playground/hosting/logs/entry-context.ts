import type { Random } from '../random.ts';

/** The context of an entry: where, when, and whether something is going wrong. */
export type EntryContext = {
  readonly hostname: string;
  readonly at: number;
  readonly incident: boolean;
  readonly random: Random;
};
