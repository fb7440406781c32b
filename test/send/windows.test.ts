import { deepStrictEqual, ok } from 'node:assert';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Refusal } from '../../src/base/errors.ts';
import { authorize } from '../../src/access/access-check.ts';
import { lockKey } from '../../src/access/targets.ts';
import { InFreeze } from '../../src/access/freeze-words.ts';
import { move, readyToSend, type ChangeEvent, type TransitionInput } from '../../src/change/change.ts';
import { createChangeStore } from '../../src/change/change-store.ts';
import { nameToType } from '../../src/change/confirmation.ts';
import { catalogue } from '../../src/commands/index.ts';
import { decide } from '../../src/decide/decide.ts';
import { lookAndPin } from '../../src/decide/look-and-pin.ts';
import { save } from '../../src/decide/submit.ts';
import { parseArgs } from '../../src/language/parse.ts';
import { resolve } from '../../src/language/resolve.ts';
import { scheduled, scheduleOf } from '../../src/language/schedule.ts';
import { decideFreeze } from '../../src/policy/freezes.ts';
import type { Policy } from '../../src/policy/rules.ts';
import { step } from '../../src/send/worker.ts';
import { claimDue, coolDown, findChange, type Change } from '../../src/storage/changes.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { removeKv, writeKv } from '../../src/storage/kv.ts';
import { deletePersonLocks, takeLocks } from '../../src/storage/locks.ts';
import { ana, changeOf, chi, company, live, names, policyFrom, staging } from '../fixtures.ts';
import { contextOver } from '../matrix/waiting-changes.ts';
import { includes } from '../parts.ts';
import { freezesOf, isFrozen, meant, reference, ticksOf, typedText, weeks, type End, type Week } from './weeks.ts';

/** What has a time, in thousands of random weeks: sent once, in its window and in no freeze, or ended and told. */

const rules = (approval: string): Policy =>
  policyFrom(`version: 1
live: ["*/live"]
groups: { askers: [${ana.id}], leads: [${chi.id}] }
rules:
  - { allow: [read], to: [askers, leads] }
  - { allow: [routine, sensitive, push], to: [askers], approval: ${approval} }`);
const policies = { atOnce: rules('none'), approved: rules('{ by: [leads], expires: 1h }') };
const policyOf = (week: Week, hour: number): Policy => ({
  ...policies[week.needsApproval ? 'approved' : 'atOnce'],
  freezes: freezesOf(week, hour),
});

/** One week in the pure parts: how it is read, what the freezes come to, and the moves. */
function inTheory(week: Week): End {
  const window = scheduleRead(week);
  if (window === undefined) return { unsent: 'not asked' };
  const { at, until } = window;
  const policy = policyOf(week, at);
  const request = {
    command: { path: 'cache clear', risk: 'routine' },
    aims: [{ target: live, access: 'change' }],
  } as const;
  const isHeld = (now: number): boolean => decideFreeze(policy, ana, request, Math.max(now, at)).kind !== 'open';
  if (isHeld(week.asked)) return { unsent: 'frozen' };
  const state = week.needsApproval ? 'waiting' : 'approved';
  let row: TransitionInput & Pick<Change, 'due_at'> = changeOf({ state, scheduled_at: at, expires_at: until });
  row = { ...row, due_at: week.needsApproval ? until : readyToSend(row, week.asked).due_at };
  const sent: number[] = [];
  const happens = (event: ChangeEvent, now: number): boolean => {
    const made = move(row, event, now);
    if (made) row = { ...row, ...made.patch };
    return made !== undefined;
  };
  for (const { now, isAsleep, isPaused, isLocked, pressed } of ticksOf(week, at)) {
    if (isAsleep) continue;
    for (const kind of pressed) if (kind !== 'approve' || !isHeld(now)) happens({ kind }, now);
    if (row.due_at === null || row.due_at > now) continue;
    if (now >= row.expires_at) happens({ kind: 'expire' }, now);
    else if (row.state !== 'approved' || isPaused || isLocked || isHeld(now)) row = { ...row, due_at: now };
    else {
      ok(happens({ kind: 'send', owner: 'me', leaseMs: 1 }, now), 'due, and it may not be sent');
      ok(now >= at && now < until && !isFrozen(week, at, now), `sent ${now - at} ms after its hour`);
      sent.push(now);
      happens({ kind: 'accept', operation: null }, now);
      happens({ kind: 'finish' }, now);
    }
  }
  ok(row.settled_at !== null && sent.length <= 1, 'sent twice, or never over');
  return sent[0] === undefined ? { unsent: unsentAs(row.state) } : { sent: sent[0] };
}

function scheduleRead(week: Week): ReturnType<typeof scheduleOf> {
  try {
    return scheduleOf({ when: { at: typedText(week), within: week.within } }, week.asked, week.zone);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

function unsentAs(state: Change['state']): 'expired' | 'cancelled' | 'declined' {
  if (state === 'expired' || state === 'cancelled' || state === 'declined') return state;
  throw new Error(`left as ${state}`);
}

/** Then the clock may show a part of the window again, and the next look can be after it. */
const isSetBack = ({ asleep }: Week): boolean => (asleep?.hoursOff ?? 0) < 0;

/** How often each end came. */
const tally = (ends: Map<string, number>, end: End): unknown => {
  const name = 'sent' in end ? 'sent' : end.unsent;
  return ends.set(name, (ends.get(name) ?? 0) + 1);
};
const everyEnd = ['cancelled', 'declined', 'expired', 'frozen', 'not asked', 'sent'];

test('promise 1: 5000 weeks of what has a time, by the clocks, freezes and moves, are as a simple reference says', () => {
  const ends = new Map<string, number>();
  fc.assert(
    fc.property(weeks, (week) => {
      const end = inTheory(week);
      if (!isSetBack(week)) deepStrictEqual(end, reference(week));
      tally(ends, end);
    }),
    { numRuns: 5_000 },
  );
  expect([...ends.keys()].toSorted()).toEqual(everyEnd);
});

const requests = [
  ['cache', 'clear', live.id],
  ['allowlist', 'add', live.id, '198.51.100.4'],
  ['push', staging.id, live.id, '--files'],
] as const;

/** Plays weeks on one database, with a worker whose clock is that of the week. */
async function world() {
  const clock = { now: 1_000_000 };
  const database = await openDatabase('sqlite::memory:', { now: () => clock.now });
  const { installation } = database;
  const changeStore = createChangeStore({ auditKey: undefined, installation, onEvent: () => undefined });
  const rules = { now: policies.atOnce };
  const writes: number[] = [];
  const whoIs = async (id: string) => [ana, chi].find((one) => one.id === id);
  const context = contextOver(database, {
    policy: () => rules.now,
    company: () => company,
    names: () => names,
    whoIs,
    personOf: whoIs,
    changeStore,
    ticks: () => clock.now,
    wall: () => clock.now,
    send: {
      open: async () => ({
        abandon: () => undefined,
        write: async () => {
          writes.push(clock.now);
          return { kind: 'accepted', status: 202, operation: 'op', immediate: false };
        },
      }),
    },
  });

  async function ask(week: Week, words: readonly string[]): Promise<Change | 'not asked' | 'frozen'> {
    const zoned = { ...ana, zone: week.zone };
    const typed = { when: { at: typedText(week), within: week.within } };
    const parsed = { ...parseArgs(words, catalogue), ...typed };
    if (parsed.command.shape !== 'action') throw new Error('no action');
    try {
      const read = scheduled(parsed, clock.now, week.zone);
      const authorized = authorize(rules.now, zoned, resolve(read, names), company);
      const pinned = await lookAndPin(context, authorized, parsed.command, { person: zoned });
      const confirmation = { shown: pinned.fingerprint, typedName: nameToType(pinned.action, pinned.target) };
      const requester = { person: zoned, channel: { id: 'C1', shared: false } };
      const change = await save(context, pinned, requester, confirmation, undefined);
      if (change === undefined) throw new Error('it was not saved');
      return change;
    } catch (error) {
      if (error instanceof InFreeze) return 'frozen';
      if (error instanceof Refusal) return 'not asked';
      throw error;
    }
  }

  async function press({ number }: Change, verdict: 'approve' | 'cancel' | 'decline'): Promise<void> {
    const { version = 0 } = (await findChange(database.db, number)) ?? {};
    const person = verdict === 'cancel' ? ana.id : chi.id;
    const reason = verdict === 'decline' ? 'not now' : undefined;
    const click = { installation, number, version, verdict, person, team: 'T1', reason, inbox: undefined } as const;
    await decide(context, click).catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error;
    });
  }

  /** The worker looks twice, once what may be stopped has its button. */
  async function work({ number, scheduled_at }: Change): Promise<void> {
    for (let look = 0; look < 2; look += 1) {
      const [due] = await database.transaction(async (tx) => {
        await coolDown(tx, { number, scheduled_at }, clock.now);
        return claimDue(tx, { owner: context.owner, now: clock.now, leaseMs: 60_000, limit: 1 });
      });
      if (due?.state === 'waiting' || due?.state === 'approved') await step(context, due);
    }
  }

  /** Nothing is left of a week. */
  async function forget(): Promise<void> {
    const over = { state: 'cancelled', settled_at: 1, created_at: -1e9, due_at: null, owner: null } as const;
    await database.db.updateTable('changes').set(over).execute();
    await database.db.deleteFrom('locks').execute();
    await database.db.deleteFrom('kv').where('key', '=', 'pause').execute();
  }

  async function play(week: Week, words: readonly string[]): Promise<End> {
    const hour = meant(week)?.at ?? 0;
    rules.now = policyOf(week, hour);
    clock.now = week.asked;
    writes.length = 0;
    const change = await ask(week, words);
    if (typeof change === 'string') return { unsent: change };
    for (const tick of ticksOf(week, hour)) {
      clock.now = tick.now;
      await database.transaction(async (tx) => {
        const key = lockKey(live);
        if (tick.isLocked) await takeLocks(tx, [key], { person: 'U09KIM', reason: 'a release' }, clock.now);
        else await deletePersonLocks(tx, [key]);
        if (tick.isPaused) await writeKv(tx, { key: 'pause', value: 'a test', at: 1 });
        else await removeKv(tx, 'pause');
      });
      if (tick.isAsleep) continue;
      for (const verdict of tick.pressed) await press(change, verdict);
      await work(change);
      const { state } = (await findChange(database.db, change.number)) ?? change;
      if (state !== 'waiting' && state !== 'approved') break;
    }
    return endOf(change, week, hour);
  }

  async function endOf(change: Change, week: Week, hour: number): Promise<End> {
    const { state, expires_at } = (await findChange(database.db, change.number)) ?? change;
    const [sent, ...again] = writes;
    deepStrictEqual(again, []);
    if (sent !== undefined) {
      ok(sent >= hour && sent < expires_at && !isFrozen(week, hour, sent), `sent at ${sent - hour} ms`);
      deepStrictEqual(state, 'accepted');
      return { sent };
    }
    const told = await database.db.selectFrom('messages').select('body').where('change', '=', change.number).execute();
    ok(
      told.some(({ body }) => /Nothing was sent|Cancelled|Declined/.test(body ?? '')),
      `nobody was told: ${JSON.stringify(told)}`,
    );
    return { unsent: unsentAs(state) };
  }
  return { play, forget, close: () => database.close() };
}

const runs = includes('programs') ? 600 : 40;

test(`promise 1: ${runs} such weeks on a real database, with its worker, are as the reference says, and who missed it is told`, async () => {
  const { play, forget, close } = await world();
  const ends = new Map<string, number>();
  try {
    await fc.assert(
      fc.asyncProperty(weeks, fc.constantFrom(...requests), async (week, words) => {
        const end = await play(week, words);
        await forget();
        if (!isSetBack(week)) deepStrictEqual(end, reference(week));
        tally(ends, end);
      }),
      { numRuns: runs },
    );
  } finally {
    await close();
  }
  if (runs > 100) expect([...ends.keys()].toSorted()).toEqual(everyEnd);
});
