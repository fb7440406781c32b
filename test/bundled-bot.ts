import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { bundle } from '../deploy/build.ts';
import { lazyResource, type Make } from './lazy-resource.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** An address that answers with the path of the bot in one file. The first request makes it. */
    bundledBot: string;
  }
}

/**
 * The bot in one file, as the package has it. Finding and reading fifteen hundred modules is half of what a bot costs in
 * most stories, and a run starts fifty of them.
 */
async function bundleBot(): ReturnType<Make> {
  const folder = await mkdtemp(join(tmpdir(), 'sitehand-bot-'));
  const main = join(folder, 'main.js');
  await Promise.all([
    bundle('src/main.ts', main),
    bundle('src/commands/logs/analysis-thread.ts', join(folder, 'analysis-thread.js')),
    bundle('src/api/protocol.ts', join(folder, 'protocol.js')),
    ...['package.json', 'manifest.yml'].map((name) => copyFile(name, join(folder, name))),
  ]);
  return { answer: main, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Vitest's global set-up: one bundle per run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { address, close } = await lazyResource(bundleBot);
  project.provide('bundledBot', address);
  return close;
}
