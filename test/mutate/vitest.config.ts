import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification, type Vite } from 'vitest/node';
import { KeptWorker } from './kept-worker.ts';
import { tests } from './plan.ts';

/** The quickest first, as they are listed: at the first red test the mutant is dead, and the rest is spared. */
class AsListed extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => tests.findIndex((one) => moduleId.endsWith(one));
    return files.toSorted((one, other) => place(one) - place(other));
  }
}

/** StrykerJS names the pool itself: this one takes its place afterwards. */
const keepThreads: Vite.Plugin = {
  name: 'keep-threads',
  configureVitest({ project }) {
    project.config.pool = 'kept';
    project.config.poolRunner = { name: 'kept', createPoolWorker: (options) => new KeptWorker(options) };
  },
};

/** The tests that judge mutants, alone: no server beside them. */
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
