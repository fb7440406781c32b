import type { Needed } from '../../src/policy/rules.ts';
import { describe, expect, test } from 'vitest';
import { askedPeople, toldPeople, whoIsAsked, whoIsNotified, whomToAsk } from '../../src/access/approver-lookup.ts';
import type { AskedRequirement, Authorization } from '../../src/access/authorization.ts';
import { resolve } from '../../src/language/resolve.ts';
import { plain } from '../../src/words/text.ts';
import { ana, company, live, names, policyFrom, staging, parsedFor, contextWith } from '../fixtures.ts';

const groups = `version: 1
live: ["*/live"]
groups:
  developers: [U01ANA, U02BEN]
  leads: [U03CHI, U04DEE, U05FAY]
  guides: [S0GUIDES, U04DEE]
  barred: [U05FAY]
  guests: [U0GUEST, U0SILENT, U02BEN]
  silent: [U0SILENT]
  both: [U07GIL, U0GILTWO, U08HAL]
  banned: [U0GILTWO]
  first: [U07GIL]
  second: [U0GILTWO]
people:
  gil: [U07GIL, U0GILTWO]
  ana: [U01ANA, U0ANATWO]
`;
const read = '{ allow: [read], to: [developers, leads, guides, both] }';
const pushing = '{ allow: [push], to: [developers] }';
const needing = (...requirements: Needed['requirements']): Needed => ({
  requirements,
  expires: 60_000,
  reason: 'optional',
});
const by = (...those: readonly string[]): Needed => needing({ by: those, count: 1 });
const allowed: Needed = needing({ by: 'allowed', count: 1 });
const parsed = resolve(parsedFor('push', { from: [staging.id], onto: [live.id], database: ['yes'] }), names);

type Lists = Readonly<Record<string, readonly string[] | undefined>>;
const memberLists: Lists = { S0GUIDES: ['U09GUY', 'U02BEN', 'U0ANATWO'] };

const asks = async (...asked: Parameters<typeof whom>): Promise<readonly AskedRequirement[]> =>
  (await whom(...asked)).asks;

async function whom(
  needed: Needed,
  rules: readonly string[],
  lists: Lists = memberLists,
  requester = ana.id,
  also: { readonly handedOnBy?: string; readonly waited?: number } = {},
): ReturnType<typeof whomToAsk> {
  const policy = policyFrom(`${groups}rules:\n${rules.map((rule) => `  - ${rule}\n`).join('')}`);
  return whomToAsk(
    contextWith({
      policy: () => policy,
      company: () => company,
      membersOf: async (group) => lists[group],
      personOf: async (id) =>
        id === 'U0SILENT'
          ? undefined
          : { ...ana, id, name: `Name of ${id}`, standing: id === 'U0GUEST' ? 'guest' : 'member' },
    }),
    needed,
    parsed,
    { requester, waited: 0, ...also },
  );
}

const named = (...people: readonly string[]) => ({ people, names: people.map((id) => `Name of ${id}`) });

describe('who is asked', () => {
  test.each<[string, Needed, readonly string[], readonly string[]]>([
    ['a group', by('leads'), [read, pushing], ['U03CHI', 'U04DEE', 'U05FAY']],
    [
      'no guest, and nobody whom Slack does not describe',
      by('guests'),
      [read, '{ allow: [read], to: [guests] }', pushing],
      ['U02BEN'],
    ],
    ['never the requester', by('developers'), [read, pushing], ['U02BEN']],
    [
      'a Slack user group, and never the requester’s other id',
      by('guides'),
      [read, pushing],
      ['U04DEE', 'U09GUY', 'U02BEN'],
    ],
    [
      'two groups, each person once',
      by('leads', 'guides'),
      [read, pushing],
      ['U02BEN', 'U03CHI', 'U04DEE', 'U05FAY', 'U09GUY'],
    ],
    ['one id of a person with two', by('both'), [read, pushing], ['U07GIL', 'U08HAL']],
    ['people who may run it', allowed, [read, pushing], ['U02BEN']],
    [
      'people who may run it, also by a user group',
      allowed,
      [read, pushing, '{ allow: [push], to: [guides], where: ["acme-shop/*"] }'],
      ['U02BEN', 'U04DEE', 'U09GUY'],
    ],
    [
      'nobody whom a rule denies it',
      by('leads'),
      [read, pushing, '{ deny: [push], to: [barred] }'],
      ['U03CHI', 'U04DEE'],
    ],
    [
      'nobody who is denied it by another id',
      by('both'),
      [read, pushing, '{ deny: [push], to: [banned] }'],
      ['U08HAL'],
    ],
    ['nobody who may not read the target', by('leads'), ['{ allow: [read], to: [developers] }', pushing], []],
    [
      'nobody who may not read the source',
      by('leads'),
      [read, pushing, '{ deny: [read], to: [barred], where: ["*/staging"] }'],
      ['U03CHI', 'U04DEE'],
    ],
  ])('%s', async (_, needed, rules, people) => {
    const [ask, ...more] = await asks(needed, rules);
    expect(more).toEqual([]);
    expect(ask?.people.toSorted()).toEqual(people.toSorted());
    expect(ask?.count).toBe(1);
  });

  test('never the person who handed it on, by any of their ids', async () => {
    const { asks: all, told } = await whom(by('leads', 'both'), [read, pushing], memberLists, 'U02BEN', {
      handedOnBy: 'U03CHI',
    });
    expect(all[0]?.people).not.toContain('U03CHI');
    expect(told).not.toContain('U03CHI');
    const ana = await whom(by('guides'), [read, pushing], memberLists, 'U05FAY', { handedOnBy: 'U01ANA' });
    expect(ana.told).not.toContain('U0ANATWO');
  });

  test('each requirement has its own approvers', async () => {
    const all = await asks(needing({ by: ['leads'], count: 2 }, { by: 'allowed', count: 1 }), [read, pushing]);
    expect(all).toEqual([
      { count: 2, groups: ['leads'], ...named('U03CHI', 'U04DEE', 'U05FAY') },
      { count: 1, groups: ['developers'], mayBeOthers: true, ...named('U02BEN') },
    ]);
  });

  test('if Slack does not say who is in a user group, the group itself is asked', async () => {
    expect(await asks(by('guides'), [read, pushing], {})).toEqual([
      { count: 1, groups: ['guides'], ...named('U04DEE'), userGroups: ['S0GUIDES'] },
    ]);
  });

  test('if Slack does not say whom a rule denies, everybody whose approval may count is asked', async () => {
    const [ask] = await asks(by('leads'), [read, pushing, '{ deny: [push], to: [guides] }'], {});
    expect(ask).toEqual({ count: 1, groups: ['leads'], ...named('U03CHI', 'U05FAY') });
  });

  test('only user groups in rules about the command, about reading and about approvers are requested', async () => {
    const about: string[] = [];
    const lists = new Proxy(memberLists, { get: (_, group) => (about.push(String(group)), []) });
    await asks(by('leads'), ['{ allow: [read], to: [leads] }', pushing, '{ allow: [routine], to: [guides] }'], lists);
    expect(about).toEqual([]);
    await asks(by('guides'), ['{ allow: [read], to: [leads] }', pushing], lists);
    expect(about).toEqual(['S0GUIDES']);
  });

  test('if everyone may approve, everyone is named as a group', async () => {
    const everyone = ['{ allow: [read], to: everyone }', '{ allow: [push], to: everyone }'];
    expect(await asks(allowed, everyone)).toEqual([{ count: 1, groups: ['everyone'], mayBeOthers: true, ...named() }]);
  });

  test('at most 25 are asked', async () => {
    const manyMembers = Array.from({ length: 60 }, (_, at) => `U1${String(at).padStart(3, '0')}`);
    const [ask] = await asks(by('guides'), [read, pushing], { S0GUIDES: manyMembers });
    expect(ask?.people).toHaveLength(25);
  });

  test('a person who is asked under two ids for two requirements is told once', async () => {
    const needed = needing({ by: ['first'], count: 1 }, { by: ['second'], count: 1 });
    const { asks: all, told } = await whom(needed, [read, '{ allow: [read], to: [first, second] }', pushing]);
    expect(all.map(({ people }) => people)).toEqual([['U07GIL'], ['U0GILTWO']]);
    expect(told).toEqual(['U07GIL']);
  });

  describe('whom a rule notifies', () => {
    const notifying = (...notify: readonly string[]): Needed => needing({ by: ['leads'], count: 1, notify });
    const leads = ['U03CHI', 'U04DEE', 'U05FAY'];
    const readers = '{ allow: [read], to: [guests] }';
    test.each<[string, Needed, readonly string[], Lists, readonly string[], string]>([
      ['not the approvers', notifying('both'), [], {}, ['U07GIL', 'U08HAL'], '@Name of U07GIL, @Name of U08HAL.'],
      ['no requester, with neither account', notifying('developers'), [], {}, ['U02BEN'], '@Name of U02BEN.'],
      [
        'no guest, and nobody whom Slack does not describe',
        notifying('guests'),
        [readers],
        {},
        ['U02BEN'],
        '@Name of U02BEN.',
      ],
      [
        'of a user group',
        notifying('guides'),
        [],
        memberLists,
        ['U04DEE', 'U09GUY', 'U02BEN'],
        '@Name of U02BEN, @Name of U04DEE, @Name of U09GUY.',
      ],
      [
        'the approvers, if Slack describes none of the others',
        notifying('silent'),
        ['{ allow: [read], to: [silent] }'],
        {},
        leads,
        "those who can approve it, because Slack doesn't tell me right now who they are.",
      ],
      [
        'nobody who may not see it: then the approvers',
        notifying('banned'),
        ['{ deny: [read], to: [banned] }'],
        {},
        leads,
        'those who can approve it, because nobody in banned may see it right now.',
      ],
      [
        'the approvers too, if the members of a user group are unknown',
        notifying('guides'),
        [],
        {},
        ['U04DEE', 'U03CHI', 'U05FAY'],
        "@Name of U04DEE and those who can approve it, because Slack doesn't tell me who is in the user group S0GUIDES.",
      ],
      [
        'the approvers, if it is unknown whether the others may see it',
        notifying('both'),
        ['{ deny: [read], to: [guides] }'],
        {},
        ['U03CHI', 'U05FAY'],
        'those who can approve it, because nobody in both may see it right now.',
      ],
    ])('%s', async (_, needed, rules, lists, people, words) => {
      const { asks: all, told } = await whom(needed, [read, pushing, ...rules], lists);
      expect(told.toSorted()).toEqual(people.toSorted());
      expect(plain(whoIsNotified(all))).toBe(words);
      expect(all.map((one) => one.people)).toEqual([expect.arrayContaining(['U03CHI'])]);
    });

    test('whom it escalates to is notified from then on', async () => {
      const needed = needing({
        by: ['leads'],
        count: 1,
        notify: ['guests'],
        escalate: { after: 60_000, to: ['both'] },
      });
      const at = async (waited: number) =>
        (await whom(needed, [read, readers, pushing], memberLists, 'U01ANA', { waited })).told.toSorted();
      expect([await at(59_999), await at(60_000)]).toEqual([['U02BEN'], ['U02BEN', 'U07GIL', 'U08HAL']]);
    });

    test('a user group of the approvers is not mentioned if others are notified', async () => {
      const needed = needing({ by: ['guides'], count: 1, notify: ['both'] });
      const all = await asks(needed, [read, pushing], {});
      expect(plain(whoIsAsked(all, { notify: 'unreached' }))).toBe('@Name of U04DEE or S0GUIDES');
    });
  });

  describe('if Slack describes too few of them', () => {
    const rules = [read, '{ allow: [read], to: [guests] }', pushing];
    test.each([
      [2, '2 of @Name of U02BEN, @U0SILENT'],
      [1, '@Name of U02BEN'],
    ])('and %s are needed, those whom it does not are mentioned, if nobody else can', async (count, words) => {
      const [ask] = await asks(needing({ by: ['guests'], count }), rules);
      expect(ask?.people).toEqual(['U02BEN']);
      expect(plain(whoIsAsked(ask ? [ask] : [], { notify: 'unreached' }))).toBe(words);
      expect(plain(whoIsAsked(ask ? [ask] : []))).not.toContain('U0SILENT');
    });
  });

  test('a requester with a second account is asked with neither', async () => {
    const [ask] = await asks(by('developers'), [read, pushing], memberLists, 'U0ANATWO');
    expect(ask?.people).toEqual(['U02BEN']);
  });
});

describe('how the approvers are worded', () => {
  const ask = (count: number, people: readonly string[], groups = ['leads']): AskedRequirement => ({
    count,
    people,
    names: people,
    groups,
  });
  test.each<[string, readonly AskedRequirement[], readonly string[], string]>([
    ['one', [ask(1, ['U1'])], [], '@U1'],
    ['one of two', [ask(1, ['U1', 'U2'])], [], '@U1 or @U2'],
    ['two of three', [ask(2, ['U1', 'U2', 'U3'])], [], '2 of @U1, @U2, @U3'],
    ['without those who have', [ask(1, ['U1', 'U2'])], ['U1'], '@U2'],
    ['a group without known members', [ask(1, [])], [], 'leads'],
    ['a user group that is not known', [{ ...ask(1, []), userGroups: ['S1'] }], [], '@S1'],
    ['and somebody besides', [{ ...ask(2, ['U1']), userGroups: ['S1'] }], [], '2 of @U1, @S1'],
    ['groups without known members', [ask(2, [], ['leads', 'guides'])], [], '2 of leads, guides'],
    [
      'more than are named',
      [ask(1, ['U1', 'U2', 'U3', 'U4', 'U5', 'U6', 'U7'])],
      [],
      '@U1, @U2, @U3, @U4, @U5 or 2 more',
    ],
    ['two things', [ask(1, ['U1']), ask(2, ['U2', 'U3'])], [], '@U1, and 2 of @U2, @U3'],
    ['the same people for two rules', [ask(1, ['U1', 'U2']), ask(1, ['U1', 'U2'], ['all'])], [], '@U1 or @U2'],
    ['nothing', [], [], ''],
  ])('%s', (_, asks, without, sentence) => {
    expect(plain(whoIsAsked(asks, { without, notify: 'unreached' }))).toBe(sentence);
  });

  const known: readonly AskedRequirement[] = [
    { ...ask(1, ['U1', 'U2']), names: ['Chi', 'Dee\n<@U9> *x*'], userGroups: ['S1'] },
  ];
  test('people with their names, without a mention', () => {
    expect(whoIsAsked(known)).toEqual([{ text: '@Chi, @Dee <@U9> *x* or ' }, { text: 'S1', style: 'code' }]);
    expect(plain(whoIsAsked(known, { without: ['U1'] }))).toBe('@Dee <@U9> *x* or S1');
  });

  test('and a user group with unknown members with a mention, if nothing else tells them', () => {
    expect(whoIsAsked(known, { without: ['U1', 'U2'], notify: 'unreached' })).toEqual([{ userGroup: 'S1' }]);
  });

  test('each person once; whoever is told is listed apart', () => {
    const authorization: Authorization = {
      approval: 'none',
      rules: [],
      policy: 'p',
      asks: [ask(1, ['U1', 'U2']), ask(1, ['U2', 'U3'])],
    };
    expect(askedPeople(authorization)).toEqual(['U1', 'U2', 'U3']);
    expect(toldPeople(authorization)).toEqual([]);
    expect(toldPeople({ ...authorization, told: ['U3'] })).toEqual(['U3']);
    expect(askedPeople({})).toEqual([]);
  });
});
