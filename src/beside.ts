/** Paths of files that the program reads or runs. The build replaces this module, because paths differ in the package. */

export const packageFile = new URL('../package.json', import.meta.url);
export const manifestFile = new URL('../manifest.yml', import.meta.url);
export const examplePolicyFile = new URL('../policy.example.yml', import.meta.url);
export const analysisThread = new URL('./commands/logs/analysis-thread.ts', import.meta.url);
