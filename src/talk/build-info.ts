import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { packageFile } from '../base/beside.ts';
import type { BuildInfo } from '../commands/kit/builtin.ts';
import type { PipelineContext } from './context.ts';

const manifest = z.object({ version: z.string(), license: z.string() });

/** From package.json. */
export const { version, license: licence } = manifest.parse(JSON.parse(readFileSync(packageFile, 'utf8')));

/** Version, licence, and the environment of this Sitehand. */
export function buildInfoOf({ database, dialect }: Pick<PipelineContext, 'database' | 'dialect'>): BuildInfo {
  return { version, licence, dialect, database: database.kind, installation: database.installation };
}
