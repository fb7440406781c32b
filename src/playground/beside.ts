import { fileURLToPath } from 'node:url';

/** What the playground reads or runs beside it. The build replaces this module, because paths differ in the package. */

/** The folder of its own files: `policy.yml` and, in `web/`, the page. */
export const playgroundFolder = new URL('./', import.meta.url);

/** The words for Node that run the program `sitehand`, in any folder. */
export const sitehand: readonly string[] = [
  '--import',
  new URL('../node-version.js', import.meta.url).href,
  fileURLToPath(new URL('../sitehand.ts', import.meta.url)),
];
