import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification, type Vite } from 'vitest/node';
import { KeptWorker } from './kept-worker.ts';
import { tests } from './plan.ts';

/** Quickest first, as listed: the first failing test kills the mutant and the rest is skipped. */
class AsListed extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => tests.findIndex((one) => moduleId.endsWith(one));
    return files.toSorted((one, other) => place(one) - place(other));
  }
}

/** StrykerJS sets the pool itself; this one replaces it afterwards. */
const keepThreads: Vite.Plugin = {
  name: 'keep-threads',
  configureVitest({ project }) {
    project.config.pool = 'kept';
    project.config.poolRunner = { name: 'kept', createPoolWorker: (options) => new KeptWorker(options) };
  },
};

/** Only the tests that judge mutants, without a server. */
export default defineConfig({
  plugins: [keepThreads],
  test: {
    include: [...tests],
    setupFiles: ['test/seed.ts', 'test/mutate/set-up.ts'],
    sequence: { sequencer: AsListed },
    isolate: false,
    testTimeout: 60_000,
    restoreMocks: true,
  },
});
