import { createSemaphore } from '../../base/semaphore.ts';
import type { SlackContext } from './context.ts';

/** How long work waits for its turn at most. */
const turnMs = 60_000;

/**
 * How much runs at once, in total and per person (`behind` maps an account to its person). The rest waits at most a
 * minute. `hosting/read.ts` keeps connections free for checks before a send.
 */
export const createTurns = (behind: (id: string) => string): SlackContext['turns'] => ({
  usual: createSemaphore({ most: 160, maxEach: 8, waiting: 800, waitingEach: 40, waitMs: turnMs }, behind),
  urgent: createSemaphore({ most: 40, maxEach: 8, waiting: 200, waitingEach: 20, waitMs: turnMs }, behind),
  reports: createSemaphore({ most: 6, maxEach: 2, waiting: 400, waitingEach: 40, waitMs: turnMs }, behind),
});
