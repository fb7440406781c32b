import { defineConfig } from 'vitest/config';

// One number behind everything random in a run; the last line of the run prints it: `SEED=123 npm test` repeats it.
process.env['SEED'] ??= String(Math.floor(Math.random() * 1_000_000_000));

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
