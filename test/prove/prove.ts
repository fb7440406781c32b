import { parseArgs } from 'node:util';
import { findPostgres, startPostgres } from '../postgres-server.ts';
import { freshSchema } from '../postgres.ts';
import { live, type Run } from './life.ts';
import { isQuick, lives, stories } from './lives.ts';
import { drawPromises } from './proofs.ts';
import { tales } from './replicas.ts';
import { drawMatrix, drawSum, drawTales, type Told } from './table.ts';

/**
 * `npm run prove`: the real bot, killed at every point between a click and the last word, and what came of it.
 * `-- --runs N`: so many times at each point and on each database; `--seed N` repeats a run; `--quick` looks once;
 * `--at-once N` houses. Ends with 1 unless all is as it must be.
 */

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000_000)) },
    runs: { type: 'string' },
    quick: { type: 'boolean', default: false },
    'at-once': { type: 'string', default: '6' },
  },
});
const rounds = Number(values.runs ?? (values.quick ? 1 : 4));
const began = performance.now();
const died: Run[] = [];
const told: Told[] = [];

const print = (...blocks: readonly string[]): boolean => process.stdout.write(`${blocks.join('\n\n')}\n\n`);

/** Everything to be done in one round; `freshUrl` makes a place on PostgreSQL, if there is one. */
function* workOf(seed: string, freshUrl: (() => Promise<string>) | undefined): Generator<() => Promise<unknown>> {
  for (const life of lives(`${seed} · SQLite`, values.quick ? isQuick.SQLite : undefined))
    yield async () => died.push(...(await live(life)));
  if (freshUrl === undefined) return;
  for (const life of lives(`${seed} · PostgreSQL`, values.quick ? isQuick.PostgreSQL : undefined))
    yield async () => died.push(...(await live(life, await freshUrl())));
  for (const { name, tell } of tales)
    yield async () => told.push({ name, wrong: await tell(await freshUrl(), seed).then(() => undefined, String) });
}

/** Does all of it, so many at once. */
async function doAll(work: readonly (() => Promise<unknown>)[], atOnce: number): Promise<void> {
  const left = work.values();
  const doSome = async (): Promise<void> => {
    for (const one of left) {
      await one().catch((error: unknown) => told.push({ name: 'a house that did not open', wrong: String(error) }));
      process.stderr.write('.');
    }
  };
  await Promise.all(Array.from({ length: atOnce }, doSome));
  process.stderr.write('\n\n');
}

const binaries = findPostgres();
const server = binaries === undefined ? undefined : await startPostgres(binaries);
try {
  const freshUrl = server && (() => freshSchema(Object.assign(new URL(server.url), { pathname: '/postgres' })));
  const seeds = Array.from({ length: rounds }, (_, round) => `${values.seed} · ${round + 1}`);
  await doAll(
    seeds.flatMap((seed) => [...workOf(seed, freshUrl)]),
    Number(values['at-once']),
  );
} finally {
  await server?.stop();
}
const all = `seed ${values.seed} · ${((performance.now() - began) / 1000).toFixed(0)} s${server ? '' : ' · PostgreSQL is not installed: nothing was tried on it'}`;
print(
  ...stories.map((story) => drawMatrix(story, died)),
  drawTales(told),
  `${drawSum(died, told)}\n${all}`,
  drawPromises(),
);
if ([...died, ...told].some(({ wrong }) => wrong !== undefined)) process.exitCode = 1;
