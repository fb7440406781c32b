import { z } from 'zod';
import { names } from '../dialect.ts';
import { readEndpoint } from './endpoint.ts';
import { line } from './fields.ts';

/** What the host calls its logs; the keys are the names that people type. */
export const logFiles = { error: 'error', access: 'access', cache: 'service-cache-perf' } as const;

const moment = z.iso.datetime({ offset: true });

/** 4.19. The newest lines of a log as one text. `from` and `to` are ISO 8601 moments. */
export const getLogs = readEndpoint({
  section: '4.19',
  path: '/sites/environments/{env_id}/logs',
  query: {
    [names.logFile]: z.enum(Object.values(logFiles)),
    [names.logLines]: z.int().min(1).max(20_000).optional(),
    [names.logFrom]: moment.optional(),
    [names.logTo]: moment.optional(),
    [names.logSearch]: line.optional(),
  },
  statuses: [200, 400, 401, 404, 500],
  reply: z
    .object({ environment: z.object({ container_info: z.object({ logs: z.string() }) }) })
    .transform(({ environment }) => environment.container_info.logs),
});
