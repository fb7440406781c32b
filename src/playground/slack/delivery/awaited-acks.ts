import type { DeliveryResult } from './envelope.ts';

/** The deliveries waiting for acks, by envelope id. */
export type AwaitedAcks = {
  /** Waits for the next ack of this envelope, or for the time-out. */
  expect(id: string): Promise<DeliveryResult>;
  /** Acks the oldest waiting delivery of this envelope; false if none waits. */
  arrived(id: string, ack: unknown): boolean;
  /** Ends all waits. */
  close(): void;
};

type Answered = (answer: Omit<DeliveryResult, 'ms'>) => void;

/** Starts with nothing waiting. */
export function createAwaitedAcks(timeoutMs: number): AwaitedAcks {
  const waiting = new Map<string, Set<Answered>>();
  return {
    expect(id) {
      const { promise, resolve } = Promise.withResolvers<DeliveryResult>();
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
