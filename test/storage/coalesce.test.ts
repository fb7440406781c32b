import { describe, expect, it } from 'vitest';
import { coalesce } from '../../src/storage/database.ts';

describe('shared work, such as a flush,', () => {
  /** A flush that ends on demand, and a count of those started. */
  function disk() {
    const begun: PromiseWithResolvers<void>[] = [];
    const flush = (): Promise<void> => {
      const one = Promise.withResolvers<void>();
      begun.push(one);
      return one.promise;
    };
    return { begun, flush: coalesce(flush) };
  }
  const ended = async (promise: Promise<void>): Promise<'yes' | 'no' | 'failed'> =>
    Promise.race([
      promise.then(
        () => 'yes' as const,
        () => 'failed' as const,
      ),
      new Promise<'no'>((resolve) => setImmediate(() => resolve('no'))),
    ]);

  it('does not join a run that has already started, which may lack later writes', async () => {
    const { begun, flush } = disk();
    const [first, second, third] = [flush(), flush(), flush()];
    expect(begun).toHaveLength(1);
    begun[0]?.resolve();
    expect([await ended(first), await ended(second), await ended(third)]).toEqual(['yes', 'no', 'no']);
    expect(begun).toHaveLength(2);
    const fourth = flush();
    begun[1]?.resolve();
    expect([await ended(second), await ended(third), await ended(fourth)]).toEqual(['yes', 'yes', 'no']);
    begun[2]?.resolve();
    expect([await ended(fourth), begun.length]).toEqual(['yes', 3]);
  });

  it('fails only for its own waiters, and goes on', async () => {
    const { begun, flush } = disk();
    const [first, second] = [flush(), flush()];
    begun[0]?.reject(new Error('EIO'));
    expect(await ended(first)).toBe('failed');
    begun[1]?.resolve();
    expect([await ended(second), begun.length]).toEqual(['yes', 2]);
    const third = flush();
    begun[2]?.resolve();
    expect(await ended(third)).toBe('yes');
  });
});
