import { z } from 'zod';
import { digits, type Route } from '../endpoint.ts';
import { logText } from '../logs/stream.ts';
import { ok } from '../reply.ts';

const instant = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));
/** The public service has its own name for the third log. */
const logFiles = {
  document: z.enum(['error', 'access', 'service-cache-perf']),
  kinsta: z
    .enum(['error', 'access', 'kinsta-cache-perf'])
    .transform((name) => (name === 'kinsta-cache-perf' ? 'service-cache-perf' : name)),
};
const logQuery = z.object({
  lines: digits.pipe(z.int().min(1).max(20_000)).default(1_000),
  from: instant.optional(),
  to: instant.optional(),
  search: z.string().max(1_000).optional(),
});

/** Read-only routes: logs and files. */
export const readingRoutes: readonly Route[] = [
  {
    section: '4.19',
    method: 'GET',
    path: '/sites/environments/{env_id}/logs',
    errors: [400, 401, 404, 500],
    answer: (call, { world, seed, dialect, ignoresLogSpan, now }) => {
      const { file_name: kind, ...wanted } = call.query(logQuery.extend({ file_name: logFiles[dialect] }));
      const range = ignoresLogSpan ? { lines: wanted.lines } : wanted;
      const environment = world.environment(call.uuid());
      return ok({
        environment: { container_info: { logs: logText(environment, kind, seed, { ...range, now: now() }) } },
      });
    },
  },
  {
    section: '4.20',
    method: 'GET',
    path: '/sites/environments/{env_id}/file-list',
    errors: [401, 404, 500],
    answer: (call, { world }) => {
      const { id, files } = world.environment(call.uuid());
      return ok({ environment: { id, file_list: files } });
    },
  },
];
