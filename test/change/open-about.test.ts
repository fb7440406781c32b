import { expect, it } from 'vitest';
import { openAbout } from '../../src/change/open-about.ts';
import type { BatchProgress } from '../../src/change/batch.ts';
import { say } from '../../src/words/text.ts';
import { describeBoth } from '../storage/describe-both.ts';
import { save } from '../storage/samples.ts';
import { live, staging } from '../fixtures.ts';

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
