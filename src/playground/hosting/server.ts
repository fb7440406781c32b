import { type Control, serve } from '../http.ts';
import type { Switches } from './answer.ts';
import { Waiters } from './waiters.ts';
import { hostingControl } from './control.ts';
import type { Dialect } from './endpoint.ts';
import { Faults } from './faults.ts';
import { Journal } from './journal.ts';
import { type Durations, Operations, defaultDurations } from './operations.ts';
import { base, type Service, serveRequest } from './requests.ts';
import type { Plan } from './seed/plan.ts';
import { seedWorld } from './seed/seed.ts';
import { Timers } from './timers.ts';
import { World } from './world.ts';

/** Options of a stand-in; all have defaults. Times in milliseconds. */
export type HostingOptions = {
  readonly port?: number;
  readonly key?: string;
  readonly durations?: Partial<Durations>;
  /** How long `GET /operations/{id}` does not know an operation after its 202. */
  readonly notKnownFor?: number;
  readonly optional?: Partial<Switches>;
  readonly seed?: string;
  /** The sites; six by default. */
  readonly plan?: Plan;
  /** `document` by default. */
  readonly dialect?: Dialect;
  /** Behaves like older versions of the public service; off by default. */
  readonly ignoresLogSpan?: boolean;
  readonly now?: () => number;
  /** How many requests the journal keeps. */
  readonly journalLimit?: number;
};

/** A running stand-in for the hosting API. */
export type HostingStandIn = {
  /** The base address, `/v2` included. */
  readonly url: string;
  readonly key: string;
  readonly companyId: string;
  readonly world: World;
  readonly operations: Operations;
  readonly journal: Journal;
  readonly faults: Faults;
  readonly optional: Switches;
  readonly control: Control;
  /** The first defined value of `probe`, run when a request arrives, is complete or ends, or an operation ends. */
  until<T>(probe: () => T | undefined, timeoutMs?: number): Promise<T>;
  /** Ends open connections and every timer. A second call joins the first. */
  close(): Promise<void>;
};

/** All that the service may lack. */
export const everythingOn: Switches = {
  operations: true,
  sites: true,
  validate: true,
  restartPhp: true,
  manualBackups: true,
  environmentThemes: true,
};

/** Starts the service on loopback with a fresh world; rejects if the port is taken. */
export async function startHosting(options: HostingOptions = {}): Promise<HostingStandIn> {
  const { key = 'playground-hosting-key', seed = 'sitehand', dialect = 'document', now = Date.now } = options;
  const { ignoresLogSpan = false } = options;
  const waiters = new Waiters();
  const timers = new Timers();
  const durations = { ...defaultDurations, ...options.durations };
  const operations = new Operations({ durations, notKnownFor: options.notKnownFor ?? 1_000, timers, waiters, now });
  const world = new World(seedWorld(seed, now(), options.plan));
  const service: Service = {
    key,
    timers,
    host: { world, operations, seed, dialect, ignoresLogSpan, now },
    journal: new Journal(waiters, options.journalLimit ?? 10_000),
    faults: new Faults(),
    optional: { ...everythingOn, ...options.optional },
  };
  const served = await serve((request, response) => void serveRequest(request, response, service), options.port);
  const { journal, faults, optional } = service;
  let closing: Promise<void> | undefined;
  return {
    url: `${served.url}${base}`,
    key,
    companyId: world.company.id,
    world,
    operations,
    journal,
    faults,
    optional,
    control: hostingControl({ world, operations, journal, faults, optional }),
    until: (probe, timeoutMs) => waiters.until(probe, timeoutMs),
    close: () => {
      timers.close();
      waiters.close();
      return (closing ??= served.close());
    },
  };
}
