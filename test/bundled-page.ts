import { resolve } from 'node:path';
import { rolldown } from 'rolldown';
import type { TestProject } from 'vitest/node';
import { lazyResource, type Make } from './lazy-resource.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** An address that answers with the playground's page in one module. The first request makes it. */
    bundledPage: string;
  }
}

/** The playground's page in one module. Fetching its forty modules is nearly half of what opening it costs. */
async function bundlePage(): ReturnType<Make> {
  const input = resolve(import.meta.dirname, '../src/playground/web/page.ts');
  const bundle = await rolldown({ input, platform: 'browser' });
  const { output } = await bundle.generate();
  await bundle.close();
  return { answer: output[0].code, remove: async () => {} };
}

/** Vitest's global set-up: one bundle per run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { address, close } = await lazyResource(bundlePage);
  project.provide('bundledPage', address);
  return close;
}
