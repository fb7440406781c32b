import { globSync, readFileSync } from 'node:fs';
import { promises } from '../promises.ts';

/** Each promise, and the names of the tests that stand for it, as they are written in the test files. */
export function drawPromises(): string {
  const named = globSync('test/**/*.test.ts')
    .toSorted()
    .flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/(['`])promise (\d+): (.+?)\1/g)].map(([, , number, name]) => ({
        number,
        line: `     ${name} (${file})`,
      })),
    );
  return Object.entries(promises)
    .flatMap(([number, promise]) => [
      `${number}. ${promise}`,
      ...named.filter((one) => one.number === number).map(({ line }) => line),
    ])
    .join('\n');
}
