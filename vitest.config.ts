import { statfsSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

// One number behind everything random in a run; the last line of the run prints it: `SEED=123 npm test` repeats it.
process.env['SEED'] ??= String(Math.floor(Math.random() * 1_000_000_000));

// Databases that are thrown away need no disk, where there is memory enough for them.
const memory = '/dev/shm';
if (process.env['TMPDIR'] === undefined && roomIn(memory) > 4 * 2 ** 30) process.env['TMPDIR'] = memory;

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/postgres-server.ts'],
    setupFiles: ['test/seed.ts'],
    reporters: ['default', './test/reporter.ts'],
    pool: 'forks',
    // Stories wait for processes and sockets more than they compute: more of them than cores.
    maxWorkers: 4,
    // Loading every module once a worker, rather than once a file, halves the work. No test leans on a module's state.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
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
