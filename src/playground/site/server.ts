import type { IncomingMessage, ServerResponse } from 'node:http';
import { type WholeReply, sendBroken } from '../hosting/broken-replies.ts';
import { Faults } from '../hosting/faults.ts';
import { Journal } from '../hosting/journal.ts';
import type { Environment } from '../hosting/resources.ts';
import { Timers } from '../hosting/timers.ts';
import { Waiters } from '../hosting/waiters.ts';
import type { World } from '../hosting/world.ts';
import { type Control, serve } from '../http.ts';
import { domainIn } from './address.ts';
import { type Break, breakSite, mendSite } from './breaks.ts';
import { siteControl } from './control.ts';
import { PageCache } from './page-cache.ts';
import { answerFor, fillCache } from './visit.ts';

/** The site stand-in: the pages of every environment of a world. Its faults match `/<domain>/<path>`. */
export type SiteStandIn = {
  /** Its address without a trailing slash, for a browser: `acme-shop.example.localhost` leads to a site there. */
  readonly url: string;
  /** `host:port` on loopback; it answers there by the Host header. */
  readonly connectTo: string;
  readonly faults: Faults;
  /** The visits, oldest first; the newest 2,000. */
  readonly journal: Journal;
  /** Breaks `site/environment`. Throws `RangeError` if there is none of that name. */
  break(environment: string, what: Break): void;
  /** Mends one environment, or all. Throws `RangeError` if there is none of that name. */
  mend(environment?: string): void;
  readonly control: Control;
  /** The first defined value of `probe`, run when a visit arrives or ends. */
  until<T>(probe: () => T | undefined, timeoutMs?: number): Promise<T>;
  /** Ends open connections and every timer. A second call joins the first. */
  close(): Promise<void>;
};

/** Options of a site stand-in; `slowMs` is how long a slow site takes, 5 s by default. */
export type SiteOptions = { readonly port?: number; readonly slowMs?: number; readonly now?: () => number };

const journalLimit = 2_000;

/** Serves the sites of `world` on loopback, as they are when visited. Rejects if the port is taken. */
export async function startSite(world: World, options: SiteOptions = {}): Promise<SiteStandIn> {
  const { port = 0, slowMs = 5_000, now = Date.now } = options;
  const waiters = new Waiters();
  const timers = new Timers();
  const journal = new Journal(waiters, journalLimit);
  const faults = new Faults();
  const cache = new PageCache();
  const served = await serve((request, response) => {
    serveVisit(request, response, { world, cache, journal, faults, timers, slowMs, now }).catch(() =>
      response.destroy(),
    );
  }, port);
  const site = { faults, journal, ...breakerOf(world, cache, now) };
  let closing: Promise<void> | undefined;
  return {
    ...site,
    url: served.url,
    connectTo: `127.0.0.1:${served.port}`,
    control: siteControl({ world, port: served.port, ...site }),
    until: (probe, timeoutMs) => waiters.until(probe, timeoutMs),
    close: () => {
      timers.close();
      waiters.close();
      return (closing ??= served.close());
    },
  };
}

/** Breaks and mends environments by their name. */
function breakerOf(world: World, cache: PageCache, now: () => number): Pick<SiteStandIn, 'break' | 'mend'> {
  const named = (name: string): Environment => {
    const environment = world.environmentNamed(name);
    if (environment === undefined) throw new RangeError(`there is no environment "${name}"`);
    return environment;
  };
  return {
    break(name, what) {
      const environment = named(name);
      if (what === 'past-cache') fillCache(world, cache, environment, now());
      breakSite(environment, what, now());
    },
    mend(name) {
      for (const environment of name === undefined ? world.environments() : [named(name)]) mendSite(environment);
    },
  };
}

/** What serving a visit needs. */
type Service = {
  readonly world: World;
  readonly cache: PageCache;
  readonly journal: Journal;
  readonly faults: Faults;
  readonly timers: Timers;
  readonly slowMs: number;
  readonly now: () => number;
};

async function serveVisit(request: IncomingMessage, response: ServerResponse, service: Service): Promise<void> {
  const { world, cache, journal, faults, timers, slowMs, now } = service;
  const domain = domainIn(request.headers.host ?? '');
  // A request's target may be anything that is one word; it is only compared here, and never opened.
  const [path = '/', ...more] = (request.url ?? '/').split('?');
  const arrival = { at: now(), path, query: Object.fromEntries(new URLSearchParams(more.join('?'))) } as const;
  const entry = journal.open(request, response, { ...arrival, authorization: 'absent', section: undefined });
  const fault = faults.take(entry.method, `/${domain}${path}`, undefined);
  if (fault !== undefined) entry.fault = fault.kind;
  const isPastCache = more.length > 0 || request.headers.cookie !== undefined;
  const answer = answerFor({ world, cache }, { domain, path, method: entry.method, isPastCache }, now());
  if (answer.isSlow) await timers.wait(slowMs);
  if (fault?.kind === 'delay') await timers.wait(fault.ms);
  if (response.destroyed) return;
  const type = 'text/html; charset=utf-8';
  const whole: WholeReply = { status: answer.status, type, body: Buffer.from(answer.html) };
  if (fault !== undefined && fault.kind !== 'delay') return sendBroken(fault, whole, response, timers);
  response.writeHead(answer.status, { 'content-type': type, ...answer.headers });
  response.end(entry.method === 'HEAD' ? undefined : whole.body);
}
