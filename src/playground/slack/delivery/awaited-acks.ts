import type { Acknowledged } from './envelope.ts';

/** The deliveries that wait for their acks, by envelope id. */
export type AwaitedAcks = {
  /** Waits for the next ack of this envelope, or until the time is up. */
  expect(id: string): Promise<Acknowledged>;
  /** Answers the oldest delivery of this envelope that still waits; false where none does. */
  arrived(id: string, ack: unknown): boolean;
  /** Lets nobody wait any longer. */
  close(): void;
};

type Answered = (answer: Omit<Acknowledged, 'ms'>) => void;

/** Nobody waits yet. */
export function createAwaitedAcks(timeoutMs: number): AwaitedAcks {
  const waiting = new Map<string, Set<Answered>>();
  return {
    expect(id) {
      const { promise, resolve } = Promise.withResolvers<Acknowledged>();
      const startedAt = performance.now();
      const same = waiting.get(id) ?? new Set();
      const answered: Answered = (answer) => {
        clearTimeout(timer);
        same.delete(answered);
        if (same.size === 0) waiting.delete(id);
        resolve({ ...answer, ms: Math.round(performance.now() - startedAt) });
      };
      const timer = setTimeout(() => answered({ acked: false, ack: undefined, failure: 'timeout' }), timeoutMs);
      waiting.set(id, same.add(answered));
      return promise;
    },
    arrived(id, ack) {
      const [oldest] = waiting.get(id) ?? [];
      oldest?.({ acked: true, ack });
      return oldest !== undefined;
    },
    close() {
      for (const answered of [...waiting.values()].flatMap((same) => [...same]))
        answered({ acked: false, ack: undefined, failure: 'not_connected' });
    },
  };
}
