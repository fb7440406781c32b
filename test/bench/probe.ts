import { setTimeout as wait } from 'node:timers/promises';

/** Loaded before a measured program: reports on request what it holds after garbage collection. */
process.on('message', () => {
  tell().catch(() => process.exit(1));
});
process.channel?.unref();

async function tell(): Promise<void> {
  // What a callback just released becomes garbage only a moment later.
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
