import type { Target } from './contract/target.ts';
import type { Listing } from './names.ts';

/** The target to look for. */
export type TargetIdentity = Pick<Target, 'kind' | 'id' | 'name'>;

/**
 * Whether the host still has a target. `missing`: a fresh list lacks it, but that is not enough to call it gone.
 * `unknown`: there is no fresh list. In both cases the work waits.
 */
export type Presence = 'listed' | 'missing' | 'gone' | 'unknown';

/** One list can lack an existing target (a dropped page, a stale replica), so this many must agree. */
const minListings = 3;
/** The least time between the first and the last of these lists. */
const missingMs = 60_000;

/** Whether these listings (oldest first), which all lack a target, are enough to call it gone. */
const agreeLongEnough = (listings: readonly Listing[]): boolean =>
  listings.length >= minListings && (listings.at(-1)?.sitesAt ?? 0) - (listings[0]?.sitesAt ?? 0) >= missingMs;

/** Drops the oldest listings as long as the remaining ones are enough. */
export function withoutOldListings(listings: readonly Listing[]): readonly Listing[] {
  const from = listings.findLastIndex((_, at) => agreeLongEnough(listings.slice(at)));
  return from > 0 ? listings.slice(from) : listings;
}

/**
 * Judges a target by what the host said at `since` (epoch ms) or later. A domain is also found by its name, because its
 * id depends on what else the host lists. `gone` needs several agreeing lists over at least a minute: `listings` are
 * the latest complete ones in a row (for a domain, complete for domains too), and none has the target. Anything less is
 * `missing` or `unknown`.
 */
export function presenceIn(
  newest: Listing,
  listings: readonly Listing[],
  { kind, id, name }: TargetIdentity,
  since: number,
): Presence {
  const has = ({ environments, domains }: Listing): boolean =>
    kind === 'domain'
      ? domains.some((one) => one.id === id || one.name.toLowerCase() === name.toLowerCase())
      : environments.some((one) => one.id === id);
  if (kind === 'company') return 'listed';
  const readAt = kind === 'domain' ? newest.domainsReadAt : newest.environmentsReadAt;
  if (has(newest)) return readAt !== undefined && readAt >= since ? 'listed' : 'unknown';
  const isComplete = ({ cut, sitesAt, domainsAt }: Listing): boolean =>
    !cut && (kind !== 'domain' || domainsAt === sitesAt);
  const last = listings.at(-1);
  if (last?.sitesAt === undefined || last.sitesAt < since || !isComplete(last)) return 'unknown';
  const lacking = listings.slice(listings.findLastIndex((one) => !isComplete(one) || has(one)) + 1);
  return agreeLongEnough(lacking) ? 'gone' : 'missing';
}
