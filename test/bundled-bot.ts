import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown, type Plugin } from 'rolldown';
import type { TestProject } from 'vitest/node';
import { onRequest, type Make } from './on-request.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** An address that answers with the path of the bot in one file. The first request makes it. */
    bundledBot: string;
  }
}

const root = resolve(import.meta.dirname, '..');

/** Whatever a source finds beside itself, such as the file of a thread, stays where it is. */
const inPlace: Plugin = {
  name: 'in-place',
  transform: {
    filter: { code: 'import.meta.url' },
    handler: (code, id) => code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)),
  },
};

/**
 * The bot in one file. Finding and reading fifteen hundred modules is half of what a bot costs in most stories, and a run
 * starts fifty of them.
 */
async function bundleBot(): ReturnType<Make> {
  const folder = await mkdtemp(join(tmpdir(), 'sitehand-bot-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const bundle = await rolldown({
    input: join(root, 'src/main.ts'),
    platform: 'node',
    external: ['pg-native'],
    plugins: [inPlace],
  });
  await bundle.write({ dir: folder, entryFileNames: 'main.mjs', chunkFileNames: '[name].mjs' });
  await bundle.close();
  return { answer: join(folder, 'main.mjs'), remove };
}

/** Vitest's global set-up: one bundle per run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { address, close } = await onRequest(bundleBot);
  project.provide('bundledBot', address);
  return close;
}
