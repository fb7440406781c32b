import { afterAll, beforeAll, expect, test } from 'vitest';
import { authorize, type Person } from '../../src/access/access-check.ts';
import { authorizationOf } from '../../src/access/authorization.ts';
import { whomToAsk } from '../../src/access/approver-lookup.ts';
import type { Args } from '../../src/base/errors.ts';
import { recheck } from '../../src/change/recheck.ts';
import { catalogue } from '../../src/commands/index.ts';
import { decide } from '../../src/decide/decide.ts';
import { lookAndPin } from '../../src/decide/look-and-pin.ts';
import { parseArgs } from '../../src/language/parse.ts';
import { resolve } from '../../src/language/resolve.ts';
import type { Policy } from '../../src/policy/rules.ts';
import { rowInBatch, rowOf } from '../../src/send/new-change.ts';
import { remind } from '../../src/send/reminders.ts';
import type { SendContext } from '../../src/send/context.ts';
import { findChange, insertChange, type Change } from '../../src/storage/changes.ts';
import { openDatabase, type Database } from '../../src/storage/database.ts';
import type { PipelineContext } from '../../src/talk/context.ts';
import { overviewFor } from '../../src/waiting/overview.ts';
import { hourMs, minuteMs } from '../../src/words/duration.ts';
import { company, live, member, names, policyFrom } from '../fixtures.ts';
import { clickRefusedAs } from './outcome-codes.ts';
import { refusalIn } from './surfaces.ts';
import { approvedBy, contextOver, now, restoreChange } from './waiting-changes.ts';

/**
 * The permission matrix of escalation: person × what the rules ask for × moment, for who is asked, clicks, App Home, and
 * the check before sending under the rules of then. Each cell is compared with a small model.
 */

const after = 15 * minuteMs;
const moments = [0, after - 1, after, 59 * minuteMs] as const;

const group = 'S0HEADS';
const of = (id: string, more: Partial<Person> = {}): Person => member(id, id, { otherGroups: [group], ...more });
const people = {
  requester: of('U01ANA'),
  'the requester, a head by another account': of('U0ANATWO'),
  'a developer': of('U02BEN'),
  'a lead': of('U03CHI'),
  'another lead': of('U04DEE'),
  'a lead who is a head': of('U05FAY'),
  'a head': of('U06ROB'),
  'a head by user group': of('U09KIM', { groups: [group], otherGroups: [] }),
  'perhaps a head': of('U10MAX', { otherGroups: [] }),
  'a head whom a rule denies it': of('U11GIL'),
  'a head who cannot see it': of('U12HAL'),
  'a head who is a guest': of('U13GUS', { standing: 'guest' }),
} as const satisfies Record<string, Person>;
type Who = keyof typeof people;
const isWho = (name: string): name is Who => Object.hasOwn(people, name);
const whos = Object.keys(people).filter(isWho);

const escalate = (minutes: number): string => `then: { after: ${minutes}m, by: [heads] }`;
const rules = {
  'one of the leads': 'approval: { by: [leads] }',
  'one of the leads, later also of the heads': `approval: { by: [leads], ${escalate(15)} }`,
  'two of the leads, later also of the heads': `approval: { by: [leads], count: 2, ${escalate(15)} }`,
  'the same, still later': `approval: { by: [leads], ${escalate(30)} }`,
} as const;
type Asks = keyof typeof rules;
const [plain, one, two, slower] = [
  'one of the leads',
  'one of the leads, later also of the heads',
  'two of the leads, later also of the heads',
  'the same, still later',
] as const;

const policyOf = (asks: Asks, heads = '[U0ANATWO, U05FAY, U06ROB, U11GIL, U12HAL, U13GUS, S0HEADS]'): Policy =>
  policyFrom(`version: 1
live: ["*/live"]
groups:
  developers: [U01ANA, U02BEN]
  leads: [U03CHI, U04DEE, U05FAY]
  heads: ${heads}
  barred: [U11GIL]
  blind: [U12HAL]
people: { ana: [U01ANA, U0ANATWO] }
rules:
  - { allow: [read], to: everyone }
  - { deny: [read], to: [blind] }
  - { allow: [routine], to: [developers], ${rules[asks]} }
  - { deny: [routine], to: [barred] }
`);

let at = now;
let database: Database;
beforeAll(async () => void (database = await openDatabase('sqlite::memory:', { now: () => at })));
afterAll(() => database.close());

const contextUnder = (policy: Policy): PipelineContext => {
  const whoIs = async (id: string) => Object.values(people).find((person) => person.id === id);
  const membersOf = async () => [people['a head by user group'].id];
  return contextOver(
    database,
    { names: () => names, company: () => company, whoIs, personOf: whoIs, membersOf },
    policy,
  );
};

const clear: Args = ['cache', 'clear', live.id];
const resolved = resolve({ ...parseArgs(clear, catalogue), reason: undefined }, names);

async function waiting(policy: Policy): Promise<Change> {
  at = now;
  const person = people.requester;
  const { command } = resolved.parsed;
  if (command.shape !== 'action') throw new Error('no action');
  const authorized = authorize(policy, person, resolved, company);
  const pinned = await lookAndPin(contextUnder(policy), authorized, command, { person });
  const row = rowOf(pinned, { person, channel: { id: 'C1', shared: false } }, now);
  return database.transaction((tx) => insertChange(tx, row));
}

/** What somebody's approval is at this moment. `not yet`: it counts later. */
function voteOf(
  who: Who,
  asks: Asks,
  waited: number,
): 'counts' | 'not yet' | 'later' | 'own' | 'no' | 'd2' | '?' | '!' {
  if (who.includes('requester')) return 'own';
  if (who.includes('guest')) return '!';
  if (who.includes('cannot see')) return '?';
  if (who.includes('denies')) return 'd2';
  if (who.includes('lead')) return 'counts';
  if (who === 'a developer' || asks === plain) return 'no';
  const isOver = waited >= (asks === slower ? 30 : 15) * minuteMs;
  if (who === 'perhaps a head') return isOver ? 'later' : 'no';
  return isOver ? 'counts' : 'not yet';
}

async function clicked(change: Change, who: Who, policy: Policy, verdict: 'approve' | 'decline'): Promise<string> {
  const { installation } = database;
  const { number, version } = change;
  const person = people[who].id;
  const click = { installation, number, version, verdict, person, team: 'T1', inbox: undefined, reason: 'because' };
  try {
    await decide(contextUnder(policy), click);
    const state = (await findChange(database.db, number))?.state;
    return state === 'waiting' ? 'vote' : (state ?? 'gone');
  } catch (error) {
    const is = clickRefusedAs(refusalIn(error));
    return is === 'no' && /You can from/.test(JSON.stringify(refusalIn(error).says)) ? 'not yet' : is;
  } finally {
    await restoreChange(database, change);
  }
}

test('promise 3: 384 clicks, before and after an approval escalates; App Home shows what a click would decide', async () => {
  const wrong: string[] = [];
  let looked = 0;
  const note = (cell: string, is: string, should: string): void => {
    looked += 1;
    if (is !== should) wrong.push(`${cell}: ${is}, and not ${should}`);
  };
  for (const asks of [plain, one, two, slower]) {
    const policy = policyOf(asks);
    const change = await waiting(policy);
    for (const waited of moments)
      for (const who of whos) {
        at = now + waited;
        const cell = `${who}, ${asks}, after ${waited}`;
        const vote = voteOf(who, asks, waited);
        const counted = asks === two ? 'vote' : 'approved';
        note(`approve: ${cell}`, await clicked(change, who, policy, 'approve'), vote === 'counts' ? counted : vote);
        const declined = vote === 'counts' ? 'declined' : vote === 'not yet' ? 'no' : vote;
        note(`decline: ${cell}`, await clicked(change, who, policy, 'decline'), declined);
        const { toDecide } = vote === '!' ? { toDecide: [] } : await overviewFor(contextUnder(policy), people[who]);
        if (toDecide.length !== (vote === 'counts' ? 1 : 0)) wrong.push(`App Home: ${cell}`);
      }
    await restoreChange(database, change, { state: 'cancelled', settled_at: now });
  }
  expect(wrong).toEqual([]);
  expect(looked).toBe(384);
});

test('promise 3: if the policy names no heads any more, none of them can approve it, nor later', async () => {
  const change = await waiting(policyOf(one));
  at = now + hourMs / 2;
  for (const who of ['a head', 'a head by user group'] as const)
    expect(await clicked(change, who, policyOf(one, '[]'), 'approve')).toBe('no');
  await restoreChange(database, change, { state: 'cancelled', settled_at: now });
});

test('promise 3: those are asked whose click counts, and it is known from the start to whom it escalates', async () => {
  for (const asks of [plain, one, two, slower]) {
    const policy = policyOf(asks);
    const change = await waiting(policy);
    const { approval } = authorizationOf(change);
    if (approval === 'none') throw new Error('it needs no approval');
    for (const waited of moments) {
      const askers = { requester: people.requester.id, waited };
      const { asks: asked, told } = await whomToAsk(contextUnder(policy), approval, resolved, askers);
      const counting = whos.filter((who) => voteOf(who, asks, waited) === 'counts').map((who) => people[who].id);
      expect([asks, waited, told.toSorted()]).toEqual([asks, waited, counting.toSorted()]);
      const isOver = waited >= (asks === slower ? 30 : 15) * minuteMs;
      expect(asked.map((each) => each.escalate !== undefined)).toEqual([asks !== plain && !isOver]);
    }
    await restoreChange(database, change, { state: 'cancelled', settled_at: now });
  }
});

test('the heads are asked once, by whoever has the change; after a freeze; if Slack is silent then, as a group, and nobody is forgotten', async () => {
  const asking = await waiting(policyOf(one));
  const authorization = authorizationOf(asking);
  if (authorization.approval === 'none') throw new Error('it needs no approval');
  const askers = { requester: people.requester.id, waited: 0 };
  const first = await whomToAsk(contextUnder(policyOf(one)), authorization.approval, resolved, askers);
  const change = await restoreChange(database, asking, {
    authorization: JSON.stringify({ ...authorization, ...first }),
    owner: 'one of us',
    lease_until: now + hourMs,
  });
  at = now + after;
  const frozen = policyFrom(
    `${policyOf(one).text}freezes: [{ name: peak, from: 1970-01-01 00:20, to: 1970-01-01 00:40, zone: UTC }]\n`,
  );
  await remind(contextUnder(frozen), change);
  const held = await findChange(database.db, change.number);
  expect(authorizationOf(held ?? change).asks).toEqual(first.asks);
  expect(held?.due_at).toBeGreaterThan(at);
  await restoreChange(database, change);
  const answering = contextUnder(policyOf(one));
  const context: SendContext = {
    ...answering,
    membersOf: async () => undefined,
    personOf: async (id, groups) => (id === people['a lead'].id ? undefined : answering.personOf(id, groups)),
  };
  await Promise.all([remind(context, change), remind(context, change)]);
  const lines = database.db.selectFrom('audit').selectAll().where('change', '=', change.number);
  expect((await lines.where('event', '=', 'asked_anew').execute()).length).toBe(1);
  const asked = await findChange(database.db, change.number);
  const { asks = [], told = [] } = authorizationOf(asked ?? change);
  const leads = ['a lead', 'another lead', 'a lead who is a head'] as const;
  expect(told.toSorted()).toEqual([...leads, 'a head' as const].map((who) => people[who].id).toSorted());
  expect(asks).toMatchObject([{ groups: ['heads', 'leads'], userGroups: [group] }]);
  expect(asked?.due_at).toBe(now + hourMs / 2);
  const texts = await database.db.selectFrom('messages').select('body').where('kind', '=', 'reply').execute();
  const calls = texts.filter(({ body }) => body?.includes('you can approve it too now'));
  expect(calls.map(({ body }) => /U03CHI|U04DEE|U05FAY/.test(body ?? ''))).toEqual([false]);
  await restoreChange(database, change, { state: 'cancelled', settled_at: now });
});

test('promise 4: what a batch begins counts the time of the batch, since its votes are those of the batch', async () => {
  const policy = policyOf(one);
  const batch = await waiting(policy);
  await approvedBy(database, batch, [people['a head'].id]);
  const { args, snapshot, preconditions, call, card, fingerprint } = batch;
  const item = { target: live, args, snapshot, preconditions, call, card, fingerprint };
  for (const [waited, kind] of [
    [after - 1, 'invalidated'],
    [after, 'as it was'],
  ] as const) {
    at = now + waited;
    const part = await database.transaction((tx) => insertChange(tx, rowInBatch(batch, item, at)));
    expect(await recheck(contextUnder(policy), part)).toMatchObject({ kind });
  }
  await restoreChange(database, batch, { state: 'cancelled', settled_at: now });
});

test('promise 4: 576 sets of votes are enough or not before the send, by what was asked for and by the rules of then', async () => {
  const wrong: string[] = [];
  let looked = 0;
  const nobody = policyOf(one, '[]');
  const thens: readonly (readonly [Asks | 'the heads are gone', Policy])[] = [
    ...([plain, one, slower] as const).map((asks) => [asks, policyOf(asks)] as const),
    ['the heads are gone', nobody],
  ];
  for (const asks of [plain, one, two]) {
    const change = await waiting(policyOf(asks));
    for (const who of whos) {
      const approved = await restoreChange(database, change, { state: 'approved', version: 2 });
      const others: readonly Who[] = asks === two ? ['another lead'] : [];
      await approvedBy(
        database,
        approved,
        [who, ...others].map((voter) => people[voter].id),
      );
      for (const [then, policy] of thens)
        for (const waited of moments) {
          at = now + waited;
          // Nobody names them any more. Where two are needed, the same person twice is not enough.
          const isNone = (then === 'the heads are gone' && !who.includes('lead')) || others.includes(who);
          const today = then === 'the heads are gone' ? one : then;
          // None of the rules of then needs two, and another lead has approved.
          const rulesThen = asks === two ? [] : [voteOf(who, today, waited)];
          const votes = isNone ? ['no'] : [voteOf(who, asks, waited), ...rulesThen];
          const isLater = votes.includes('later') && votes.every((vote) => vote === 'later' || vote === 'counts');
          const should = votes.every((vote) => vote === 'counts') ? 'as it was' : isLater ? 'later' : 'invalidated';
          const { kind } = await recheck(contextUnder(policy), approved);
          looked += 1;
          if (kind !== should) wrong.push(`${who}, ${asks}, then ${then}, after ${waited}: ${kind}, not ${should}`);
        }
    }
  }
  expect(wrong).toEqual([]);
  expect(looked).toBe(576);
});
