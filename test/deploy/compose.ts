import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';

/** What is in `deploy/compose.yml`, as far as tests use it. */

const texts = z.array(z.string());
const composed = z.object({
  services: z.object({
    sitehand: z.object({
      read_only: z.literal(true),
      tmpfs: texts,
      cap_drop: texts,
      security_opt: texts,
      environment: z.record(z.string(), z.string()),
      volumes: texts,
      secrets: texts,
    }),
    database: z.object({ environment: z.record(z.string(), z.string()), secrets: texts }),
  }),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
});

export const composeDocument: unknown = parse(readFileSync('deploy/compose.yml', 'utf8'));
export const compose = composed.parse(composeDocument);
