import { expect, it } from 'vitest';
import { createChangeStore, LockHeld } from '../../src/change/change-store.ts';
import { claimMessages, findMessage, markDelivered } from '../../src/storage/messages.ts';
import { castVote } from '../../src/storage/votes.ts';
import { plain, say, type Text } from '../../src/words/text.ts';
import { parseStored } from '../../src/storage/parse-json.ts';
import { describeBoth } from '../storage/describe-both.ts';
import { sample } from '../storage/samples.ts';
import { changeOf } from '../fixtures.ts';

const named = (id: string) => ({ kind: 'domain', id, name: 'Acme.example' });
const of = (id: string) => ({ target: `domain:${id}`, targets: JSON.stringify([named(id)]) });

describeBoth('the lock of a domain', (open) => {
  it('promise 1: is the same under each id by which the host lists it', async () => {
    const database = await open();
    const changeStore = createChangeStore({ auditKey: undefined, installation: 'f00d', onEvent: () => undefined });
    const begin = (id: string) => {
      const row = { ...sample, ...of(id), card: changeOf().card, state: 'approved', risk: 'sensitive' } as const;
      return database.transaction((tx) => changeStore.begin(tx, row, { by: 'U1', at: 1 }));
    };
    await begin('d1');
    const second = begin('d2');
    await expect(second).rejects.toThrow(LockHeld);
    await expect(second).rejects.toMatchObject({ held: { target: 'Acme.example' } });
  });
});

describeBoth('a reminder to approve', (open) => {
  it('stays when it is asked again, and is replaced when somebody declines', async () => {
    const database = await open();
    const changeStore = createChangeStore({ auditKey: undefined, installation: 'f00d', onEvent: () => undefined });
    const row = { ...sample, card: changeOf().card };
    const begun = await database.transaction((tx) => changeStore.begin(tx, row, { by: 'U1', at: 1 }));
    const note = { by: 'sitehand', at: 2, reply: { text: say`Still waiting.` }, tell: ['U3', 'U1'] };
    await database.transaction((tx) => changeStore.remark(tx, begun, 'reminded', note));
    const claim = { owner: 'a', now: 10, leaseMs: 100, limit: 50 };
    for (const message of await database.transaction((tx) => claimMessages(tx, claim)))
      await database.transaction((tx) => markDelivered(tx, message, { channel: 'C1', ts: `1.${message.id}` }));
    const told = async (person: string): Promise<string> => {
      const { seq } = await database.db
        .selectFrom('audit')
        .select('seq')
        .where('event', '=', 'reminded')
        .executeTakeFirstOrThrow();
      const found = await findMessage(database.db, `${begun.number}:${seq}:${person}`);
      return plain(parseStored<{ readonly text: Text }>(found?.body ?? '').text);
    };
    const askAgain = { kind: 'ask_again', expiresAt: 9_000, remindAt: 5_000 } as const;
    const again = await database.transaction((tx) =>
      changeStore.advance(tx, begun, askAgain, { by: 'sitehand', at: 20 }),
    );
    expect(await told('U3')).toMatch(/Still waiting\.$/);
    const declined = { by: 'U4', at: 30, lastNote: say`Declined by Dee.` };
    if (again) await database.transaction((tx) => changeStore.advance(tx, again, { kind: 'decline' }, declined));
    expect(await told('U3')).toMatch(/^⛔ .*\nDeclined by Dee\.\nNothing is left for you to decide\.$/);
    // The requester's own message is no request to decide.
    expect(await told('U1')).toMatch(/Still waiting\.$/);
  });
});

describeBoth('the copies of a card', (open) => {
  it('follow each move for those who approved, by whichever account, and for the others only decisions and ends', async () => {
    const database = await open();
    const idsOf = (id: string) => (id === 'U3B' ? ['U3', 'U3B'] : [id]);
    const changeStore = createChangeStore({ auditKey: undefined, installation: 'f', idsOf, onEvent: () => undefined });
    const authorization = JSON.stringify({ approval: { requirements: [] }, told: ['U3', 'U4'] });
    const row = { ...sample, card: changeOf().card, authorization };
    const steps = [
      { kind: 'approve' },
      { kind: 'send', owner: 'a', leaseMs: 1_000 },
      { kind: 'accept', operation: 'op-1' },
      { kind: 'finish' },
    ] as const;
    let change = await database.transaction((tx) => changeStore.begin(tx, row, { by: 'U1', at: 1 }));
    const redrawn: (readonly string[])[] = [];
    for (const step of steps) {
      change = await database.transaction(async (tx) => {
        if (step.kind === 'approve') await castVote(tx, { change: change.number, person: 'U3B', at: 1 });
        await tx.updateTable('messages').set({ due_at: null }).execute();
        return (await changeStore.advance(tx, change, step, { by: 'sitehand', at: 2 })) ?? change;
      });
      const due = database.db.selectFrom('messages').select('key').where('due_at', 'is not', null).orderBy('key');
      redrawn.push((await due.execute()).map(({ key }) => key.replace(/^\d+:/, '')));
    }
    const [all, mine] = [
      ['card', 'card:U3', 'card:U4'],
      ['card', 'card:U3'],
    ];
    expect(redrawn).toEqual([all, mine, mine, all]);
  });
});
