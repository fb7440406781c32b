import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';

type Outcome = { readonly acked: boolean; readonly ms: number };

/**
 * Slack waits three seconds for an ack. The clock starts here; the returned function expects acks in time. Time that
 * the test or a bot in one of these processes waited for a CPU core is not counted.
 */
export function threeSeconds(...pids: readonly number[]): (...outcomes: readonly Outcome[]) => void {
  const before = queued(pids);
  return (...outcomes) => {
    const busy = Math.ceil(queued(pids) - before);
    for (const { acked, ms } of outcomes) {
      expect(acked).toBe(true);
      expect(ms, `no core was free for ${busy} ms of it`).toBeLessThan(3_000 + busy);
    }
  };
}

/** As above, for anything that may take `limitMs` from here to the call of the returned function. */
export function inTime(limitMs: number, ...pids: readonly number[]): () => void {
  const before = queued(pids);
  const began = performance.now();
  return () => {
    const took = performance.now() - began;
    const busy = Math.ceil(queued(pids) - before);
    expect(took, `no core was free for ${busy} ms of it`).toBeLessThan(limitMs + busy);
  };
}

/** Milliseconds that all threads of these processes were ready but not running; 0 where the system doesn't say. */
function queued(pids: readonly number[]): number {
  const threads = ['self', ...pids].flatMap((pid) => {
    const folder = `/proc/${pid}/task`;
    return readIfThere(folder, (path) => readdirSync(path), []).map((thread) => `${folder}/${thread}/schedstat`);
  });
  const nanoseconds = threads.map((path) => Number(readIfThere(path, read, '').split(' ')[1] ?? 0));
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1_000_000;
}

const read = (path: string): string => readFileSync(path, 'latin1');

function readIfThere<T>(path: string, how: (path: string) => T, otherwise: T): T {
  try {
    return how(path);
  } catch {
    return otherwise;
  }
}
