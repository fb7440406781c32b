import { writeEndpoint } from './endpoint.ts';
import { uuid } from './fields.ts';

/** 4.12. The page cache only. */
export const clearCache = writeEndpoint({
  section: '4.12',
  method: 'POST',
  path: '/sites/tools/clear-cache',
  body: { environment_id: uuid },
  operation: 'cache:clear',
  statuses: [202, 401, 500],
});
