import type { Target } from './contract/target.ts';
import type { Listing } from './listing.ts';

/** What is looked for. */
export type Named = Pick<Target, 'kind' | 'id' | 'name'>;

/**
 * Whether the host still has a target, as far as it told. `missing`: a fresh list lacks it, which is not enough to call it
 * gone; `unknown`: there is no fresh list. Both mean that whatever needs it is done later.
 */
export type Presence = 'listed' | 'missing' | 'gone' | 'unknown';

/** One list may lack what is there, as where a page was dropped or a replica is behind: only so many of them count. */
const listsThatCount = 3;
/** From the first of them to the last. */
const missingMs = 60_000;

/** Whether these listings, oldest first, are enough to say that what all of them lack is gone. */
const agreeLongEnough = (told: readonly Listing[]): boolean =>
  told.length >= listsThatCount && (told.at(-1)?.sitesAt ?? 0) - (told[0]?.sitesAt ?? 0) >= missingMs;

/** These listings, oldest first, without the oldest as long as the others suffice. */
export function trimmed(told: readonly Listing[]): readonly Listing[] {
  const from = told.findLastIndex((_, at) => agreeLongEnough(told.slice(at)));
  return from > 0 ? told.slice(from) : told;
}

/**
 * Whether a target is there, by what the host was asked for at `since` (epoch ms) or later: what was known before may be
 * gone. A domain is there by its name as well: by which id it is asked for hangs on what else the host lists. *Gone* needs
 * the host's own word, several times over a minute: `told` are the last listings in a row that have all of its sites (for a
 * domain: its domains as well), and none of them has the target. Anything less is missing, or unknown.
 */
export function presenceIn(
  newest: Listing,
  told: readonly Listing[],
  { kind, id, name }: Named,
  since: number,
): Presence {
  const has = ({ environments, domains }: Listing): boolean =>
    kind === 'domain'
      ? domains.some((one) => one.id === id || one.name.toLowerCase() === name.toLowerCase())
      : environments.some((one) => one.id === id);
  if (kind === 'company') return 'listed';
  const readAt = kind === 'domain' ? newest.domainsReadAt : newest.environmentsReadAt;
  if (has(newest)) return readAt !== undefined && readAt >= since ? 'listed' : 'unknown';
  const isTold = ({ cut, sitesAt, domainsAt }: Listing): boolean =>
    !cut && (kind !== 'domain' || domainsAt === sitesAt);
  const last = told.at(-1);
  if (last?.sitesAt === undefined || last.sitesAt < since || !isTold(last)) return 'unknown';
  const lacking = told.slice(told.findLastIndex((one) => !isTold(one) || has(one)) + 1);
  return agreeLongEnough(lacking) ? 'gone' : 'missing';
}
