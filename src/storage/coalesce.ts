/**
 * The same work, but never twice at a time: calls that come while it runs share the next one, which begins when that
 * has ended, well or not.
 */
export function shared(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const begin = (): Promise<void> => {
    next = undefined;
    const now = work().finally(() => {
      if (running === now) running = undefined;
    });
    running = now;
    return now;
  };
  return () => (running === undefined ? begin() : (next ??= running.then(begin, begin)));
}
