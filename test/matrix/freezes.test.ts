import { afterAll, beforeAll, expect, test } from 'vitest';
import { Refusal, type Args } from '../../src/base/errors.ts';
import { authorizationByTimer, authorizationOf } from '../../src/access/authorization.ts';
import { authorize, type Authorized, type Person } from '../../src/access/access-check.ts';
import { InFreeze } from '../../src/access/freeze-words.ts';
import { MembershipUnknown } from '../../src/access/unknown-groups.ts';
import { checkFreezes, freezesAhead } from '../../src/change/freeze-check.ts';
import { includes, strictest, strictestOf } from '../../src/policy/approval-requirement.ts';
import { recheck } from '../../src/change/recheck.ts';
import { catalogue } from '../../src/commands/index.ts';
import { decide, EndedByClick } from '../../src/decide/decide.ts';
import { lookAndPin } from '../../src/decide/look-and-pin.ts';
import { parseArgs } from '../../src/language/parse.ts';
import { resolve, storedArgs } from '../../src/language/resolve.ts';
import type { Approval, Policy } from '../../src/policy/rules.ts';
import { rowOf } from '../../src/send/new-change.ts';
import { insertChange, touchChange, type Change } from '../../src/storage/changes.ts';
import type { Database } from '../../src/storage/database.ts';
import type { PipelineContext } from '../../src/talk/context.ts';
import { hourMs } from '../../src/words/duration.ts';
import { plain } from '../../src/words/text.ts';
import { blog, company, live, member, names, policyFrom, staging } from '../fixtures.ts';
import { sample } from '../storage/samples.ts';
import { approvedBy, contextOver, now, openStill, restoreChange } from './waiting-changes.ts';

/**
 * The permission matrix of freezes: person × rule × freeze × what is asked for, when it is asked, when an approver
 * clicks, and before it is sent. Each cell is compared with a small model of what docs/policy.md promises.
 */

const group = 'S0EXCEPTED';
/** Whoever asks, as Slack describes them: what they are to the group that the exceptions name. */
const people = {
  excepted: member('U01ANA', 'Ana', { groups: [group] }),
  'not excepted': member('U01ANA', 'Ana', { otherGroups: [group] }),
  'excepted by another account': member('U01ANA', 'Ana', { joinedGroups: [group] }),
  'perhaps excepted': member('U01ANA', 'Ana'),
} as const satisfies Record<string, Person>;
type Who = keyof typeof people;
const whos: readonly Who[] = ['excepted', 'not excepted', 'excepted by another account', 'perhaps excepted'];
const [lead, head] = [member('U03CHI', 'Chi'), member('U04DEE', 'Dee')];

const rules = {
  allowed: '  - { allow: [routine, sensitive, push], to: [askers], approval: none }',
  'allowed after an approval': '  - { allow: [routine, sensitive, push], to: [askers], approval: { by: [leads] } }',
  'not allowed': '',
  denied: `  - { allow: [routine, sensitive, push], to: [askers], approval: { by: [leads] } }
  - { deny: [routine, sensitive, push], to: [askers] }`,
} as const;
type Rule = keyof typeof rules;
const ruleNames: readonly Rule[] = ['allowed', 'allowed after an approval', 'not allowed', 'denied'];

const day = 24 * hourMs;
const around = (from: number, to: number): string => {
  const [first, last] = [from, to].map((at) => new Date(at).toISOString().slice(0, 16).replace('T', ' '));
  return `from: ${first}, to: ${last}, zone: UTC`;
};
const inForce = around(now - day, now + day);
const excepts = 'except: { to: [excepted] }';
const adds = 'except: { to: [excepted], approval: { by: [heads] } }';
const freezes = {
  none: [],
  'over, or not begun': [around(now - 2 * day, now - day), around(now + day, now + 2 * day)],
  'begins soon': [around(now + 60_000, now + day)],
  'somewhere else': [`${inForce}, where: ["acme-none/*"]`],
  'of something else': [`${inForce}, what: [delete, redirects add]`],
  'holds everybody': [inForce],
  'excepts them': [`${inForce}, ${excepts}`],
  'excepts them with an approval': [`${inForce}, ${adds}`],
  'excepts them, beside one that holds everybody': [`${inForce}, ${excepts}`, inForce],
  'excepts them, beside one with an approval': [`${inForce}, ${excepts}`, `${inForce}, ${adds}`],
} as const;
type Freeze = keyof typeof freezes;
const isFreeze = (name: string): name is Freeze => name in freezes;
const freezeNames = Object.keys(freezes).filter(isFreeze);

const policies = new Map<string, Policy>();
function policyOf(rule: Rule, freeze: Freeze): Policy {
  const name = `${rule}, ${freeze}`;
  const [first] = freezes[freeze];
  const written = freezes[freeze].map((one, at) => `  - { name: f${at}, ${one} }\n`).join('');
  const made =
    policies.get(name) ??
    policyFrom(`version: 1
live: ["*/live"]
groups: { askers: [${people.excepted.id}], leads: [${lead.id}], heads: [${head.id}], excepted: [${group}] }
rules:
  - { allow: [read], to: [askers, leads, heads] }
${rules[rule]}
${first === undefined ? '' : `freezes:\n${written}`}`);
  policies.set(name, made);
  return made;
}

/** What is asked for. `isFree`: no freeze ever holds it; `isTimed`: by a timer, whatever the rules say. */
type What = { readonly name: string; readonly words: Args; readonly isFree?: true; readonly isTimed?: true };
const remove: Args = ['allowlist', 'remove', live.id, '10.0.0.1'];
const whats: readonly What[] = [
  { name: 'a push', words: ['push', staging.id, live.id, '--files'] },
  { name: 'what was an Undo, until another change', words: ['cache', 'clear', live.id] },
  { name: 'access', words: ['allowlist', 'add', live.id, '198.51.100.4'] },
  { name: 'access for an hour', words: ['allowlist', 'add', live.id, '198.51.100.4', '--for=1h'] },
  { name: 'the end of access', words: remove, isFree: true },
  { name: 'the end of all access, which may let everybody in', words: [...remove, '10.0.0.2', '--empty'] },
  { name: 'an Undo', words: ['cache', 'clear', staging.id], isFree: true },
  { name: 'an Undo of an Undo', words: ['cache', 'clear', blog.id] },
  { name: 'an Undo that lets somebody in', words: ['allowlist', 'add', staging.id, '198.51.100.4'] },
  { name: 'the end of timed access', words: remove, isFree: true, isTimed: true },
];

/** What people, rules and freezes are then. */
type Moment = { readonly rule: Rule; readonly freeze: Freeze; readonly who: Who };
const moments: readonly Moment[] = ruleNames.flatMap((rule) =>
  freezeNames.flatMap((freeze) => whos.map((who) => ({ rule, freeze, who }))),
);
const kinds: Readonly<Record<string, string>> = { 'as it was': 'free', 'in freeze': 'frozen', invalidated: 'ended' };

/** What the freezes come to: nothing, an approval of the heads, no, or not known. */
function comesTo({ isFree }: What, who: Who, freeze: Freeze): 'free' | 'adds' | 'frozen' | 'later' {
  const isHolding = /^(holds|excepts)/.test(freeze);
  if (isFree || !isHolding) return 'free';
  if (freeze.includes('everybody') || who === 'not excepted' || who === 'excepted by another account') return 'frozen';
  if (who === 'perhaps excepted') return 'later';
  return freeze.includes('approval') ? 'adds' : 'free';
}
let database: Database;
beforeAll(async () => {
  database = await openStill();
  await recordUndos();
});
afterAll(() => database.close());

const contextFor = (person: Person, policy: Policy): PipelineContext => {
  const whoIs = async (id: string) => [person, lead, head].find((one) => one.id === id);
  return contextOver(database, { names: () => names, company: () => company, whoIs, personOf: whoIs }, policy);
};

/** Done changes: two with an *Undo* that works, one that was followed by another, and one that has been undone. */
async function recordUndos(): Promise<void> {
  const undoing = (args: Args, more: object = {}) => JSON.stringify({ args, left: null, until: now + hourMs, ...more });
  let settled_at = 0;
  const done = async (id: string, undo: string, args: Args = [], command = 'cache clear'): Promise<Change> => {
    const ended = {
      args: JSON.stringify(args),
      command,
      state: 'done',
      settled_at: (settled_at += 1),
      created_at: 1,
      target: `environment:${id}`,
      undo,
    } as const;
    return database.transaction((tx) => insertChange(tx, { ...sample, ...ended }));
  };
  await done(staging.id, undoing(['cache', 'clear', staging.id]));
  await done(staging.id, undoing(['allowlist', 'add', staging.id, '198.51.100.4']), [], 'allowlist remove');
  await done(live.id, undoing(['cache', 'clear', live.id]));
  await done(live.id, undoing(['files', 'x']));
  const first = await done(blog.id, undoing(['files', 'x']));
  const second = await done(blog.id, undoing(['cache', 'clear', blog.id]), ['files', 'x']);
  const undone = { undo: undoing(['files', 'x'], { undoneBy: second.number }) };
  await database.transaction((tx) => touchChange(tx, first, undone));
}

/** Pinned as somebody asks for it. */
async function asked({ words, isTimed }: What, person: Person, policy: Policy) {
  const context = contextFor(person, policy);
  const parsed = { ...parseArgs(words, catalogue), ...(!isTimed && { reason: 'release 42' }) };
  if (parsed.command.shape !== 'action') throw new Error('no action');
  const resolved = resolve(parsed, names);
  if (!isTimed) return lookAndPin(context, authorize(policy, person, resolved, company), parsed.command, { person });
  const authorization = authorizationByTimer(1, undefined, policy);
  const authorized: Authorized = { ...resolved, target: live, alsoReads: [], authorization };
  return lookAndPin(context, authorized, parsed.command);
}

/** The groups whose approval it needs, and what its card says of freezes; or why it was refused. */
async function outcomeOfAsking(what: What, who: Who, policy: Policy): Promise<string> {
  try {
    const { authorization, freeze } = await asked(what, people[who], policy);
    const { approval } = authorization;
    const by = approval === 'none' ? [] : approval.requirements.map((one) => String(one.by));
    const says = plain(freeze ?? []);
    const told = [
      says.includes('This is in a freeze') ? 'lifted' : '',
      says.includes('A freeze begins') ? 'warned' : '',
    ];
    return ['asked', ...by.toSorted(), ...told.filter(Boolean)].join(' ');
  } catch (error) {
    if (error instanceof InFreeze) return 'frozen';
    if (error instanceof MembershipUnknown) return 'later';
    if (error instanceof Refusal && /You may not/.test(plain(error.says))) return 'not allowed';
    throw error;
  }
}

/** What a form or `can` would say of the freezes, before it is asked for. */
async function saidBefore({ words }: What, who: Who, policy: Policy): Promise<ReturnType<typeof comesTo>> {
  const resolved = resolve(parseArgs(words, catalogue), names);
  const { decision } = (await freezesAhead(contextFor(people[who], policy), people[who], resolved)) ?? {};
  if (decision?.kind === 'frozen') return 'frozen';
  if (decision?.kind === 'unknown') return 'later';
  return decision === undefined || decision.approval === 'none' ? 'free' : 'adds';
}

test('promise 4: 1600 requests, against what the freezes and the rules come to', async () => {
  const wrong: string[] = [];
  let looked = 0;
  for (const { rule, freeze, who } of moments)
    for (const what of whats) {
      const is = await outcomeOfAsking(what, who, policyOf(rule, freeze));
      const freezing = comesTo(what, who, freeze);
      const said = await saidBefore(what, who, policyOf(rule, freeze));
      if (said !== freezing) wrong.push(`${what.name}, ${who}, ${freeze}: said ${said} before, and not ${freezing}`);
      const byLeads = rule === 'allowed after an approval' && !what.isTimed ? ' leads' : '';
      const told = what.isFree
        ? ''
        : freeze === 'begins soon'
          ? ' warned'
          : freeze.startsWith('excepts')
            ? ' lifted'
            : '';
      const asks = {
        free: `asked${byLeads}${told}`,
        adds: `asked heads${byLeads}${told}`,
        frozen: 'frozen',
        later: 'later',
      };
      const should = what.isTimed || rule.startsWith('allowed') ? asks[freezing] : 'not allowed';
      looked += 1;
      if (is !== should) wrong.push(`${what.name}, ${who}, ${rule}, ${freeze}: ${is}, and not ${should}`);
    }
  expect(wrong).toEqual([]);
  expect(looked).toBe(1600);
});

test('what is said before is of its time, or else of now', async () => {
  const person = people.excepted;
  const context = contextFor(person, policyOf('allowed', 'begins soon'));
  const clears = resolve(parseArgs(['cache', 'clear', live.id], catalogue), names);
  expect(await freezesAhead(context, person, clears)).toMatchObject({ at: now, decision: { kind: 'open' } });
  const schedule = { at: now + hourMs, until: now + 2 * hourMs };
  const later = { ...clears, parsed: { ...clears.parsed, when: schedule } };
  expect(await freezesAhead(context, person, later)).toMatchObject({ at: schedule.at, decision: { kind: 'frozen' } });
});

test('a way back is one whose Undo worked when it was asked for or, later, is to be sent', async () => {
  const person = people.excepted;
  const resolved = resolve(parseArgs(['cache', 'clear', staging.id], catalogue), names);
  const row = { target: `environment:${staging.id}`, args: storedArgs(resolved), number: 1_000_000 };
  const kindOf = async (created_at: number, scheduled_at: number | null): Promise<string> => {
    const change = { ...row, created_at, scheduled_at };
    return (
      await checkFreezes(contextFor(person, policyOf('allowed', 'holds everybody')), person, {
        resolved,
        at: now,
        change,
      })
    ).kind;
  };
  const late = now + 2 * hourMs;
  expect([await kindOf(now, null), await kindOf(late, null), await kindOf(now, late)]).toEqual([
    'open',
    'frozen',
    'frozen',
  ]);
});

const before = 'none' as const;
const under = 'excepts them with an approval' as const;
const asking = [before, under] as const;

/** Waiting changes, asked for by somebody who is excepted: before any freeze, and under an exception with an approval. */
async function waiting(what: What, freeze: Freeze): Promise<Change> {
  const person = people.excepted;
  const frozen = await asked(what, person, policyOf('allowed after an approval', freeze));
  const row = rowOf(frozen, { person, channel: { id: 'C1', shared: false } }, now);
  return database.transaction((tx) => insertChange(tx, row));
}

/** What the freezes come to for a change: an exception's approval counts if it was asked for with it. */
function later(what: What, who: Who, freeze: Freeze, change: Change): 'free' | 'frozen' | 'later' {
  const is = comesTo(what, who, freeze);
  const { approval } = authorizationOf(change);
  const isAsked = approval !== 'none' && approval.requirements.some(({ by }) => by.includes('heads'));
  return is === 'adds' ? (isAsked ? 'free' : 'frozen') : is;
}

async function clicked(change: Change, person: Person, policy: Policy): Promise<string> {
  const { installation } = database;
  const { number, version } = change;
  const click = { installation, number, version, verdict: 'approve', team: 'T1', inbox: undefined } as const;
  try {
    await decide(contextFor(person, policy), { ...click, person: lead.id, reason: undefined });
    return 'free';
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error instanceof EndedByClick) return 'ended';
    const says = plain(error.says);
    return says.includes('Your approval was not counted') ? 'frozen' : says.includes("couldn't check") ? 'later' : says;
  }
}

test('promise 4: 2880 clicks and 3040 sends go by the freezes, the rules and the people of that moment', async () => {
  const wrong: string[] = [];
  const looked = { clicks: 0, sends: 0 };
  for (const what of whats)
    for (const asks of what.isTimed ? [before] : asking) {
      const change = await waiting(what, asks);
      const note = (moment: 'clicks' | 'sends', { rule, freeze, who }: Moment, is: string): void => {
        const should = rule.startsWith('allowed') || what.isTimed ? later(what, who, freeze, change) : 'ended';
        looked[moment] += 1;
        if (is !== should)
          wrong.push(`${moment} of ${what.name} asked under ${asks}, ${who}, ${rule}, ${freeze}: ${is}, not ${should}`);
      };
      for (const moment of what.isTimed ? [] : moments) {
        const is = await clicked(change, people[moment.who], policyOf(moment.rule, moment.freeze));
        note('clicks', moment, is);
        if (is === 'free' || is === 'ended') await restoreChange(database, change);
      }
      const ready = await restoreChange(database, change, { state: 'approved', version: 2 });
      await approvedBy(database, ready, [lead.id, head.id]);
      for (const moment of moments) {
        const { kind } = await recheck(contextFor(people[moment.who], policyOf(moment.rule, moment.freeze)), ready);
        note('sends', moment, kinds[kind] ?? kind);
      }
    }
  expect(wrong).toEqual([]);
  expect(looked).toEqual({ clicks: 2880, sends: 3040 });
});

test('what was asked for with an approval includes another one if that asks for nobody else, and for no reason', () => {
  const by = (who: string, more: Partial<Approval> = {}) =>
    strictest([{ by: [who], count: 1, expires: hourMs, reason: 'optional', ...more }]);
  const [one, two, other] = [by('heads'), by('heads', { count: 2 }), by('leads')];
  const both = strictestOf([one, other]);
  expect([includes('none', 'none'), includes(one, 'none'), includes(one, one), includes(both, one)]).not.toContain(
    false,
  );
  expect(includes(two, one)).toBe(true);
  expect(includes(one, by('heads', { reason: 'required' }))).toBe(false);
  const escalating = by('heads', { escalate: { after: 60_000, to: ['leads'] } });
  expect([includes(one, escalating), includes(escalating, escalating), includes(escalating, one)]).toEqual([
    true,
    true,
    false,
  ]);
  expect([includes('none', one), includes(one, two), includes(other, one), includes(one, both)]).not.toContain(true);
});
