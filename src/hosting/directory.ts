import { setTimeout as pause } from 'node:timers/promises';
import { allThemes } from './contract/themes.ts';
import type { HostReader } from './contract/call.ts';
import { listDomains, type CompanyDomain } from './contract/domains.ts';
import { listSites, validateKey } from './contract/sites.ts';
import {
  domainsFromSites,
  domainsOf,
  fromSites,
  fromThemes,
  maxDomains,
  maxEnvironments,
  withOverrides,
  type ListedEnvironment,
  type Listing,
  type NameOverrides,
  type SiteDomain,
} from './names.ts';
import { withoutOldListings, presenceIn, type TargetIdentity, type Presence } from './presence.ts';
import { HostTrouble } from './failure.ts';
import { hourMs } from '../words/duration.ts';

export type DirectoryOptions = {
  readonly read: HostReader;
  /** The company's id. If undefined, the host is asked, and may not say. */
  readonly company: string | undefined;
  /** Whether this host has listed its sites before. If so, a 404 is trouble, and names never come from themes. */
  readonly listsSites?: boolean;
  /** Called when the host lists its sites for the first time, so that the next start sets `listsSites`. */
  readonly onSites?: () => void;
  /** The policy's overrides right now. */
  readonly overrides: () => NameOverrides;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly refreshMs?: number;
  readonly onTrouble: (trouble: HostTrouble) => void;
};

/** Names and ids in memory; lookups never wait. */
export type Directory = {
  readonly listing: () => Listing;
  /** Whether a target exists, judging by what the host said at `since` (epoch ms) or later. */
  readonly presenceOf: (target: TargetIdentity, since: number) => Presence;
  /** Reads everything again; concurrent calls share one read. Never rejects: trouble is in the listing. */
  readonly refresh: () => Promise<void>;
  /**
   * As `refresh`, unless the listing is only seconds old. Waits at most `withinMs`. Resolves with the time (epoch ms)
   * since which the host's answers count for this caller.
   */
  readonly freshen: (withinMs?: number) => Promise<number>;
  /** Refreshes now, and regularly from then on in the background. */
  readonly start: () => void;
  readonly close: () => void;
};

const defaultRefreshMs = 5 * 60_000;
/** How soon the next refresh comes after trouble. */
const soonerMs = 30_000;
const missingRouteMs = hourMs;
/** `freshen` skips the read if the last one is younger than `freshMs`, and waits at most `freshenWithinMs` for it. */
const freshMs = 2_000;
const freshenWithinMs = 1_500;
/** Within this time, callers share one answer. */
const sharedMs = 5_000;

/** What was read from the host, before the policy's overrides are applied. */
type HostListing = Omit<Listing, 'environments' | 'domains' | 'environmentDomains' | 'company' | 'cut'> & {
  readonly company: string | undefined;
  readonly sites: Sites;
  readonly domains: Domains;
};
/** Environments, and the domains listed with them; no domains if the names come from themes. */
type Sites = { readonly environments: readonly ListedEnvironment[]; readonly domains: readonly SiteDomain[] };
type Domains = readonly CompanyDomain[];
/** `isWhole`: what is missing does not exist. */
type HostList<T> = { readonly list: T; readonly isWhole: boolean };
type SiteLister = (company: string) => Promise<HostList<Sites>>;
const emptyHostListing: Omit<HostListing, 'company'> = {
  at: undefined,
  sites: { environments: [], domains: [] },
  sitesAt: undefined,
  environmentsReadAt: undefined,
  domains: [],
  domainsAt: undefined,
  domainsReadAt: undefined,
  trouble: undefined,
};

/** A directory of what `read` can list, empty until its first refresh. */
export function createDirectory(options: DirectoryOptions): Directory {
  const { now, refreshMs = defaultRefreshMs } = options;
  const known = createKnown(options);
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let refreshedAt = -Infinity;

  async function renew(): Promise<void> {
    refreshedAt = now();
    const fresh = await known.read();
    if (!closed) known.keep(fresh);
  }

  function refresh(): Promise<void> {
    running ??= renew().finally(() => (running = undefined));
    return running;
  }

  async function round(): Promise<void> {
    await refresh();
    if (closed) return;
    clearTimeout(timer);
    timer = setTimeout(() => void round(), known.listing().trouble ? Math.min(soonerMs, refreshMs) : refreshMs);
    timer.unref();
  }

  return {
    listing: known.listing,
    presenceOf: known.presenceOf,
    refresh,
    freshen: async (withinMs = freshenWithinMs) => {
      const since = now() - sharedMs;
      if (running !== undefined || now() - refreshedAt >= freshMs)
        await Promise.race([refresh(), pause(withinMs, undefined, { ref: false })]);
      return since;
    },
    start: () => void round(),
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}

/** What is known of the host's lists. `read` reads them anew; what it read counts only once it is kept. */
function createKnown(options: DirectoryOptions) {
  const sites = siteLister(options);
  const listings = createListings();
  let seen: HostListing = { ...emptyHostListing, company: options.company };
  /** The latest consecutive complete listings, only as many as `presenceIn` needs to call a target gone. */
  let completeListings: readonly Listing[] = [];
  const listing = (): Listing => listings(seen, options.overrides());
  return {
    listing,
    presenceOf: (target: TargetIdentity, since: number): Presence =>
      presenceIn(listing(), completeListings, target, since),
    read: () => readAll(options, sites, seen),
    keep: (fresh: HostListing): void => {
      const isWhole = fresh.sitesAt !== seen.sitesAt;
      seen = fresh;
      completeListings = isWhole ? withoutOldListings([...completeListings, listing()]) : [];
      if (fresh.trouble) options.onTrouble(fresh.trouble);
    },
  };
}

/** Reads everything. What cannot be read keeps its previous value. */
async function readAll(
  { read, now }: DirectoryOptions,
  sitesOf: SiteLister,
  before: HostListing,
): Promise<HostListing> {
  const began = now();
  const troubles: HostTrouble[] = [];
  const note = (error: unknown): undefined => {
    troubles.push(asTrouble(error));
  };
  const company = before.company ?? (await companyOfKey(read).catch(note));
  if (company === undefined) return { ...before, trouble: troubles[0] };
  const [sites, domains] = await Promise.all([
    sitesOf(company).catch(note),
    domainsIn(read, company, before.domains).catch(note),
  ]);
  const [trouble] = troubles;
  return {
    at: trouble ? before.at : now(),
    company,
    sites: unlessSame(before.sites, sites?.list ?? before.sites),
    sitesAt: sites?.isWhole ? began : before.sitesAt,
    environmentsReadAt: sites ? began : before.environmentsReadAt,
    domains: unlessSame(before.domains, domains?.list ?? before.domains),
    domainsAt: domains?.isWhole ? began : before.domainsAt,
    domainsReadAt: domains ? began : before.domainsReadAt,
    trouble,
  };
}

/** An empty list after a filled one is trouble at the host: nobody removes everything between two reads. */
const emptyListError = (): TypeError => new TypeError('the host sent an empty list where there were entries before');

async function domainsIn(read: HostReader, company: string, before: Domains): Promise<HostList<Domains>> {
  const { entries: list, unread } = await read(listDomains({ company }));
  if (list.length === 0 && before.length > 0) throw emptyListError();
  const isReadable = ({ id, name }: CompanyDomain): boolean => id !== undefined && name !== undefined;
  return { list, isWhole: list.length > 0 && unread === 0 && list.every(isReadable) };
}

/** Makes listings. Unchanged lists stay the same objects, so results derived from them can be cached. */
function createListings(): (seen: HostListing, overrides: NameOverrides) => Listing {
  let last: { readonly seen: HostListing; readonly overrides: NameOverrides; readonly listing: Listing } | undefined;
  return (seen, overrides) => {
    if (last?.seen === seen && last.overrides === overrides) return last.listing;
    const made = listingOf(seen, overrides);
    const isSame =
      last?.seen.sites === seen.sites && last.seen.domains === seen.domains && last.overrides === overrides;
    const { environments, domains } = (isSame && last?.listing) || made;
    last = { seen, overrides, listing: { ...made, environments, domains } };
    return last.listing;
  };
}

/** The known value if the fresh one is equal. */
const unlessSame = <T>(known: T, fresh: T): T => (JSON.stringify(known) === JSON.stringify(fresh) ? known : fresh);

function listingOf({ company, sites, domains: known, ...seen }: HostListing, overrides: NameOverrides): Listing {
  const environments = withOverrides(sites.environments, overrides);
  const domains = domainsOf(known, sites.domains, environments, overrides);
  return {
    ...seen,
    environments: environments.slice(0, maxEnvironments),
    domains: domains.slice(0, maxDomains),
    environmentDomains: sites.domains,
    company: company === undefined ? undefined : { id: company },
    cut: environments.length > maxEnvironments || domains.length > maxDomains,
  };
}

async function companyOfKey(read: HostReader): Promise<string> {
  const { company } = await read(validateKey({}));
  if (company === undefined) throw new TypeError('the host did not say which company the key belongs to');
  return company;
}

/**
 * Lists environments from the sites listing if the host has one, else from the themes. Only a 404 from a host that
 * never listed its sites means that it has no listing; it is asked again after an hour. Any other trouble is passed on,
 * because themes would give the environments different names.
 */
function siteLister({ read, now, listsSites = false, onSites }: DirectoryOptions): SiteLister {
  let missingUntil = -Infinity;
  let everAnswered = listsSites;
  return async (company) => {
    if (now() >= missingUntil) {
      try {
        const { sites, isWhole } = await read(listSites({ company, include_environments: true }));
        const environments = fromSites(sites);
        if (environments.length === 0 && everAnswered) throw emptyListError();
        if (environments.length > 0 && !everAnswered) {
          everAnswered = true;
          onSites?.();
        }
        return { list: { environments, domains: domainsFromSites(sites) }, isWhole };
      } catch (error) {
        if (everAnswered || !(error instanceof HostTrouble && error.kind === 'not found')) throw error;
        missingUntil = now() + missingRouteMs;
      }
    }
    const environments = fromThemes((await allThemes(read, company)).themes);
    return { list: { environments, domains: [] }, isWhole: false };
  };
}

/** Any error as `HostTrouble`. */
function asTrouble(error: unknown): HostTrouble {
  if (error instanceof HostTrouble) return error;
  const says = error instanceof Error ? error.message : "the host can't be read";
  return new HostTrouble({ kind: 'odd answer', says, cause: error }, { attempts: 1, elapsedMs: 0 });
}
