import { expect, test } from 'vitest';
import { handleSetBack } from '../../src/send/failover-and-restore.ts';
import { createSendHistory } from '../../src/send/send-history.ts';
import { decide } from '../../src/decide/decide.ts';
import { execute } from '../../src/send/execute.ts';
import { save as ask } from '../../src/decide/submit.ts';
import type { SendContext } from '../../src/send/context.ts';
import { findChange, listChanges, type Change, type NewChange } from '../../src/storage/changes.ts';
import type { Database } from '../../src/storage/database.ts';
import { writeKv } from '../../src/storage/kv.ts';
import { takeLocks } from '../../src/storage/locks.ts';
import { insertQueued } from '../../src/storage/queue.ts';
import { readTimeline, setBackKey } from '../../src/storage/timeline.ts';
import { castVote, listVotes } from '../../src/storage/votes.ts';
import { insertWaiting, listOpen } from '../../src/storage/waiting.ts';
import { describeBoth } from '../storage/describe-both.ts';
import { sampleDigest, sampleHandedOn, sampleWatch, save } from '../storage/samples.ts';
import { changeOf, chi, dee } from '../fixtures.ts';
import { idOf, roles } from '../matrix/people-and-rules.ts';
import { changesIn, contextOver, pinnedFrom, now, whoIs } from '../matrix/waiting-changes.ts';

/** What happens once after the database was set back, by a promoted PostgreSQL or a restored backup. */

const authorized = (approval: unknown, more: object = {}): string =>
  JSON.stringify({ approval, rules: [7], policy: 'p', ...more });
const needed = { requirements: [{ by: ['leads'], count: 2 }], expires: 3_600_000, reason: 'optional' };
const asks = [{ count: 2, people: [chi.id, dee.id], names: [chi.name, dee.name], groups: ['leads'] }];
const byApproval = authorized(needed, { asks });
const { card } = changeOf();

/** What has a time, as the restore finds it before its window, in it and after it. */
const minute = 60_000;
const windowAhead = { scheduled_at: now + minute, expires_at: now + 16 * minute };
const windowOpen = { scheduled_at: now - minute, expires_at: now + 14 * minute };
const windowOver = { scheduled_at: now - 16 * minute, expires_at: now - minute };
const asked = ({ expires_at }: typeof windowAhead): Partial<Change> => ({ state: 'waiting', expires_at, lost_at: now });
const lost: Partial<Change> = { state: 'unknown', sent_at: now, lost_at: now };
const windows: readonly [string, Partial<NewChange>, Partial<Change>, RegExp][] = [
  [
    'approved, before its window',
    { ...windowAhead, state: 'approved', authorization: byApproval },
    asked(windowAhead),
    /I'm asking again/,
  ],
  [
    'approved, in its window',
    { ...windowOpen, state: 'approved', authorization: byApproval },
    asked(windowOpen),
    /may have been done already/,
  ],
  [
    'waiting, in its window',
    { ...windowOpen, state: 'waiting', authorization: byApproval },
    asked(windowOpen),
    /I'm asking again/,
  ],
  [
    'approved, after its window',
    { ...windowOver, state: 'approved', authorization: byApproval },
    lost,
    /Outcome unknown/,
  ],
  [
    'to be sent by the rules alone, before its window',
    { ...windowAhead, state: 'approved', authorization: authorized('none') },
    { state: 'superseded', settled_at: now },
    /Nothing was sent\..*restored from a backup/s,
  ],
  [
    'to be sent by the rules alone, in its window',
    { ...windowOpen, state: 'approved', authorization: authorized('none') },
    lost,
    /Outcome unknown/,
  ],
  [
    'to be sent by the rules alone, after its window',
    { ...windowOver, state: 'approved', authorization: authorized('none') },
    lost,
    /Outcome unknown/,
  ],
];

const backup = { kind: 'restored', from: Date.UTC(2026, 0, 2, 3, 4), at: Date.UTC(2026, 0, 2, 5, 6) };
const restores = (database: Database): Promise<void> =>
  database.transaction((tx) => writeKv(tx, { key: setBackKey, value: JSON.stringify(backup), at: now }));
const paused = (database: Database): Promise<unknown[]> =>
  database.db.selectFrom('kv').selectAll().where('key', '=', 'pause').execute();
const messagesOf = async (database: Database, change: number | null): Promise<string[]> => {
  const all = database.db
    .selectFrom('messages')
    .select('body')
    .where('change', change === null ? 'is' : '=', change);
  return (await all.where('body', 'is not', null).execute()).map(({ body }) => body ?? '');
};

describeBoth('after a restore', (open) => {
  const opened = async () => {
    const database = await open({ now: () => now });
    const history = createSendHistory();
    const context: SendContext = contextOver(database, { history });
    await handleSetBack(context);
    const saved = (row: Partial<NewChange>): Promise<Change> => save(database, { card, due_at: now, ...row });
    const after = async ({ number }: Change): Promise<Change | undefined> => findChange(database.db, number);
    return { database, history, context, saved, after };
  };

  test.each<[string, Partial<NewChange>, Partial<Change>, RegExp]>([
    [
      'approved, by people',
      { state: 'approved', authorization: byApproval },
      { state: 'waiting', expires_at: now + 3_600_000, due_at: now + 1_800_000, lost_at: now },
      /I'm asking again.*restored from a backup of .*may have been done already/s,
    ],
    [
      'waiting',
      { state: 'waiting', authorization: byApproval },
      { state: 'waiting', expires_at: now + 3_600_000, due_at: now + 1_800_000, lost_at: now },
      /I'm asking again/,
    ],
    [
      'waiting, and meanwhile it has escalated',
      {
        state: 'waiting',
        created_at: now - 120_000,
        authorization: authorized(needed, { asks: [{ ...asks[0], escalate: { after: 60_000, to: ['heads'] } }] }),
      },
      { state: 'waiting', expires_at: now + 3_600_000, due_at: now - 60_000, lost_at: now },
      /I'm asking again/,
    ],
    [
      'approved, by the rules alone',
      { state: 'approved', authorization: authorized('none') },
      { state: 'unknown', sent_at: now, lost_at: now },
      /Outcome unknown.*restored from a backup of .*I won't send it again/s,
    ],
    [
      'approved, by a timer',
      { state: 'approved', authorization: authorized('none', { timerOf: 3 }) },
      { state: 'superseded', settled_at: now },
      /The timer of #3 reads the list again first/,
    ],
    [
      'approved, and without a request',
      { state: 'approved', call: 'null', authorization: authorized('none') },
      { state: 'approved', version: 1 },
      /^$/,
    ],
    [
      'being sent',
      { state: 'sending', sent_at: now - 9, owner: 'somebody', lease_until: now + 9, authorization: byApproval },
      { state: 'unknown', sent_at: now - 9, owner: null },
      /Outcome unknown.*no answer on record/s,
    ],
    ...windows,
    ['accepted', { state: 'accepted', authorization: byApproval }, { state: 'accepted', version: 1 }, /^$/],
    ['unknown', { state: 'unknown', authorization: byApproval }, { state: 'unknown', version: 1 }, /^$/],
    ['settled', { state: 'done', settled_at: now }, { state: 'done', version: 1 }, /^$/],
  ])('promise 1: what is %s', async (_, row, must, says) => {
    const { database, context, saved, after } = await opened();
    const change = await saved(row);
    // What has a time locks nothing before it is sent.
    if (change.scheduled_at === null)
      await database.transaction((tx) => takeLocks(tx, [change.target], { change: change.number, reason: '' }, now));
    await database.transaction((tx) => castVote(tx, { change: change.number, person: chi.id, at: now }));
    await restores(database);
    await handleSetBack(context);
    expect(await after(change)).toMatchObject(must);
    expect((await messagesOf(database, change.number)).join('\n')).toMatch(says);
    const isAsked = must.state === 'waiting';
    expect(await listVotes(database.db, change.number)).toHaveLength(isAsked ? 0 : 1);
    const held = await database.db.selectFrom('locks').selectAll().execute();
    expect(held).toHaveLength(isAsked || must.state === 'superseded' || change.scheduled_at !== null ? 0 : 1);
    expect(await paused(database)).toHaveLength(1);
    expect((await messagesOf(database, null)).join('\n')).not.toContain('1970');
  });

  test('promise 1: what waits may have been sent already, so all queues are emptied, and people are told', async () => {
    const { database, context } = await opened();
    const row = { target: 'e1', target_name: 'acme-shop/live', command: 'cache clear', risk: 'routine' } as const;
    const by = { requester_name: 'Ana', requester_team: 'T1', channel: 'C1', behind: null };
    const [args, targets] = [
      '["cache","clear","e1"]',
      JSON.stringify([{ kind: 'company', id: 'c', name: 'acme-shop/live' }]),
    ];
    for (const requester of [chi.id, dee.id]) {
      const queued = { ...row, ...by, args, targets, requester, created_at: now, expires_at: now + 9 };
      await database.transaction((tx) => insertQueued(tx, queued));
    }
    const other = [sampleHandedOn, sampleWatch, sampleDigest] as const;
    await database.transaction(async (tx) => {
      for (const one of other) await insertWaiting(tx, one);
    });
    await restores(database);
    await handleSetBack(context);
    const left = await listOpen(database.db, ['queue', 'hand_on', 'watch', 'digest'], { limit: 9 });
    // A watch and a digest only read, so they go on.
    expect(left.map(({ kind }) => kind)).toEqual(['watch', 'digest']);
    const told = (await messagesOf(database, null)).filter((body) => body.includes('I emptied the queue'));
    expect(told).toHaveLength(2);
    for (const body of told) expect(body).toMatch(/may have been sent already/);
  });

  test('it is done once: what is approved and resumed after it is left alone', async () => {
    const { database, context, saved, after } = await opened();
    await restores(database);
    await handleSetBack(context);
    await database.db.deleteFrom('kv').where('key', '=', 'pause').execute();
    const change = await saved({ state: 'approved', authorization: byApproval });
    await handleSetBack(context);
    await handleSetBack(contextOver(database));
    expect(await after(change)).toEqual(change);
    expect(await paused(database)).toEqual([]);
  });

  test('ops are told about open changes, and lost numbers are not given again', async () => {
    const { database, context, saved } = await opened();
    for (let count = 0; count < 103; count += 1) await saved({ state: 'approved', authorization: byApproval });
    await saved({ state: 'approved', authorization: authorized('none') });
    await restores(database);
    await handleSetBack(context);
    const [told] = await messagesOf(database, null);
    expect(told).toMatch(
      /restored from a backup.*I'm asking again for #1, #2, .*#20 and 83 more\. The outcome of #104 is unknown\..*resume/s,
    );
    expect((await saved({})).number).toBe(1_105);
  });

  test('promise 1: a change that this process remembers sending becomes unknown, with the time of the send', async () => {
    const { database, history, context, saved, after } = await opened();
    const change = await saved({ state: 'waiting', authorization: byApproval });
    history.aboutToSend({ ...change, version: 3, state: 'sending', sent_at: now - 5_000 });
    await restores(database);
    await handleSetBack(context);
    const row = await after(change);
    expect(row).toMatchObject({ state: 'unknown', sent_at: now - 5_000 });
    expect((await messagesOf(database, change.number)).join('\n')).not.toContain('"at":360000');
    // It is reported once; from now on the row is trusted.
    expect(row && history.newerThan(row)).toBeUndefined();
  });

  test('promise 1: if another process has dealt with it, this one only adds what it remembers, and pauses nothing', async () => {
    const { database, history, context, saved, after } = await opened();
    const [sent, other] = [
      await saved({ state: 'approved', authorization: byApproval }),
      await saved({ state: 'approved', authorization: byApproval }),
    ];
    history.aboutToSend({ ...sent, version: 3, state: 'sending', sent_at: now - 5_000 });
    expect(history.timeline()).toBe((await readTimeline(database.db)).now);
    history.sawTimeline('an earlier one');
    await handleSetBack(context);
    expect(await after(sent)).toMatchObject({ state: 'unknown', sent_at: now - 5_000 });
    expect(await after(other)).toEqual(other);
    expect(await paused(database)).toEqual([]);
  });

  test('a version that a newer one excludes leaves it to the newer one', async () => {
    const { database, context, saved, after } = await opened();
    const change = await saved({ state: 'approved', authorization: byApproval });
    await restores(database);
    await handleSetBack({ ...context, database: { ...database, isOutdated: () => true } });
    expect(await after(change)).toEqual(change);
    expect(await paused(database)).toEqual([]);
  });

  test('promise 1: between the last check and the send: nothing is written', async () => {
    const database = await open({ now: () => now });
    const written: unknown[] = [];
    const context = contextOver(database, {
      ticks: () => 0,
      wall: () => 0,
      send: {
        open: async () => {
          await restores(database);
          return {
            abandon: () => undefined,
            write: async (call) => {
              written.push(call);
              return { kind: 'accepted', status: 202, operation: 'op', immediate: false };
            },
          };
        },
      },
    });
    const pinned = await pinnedFrom(context, 'ana', ['cache', 'clear', idOf('live')]);
    const requester = { person: roles.ana, channel: { id: 'C1', shared: false } };
    const { number } = (await ask(context, pinned, requester, 'not needed', undefined)) ?? { number: 0 };
    const owned = { owner: context.owner, lease_until: now + 1_000 };
    await database.db.updateTable('changes').set(owned).where('number', '=', number).execute();
    const [claimed] = await listChanges(database.db, { limit: 1 });
    if (claimed) await execute(context, claimed);
    expect(written).toEqual([]);
    expect(await findChange(database.db, number)).toMatchObject({ state: 'approved', owner: null });
    await handleSetBack(context);
    expect(await findChange(database.db, number)).toMatchObject({ state: 'unknown' });
  });

  const clicking = async () => {
    const database = await open({ now: () => now });
    const { 'one-lead': change } = await changesIn(database);
    const { installation } = database;
    const click = { installation, number: change.number, version: change.version, person: chi.id, team: 'T1' } as const;
    const decline = (context: SendContext): Promise<void> =>
      decide(context, { ...click, verdict: 'decline', reason: 'because', inbox: undefined });
    const after = (): Promise<Change | undefined> => findChange(database.db, change.number);
    return { database, change, decline, after };
  };

  test('promise 2: a click before the restore is noticed ends no change as unsent', async () => {
    const { database, decline, after } = await clicking();
    await restores(database);
    await expect(decline(contextOver(database))).rejects.toThrow('It has changed since you saw it');
    expect(await after()).toMatchObject({ state: 'waiting', lost_at: now });
  });

  test('promise 2: a click that is being checked during the restore ends no change as unsent', async () => {
    const { database, decline, after } = await clicking();
    const asked: SendContext['whoIs'] = async (id) => {
      await restores(database);
      return whoIs()(id);
    };
    await expect(decline(contextOver(database, { whoIs: asked }))).rejects.toThrow("I couldn't check this");
    expect(await after()).toMatchObject({ state: 'waiting' });
  });

  test('promise 2: a click on a change that this process has sent does not end it: it is unknown', async () => {
    const { database, change, decline, after } = await clicking();
    const history = createSendHistory();
    history.aboutToSend({ ...change, version: 3, state: 'sending', sent_at: now - 5_000 });
    await expect(decline(contextOver(database, { history }))).rejects.toThrow("I couldn't check this");
    expect(await after()).toMatchObject({ state: 'unknown', sent_at: now - 5_000 });
    expect(await paused(database)).toHaveLength(1);
  });
});
