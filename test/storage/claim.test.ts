import { expect, it } from 'vitest';
import { claimDue } from '../../src/storage/changes.ts';
import { claimMessages, owe } from '../../src/storage/messages.ts';
import { describeBoth } from './both.ts';
import { save } from './samples.ts';

/** Much of one person's and little of another's: who has a turn, and when. */

describeBoth('fair turns', (open) => {
  const busy = async () => {
    const database = await open({ now: () => 1_000 });
    const numbers: Record<string, number[]> = { U1: [], U2: [] };
    for (const asker of ['U1', 'U1', 'U1', 'U1', 'U1', 'U2', 'U2']) {
      const { number } = await save(database, { asker, state: 'approved', due_at: 10 });
      numbers[asker]?.push(number);
    }
    return { database, of: (asker: string, at: number) => numbers[asker]?.[at] ?? 0 };
  };
  const wanted = { owner: 'a', now: 1_000, leaseMs: 10, limit: 4 };

  it('two askers go by turns, whoever wants less first', async () => {
    const { database, of } = await busy();
    const claim = () => database.transaction(async (tx) => (await claimDue(tx, wanted)).map(({ number }) => number));
    expect(await claim()).toEqual([of('U2', 0), of('U1', 0), of('U2', 1), of('U1', 1)]);
    expect(await claim()).toEqual([of('U1', 2), of('U1', 3), of('U1', 4)]);
    expect(await claim()).toEqual([]);
  });

  it('what somebody is to decide on goes first, then one’s card before one’s replies, by turns', async () => {
    const { database, of } = await busy();
    const waiting = await save(database, { asker: 'U1', state: 'waiting' });
    await database.transaction(async (tx) => {
      for (const change of [of('U1', 0), of('U1', 1), of('U2', 0), waiting.number])
        await owe(tx, { key: `${change}:card`, kind: 'card', change, at: 10 });
      await owe(tx, { key: 'a notice', kind: 'ops', body: '{}', at: 20 });
    });
    const claimed = await database.transaction((tx) => claimMessages(tx, { ...wanted, limit: 9 }));
    expect(claimed.map(({ key }) => key)).toEqual([
      'a notice',
      `${waiting.number}:card`,
      `${of('U2', 0)}:card`,
      `${of('U1', 0)}:card`,
      `${of('U1', 1)}:card`,
    ]);
  });
});
