import { statfsSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// One number behind everything random in a run; the last line of the run prints it: `SEED=123 npm test` repeats it.
process.env['SEED'] ??= String(Math.floor(Math.random() * 1_000_000_000));

// Databases that are thrown away need no disk, where there is memory enough for them.
const memory = '/dev/shm';
if (process.env['TMPDIR'] === undefined && roomIn(memory) > 4 * 2 ** 30) process.env['TMPDIR'] = memory;

/** Stories that mostly wait, for a process, a lease or a clock: begun first, they wait beside what computes. */
const patient = [
  'fair-shares',
  'malformed',
  'http',
  'timed-access',
  'user-groups',
  'long-reads',
  'lost-files',
  'slack-trouble',
  'desk',
  'killed',
  'lost-commits',
  'clock-jumps',
  'database-trouble',
  'clocks',
  'prove',
  'start',
  'host-away',
  'held',
  'disk-full',
];

/**
 * Browsers take what there is of the machine, and patient stories wait for something else: they are spread over the
 * first half of the run, by turns, so that none of them is alone at its end.
 */
class Spread extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files);
    const of = (...parts: string[]) => parts.flatMap((part) => usual.filter(({ moduleId }) => moduleId.includes(part)));
    const stories = of(...patient.map((name) => `/stories/${name}.`));
    const browsers = of('/test/browser/');
    const others = usual.filter((file) => ![stories, browsers].flat().includes(file));
    const byTurns = stories.flatMap((story, at) => [story, ...browsers.slice(at, at + 1)]);
    const slow = [...byTurns, ...browsers.slice(stories.length)];
    for (const [at, file] of slow.entries()) others.splice(at * 4, 0, file);
    return others;
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/postgres-server.ts'],
    setupFiles: ['test/seed.ts'],
    reporters: ['minimal', './test/reporter.ts'],
    pool: 'forks',
    sequence: { sequencer: Spread },
    // Stories wait more than they compute: more than there are cores. Each loads every module once more, and many stand
    // in each other's way.
    maxWorkers: 6,
    // Loading every module once a worker, rather than once a file, halves the work. No test leans on a module's state.
    isolate: false,
    // Modules of packages are compiled once for all workers, and for the runs to come.
    execArgv: ['--import', './src/node-version.js'],
    // The last resort only: whatever is waited for has a patience of its own, and says what came instead.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    restoreMocks: true,
  },
});

/** Free bytes there; 0 where there is no such place. */
function roomIn(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
