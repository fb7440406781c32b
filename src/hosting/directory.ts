import { setTimeout as pause } from 'node:timers/promises';
import { allThemes } from './contract/all-themes.ts';
import type { Reader } from './contract/call.ts';
import { listDomains, type CompanyDomain } from './contract/domains.ts';
import { listSites, validateKey } from './contract/operations.ts';
import {
  domainsFromSites,
  domainsOf,
  fromSites,
  fromThemes,
  mostDomains,
  mostEnvironments,
  pinned,
} from './listing.ts';
import type { ListedDomain, ListedEnvironment, Pins, SiteDomain } from './listing.ts';
import { HostTrouble } from './trouble.ts';

export type { ListedDomain, ListedEnvironment, Pins } from './listing.ts';

/** Everything that has a name, as last seen. */
export type Listing = {
  /** When all of it was last read, in epoch milliseconds; undefined: never yet. */
  readonly at: number | undefined;
  /** When the sites route was last asked and answered with sites, in epoch milliseconds; undefined: not in this listing. */
  readonly sitesAt: number | undefined;
  readonly environments: readonly ListedEnvironment[];
  readonly domains: readonly ListedDomain[];
  readonly company: { readonly id: string } | undefined;
  /** There is more than a listing holds: at most 100,000 environments and as many domains. */
  readonly cut: boolean;
  /** Why the last refresh came to nothing, in whole or in part; what was known before stands. */
  readonly trouble: HostTrouble | undefined;
};

export type DirectoryOptions = {
  readonly read: Reader;
  /** The company's id; undefined: asked of the host, which may not tell. */
  readonly company: string | undefined;
  /** What the policy says at this moment. */
  readonly pins: () => Pins;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly refreshMs?: number;
  readonly onTrouble: (trouble: HostTrouble) => void;
};

/** Names and ids, kept in memory: asking never waits. */
export type Directory = {
  readonly listing: () => Listing;
  /** Reads everything anew; several at once are one. Never rejects: trouble stands in the listing. */
  readonly refresh: () => Promise<void>;
  /** As `refresh`, unless the listing is only seconds old: for somebody who names what is not there yet. */
  readonly freshen: () => Promise<void>;
  /** Refreshes now and from then on in the background. */
  readonly start: () => void;
  readonly close: () => void;
};

const usualRefreshMs = 5 * 60_000;
/** After trouble the next refresh comes sooner. */
const soonerMs = 30_000;
const missingRouteMs = 3_600_000;
/** A listing this old is fresh; a fresher one is waited for this long, while somebody waits for an answer. */
const freshMs = 2_000;
const freshenWithinMs = 1_500;

/** What was read of the host, before the policy has its say. */
type Seen = {
  readonly at: number | undefined;
  readonly company: string | undefined;
  readonly sitesAt: number | undefined;
  readonly sites: Sites;
  readonly domains: readonly CompanyDomain[];
  readonly trouble: HostTrouble | undefined;
};
/** Environments, and the domains that were listed with them: none where they are known by the themes. */
type Sites = { readonly environments: readonly ListedEnvironment[]; readonly domains: readonly SiteDomain[] };
/** `at`: when the sites route answered with sites; undefined where it had none, or the themes had to do. */
type Listed = { readonly at: number | undefined; readonly sites: Sites };
type SiteLister = (company: string) => Promise<Listed>;
const noSites: Sites = { environments: [], domains: [] };

/** A directory of what `read` can list. It is empty until its first refresh. */
export function createDirectory(options: DirectoryOptions): Directory {
  const { now, refreshMs = usualRefreshMs } = options;
  const sites = siteLister(options.read, now);
  let seen: Seen = {
    at: undefined,
    company: options.company,
    sitesAt: undefined,
    sites: noSites,
    domains: [],
    trouble: undefined,
  };
  const listings = createListings();
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let lookedAt = -Infinity;

  async function renew(): Promise<void> {
    lookedAt = now();
    const fresh = await look(options, sites, seen);
    if (closed) return;
    seen = fresh;
    if (fresh.trouble) options.onTrouble(fresh.trouble);
  }

  function refresh(): Promise<void> {
    running ??= renew().finally(() => (running = undefined));
    return running;
  }

  async function round(): Promise<void> {
    await refresh();
    if (closed) return;
    clearTimeout(timer);
    timer = setTimeout(() => void round(), seen.trouble ? Math.min(soonerMs, refreshMs) : refreshMs);
    timer.unref();
  }

  return {
    listing: () => listings(seen, options.pins()),
    refresh,
    freshen: async () => {
      if (now() - lookedAt < freshMs) return;
      await Promise.race([refresh(), pause(freshenWithinMs, undefined, { ref: false })]);
    },
    start: () => void round(),
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}

/** A fresh look at everything; what cannot be read now stays as it was before. */
async function look({ read, now }: DirectoryOptions, sitesOf: SiteLister, before: Seen): Promise<Seen> {
  const troubles: HostTrouble[] = [];
  const orElse = async <T>(known: T, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      troubles.push(asTrouble(error));
      return known;
    }
  };
  const company = before.company ?? (await orElse<string | undefined>(undefined, () => companyOfKey(read)));
  if (company === undefined) return { ...before, trouble: troubles[0] };
  const [{ at: sitesAt, sites }, domains] = await Promise.all([
    orElse<Listed>({ at: before.sitesAt, sites: before.sites }, () => sitesOf(company)),
    orElse(before.domains, () => read(listDomains({ company }))),
  ]);
  const [trouble] = troubles;
  const at = trouble ? before.at : now();
  const known = { sites: unlessSame(before.sites, sites), domains: unlessSame(before.domains, domains) };
  return { at, company, sitesAt, ...known, trouble };
}

/** Whether an environment is there, by a listing of sites that was read at `since` (epoch ms) or later; no other tells. */
export function presenceOf(
  { sitesAt, environments, cut }: Listing,
  id: string,
  since: number,
): 'listed' | 'gone' | 'unknown' {
  if (environments.some((one) => one.id === id)) return 'listed';
  return sitesAt !== undefined && sitesAt >= since && !cut ? 'gone' : 'unknown';
}

/** Makes listings: what is worked out of their lists can be kept for as long as these are the same objects. */
function createListings(): (seen: Seen, pins: Pins) => Listing {
  let last: { readonly seen: Seen; readonly pins: Pins; readonly listing: Listing } | undefined;
  return (seen, pins) => {
    if (last?.seen === seen && last.pins === pins) return last.listing;
    const made = listingOf(seen, pins);
    const isSame = last?.seen.sites === seen.sites && last.seen.domains === seen.domains && last.pins === pins;
    const { environments, domains } = (isSame && last?.listing) || made;
    last = { seen, pins, listing: { ...made, environments, domains } };
    return last.listing;
  };
}

/** What was known, where what is read is no different. */
const unlessSame = <T>(known: T, fresh: T): T => (JSON.stringify(known) === JSON.stringify(fresh) ? known : fresh);

function listingOf(seen: Seen, pins: Pins): Listing {
  const environments = pinned(seen.sites.environments, pins);
  const domains = domainsOf(seen.domains, seen.sites.domains, environments, pins);
  return {
    at: seen.at,
    sitesAt: seen.sitesAt,
    environments: environments.slice(0, mostEnvironments),
    domains: domains.slice(0, mostDomains),
    company: seen.company === undefined ? undefined : { id: seen.company },
    cut: environments.length > mostEnvironments || domains.length > mostDomains,
    trouble: seen.trouble,
  };
}

async function companyOfKey(read: Reader): Promise<string> {
  const { company } = await read(validateKey({}));
  if (company === undefined) throw new TypeError('the host does not tell which company the key belongs to');
  return company;
}

/**
 * Environments by the sites listing where the host has one, else by the themes. Where it answers that it has none it is
 * asked again an hour later; once it has answered, its trouble is trouble and the themes are no longer asked.
 */
function siteLister(read: Reader, now: () => number): SiteLister {
  let missingUntil = -Infinity;
  let everAnswered = false;
  return async (company) => {
    if (now() >= missingUntil) {
      try {
        const at = now();
        const sites = await read(listSites({ company, include_environments: true }));
        everAnswered = true;
        const found = { environments: fromSites(sites), domains: domainsFromSites(sites) };
        return { at: found.environments.length > 0 ? at : undefined, sites: found };
      } catch (error) {
        if (everAnswered) throw error;
        if (error instanceof HostTrouble && error.kind === 'not found') missingUntil = now() + missingRouteMs;
      }
    }
    return { at: undefined, sites: { environments: fromThemes((await allThemes(read, company)).themes), domains: [] } };
  };
}

/** What went wrong as trouble with the host, for whoever shows it. */
function asTrouble(error: unknown): HostTrouble {
  if (error instanceof HostTrouble) return error;
  const says = error instanceof Error ? error.message : 'the host cannot be read';
  return new HostTrouble({ kind: 'odd answer', says, cause: error }, { attempts: 1, elapsedMs: 0 });
}
