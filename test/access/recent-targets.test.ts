import { expect, it, vi } from 'vitest';
import { createRecent, type Recent } from '../../src/access/targets.ts';
import { describeBoth } from '../storage/describe-both.ts';
import { save } from '../storage/samples.ts';
import { ana } from '../fixtures.ts';

const settled = (recent: Recent, targets: readonly string[]): Promise<void> =>
  vi.waitFor(async () => expect(await recent.of(ana.id)).toEqual(targets), { interval: 1, timeout: 60_000 });

describeBoth('recent targets of a person', (open) => {
  it('are those the person changed last, each once', async () => {
    const database = await open();
    for (const [target, requester] of [
      ['environment:e1', ana.id],
      ['environment:e2', 'U02BEN'],
      ['domain:d1', ana.id],
      ['environment:e1', ana.id],
    ] as const)
      await save(database, { target, requester });
    expect(await createRecent(database).of(ana.id)).toEqual(['e1', 'd1']);
    expect(await createRecent(database).of('U09NEW')).toEqual([]);
  });

  it('begin with those named since', async () => {
    const database = await open();
    await save(database, { target: 'environment:e1', requester: ana.id });
    const recent = createRecent(database);
    recent.note(ana.id, 'e2');
    await settled(recent, ['e2', 'e1']);
    recent.note(ana.id, 'e1');
    await settled(recent, ['e1', 'e2']);
  });

  it('include one that is named before the database has answered', async () => {
    const database = await open();
    await save(database, { target: 'environment:e1', requester: ana.id });
    const recent = createRecent(database);
    for (const target of ['a', 'b', 'c']) recent.note(ana.id, target);
    await vi.waitFor(async () => expect(new Set(await recent.of(ana.id))).toEqual(new Set(['a', 'b', 'c', 'e1'])), {
      interval: 1,
      timeout: 60_000,
    });
  });

  it('are at most eight, the newest', async () => {
    const database = await open();
    for (let at = 0; at < 12; at += 1) await save(database, { target: `environment:e${at}`, requester: ana.id });
    const recent = createRecent(database);
    expect(await recent.of(ana.id)).toEqual(['e11', 'e10', 'e9', 'e8', 'e7', 'e6', 'e5', 'e4']);
    recent.note(ana.id, 'x');
    await settled(recent, ['x', 'e11', 'e10', 'e9', 'e8', 'e7', 'e6', 'e5']);
  });

  it('are cached for a thousand people, and read again for others', async () => {
    const database = await open();
    const recent = createRecent(database);
    recent.note(ana.id, 'e1');
    await settled(recent, ['e1']);
    for (let at = 0; at < 1_000; at += 10)
      await Promise.all(Array.from({ length: 10 }, (_, one) => recent.of(`U${at + one}`)));
    expect(await recent.of(ana.id)).toEqual([]);
  });

  it('stay as they were if the database does not answer', async () => {
    const database = await open();
    const recent = createRecent(database);
    await database.close();
    recent.note(ana.id, 'e1');
    await settled(recent, ['e1']);
    await expect(recent.of('U02BEN')).rejects.toBeInstanceOf(Error);
  });
});
