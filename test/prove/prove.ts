import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { randomFrom } from '../../src/playground/hosting/random.ts';
import { findPostgres, startPostgres } from '../postgres-server.ts';
import { freshDatabase } from '../postgres.ts';
import { partsNotRun, readProveOptions, type ProveOptions } from './options.ts';
import { runFire } from './fire/fire.ts';
import { drawFire, problemsIn } from './fire/table.ts';
import { runKills, type Run } from './kill-and-restart.ts';
import { failovers, nameOf, playFailover, type FailoverResult } from './failovers.ts';
import { isQuick, killPlan, stories } from './kill-plan.ts';
import { drawPromises } from './promise-table.ts';
import { proofs } from './replicas.ts';
import { drawCrowd, drawFailovers, drawMatrix, drawSum, drawProofs, type ProofResult } from './table.ts';
import { runCase, type CaseResult } from './trouble/run-case.ts';
import { allCases, isQuickCase } from './trouble/all-cases.ts';
import { drawTroubles } from './trouble/table.ts';

/**
 * `npm run prove`: kills the real bot at every point between a click and the last message, and checks the outcome.
 * Options: `-- --runs N` (times per point and database), `--seed N` (repeats a run), `--quick`, `--at-once N` (scenarios),
 * `--sqlite-only`, `--only trouble` (no deaths, no failovers), `--only fire` (replicas killed under load, with `--actions N` and
 * `--true-rates`). Ends with 1 unless everything is as it must be.
 */

const options = optionsOrExit();
const startedAt = performance.now();
const deaths: Run[] = [];
const results: ProofResult[] = [];
const cells: CaseResult[] = [];
const takeovers: FailoverResult[] = [];

// A rejection without a handler, left over from a closed scenario, is reported and does not end the run.
process.on('unhandledRejection', (error) => results.push({ name: 'an unhandled rejection', wrong: String(error) }));

const print = (...blocks: readonly string[]): boolean => process.stdout.write(`${blocks.join('\n\n')}\n\n`);

type FreshUrl = (() => Promise<string>) | undefined;

function optionsOrExit(): ProveOptions {
  try {
    return readProveOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)} Nothing was tried.\n`);
    return process.exit(1);
  }
}

/** All work of one round; `freshUrl` makes an empty PostgreSQL database. */
function* workOf(seed: string, freshUrl: FreshUrl): Generator<() => Promise<unknown>> {
  if (options.isTroubleOnly) return;
  for (const life of killPlan(`${seed} · SQLite`, options.isQuick ? isQuick.row : undefined))
    yield async () => deaths.push(...(await runKills(life)));
  if (freshUrl === undefined) return;
  for (const life of killPlan(`${seed} · PostgreSQL`, options.isQuick ? isQuick.row : undefined))
    yield async () => deaths.push(...(await runKills(life, await freshUrl())));
  for (const { name, expectHeld } of options.isQuick ? proofs.filter(isQuick.proof) : proofs)
    yield async () =>
      results.push({ name, wrong: await expectHeld(await freshUrl(), seed).then(() => undefined, String) });
}

/** Every failover once, on two servers of its own. */
function* failoverWork(freshUrl: FreshUrl): Generator<() => Promise<unknown>> {
  if (options.isTroubleOnly || freshUrl === undefined) return;
  for (const failover of failovers.slice(options.isQuick ? -1 : 0))
    yield async () =>
      playFailover(failover).then(
        (came) => takeovers.push(came),
        (error: unknown) => results.push({ name: nameOf(failover), wrong: String(error) }),
      );
}

/** Every trouble with every kind of change, once on each possible database. */
function* troubleWork(freshUrl: FreshUrl): Generator<() => Promise<unknown>> {
  for (const cell of allCases().filter((one) => !options.isQuick || isQuickCase(one))) {
    const { trouble, kind, database } = cell;
    if (database === 'PostgreSQL' && freshUrl === undefined) continue;
    yield async () =>
      runCase(trouble, kind, database === 'PostgreSQL' ? await freshUrl?.() : undefined).then(
        (came) => cells.push(came),
        (error: unknown) =>
          results.push({ name: `${trouble.name}: ${kind.name}, on ${database}`, wrong: String(error) }),
      );
  }
}

/** Runs all work, this many at once. */
async function doAll(work: readonly (() => Promise<unknown>)[], atOnce: number): Promise<void> {
  const left = work.values();
  const doSome = async (): Promise<void> => {
    for (const one of left) {
      await one().catch((error: unknown) =>
        results.push({ name: 'a scenario that did not open', wrong: String(error) }),
      );
      process.stderr.write('.');
    }
  };
  await Promise.all(Array.from({ length: atOnce }, doSome));
  process.stderr.write('\n\n');
}

/** Lets everybody act at once in this many orders, in a worker thread. Returns the outcome in words. */
async function runInterleavings(runs: number): Promise<string> {
  const workerData = { runs, seed: randomFrom(options.seed).integer(0, 2 ** 31 - 1) };
  const thread = new Worker(new URL('interleavings-worker.ts', import.meta.url), { workerData });
  try {
    const [ends] = z.tuple([z.record(z.string(), z.int())]).parse(await once(thread, 'message'));
    return drawCrowd(runs, ends);
  } catch (error) {
    results.push({ name: 'everybody at once', wrong: String(error) });
    return '';
  }
}

const binaries = options.isSqliteOnly && !options.fire ? undefined : findPostgres();
if (binaries === undefined && !options.isSqliteOnly) {
  print(
    'PostgreSQL is not installed, and half of the proof needs it. Nothing was tried. `-- --sqlite-only` runs the rest.',
  );
  process.exit(1);
}
if (options.fire && binaries !== undefined) {
  const result = await runFire({ ...options.fire, seed: options.seed, endsLeases: options.isQuick }, binaries);
  print(drawFire(result));
  process.exit(problemsIn(result).length > 0 ? 1 : 0);
}
const server = binaries === undefined ? undefined : await startPostgres(binaries);
const interleavings = options.isTroubleOnly ? Promise.resolve('') : runInterleavings(options.isQuick ? 300 : 10_000);
try {
  // Each scenario has its own database, so the locks of a frozen bot stay there.
  const freshUrl = server && (async () => (await freshDatabase(server.url)).href);
  const seeds = Array.from({ length: options.rounds }, (_, round) => `${options.seed} · ${round + 1}`);
  const rounds = seeds.flatMap((seed) => [...workOf(seed, freshUrl)]);
  await doAll([...rounds, ...failoverWork(freshUrl), ...troubleWork(freshUrl)], options.atOnce);
} finally {
  await server?.stop();
}
const pressed = await interleavings;
const all = `seed ${options.seed} · ${((performance.now() - startedAt) / 1000).toFixed(0)} s${server ? '' : ' · nothing was tried on PostgreSQL'}`;
const looked = stories.filter((story) => deaths.some((run) => run.story === story));
print(
  ...looked.map((story) => drawMatrix(story, deaths)),
  ...(server ? [drawProofs(results), drawFailovers(takeovers)] : []),
  drawTroubles(cells),
  pressed,
  `${drawSum(deaths, results)}\n${all}`,
  drawPromises(),
);
if ([...deaths, ...results].some(({ wrong }) => wrong !== undefined)) process.exitCode = 1;
if (cells.some(({ wrong }) => wrong.length > 0)) process.exitCode = 1;
const proofResults = results.filter((one) => proofs.some(({ name }) => name === one.name));
const missing = partsNotRun(options, { deaths: deaths.length, replicas: proofResults.length, trouble: cells.length });
if (missing.length > 0) {
  print(`Nothing is proven, because these parts did not run: ${missing.join(', ')}.`);
  process.exitCode = 1;
}
