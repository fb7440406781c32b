/** What the program finds beside itself, and how it is called. The build replaces this module: the package has other ones. */

export const packageFile = new URL('../../package.json', import.meta.url);
export const manifestFile = new URL('../../manifest.yml', import.meta.url);
export const examplePolicyFile = new URL('../../policy.example.yml', import.meta.url);
export const analysisThread = new URL('../commands/logs/analysis-thread.ts', import.meta.url);

/** What to type to run `sitehand` with these words. */
export const lineFor = (words: string): string => (words === 'start' ? 'npm start' : `npm run -s sitehand -- ${words}`);
