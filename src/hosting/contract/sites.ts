import { z } from 'zod';
import { statusIn, wordsOf } from '../answer.ts';
import { values } from '../dialect.ts';
import { expiryOf, cell, flagCell, idCell, partialList, textCell, uuid, filledLine, trueOrFalse } from './fields.ts';
import { readEndpoint, writeEndpoint } from './call.ts';

/** Sites and environments as wholes: listed, cloned, pushed, deleted, restarted, and how such an operation stands. */

/**
 * The state of an operation. `not known` is normal for the first half minute, and permanent if the service lacks this
 * route. `failed` looks like any error of the service, so ask again before you believe it.
 */
export type OperationState = z.output<typeof operationState>;
const operationState = z.enum(['finished', 'running', 'failed', 'not known']);
const operationStatuses = [200, 202, 404, 500] as const;
const states = new Map<number | undefined, OperationState>([
  [200, 'finished'],
  [202, 'running'],
  [404, 'not known'],
  [500, 'failed'],
]);

/**
 * The service's answer about an operation, whatever the status: `{message, status}`. Any other answer came from
 * something in between (a gateway's page, a login page): it says nothing about the operation and is an odd answer. A
 * 200 may contain `status: 202`, so the body counts.
 */
const operationReply = z
  .object({ body: z.looseObject({ message: z.string() }) })
  .transform(({ body }) => ({ state: states.get(statusIn(body)), message: wordsOf(body) }))
  .pipe(z.object({ state: operationState, message: z.string() }));

/** Beyond the document. */
export const getOperation = readEndpoint({
  section: 'operation',
  optional: true,
  path: '/operations/{operation_id}',
  statuses: operationStatuses,
  answers: operationStatuses,
  reply: operationReply,
});

/** `false` means off. Null may mean off or never set, so it is as if the host did not say. */
const imagesCell = cell(z.union([z.enum(values.imageOptimizations), z.literal(false).transform(() => 'off' as const)]));

const listedEnvironment = z.object({
  id: idCell,
  name: textCell,
  display_name: textCell,
  domains: cell(partialList(z.object({ id: idCell, name: textCell }))),
  is_blocked: flagCell,
  image_optimization_type: imagesCell,
});
const listedSite = z.object({
  id: idCell,
  name: textCell,
  display_name: textCell,
  status: textCell,
  environments: cell(partialList(listedEnvironment)),
});
export type ListedSite = z.output<typeof listedSite>;

/** Whether a site could be read completely: an environment that is not in it does not exist. */
const isWhole = ({ id, environments }: ListedSite): boolean =>
  id !== undefined &&
  environments !== undefined &&
  environments.entries.length > 0 &&
  environments.unread === 0 &&
  environments.entries.every((one) => one.id !== undefined);

/**
 * Beyond the document. The live environment is the one named `live`, anywhere in the list. `isWhole`: there are sites,
 * and all of them and their environments could be read, so that a missing one does not exist.
 */
export const listSites = readEndpoint({
  section: 'sites',
  optional: true,
  path: '/sites',
  query: { company: uuid, include_environments: z.literal(true) },
  statuses: [200, 404],
  reply: z.object({ company: z.object({ sites: partialList(listedSite) }) }).transform(({ company: { sites } }) => ({
    sites: sites.entries,
    isWhole: sites.entries.length > 0 && sites.unread === 0 && sites.entries.every(isWhole),
  })),
});

/** Beyond the document. `company` is the id of the company the key belongs to; `expires_at` in epoch milliseconds. */
export const validateKey = readEndpoint({
  section: 'validate',
  optional: true,
  path: '/validate',
  statuses: [200, 404],
  reply: z.object({
    name: textCell,
    expires_at: cell(z.union([z.string(), z.number()])).transform(expiryOf),
    company: idCell,
  }),
});

/** Beyond the document. */
export const restartPhp = writeEndpoint({
  section: 'restart-php',
  optional: true,
  method: 'POST',
  path: '/sites/tools/restart-php',
  body: { environment_id: uuid },
  statuses: [202, 404],
});

/** 4.8. `company` is the company's id. */
export const cloneSite = writeEndpoint({
  section: '4.8',
  method: 'POST',
  path: '/sites/clone',
  body: { company: uuid, display_name: filledLine, source_env_id: uuid },
  operation: 'site:clone',
  statuses: [202, 400, 401, 500],
});

/** 4.9. All flags are required: the service treats a missing flag as yes. */
export const pushEnvironment = writeEndpoint({
  section: '4.9',
  method: 'PUT',
  path: '/sites/{site_id}/environments',
  body: {
    source_env_id: uuid,
    target_env_id: uuid,
    push_db: trueOrFalse,
    push_files: trueOrFalse,
    run_search_and_replace: trueOrFalse,
    push_files_option: z.enum(['ALL_FILES', 'SPECIFIC_FILES']),
    /** Paths relative to the site's root. */
    file_list: z.array(filledLine).max(10_000).readonly().optional(),
  },
  operation: 'environments:push',
  statuses: [202, 400, 401, 500],
  unsound: ({ source_env_id, target_env_id, push_files_option, file_list = [] }) => {
    if (source_env_id.toLowerCase() === target_env_id.toLowerCase()) return 'source and target are the same';
    const specific = push_files_option === 'SPECIFIC_FILES';
    return specific === file_list.length > 0 ? undefined : 'file_list and push_files_option contradict each other';
  },
});

/** 4.10 */
export const deleteEnvironment = writeEndpoint({
  section: '4.10',
  method: 'DELETE',
  path: '/sites/environments/{env_id}',
  operation: 'environments:delete',
  statuses: [202, 400, 401, 500],
});
