/**
 * Wraps `work` so that it never runs twice at the same time. Calls during a run share one further run, which starts
 * when the current one ends, even if that fails.
 */
export function coalesce(work: () => Promise<void>): () => Promise<void> {
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
