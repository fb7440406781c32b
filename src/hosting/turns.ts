/** No turn came: too many wait already, or it took too long. */
export class NoTurn extends Error {
  override readonly name = 'NoTurn';
}

/** Lets at most `most` works run at once and at most `waiting` wait, first come first served, `waitMs` at most. */
export function turns(most: number, waiting: number, waitMs: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0;
  const queue = new Set<() => void>();

  const turn = (): Promise<void> =>
    new Promise((resolve, reject) => {
      if (queue.size >= waiting) return reject(new NoTurn('too many wait already'));
      const timer = setTimeout(() => {
        queue.delete(next);
        reject(new NoTurn('no turn came in time'));
      }, waitMs);
      const next = (): void => {
        clearTimeout(timer);
        queue.delete(next);
        resolve();
      };
      return queue.add(next);
    });

  return async (work) => {
    // Whoever ends hands the place to the next in line, so that nobody can slip in between.
    if (running < most) running += 1;
    else await turn();
    try {
      return await work();
    } finally {
      const [next] = queue;
      if (next) next();
      else running -= 1;
    }
  };
}
