import { fileURLToPath } from 'node:url';

/** What `src/beside.ts` and `src/playground/beside.ts` name, where it stands in the package. */

export const packageFile = new URL('./package.json', import.meta.url);
export const manifestFile = new URL('./manifest.yml', import.meta.url);
export const examplePolicyFile = new URL('./policy.example.yml', import.meta.url);
export const analysisThread = new URL('./analysis-thread.js', import.meta.url);

export const playgroundFolder = new URL('./playground/', import.meta.url);
export const sitehand: readonly string[] = [fileURLToPath(new URL('./sitehand.js', import.meta.url))];
