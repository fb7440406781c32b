import { statfsSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// One number behind everything random in a run; the last line of the run prints it: `SEED=123 npm test` repeats it.
process.env['SEED'] ??= String(Math.floor(Math.random() * 1_000_000_000));

// Databases that are thrown away need no disk, where there is memory enough for them.
const memory = '/dev/shm';
if (process.env['TMPDIR'] === undefined && roomIn(memory) > 4 * 2 ** 30) process.env['TMPDIR'] = memory;

/**
 * Browsers take what there is of the machine, so they are spread over the run; the story that counts Slack's three
 * seconds comes last, when most others are over.
 */
class Spread extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files);
    const of = (part: string) => usual.filter(({ moduleId }) => moduleId.includes(part));
    const [browsers, last] = [of('/test/browser/'), of('/slack-trouble.')];
    const order = usual.filter((file) => !browsers.includes(file) && !last.includes(file));
    for (const [at, browser] of browsers.entries()) order.splice(at * 12, 0, browser);
    return [...order, ...last];
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/postgres-server.ts'],
    setupFiles: ['test/seed.ts'],
    reporters: ['default', './test/reporter.ts'],
    pool: 'forks',
    sequence: { sequencer: Spread },
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
