import { createSemaphore } from '../../base/semaphore.ts';

/** Whose turn it is: how much runs at once and for each person, and what starts next. */

/** How long work waits for its turn at most. */
const turnMs = 60_000;

/**
 * How much runs at once, in total and per person (`behind` maps an account to its person). The rest waits at most a
 * minute. `hosting/read.ts` keeps connections free for checks before a send.
 */
export const createTurns = (behind: (id: string) => string) => ({
  usual: createSemaphore({ most: 160, maxEach: 8, waiting: 800, waitingEach: 40, waitMs: turnMs }, behind),
  urgent: createSemaphore({ most: 40, maxEach: 8, waiting: 200, waitingEach: 20, waitMs: turnMs }, behind),
  reports: createSemaphore({ most: 6, maxEach: 2, waiting: 400, waitingEach: 40, waitMs: turnMs }, behind),
});

/** Resolves when it is the person's turn, in a turn of the event loop that nothing else shares. */
export type NextTurn = (person: string) => Promise<void>;

/**
 * Starts the work after acks, one piece in each turn of the event loop, so that new deliveries are acked in between
 * even if one person sends many. People take turns. Urgent work does not wait here. `behind` maps an account to its
 * person.
 */
export function oneEachTurn(behind: (account: string) => string): NextTurn {
  /** People who wait, in the order of their turns. */
  const queues = new Map<string, (() => void)[]>();
  const next = (): void => {
    for (const [person, queue] of queues) {
      queues.delete(person);
      queue.shift()?.();
      if (queue.length > 0) queues.set(person, queue);
      break;
    }
    if (queues.size > 0) setImmediate(next);
  };
  return (account) =>
    new Promise((resolve) => {
      if (queues.size === 0) setImmediate(next);
      const person = behind(account);
      const queue = queues.get(person) ?? [];
      queue.push(resolve);
      queues.set(person, queue);
    });
}
