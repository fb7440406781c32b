/** Files that the program reads or runs beside its own. The build replaces this module: in the package they stand elsewhere. */

export const packageFile = new URL('../package.json', import.meta.url);
export const manifestFile = new URL('../manifest.yml', import.meta.url);
export const analysisThread = new URL('./commands/logs/analysis-thread.ts', import.meta.url);
