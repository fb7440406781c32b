import { expect, it, onTestFinished, vi } from 'vitest';
import { insertWaiting, listOpen, releaseWaiting, type Watch } from '../../src/storage/waiting.ts';
import { createDueTurns, waitingKind, type DueKind } from '../../src/waiting/due-turns.ts';
import { contextOver } from '../matrix/waiting-changes.ts';
import { describeBoth } from '../storage/describe-both.ts';
import { sampleDigest, sampleHandedOn, sampleWatch } from '../storage/samples.ts';

describeBoth('turns of what is due', (open) => {
  const running = async (kinds: (note: (what: string) => void) => readonly DueKind[]) => {
    const database = await open();
    const [seen, troubles]: [string[], string[]] = [[], []];
    const onTrouble = (what: string): void => void troubles.push(what);
    const made = kinds((what) => void seen.push(what));
    const turns = createDueTurns(contextOver(database, { onTrouble }), made, () => undefined);
    onTestFinished(() => turns.stop(0).then(() => undefined));
    return { database, seen, troubles, turns };
  };
  const room = { atOnce: 2, leaseMs: 60_000 } as const;
  const many = { limit: 9 } as const;

  it('are taken by one kind while all places of another are taken, and no more at once than there are', async () => {
    const { promise: never } = Promise.withResolvers<void>();
    const { database, seen, turns } = await running((note) => [
      waitingKind('digest', { ...room, what: 'digest', atOnce: 1 }, async () => (note('digest'), never)),
      waitingKind('watch', { ...room, what: 'watch', mayBegin: () => false }, async () => note('watch')),
      waitingKind('hand_on', { ...room, what: 'request' }, async ({ uuid }) => note(uuid)),
    ]);
    await database.transaction(async (tx) => {
      for (const row of [sampleDigest, sampleDigest]) await insertWaiting(tx, { ...row, due_at: 1 });
      await insertWaiting(tx, { ...sampleWatch, due_at: 1 });
      for (const uuid of ['a', 'b', 'c']) await insertWaiting(tx, { ...sampleHandedOn, uuid });
    });
    turns.start();
    await vi.waitFor(() => expect(seen.toSorted()).toEqual(['a', 'b', 'c', 'digest']));
  });

  it('of a row that cannot be read, or that breaks, hold up no other; and at a stop they are told, and put back', async () => {
    const { database, seen, troubles, turns } = await running((note) => [
      waitingKind('watch', { ...room, what: 'watch', perMinute: 8 }, async (row: Watch, stopping) => {
        if (row.match === 'breaks') throw new Error('broken');
        note('begun');
        await new Promise((end) => stopping.addEventListener('abort', end));
        await database.transaction((tx) => releaseWaiting(tx, row, 900, { read_to: 5 }));
      }),
    ]);
    const rows = [sampleWatch, { ...sampleWatch, match: 'breaks' }, sampleWatch];
    const ids = await database.transaction(async (tx) => {
      const all: number[] = [];
      for (const [at, row] of rows.entries()) all.push((await insertWaiting(tx, { ...row, due_at: at + 1 })).id);
      return all;
    });
    await database.db
      .updateTable('waiting')
      .set({ data: '{}' })
      .where('id', '=', ids[0] ?? 0)
      .execute();
    turns.start();
    await vi.waitFor(() => expect(seen).toEqual(['begun']));
    expect(troubles.toSorted()).toEqual([`a turn of watch ${ids[0]}`, `a turn of watch ${ids[1]}`]);
    await turns.stop(60_000);
    await database.db
      .deleteFrom('waiting')
      .where('id', '=', ids[0] ?? 0)
      .execute();
    expect((await listOpen(database.db, ['watch'], many)).map(({ read_to, due_at }) => [read_to, due_at])).toEqual([
      [0, 2],
      [5, 900],
    ]);
  });
});
