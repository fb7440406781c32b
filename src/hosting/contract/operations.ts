import { z } from 'zod';
import { endOf } from '../dialect.ts';
import { reading, writing } from './endpoint.ts';
import { cell, filledLine, idCell, list, numberCell, textCell, uuid } from './fields.ts';

/**
 * How an operation stands. `not known` is normal for the first half minute, and all there is where the service does not
 * have this route; `failed` may be a passing trouble of the service, so ask again before believing it.
 */
export type OperationState = 'finished' | 'running' | 'failed' | 'not known';
const states = new Map<number, OperationState>([
  [200, 'finished'],
  [202, 'running'],
  [404, 'not known'],
  [500, 'failed'],
]);
const answered = z.object({
  status: z.number(),
  body: z.object({ message: textCell, status: numberCell }).catch({ message: undefined, status: undefined }),
});

/** Beyond the document. A 200 may carry `status: 202` in its body: the body is believed before the status line. */
export const getOperation = reading({
  section: 'operation',
  optional: true,
  path: '/operations/{operation_id}',
  statuses: [200, 202, 404, 500],
  answers: [...states.keys()],
  reply: answered.transform(({ status, body }) => ({
    state: states.get(status < 300 ? (body.status ?? status) : status) ?? 'not known',
    message: body.message?.slice(0, 500),
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

/** Beyond the document. The live environment is the one named `live`, wherever it stands in the list. */
export const listSites = reading({
  section: 'sites',
  optional: true,
  path: '/sites',
  query: { company: uuid, include_environments: z.literal(true) },
  statuses: [200, 404],
  reply: z.object({ company: z.object({ sites: list(listedSite) }) }).transform(({ company }) => company.sites),
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
