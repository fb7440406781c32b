import { expect, it } from 'vitest';
import { openAbout, refuseTooMany } from '../../src/decide/open-changes.ts';
import type { BatchProgress } from '../../src/change/batch.ts';
import { say, plain, inline } from '../../src/words/text.ts';
import { describeBoth } from '../storage/describe-both.ts';
import { save, sample } from '../storage/samples.ts';
import { live, staging } from '../fixtures.ts';
import { Refusal } from '../../src/base/errors.ts';
import { insertChange, type NewChange } from '../../src/storage/changes.ts';

describeBoth('what is open about an environment', (open) => {
  it('is its own open changes, and the open batches that have still to begin one there', async () => {
    const database = await open();
    const own = { target: `environment:${live.id}`, created_at: 1 };
    const batch = (item: BatchProgress['items'][number], more = {}) =>
      save(database, {
        target: 'batch',
        targets: JSON.stringify([staging, live]),
        progress: JSON.stringify({ items: [{ change: 1 }, item], passedOver: [] } satisfies BatchProgress),
        ...more,
      });
    await save(database, own);
    await save(database, { ...own, settled_at: 2 });
    await batch({}, { state: 'stopped' });
    await batch({}, { state: 'ended', settled_at: 2 });
    await batch({ change: 1 });
    await batch({ skipped: say`Locked.` });
    await batch({ isLeftOut: true });
    await save(database, { ...own, state: 'sending' });
    const about = await openAbout(database.db);
    const found = await about(live);
    expect([found.open.map(({ number }) => number), found.more]).toEqual([[8, 3, 1], false]);
    expect((await about(staging)).open).toEqual([]);
  });
});

describeBoth('the limit of a person’s open changes', (open) => {
  const title = inline(`Clear the cache of acme-shop/live <!channel> ${'x'.repeat(300)}`);
  const card = JSON.stringify({ title });
  const authorization = JSON.stringify({ approval: 'none', rules: [], policy: 'f00d' });
  const asks = async (row: Partial<NewChange>, there: number, ...others: readonly Partial<NewChange>[]) =>
    asksBy(['U1'], row, there, ...others);
  const asksBy = async (
    ids: readonly string[],
    row: Partial<NewChange>,
    there: number,
    ...others: readonly Partial<NewChange>[]
  ) => {
    const database = await open();
    for (let count = 0; count < there; count += 1) await save(database, row);
    for (const other of others) await save(database, other);
    return database.transaction((tx) => refuseTooMany(tx, { ...sample, authorization, card, ...row }, ids));
  };

  it.each([
    ['waiting', 5, 'You already have 5 changes waiting for approval.'],
    ['approved', 50, 'You already have 50 changes on their way to the host.'],
    ['approved', 20, 'You already have 20 changes that wait for their time.', 9],
  ] as const)('%s: %d are enough', async (state, most, says, scheduled_at: number | null = null) => {
    const row = { state, scheduled_at };
    await expect(asks(row, most - 1)).resolves.toBeUndefined();
    const over = { state: 'done', settled_at: 2 } as const;
    await expect(asks(row, most - 1, { ...row, requester: 'U2' }, { ...over })).resolves.toBeUndefined();
    // What waits for its time is counted by itself.
    if (scheduled_at !== null)
      await expect(asks({ state }, 1, ...Array.from({ length: 60 }, () => row))).resolves.toBeUndefined();
    const refused = await asks(row, most).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Refusal);
    if (!(refused instanceof Refusal)) return;
    expect(plain(refused.says)).toBe(`${says} Nothing was asked.`);
    expect(plain(refused.hint)).toMatch(/^Not asked: “Clear the cache of acme-shop\/live <!channel> x+”\. /);
    expect(plain(refused.hint).length).toBeLessThan(200);
  });

  it.each(['waiting', 'approved'] as const)('%s: changes of a joined account count too', async (state) => {
    const most = state === 'waiting' ? 5 : 50;
    const joined = asksBy(['U2', 'U1'], { state }, most - 1, { state, requester: 'U2' });
    await expect(joined).rejects.toThrow(Refusal);
  });

  it.each(['waiting', 'approved'] as const)('%s: many simultaneous requests do not exceed it', async (state) => {
    const most = state === 'waiting' ? 5 : 50;
    const database = await open();
    for (let count = 1; count < most; count += 1) await save(database, { state });
    const row: NewChange = { ...sample, authorization, state };
    const asked = Array.from({ length: 8 }, () =>
      database.transaction(async (tx) => {
        await refuseTooMany(tx, row, [row.requester]);
        await insertChange(tx, row);
      }),
    );
    const became = await Promise.allSettled(asked);
    expect(became.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('the end of a timed access is never refused', async () => {
    const timer = JSON.stringify({ approval: 'none', rules: [], policy: 'f00d', timerOf: 1 });
    await expect(asks({ state: 'approved', authorization: timer }, 50)).resolves.toBeUndefined();
  });
});
