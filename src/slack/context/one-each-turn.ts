/** Resolves in a turn of the event loop that nobody else was given. */
export type NextTurn = () => Promise<void>;

/**
 * Begins what follows acks, one in each turn of the event loop: between any two whatever Slack has delivered by then is
 * acked, however much one person sends at once. What is urgent waits for none of it.
 */
export function oneEachTurn(): NextTurn {
  const waiting: (() => void)[] = [];
  const next = (): void => {
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(next);
  };
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) setImmediate(next);
    });
}
