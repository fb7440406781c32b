/** Resolves in a turn of the event loop that nobody else was given. */
export type NextTurn = (who: string) => Promise<void>;

/**
 * Begins what follows acks, one in each turn of the event loop: between any two whatever Slack has delivered by then is
 * acked, however much one person sends at once. People take turns, so that nobody waits for all that one has sent; what
 * is urgent waits for none of it. `behind`: who several of those that are named are in truth.
 */
export function oneEachTurn(behind = (who: string): string => who): NextTurn {
  /** In the order in which people have their turns, only those who wait for one. */
  const lines = new Map<string, (() => void)[]>();
  const next = (): void => {
    for (const [who, line] of lines) {
      lines.delete(who);
      line.shift()?.();
      if (line.length > 0) lines.set(who, line);
      break;
    }
    if (lines.size > 0) setImmediate(next);
  };
  return (named) =>
    new Promise((resolve) => {
      if (lines.size === 0) setImmediate(next);
      const who = behind(named);
      const line = lines.get(who) ?? [];
      line.push(resolve);
      lines.set(who, line);
    });
}
