import { z } from 'zod';
import { type ControlHandlers, controlWith } from '../control-answer.ts';
import type { Control } from '../http.ts';
import type { Switches } from './answer.ts';
import { digits, optionalEndpoints } from './endpoint.ts';
import { type Faults, faultShape } from './faults.ts';
import type { Journal } from './journal.ts';
import { type OperationKind, type Operations, outcomes, defaultDurations } from './operations.ts';
import type { Environment } from './resources.ts';
import { routes } from './routes/table.ts';
import type { World } from './world.ts';

type Controlled = {
  readonly world: World;
  readonly operations: Operations;
  readonly journal: Journal;
  readonly faults: Faults;
  readonly optional: Switches;
};

const kinds = Object.keys(defaultDurations).filter((kind): kind is OperationKind => kind in defaultDurations);
const duration = z.int().min(0).max(3_600_000);
const plans = z.strictObject({
  durations: z.partialRecord(z.enum(kinds), duration).default({}),
  notKnownFor: duration.optional(),
  next: z
    .array(z.strictObject({ kind: z.enum(kinds), outcome: z.enum(outcomes) }))
    .max(100)
    .default([]),
});
const switches = z.partialRecord(z.enum(optionalEndpoints), z.boolean());
const journalQuery = z.object({ after: digits.default(0), limit: digits.default(1_000) });

/** What the control API can do, by method and path. */
const handlers: ControlHandlers<Controlled> = {
  'GET /endpoints': () => routes.map(({ section, method, path, errors }) => ({ section, method, path, errors })),
  'GET /journal': ({ query }, { journal }) => {
    const { after, limit } = journalQuery.parse(Object.fromEntries(query));
    return journal
      .entries()
      .filter(({ seq }) => seq > after)
      .slice(0, limit);
  },
  'DELETE /journal': (_request, { journal }) => {
    journal.clear();
    return { cleared: true };
  },
  'GET /faults': (_request, { faults }) => faults.list(),
  'POST /faults': ({ body }, { faults }) => faults.add(faultShape.parse(body)),
  'DELETE /faults': ({ query }, { faults }) => {
    const id = z.object({ id: digits.optional() }).parse(Object.fromEntries(query)).id;
    return { removed: faults.remove(id) };
  },
  'GET /operations': (_request, { operations }) => operationsNow(operations),
  'POST /operations': ({ body }, { operations }) => {
    const { durations, notKnownFor, next } = plans.parse(body);
    Object.assign(operations.durations, durations);
    operations.notKnownFor = notKnownFor ?? operations.notKnownFor;
    for (const { kind, outcome } of next) operations.plan(kind, outcome);
    return operationsNow(operations);
  },
  'GET /optional': (_request, { optional }) => optional,
  'POST /optional': ({ body }, { optional }) => Object.assign(optional, switches.parse(body)),
  'GET /state': ({ query }, { world }) => {
    const name = query.get('environment');
    if (name === null) return overview(world);
    const environment = world.environmentNamed(name);
    if (environment === undefined) throw new RangeError(`there is no environment "${name}"`);
    return environment;
  },
};

/** The control API of the hosting stand-in. */
export const hostingControl = (controlled: Controlled): Control => controlWith(handlers, controlled);

function operationsNow(operations: Operations) {
  const { durations, notKnownFor } = operations;
  return { durations, notKnownFor, next: operations.planned(), operations: operations.list() };
}

function overview(world: World) {
  const short = ({ id, name, displayName, hostname }: Environment) => ({ id, name, displayName, hostname });
  const sites = world.sites.map((site) => ({ ...site, environments: site.environments.map(short) }));
  return {
    company: world.company,
    sites,
    domains: world.domains.map(({ id, name, siteId }) => ({ id, name, siteId })),
  };
}
