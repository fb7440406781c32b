import { logFatal } from '../hosting/breakages.ts';
import type { Environment, RedirectRule } from '../hosting/resources.ts';
import type { World } from '../hosting/world.ts';
import { resolveDomain } from './address.ts';
import { worstOf } from './breaks.ts';
import type { PageCache } from './page-cache.ts';
import { type SitePage, brokenPages, isPersonal, noSite, notFound, pageAt } from './pages.ts';

/** One visit. Past the cache are visits with a query or a cookie, as with most hosts; a header of theirs is not enough. */
export type Visit = {
  readonly domain: string;
  readonly path: string;
  readonly method: string;
  readonly isPastCache: boolean;
};

/** What a visitor gets; `isSlow` if PHP takes its time for it. */
export type SiteAnswer = SitePage & { readonly headers: Readonly<Record<string, string>>; readonly isSlow: boolean };

type Sites = { readonly world: World; readonly cache: PageCache };

/** Answers a visit from the state of the world; `now` in epoch milliseconds. */
export function answerFor(sites: Sites, visit: Visit, now: number): SiteAnswer {
  const to = resolveDomain(sites.world, visit.domain);
  if (to.kind === 'nowhere') return plain(noSite(visit.domain));
  if (to.kind === 'moved') return redirect(301, `//${to.to}${visit.path}`);
  if (visit.method !== 'GET' && visit.method !== 'HEAD') return plain({ status: 405, html: '' });
  const rule = to.environment.redirects.find((one) => isFor(one, visit));
  if (rule !== undefined) return redirect(rule.type === 'permanent' ? 301 : 302, rule.to);
  return pageOf(sites, to.environment, visit, now);
}

/** Fills the cache of an environment with the pages it would keep, whatever is broken. */
export function fillCache(world: World, cache: PageCache, environment: Environment, now: number): void {
  const domains = world.domains.filter(({ environmentId }) => environmentId === environment.id);
  for (const { name } of domains) {
    for (const path of ['/', '/shop/']) {
      const page = pageAt(titleOf(world, environment), environment, path);
      if (page !== undefined) cache.keep(environment, keyOf(name.toLowerCase(), path), page.html, now);
    }
  }
}

function pageOf({ world, cache }: Sites, environment: Environment, visit: Visit, now: number): SiteAnswer {
  const { domain, path, isPastCache } = visit;
  const key = keyOf(domain, path);
  const kept = isPastCache ? undefined : cache.find(environment, key, now);
  if (kept !== undefined) {
    const age = String(Math.max(0, Math.floor((now - kept.at) / 1_000)));
    return { status: 200, html: kept.html, headers: { 'x-cache': 'HIT', age }, isSlow: false };
  }
  const isSlow = environment.broken.includes('slow');
  const headers = { 'x-cache': 'MISS', age: '0' };
  const worst = worstOf(environment);
  if (worst !== undefined) {
    if (worst === 'error') logFatal(environment, path, now);
    return { ...brokenPages[worst], headers, isSlow };
  }
  const site = titleOf(world, environment);
  const page = pageAt(site, environment, path);
  if (page === undefined) return { ...notFound(site), headers, isSlow };
  if (!isPastCache && !isPersonal(path)) cache.keep(environment, key, page.html, now);
  return { ...page, headers, isSlow };
}

/** A visitor here has no place, so rules for a country or a city do not fit. */
function isFor(rule: RedirectRule, { domain, path }: Visit): boolean {
  const same = (one: string): string => one.replace(/\/$/, '');
  return (
    (rule.domain === '' || rule.domain.toLowerCase() === domain) &&
    rule.traffic_from_country === '' &&
    rule.traffic_from_city === '' &&
    same(rule.from) === same(path)
  );
}

function redirect(status: 301 | 302, to: string): SiteAnswer {
  // A rule is what somebody typed, and a header takes no line ends and no letters beyond ASCII.
  const location = encodeURI(to.toWellFormed()).replaceAll('%25', '%');
  return { status, html: '', headers: { location }, isSlow: false };
}

const plain = (page: SitePage): SiteAnswer => ({ ...page, headers: {}, isSlow: false });
const keyOf = (domain: string, path: string): string => `${domain}${path}`;
const titleOf = (world: World, { siteId }: Environment): string => world.site(siteId).displayName;
