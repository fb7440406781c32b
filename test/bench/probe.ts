import { setTimeout as wait } from 'node:timers/promises';

/** Loaded before a program that is measured: tells, when it is asked, what the program holds without its garbage. */
process.on('message', () => {
  tell().catch(() => process.exit(1));
});
process.channel?.unref();

async function tell(): Promise<void> {
  // What was just let go of by a callback is garbage only a moment later.
  for (let round = 0; round < 3; round += 1) {
    await wait(50);
    globalThis.gc?.();
  }
  const listeners = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
  process.send?.({
    heap: process.memoryUsage().heapUsed,
    resources: process.getActiveResourcesInfo().length,
    listeners,
  });
}
