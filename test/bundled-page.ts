import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { buildPage } from '../deploy/build.ts';
import { lazyResource, type Make } from './lazy-resource.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** An address that answers with a folder: `web/` in it is the playground's page as in the package. */
    bundledPage: string;
  }
}

/** The package's page, in one module. Fetching its forty modules is nearly half of what opening it costs. */
async function bundlePage(): ReturnType<Make> {
  const folder = await mkdtemp(join(tmpdir(), 'sitehand-page-'));
  await buildPage(join(folder, 'web'));
  return { answer: folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Vitest's global set-up: one bundle per run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { address, close } = await lazyResource(bundlePage);
  project.provide('bundledPage', address);
  return close;
}
