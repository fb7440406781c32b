import { z } from 'zod';
import { writeEndpoint } from './endpoint.ts';
import { filledLine, trueOrFalse, uuid } from './fields.ts';

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
