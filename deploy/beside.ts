/** What `src/beside.ts` names, where it stands in the package. */

export const packageFile = new URL('./package.json', import.meta.url);
export const manifestFile = new URL('./manifest.yml', import.meta.url);
export const examplePolicyFile = new URL('./policy.example.yml', import.meta.url);
export const analysisThread = new URL('./analysis-thread.js', import.meta.url);
