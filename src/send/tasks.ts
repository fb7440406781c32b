import type { SendContext } from './context.ts';

/** Work that runs beside the poll which began it. */

/** Counts the work of this person while it runs. */
export async function whileCounted(
  underWay: Map<string, number>,
  who: string,
  work: () => Promise<void>,
): Promise<void> {
  underWay.set(who, (underWay.get(who) ?? 0) + 1);
  try {
    await work();
  } finally {
    const left = (underWay.get(who) ?? 0) - 1;
    if (left > 0) underWay.set(who, left);
    else underWay.delete(who);
  }
}

/** Work in the background. What it throws goes to `onTrouble`. */
export function createTasks(
  onTrouble: SendContext['onTrouble'],
  onEnd: () => void,
): { readonly running: ReadonlySet<Promise<void>>; readonly run: (what: string, work: Promise<void>) => void } {
  const running = new Set<Promise<void>>();
  const run = (what: string, work: Promise<void>): void => {
    const task = work
      .catch((error: unknown) => onTrouble(what, error))
      .finally(() => {
        running.delete(task);
        onEnd();
      });
    running.add(task);
  };
  return { running, run };
}
