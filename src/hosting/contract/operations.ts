import { z } from 'zod';
import { endOf } from '../dialect.ts';
import { reading, writing } from './endpoint.ts';
import { cell, entries, filledLine, idCell, list, textCell, uuid } from './fields.ts';

/**
 * How an operation stands. `not known` is normal for the first half minute, and all there is where the service does not
 * have this route; `failed` has the shape of any error of the service, so ask again before believing it.
 */
export type OperationState = 'finished' | 'running' | 'failed' | 'not known';
const states = new Map<number, OperationState>([
  [200, 'finished'],
  [202, 'running'],
  [404, 'not known'],
  [500, 'failed'],
]);

/**
 * What the service says of an operation, whatever the status: `{message, status}`. Anything else was written by
 * something in between (a gateway's page, a login page) and says nothing about the operation: it is an odd answer.
 * A 200 may carry `status: 202`, so the body is believed before the status line; an error carries its own status.
 */
const answered = z
  .object({ status: z.number(), body: z.object({ message: z.string(), status: z.number() }) })
  .refine(({ status, body }) => states.has(body.status) && (status < 300 || body.status === status));

/** Beyond the document. */
export const getOperation = reading({
  section: 'operation',
  optional: true,
  path: '/operations/{operation_id}',
  statuses: [200, 202, 404, 500],
  answers: [...states.keys()],
  reply: answered.transform(({ body }) => ({
    state: states.get(body.status) ?? ('not known' as const),
    message: body.message.slice(0, 500),
  })),
});

const siteDomain = z.object({ id: idCell, name: textCell });
const listedEnvironment = z.object({
  id: idCell,
  name: textCell,
  display_name: textCell,
  domains: list(siteDomain).catch([]),
});
const listedSite = z.object({
  id: idCell,
  name: textCell,
  display_name: textCell,
  status: textCell,
  environments: list(listedEnvironment),
});
export type ListedSite = z.output<typeof listedSite>;

/** A site of which nothing was left out in reading: what is not in it is not there. */
const wholeSite = z.object({ id: uuid, environments: z.array(z.object({ id: uuid })).min(1) });

/**
 * Beyond the document. The live environment is the one named `live`, wherever it stands in the list. `isWhole`: there
 * are sites, and each of them and of their environments could be read, so what is missing is not there.
 */
export const listSites = reading({
  section: 'sites',
  optional: true,
  path: '/sites',
  query: { company: uuid, include_environments: z.literal(true) },
  statuses: [200, 404],
  reply: z.object({ company: z.object({ sites: z.array(z.unknown()) }) }).transform(({ company: { sites } }) => ({
    sites: entries(listedSite).parse(sites),
    isWhole: sites.length > 0 && sites.every((site) => wholeSite.safeParse(site).success),
  })),
});

/** Beyond the document. `company` is the id of the company the key belongs to; `expires_at` in epoch milliseconds. */
export const validateKey = reading({
  section: 'validate',
  optional: true,
  path: '/validate',
  statuses: [200, 404],
  reply: z.object({
    name: textCell,
    expires_at: cell(z.union([z.string(), z.number()])).transform(endOf),
    company: idCell,
  }),
});

/** Beyond the document. */
export const restartPhp = writing({
  section: 'restart-php',
  optional: true,
  method: 'POST',
  path: '/sites/tools/restart-php',
  body: { environment_id: uuid },
  statuses: [202, 404],
});

/** Beyond the document. */
export const makeBackup = writing({
  section: 'manual-backup',
  optional: true,
  method: 'POST',
  path: '/sites/environments/{env_id}/manual-backups',
  body: { tag: filledLine.optional() },
  statuses: [202, 404],
});
