import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Outcome } from '../../src/change/write-result.ts';
import { saveOutcome } from '../../src/send/outcome.ts';
import { createSendHistory } from '../../src/send/send-history.ts';
import { findChange, type Change } from '../../src/storage/changes.ts';
import type { Database } from '../../src/storage/database.ts';
import type { State } from '../../src/words/states.ts';
import { save } from '../storage/samples.ts';
import { changeOf } from '../fixtures.ts';
import { contextOver, now, openStill } from '../matrix/waiting-changes.ts';

/** An answer of the host for every possible state of the row. It is never dropped. */

const settled = [
  'done',
  'failed',
  'rejected',
  'happened',
  'did_not_happen',
  'declined',
  'cancelled',
  'expired',
  'invalidated',
  'superseded',
] as const satisfies readonly State[];
const states = [
  'waiting',
  'approved',
  'sending',
  'accepted',
  'unknown',
  ...settled,
] as const satisfies readonly State[];
const owners = { mine: 'the test', another: 'another process', nobody: null } as const;
/** Versions of the row as it is now; the one that was sent has version 5. */
const versions = { older: 3, same: 5, later: 7 } as const;
const outcomes: Readonly<Record<Outcome['kind'], Outcome>> = {
  accepted: { kind: 'accepted', status: 202, operation: 'op-1', immediate: false },
  rejected: { kind: 'rejected', status: 403, message: 'no' },
  throttled: { kind: 'throttled', retryAfterMs: 1_000 },
  unknown: { kind: 'unknown', why: 'the host answered 500', status: 500 },
  'not sent': { kind: 'not sent', why: 'I was held up' },
};
const kinds = ['accepted', 'rejected', 'throttled', 'unknown', 'not sent'] as const;

type Case = {
  readonly state: State;
  readonly owner: keyof typeof owners;
  readonly version: keyof typeof versions;
  readonly kind: Outcome['kind'];
};
const casesOf = (state: State): readonly Case[] =>
  (['mine', 'another', 'nobody'] as const).flatMap((owner) =>
    (['older', 'same', 'later'] as const).flatMap((version) => kinds.map((kind) => ({ state, owner, version, kind }))),
  );

/** The expected row afterwards. */
function wanted({ state, version, kind }: Case): State {
  if (state === 'sending' && version === 'same') return atOnce[kind];
  if (state === 'sending') return kind === 'accepted' ? 'accepted' : state;
  if (state === 'unknown') return kind === 'accepted' || kind === 'rejected' ? definite[kind] : state;
  if (state === 'waiting' || state === 'approved') {
    return kind === 'throttled' || kind === 'not sent' ? state : atOnce[kind];
  }
  return state;
}
const definite = { accepted: 'accepted', rejected: 'rejected' } as const;
const atOnce = { ...definite, throttled: 'approved', 'not sent': 'approved', unknown: 'unknown' } as const;

let database: Database;
beforeAll(async () => {
  database = await openStill();
});
afterAll(() => database.close());

/** The row as it was sent, and as it is now. */
async function met({ state, owner, version }: Case): Promise<Change> {
  const { card, authorization } = changeOf();
  const sent = await save(database, { card, authorization, state: 'sending', sent_at: now, expires_at: now + 300_000 });
  const isSettled = settled.some((one) => one === state);
  const row = {
    state,
    version: versions[version],
    owner: owners[owner],
    lease_until: owner === 'nobody' ? null : now + 1_000,
    sent_at: state === 'waiting' || state === 'approved' ? null : version === 'same' ? now : now + 7,
    settled_at: isSettled ? now : null,
  };
  await database.db.updateTable('changes').set(row).where('number', '=', sent.number).execute();
  await database.db.deleteFrom('kv').execute();
  return { ...sent, version: versions.same, owner: owners.mine };
}

const tookNothing = ({ kind }: Case): boolean => kind === 'throttled' || kind === 'not sent';
const isLoss = (one: Case): boolean =>
  (one.state === 'sending' && one.version !== 'same') ||
  ((one.state === 'waiting' || one.state === 'approved') && !tookNothing(one));

/** The receipt in the audit trail and the thread: there once each. */
async function traceOf(change: number) {
  const lines = await database.db.selectFrom('audit').select('details').where('change', '=', change).execute();
  const said = lines.flatMap(({ details }) => receiptShape.parse(JSON.parse(details)).receipt ?? []);
  const enqueued = await database.db.selectFrom('messages').select('kind').where('change', '=', change).execute();
  const paused = await database.db.selectFrom('kv').select('key').where('key', '=', 'pause').execute();
  const receipts = [...new Set(said.map((receipt) => JSON.stringify(receipt)))].map((text): unknown =>
    JSON.parse(text),
  );
  return { receipts, isTold: enqueued.some(({ kind }) => kind === 'reply'), isPaused: paused.length > 0 };
}
const receiptShape = z.object({ receipt: z.unknown().optional() });

describe('an answer of the host is kept, whatever the state of its row', () => {
  test.each(states)('promise 2: %s, with any owner and any age', async (state) => {
    for (const one of casesOf(state)) {
      const sent = await met(one);
      const outcome = outcomes[one.kind];
      const answers: unknown[] = [];
      const history = createSendHistory();
      history.aboutToSend(sent);
      await saveOutcome(contextOver(database, { history, onAnswer: (answer) => answers.push(answer) }), sent, outcome);

      const row = await findChange(database.db, sent.number);
      const found = await traceOf(sent.number);
      // It may be sent again only if the host took nothing.
      const mayBeSent = row?.state === 'approved' && history.newerThan(row) === undefined;
      expect({ ...one, row: row?.state, answers, ...found, mayBeSent: mayBeSent && !tookNothing(one) }).toEqual({
        ...one,
        row: wanted(one),
        answers: [{ change: sent.number, version: 5, outcome }],
        receipts: one.kind === 'not sent' ? [] : [outcome],
        // A routine change that is accepted as usual reports it only at its end.
        isTold: one.kind !== 'accepted' || one.state !== 'sending' || one.version !== 'same',
        isPaused: isLoss(one),
        mayBeSent: false,
      });
    }
  });

  test.each(['routine', 'sensitive', 'destructive'] as const)(
    'accepted as usual, %s: reported now or at its end',
    async (risk) => {
      const { card, authorization } = changeOf();
      const sent = await save(database, { card, authorization, risk, state: 'sending', sent_at: now });
      await saveOutcome(contextOver(database), sent, outcomes.accepted);
      expect((await findChange(database.db, sent.number))?.state).toBe('accepted');
      const enqueued = database.db.selectFrom('messages').select('body').where('change', '=', sent.number);
      const replies = await enqueued.where('kind', '=', 'reply').execute();
      expect(replies).toHaveLength(risk === 'routine' ? 0 : 1);
      for (const { body } of replies) expect(body).toContain('The host accepted it.');
    },
  );

  test('promise 2: the row is gone: ops are told what the host answered, and nothing more is sent', async () => {
    const context = contextOver(database);
    const gone = {
      ...(await met({ state: 'sending', owner: 'mine', version: 'same', kind: 'accepted' })),
      number: 9_999,
    };
    await saveOutcome(context, gone, outcomes.accepted);
    const enqueued = await database.db
      .selectFrom('messages')
      .select('body')
      .where('key', '=', 'ops:lost:9999:0')
      .execute();
    expect(enqueued[0]?.body).toMatch(/no longer knows #9999 .*op-1.*resume/s);
    expect(await database.db.selectFrom('kv').selectAll().where('key', '=', 'pause').execute()).toHaveLength(1);
  });
});

describe('nothing was written, and that could not be saved in time', () => {
  const heldUp = outcomes['not sent'];
  const unsure: Outcome = { kind: 'not sent', why: 'it did not say', isBegun: 'not known' };
  const declaredUnknown = async (sent: Change, details = {}): Promise<void> => {
    const { changeStore } = contextOver(database);
    await database.transaction((tx) =>
      changeStore.advance(tx, sent, { kind: 'outcome_lost' }, { by: 'sitehand', at: now, details }),
    );
  };
  const begun = async (more: Partial<Change> = {}): Promise<Change> => {
    const { card, authorization } = changeOf();
    return save(database, { card, authorization, state: 'sending', sent_at: now, expires_at: now + 300_000, ...more });
  };

  test('promise 2: another process called it unknown: it ends, its people are told that nothing was sent, and nothing is sent', async () => {
    const sent = await begun();
    await declaredUnknown(sent);
    await saveOutcome(contextOver(database), sent, heldUp);
    expect(await findChange(database.db, sent.number)).toMatchObject({
      state: 'expired',
      sent_at: null,
      lost_at: null,
    });
    const told = await database.db
      .selectFrom('messages')
      .select(['kind', 'body'])
      .where('change', '=', sent.number)
      .where('body', 'like', '%I was held up%')
      .execute();
    expect(told.map(({ kind }) => kind).toSorted()).toEqual(['direct', 'ops', 'reply']);
    for (const { body } of told) expect(body).toMatch(/Nothing was sent\..*it was unknown until now/);
  });

  test('promise 2: a failover made it unknown: another send after it may be lost, so it stays unknown', async () => {
    const sent = await begun();
    await declaredUnknown(sent, { found: 'timeline:1' });
    await saveOutcome(contextOver(database), sent, heldUp);
    expect((await findChange(database.db, sent.number))?.state).toBe('unknown');
    expect((await traceOf(sent.number)).isTold).toBe(true);
  });

  test('a person closed it in between: what the person said stays', async () => {
    const sent = await begun({ sent_at: 1 });
    await declaredUnknown(sent);
    const row = await findChange(database.db, sent.number);
    if (row === undefined) throw new Error('there is no row');
    const { changeStore } = contextOver(database);
    await database.transaction((tx) =>
      changeStore.advance(tx, row, { kind: 'confirmed_happened' }, { by: 'U03CHI', at: now }),
    );
    await saveOutcome(contextOver(database), sent, heldUp);
    expect((await findChange(database.db, sent.number))?.state).toBe('happened');
  });

  test('the database lost that it was about to be sent: it is tried again, and nobody is told', async () => {
    const sent = await begun({ state: 'approved', sent_at: null, owner: owners.mine, lease_until: now + 1_000 });
    await saveOutcome(
      contextOver(database),
      { ...sent, state: 'sending', version: sent.version + 1, sent_at: now },
      unsure,
    );
    const row = await findChange(database.db, sent.number);
    expect(row).toMatchObject({ state: 'approved', owner: null, due_at: now + 5_000, attempts: 0 });
    expect((await traceOf(sent.number)).isTold).toBe(false);
  });

  test.each(['approved', 'sending', 'accepted', 'unknown', 'done'] as const)(
    'it was not saved that it was about to be sent, and another process went on with it (%s): nobody is told',
    async (state) => {
      const sent = await met({ state, owner: 'another', version: 'later', kind: 'not sent' });
      const row = await findChange(database.db, sent.number);
      await saveOutcome(contextOver(database), sent, unsure);
      expect(await findChange(database.db, sent.number)).toEqual(row);
      expect(await traceOf(sent.number)).toEqual({ receipts: [], isTold: false, isPaused: false });
    },
  );

  test('it was saved that it was about to be sent, and a person closed it in between: they are told that nothing was written', async () => {
    const sent = await begun();
    const closed = { state: 'happened', version: sent.version + 2, settled_at: now } as const;
    await database.db.updateTable('changes').set(closed).where('number', '=', sent.number).execute();
    await saveOutcome(contextOver(database), sent, unsure);
    expect((await traceOf(sent.number)).isTold).toBe(true);
  });
});
