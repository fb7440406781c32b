import { z } from 'zod';
import { type ControlHandlers, controlWith } from '../control-answer.ts';
import { digits } from '../hosting/endpoint.ts';
import { type Faults, faultShape } from '../hosting/faults.ts';
import type { Journal } from '../hosting/journal.ts';
import type { World } from '../hosting/world.ts';
import type { Control } from '../http.ts';
import { type Break, breaks } from './breaks.ts';

type Controlled = {
  readonly world: World;
  readonly port: number;
  readonly faults: Faults;
  readonly journal: Journal;
  break(environment: string, what: Break): void;
  mend(environment?: string): void;
};

const breaking = z.strictObject({ environment: z.string(), break: z.enum(breaks) });
const mending = z.strictObject({ environment: z.string().optional() });
const faultQuery = z.object({ id: digits.optional() });
/** Faults of an answer in JSON; a site has none. */
const ofJson: ReadonlySet<string> = new Set(['broken-json', 'capital-ids', 'odd-202']);

const handlers: ControlHandlers<Controlled> = {
  'GET /environments': (_request, site) => environments(site),
  'POST /break': ({ body }, site) => {
    const { environment, break: what } = breaking.parse(body);
    site.break(environment, what);
    return environments(site);
  },
  'POST /mend': ({ body }, site) => {
    site.mend(mending.parse(body ?? {}).environment);
    return environments(site);
  },
  'GET /journal': (_request, { journal }) => journal.entries(),
  'GET /faults': (_request, { faults }) => faults.list(),
  'POST /faults': ({ body }, { faults }) => {
    const fault = faultShape.parse(body);
    if (ofJson.has(fault.kind)) throw new RangeError(`a site cannot play "${fault.kind}"`);
    return faults.add(fault);
  },
  'DELETE /faults': ({ query }, { faults }) => ({
    removed: faults.remove(faultQuery.parse(Object.fromEntries(query)).id),
  }),
};

/** The control API of the sites. */
export const siteControl = (site: Controlled): Control => controlWith(handlers, site);

/** Every environment with what is broken, its domains, and an address for a browser on this machine. */
function environments({ world, port }: Controlled) {
  return world.environments().map((environment) => ({
    name: world.fullName(environment),
    domains: world.domains.filter((one) => one.environmentId === environment.id).map((one) => one.name),
    broken: environment.broken,
    url: `http://${environment.hostname}.localhost:${port}/`,
    next_push_breaks: environment.nextPushBreaks,
  }));
}
