import { globSync, readFileSync } from 'node:fs';
import { promises } from '../promises.ts';

/** Lists each promise with the names of its tests, read from the test files. */
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
