import { mention, say, time, type Text } from '../../words/text.ts';

/** A lock on a target: its holder, the reason and its end in epoch ms; without `until` it lasts until it is freed. */
export type LockInfo = {
  readonly by: { readonly change: number } | { readonly person: string };
  readonly why: string;
  readonly until: number | undefined;
};

/** The lock as a clause that follows *is*: `held by #1042`, `locked by @Ben until 15:40 (“release”)`. */
export function heldBy({ by, why, until }: LockInfo): Text {
  if ('change' in by) return say`held by #${by.change}`;
  const end = until === undefined ? '' : say` until ${time(until, 'date')}`;
  return say`locked by ${mention(by.person)}${end} (“${why}”)`;
}
