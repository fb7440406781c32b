import { describe, expect, test } from 'vitest';
import type { Ability } from '../../src/access/ability.ts';
import { explainAccess, explainTo } from '../../src/access/explain-access.ts';
import type { Channel, Person } from '../../src/access/access-check.ts';
import { plain } from '../../src/words/text.ts';
import { ana, company, dee, names, policyFrom, policyOf, refusalText, contextWith } from '../fixtures.ts';
import { Refusal } from '../../src/base/errors.ts';
import type { Policy } from '../../src/policy/rules.ts';
import { mayRead } from '../../src/policy/policy.ts';

const chi: Person = { ...ana, id: 'U03CHI', name: 'Chi' };
const eve: Person = { ...ana, id: 'U09EVE', name: 'Eve' };
const gus: Person = { ...ana, id: 'U07GUS', name: 'Gus', standing: 'guest' };
const everybody = [ana, chi, dee, eve, gus];

const READ = '{ allow: [read], to: [developers, leads] }';
const rules = [
  READ,
  '{ allow: [routine], to: [developers], where: ["*/staging"] }',
  '{ allow: [routine], to: [developers], where: ["acme-shop/live"], approval: { by: [leads], count: 2, expires: 1h, reason: required } }',
  '{ allow: [lock], to: [leads], where: ["*/staging"] }',
  '{ allow: [pause], to: [leads], where: ["*/staging"] }',
  '{ allow: [resume, audit], to: [leads] }',
  '{ deny: [delete], to: everyone, where: ["*/live"] }',
  '{ allow: [delete], to: [leads] }',
];

function can(
  words: readonly string[],
  id?: string,
  policy: Policy = policyOf(...rules),
  by = ana,
  answerOf = explainAccess,
): Promise<Ability> {
  const readable = (person: Person | undefined) => ({
    environments: names.environments.filter((one) => person !== undefined && mayRead(policy, person, one)),
    domains: names.domains.filter((one) => person !== undefined && mayRead(policy, person, one)),
  });
  const context = contextWith({
    policy: () => policy,
    company: () => company,
    names: readable,
    membersOf: async () => [],
    personOf: async (of: string) => everybody.find((one) => one.id === of),
  });
  return answerOf(context, by, words, id);
}

async function refused(work: Promise<unknown>): Promise<Refusal> {
  const error = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (error instanceof Refusal) return error;
  throw new Error(`nothing was refused, but ${String(error)}`);
}

describe('somebody may', () => {
  test('at once, by this rule', async () => {
    const explained = await can(['cache', 'clear', 'acme-shop/staging']);
    expect(explained).toMatchObject({
      person: { id: ana.id, name: 'Ana' },
      path: 'cache clear',
      risk: 'routine',
      target: 'acme-shop/staging',
      answer: { kind: 'allowed', approval: 'none', rules: [{ line: 8 }] },
    });
  });

  test('with the approval of these people', async () => {
    const { answer } = await can(['cache', 'clear', 'acme-shop/live']);
    if (answer.kind !== 'allowed' || answer.approval === 'none') throw new Error('no approval is asked');
    const { asks, who, expires, reason } = answer.approval;
    expect(asks).toEqual([{ count: 2, people: 2, groups: ['leads'] }]);
    expect(plain(who)).toBe('2 of @Chi, @Dee');
    expect([expires, reason]).toEqual([3_600_000, 'required']);
  });

  test.each<[string, readonly string[], string]>([
    ['whatever the rules say', ['whoami'], 'for everybody'],
    ['read', ['environments'], 'allowed'],
    ['read of a place', ['changes', 'acme-shop/live'], 'allowed'],
  ])('%s', async (_, words, kind) => {
    expect((await can(words)).answer.kind).toBe(kind);
  });

  test('as one text in a form, with its own options and quotes', async () => {
    const explained = await can(['cache clear acme-shop/staging --reason "release 42" --dry-run']);
    expect(explained).toMatchObject({ path: 'cache clear', answer: { kind: 'allowed' } });
    expect((await can(['allowlist', 'add', 'acme-shop/staging', '--for', '2h'])).path).toBe('allowlist add');
  });

  test('what a rule allows everywhere, for a command without a target', async () => {
    expect((await can(['audit'], chi.id)).answer).toMatchObject({ kind: 'allowed', rules: [{ line: 12 }] });
    expect((await can(['lock', 'acme-shop/staging'], chi.id)).answer.kind).toBe('allowed');
  });
});

describe('somebody may not', () => {
  test('because a rule denies it, whatever others allow', async () => {
    const { answer } = await can(['delete', 'acme-shop/live'], chi.id);
    expect(answer).toMatchObject({ kind: 'denied', rule: { line: 13 }, whoMay: [] });
  });

  test('because no rule allows it to them; it says whom it allows', async () => {
    expect((await can(['lock', 'acme-shop/staging'])).answer).toMatchObject({
      kind: 'no rule',
      whoMay: ['leads'],
      lets: [{ line: 10 }],
    });
  });

  test.each(['allowlist find 203.0.113.7', 'themes list'])('%s, in an environment that a rule denies', async (line) => {
    const path = line.replace(/ \d.*/, '');
    const policy = policyOf(READ, `{ deny: ["${path}"], to: everyone, where: ["acme-shop/live"] }`);
    const words = (env: string) => `${line} in ${env}`.split(' ');
    expect((await can(words('acme-shop/live'), undefined, policy)).answer.kind).toBe('denied');
    expect((await can(words('acme-shop/staging'), undefined, policy)).answer.kind).toBe('allowed');
    expect((await can(line.split(' '), undefined, policy)).answer.kind).toBe('allowed');
  });

  test('if the rule that names the command is for other places', async () => {
    expect((await can(['lock', 'acme-shop/live'], chi.id)).answer).toMatchObject({ kind: 'no rule', whoMay: [] });
    // A pause affects everything, so a rule for some places does not allow it.
    expect((await can(['pause'], chi.id)).answer).toMatchObject({ kind: 'no rule' });
    expect((await can(['resume'], chi.id)).answer).toMatchObject({ kind: 'allowed' });
  });

  test('because they may not read it, or are no member', async () => {
    expect((await can(['cache', 'clear', 'acme-shop/live'], eve.id)).answer).toEqual({
      kind: 'hidden',
      what: 'acme-shop/live',
    });
    expect((await can(['cache', 'clear', 'acme-shop/live'], gus.id)).answer).toMatchObject({ kind: 'not welcome' });
  });
});

const explainIn =
  (channel: Channel): typeof explainAccess =>
  (context, by, args, id) =>
    explainTo(
      { ...context, freezesAhead: async () => undefined, freezesOnAny: async () => [] },
      by,
      args,
      id,
      async () => channel,
    );
const direct = { id: ana.id, shared: false };

test.each<[string, string, Channel, string | undefined]>([
  [
    'an action',
    'cache clear acme-shop/staging',
    { id: 'C0BLOG', shared: false },
    'This channel is for other sites. Ask me in #C0SHOP or a direct message.',
  ],
  ['an action', 'cache clear acme-shop/staging', { id: 'C0SHOP', shared: false }, undefined],
  ['an action', 'cache clear acme-shop/staging', direct, undefined],
  [
    'an action of any target',
    'cache clear',
    { id: 'C0BLOG', shared: true },
    "#C0BLOG is shared with another organisation, so sites can't be discussed there. Ask me in an internal channel or in a direct message.",
  ],
  ['a report', 'logs acme-shop/staging', { id: 'C0BLOG', shared: false }, undefined],
])('whether the channel takes %s (%s in %j)', async (_, words, channel, says) => {
  const policy = policyFrom(`version: 1
groups: { developers: [U01ANA] }
rules:
  - { allow: [read, routine], to: [developers] }
channels:
  C0SHOP: { sites: ['acme-shop'] }
  C0BLOG: { sites: ['acme-blog'] }
`);
  const { notHere } = await can(words.split(' '), undefined, policy, ana, explainIn(channel));
  expect(notHere && plain(notHere)).toBe(says);
});

describe('an action that names no target', () => {
  const asked = (words: string, more: readonly string[] = rules, id?: string): Promise<Ability> =>
    can(words.split(' '), id, policyOf(...more), ana, explainIn(direct));
  const by = 'approval: { by: [leads], count: 2 }';

  test.each<[string, string, readonly string[], string, string]>([
    [
      'with an approval that depends on the target',
      'cache clear',
      rules,
      '2 of the 3 environments you can see',
      'depends on the target',
    ],
    [
      'with none',
      'cache clear',
      [READ, '{ allow: [routine], to: [developers] }'],
      'every environment you can see',
      'none',
    ],
    [
      'with the same one everywhere',
      'push --files',
      [READ, `{ allow: [push], to: [developers], where: ["acme-shop/*"], ${by} }`],
      '2 of the 3 environments you can see',
      '2 others in leads',
    ],
    [
      'with that of anybody who may, which is the default of what destroys',
      'delete',
      [READ, '{ allow: [delete], to: [developers, leads] }'],
      'every environment you can see',
      'somebody else who may run it there',
    ],
    [
      'on a domain',
      'dns set',
      [READ, '{ allow: [sensitive], to: [developers], approval: none }'],
      'every domain you can see',
      'none',
    ],
  ])('may be allowed %s', async (_, words, these, where, approval) => {
    const { target, answer } = await asked(words, these);
    if (answer.kind !== 'allowed somewhere') throw new Error(`it is ${answer.kind}`);
    expect(target).toBe(where);
    expect(typeof answer.approval === 'string' ? answer.approval : plain(answer.approval.who)).toBe(approval);
  });

  test.each<[string, string, readonly string[], string | undefined, string, string | undefined]>([
    ['by no rule', 'delete', rules, undefined, 'no rule', 'any environment you can see'],
    [
      'by a rule',
      'delete',
      [READ, '{ deny: [delete], to: everyone }'],
      undefined,
      'denied',
      'any environment you can see',
    ],
    ['because somebody sees none of them', 'cache clear', rules, eve.id, 'no rule', 'any environment you can see'],
    ['because they are no member', 'cache clear', rules, gus.id, 'not welcome', 'any environment you can see'],
    ['about the company', 'clone', rules, undefined, 'no rule', undefined],
  ])('may not be allowed: %s', async (_, words, these, id, kind, where) => {
    const { target, answer } = await asked(words, these, id);
    expect([answer.kind, target]).toEqual([kind, where]);
  });

  test('is refused if it names one of two, or cannot be read', async () => {
    expect(refusalText(await refused(asked('push acme-shop/staging')))).toContain('This command needs a target');
    expect(refusalText(await refused(asked('cache clear nowhere/live')))).toContain("I can't find nowhere/live");
  });
});

describe('nobody is told', () => {
  test('about a target that the requester may not read', async () => {
    const narrow = policyOf(
      '{ allow: [read], to: [developers], where: ["acme-blog/*"] }',
      '{ allow: [read], to: [leads] }',
    );
    const refusal = await refused(can(['cache', 'clear', 'acme-shop/live'], chi.id, narrow));
    expect(refusalText(refusal)).toContain("I can't find acme-shop/live among the environments you can see");
    expect(refusal.offers).toEqual([]);
  });

  test.each<[string, readonly string[], string]>([
    ['an unknown command, with no button that would run another one', ['cahce', 'clear', 'x'], "I don't know cahce."],
    [
      'a command without its target',
      ['cache', 'clear'],
      'This command needs a target: /site cache clear <site/environment>',
    ],
    ['an unknown option', ['logs', 'acme-shop/live', '--frob'], 'has no option --frob'],
    ['nothing', [' '], 'Please name a command to ask about.'],
  ])('about %s', async (_, words, why) => {
    const refusal = await refused(can(words));
    expect(refusalText(refusal)).toContain(why);
    expect(refusalText(refusal)).toContain('Nothing was done.');
    expect(refusal.offers).toEqual([]);
  });

  test.each<[string, readonly string[], string]>([
    ['with a command', ['Ben', 'cache', 'clear', 'acme-shop/live'], '/site can @Ben cache clear acme-shop/live'],
    ['as it is typed', ['@ben', 'pause'], '/site can @ben pause'],
    ['in the one text of a form', ['Ben pause'], '/site can @Ben pause'],
    ['without a command', ['Ben'], '/site can @Ben logs site/environment'],
  ])('a name that is not a mention gets a hint what to type: %s', async (_, words, correct) => {
    const refusal = await refused(can(words));
    expect(refusalText(refusal)).toMatch(
      /^I don't know who “[Bb]en” is, because it isn't a mention\. Nothing was done\./,
    );
    expect(plain(refusal.hint)).toBe(`Type @ and choose the person from Slack's list: ${correct}.`);
  });

  test('anything about a person whom Slack does not describe', async () => {
    expect(refusalText(await refused(can(['whoami'], 'U0NOBODY')))).toContain(
      "Slack isn't telling me who that is right now.",
    );
  });
});
