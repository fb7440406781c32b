import { statfsSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { browserFiles, includes, programFiles } from './test/parts.ts';

// The seed of everything random in a run. The run's last line prints it; `SEED=123 npm test` repeats the run.
process.env['SEED'] ??= String(Math.floor(Math.random() * 1_000_000_000));

// Throw-away databases go into memory if there is enough of it.
const memory = '/dev/shm';
if (process.env['TMPDIR'] === undefined && roomIn(memory) > 4 * 2 ** 30) process.env['TMPDIR'] = memory;

/** Stories that mostly wait for a process, a lease or a clock, the longest first. They wait while others compute. */
const patient = [
  'batch-replicas',
  'batch-killed',
  'batch-canary',
  'batch-stops',
  'batch-attacks',
  'watches',
  'status',
  'queue-turns',
  'queue',
  'slack-trouble',
  'handed-on',
  'digest',
  'checks-around',
  'backup-and-restore',
  'prove',
  'status-crowd',
  'database-trouble',
  'timed-access',
  'fair-shares',
  'user-groups',
  'admin-actions',
  'site-check',
  'lost-commits',
  'clocks',
  'killed',
  'callers-killed',
  'http',
  'late-redeliveries',
  'clock-jumps',
  'malformed',
  'lost-files',
  'refused-posts',
  'restart-in-trouble',
  'start',
  'replicas',
  'pause-and-locks',
  'disk-full',
  'operations',
  'host-away',
  'long-reads',
];

/**
 * Browser tests use the whole machine and patient stories mostly wait: they take turns, with four other files between
 * two of them. None is left to run alone at the end.
 */
class Spread extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files);
    const matching = (...parts: string[]) =>
      parts.flatMap((part) => usual.filter(({ moduleId }) => moduleId.includes(part)));
    const stories = matching(...patient.map((name) => `/stories/${name}.`));
    const browsers = matching('/test/browser/');
    // Measures expressions, which V8 no longer optimises in a worker that has compiled many: it begins in a fresh one.
    const measured = matching('/masking/time.test.');
    const others = usual.filter((file) => ![stories, browsers, measured].flat().includes(file));
    const byTurns = stories.flatMap((story, at) => [story, ...browsers.slice(at, at + 1)]);
    const slow = [...byTurns, ...browsers.slice(stories.length)];
    for (const [at, file] of slow.entries()) others.splice(at * 4, 0, file);
    return [...measured, ...others];
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...(includes('browser') ? [] : browserFiles), ...(includes('programs') ? [] : programFiles)],
    globalSetup: ['test/postgres-server.ts', 'test/bundled-bot.ts', 'test/bundled-page.ts'],
    setupFiles: ['test/seed.ts'],
    reporters: ['minimal', './test/reporter.ts'],
    pool: 'forks',
    sequence: { sequencer: Spread },
    // More workers than cores, because stories mostly wait. Each worker loads every module again, and too many slow
    // each other down.
    maxWorkers: 14,
    // Loading modules once per worker instead of once per file halves the work. No test relies on a module's state.
    isolate: false,
    // Node itself imports and compiles the modules, as it does in the product, for a sixth less work in all.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Compiles the modules of packages once, for all workers and later runs.
    execArgv: ['--import', './src/node-version.js'],
    // A last resort: every wait has its own, shorter time-out, which says what it saw instead.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    restoreMocks: true,
  },
});

/** Free bytes of the file system of `folder`; 0 if there is no such folder. */
function roomIn(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
