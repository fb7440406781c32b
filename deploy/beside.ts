import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** What `src/base/beside.ts` and `src/playground/beside.ts` name, where it stands in the package. */

export const packageFile = new URL('./package.json', import.meta.url);
export const manifestFile = new URL('./manifest.yml', import.meta.url);
export const examplePolicyFile = new URL('./policy.example.yml', import.meta.url);
export const analysisThread = new URL('./analysis-thread.js', import.meta.url);

/** npm and npx call it through `node_modules`; otherwise it is in the path of the shell. */
export const lineFor = (words: string): string => {
  if (!process.argv[1]?.includes('node_modules')) return `sitehand ${words}`;
  const { name } = z.object({ name: z.string() }).parse(JSON.parse(readFileSync(packageFile, 'utf8')));
  return `npx ${name} ${words}`;
};

export const playgroundFolder = new URL('./playground/', import.meta.url);
export const sitehand: readonly string[] = [fileURLToPath(new URL('./sitehand.js', import.meta.url))];
