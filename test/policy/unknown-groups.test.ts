import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mayApprove, outstanding, type ApprovalRequest } from '../../src/policy/approvers.ts';
import { loadPolicy } from '../../src/policy/load.ts';
import { unknownGroups } from '../../src/policy/memberships.ts';
import {
  decideAnywhere,
  decideAccess,
  groupsAbout,
  groupsApproving,
  unknownIn,
  type AccessDecision,
} from '../../src/policy/policy.ts';
import type { AccessRequest } from '../../src/policy/matching.ts';
import { strictest } from '../../src/policy/approval-requirement.ts';
import { type Member, type Policy, type Needed } from '../../src/policy/rules.ts';
import { catalogue, command, environment, policyOf, to } from './fixtures.ts';

/** Decisions while the members of a Slack user group are unknown. */

const file = `version: 1
groups:
  developers: [U01ANA, S0DEVS]
  leads: [S0LEADS, U03CHI]
  barred: [S0BARRED, U07TWO]
  night: [S0NIGHT, S0DEVS]
people:
  two: [U06ROB, U07TWO]
rules:
`;
const userGroups = ['S0DEVS', 'S0LEADS', 'S0BARRED', 'S0NIGHT'] as const;
const withRules = (...rules: readonly string[]): string => `${file}${rules.map((rule) => `  - ${rule}\n`).join('')}`;

/** A person with all memberships known: `groups`, `joinedGroups`, and no others. */
const known = (id: string, groups: readonly string[] = [], joinedGroups: readonly string[] = []): Member => ({
  id,
  groups,
  joinedGroups,
  otherGroups: userGroups.filter((group) => ![...groups, ...joinedGroups].includes(group)),
});
/** The same person with unknown memberships in these groups. */
const without = (person: Member, unknown: readonly string[]): Member => {
  const left = (groups: readonly string[] = []): readonly string[] => groups.filter((one) => !unknown.includes(one));
  return {
    id: person.id,
    groups: left(person.groups),
    joinedGroups: left(person.joinedGroups),
    otherGroups: left(person.otherGroups),
  };
};

/** Every combination of known memberships that `person` can have in these groups. */
function resolutions(person: Member, unknown: readonly string[]): readonly Member[] {
  return unknown.reduce<readonly Member[]>(
    (people, group) =>
      people.flatMap((one) => [
        { ...one, groups: [...one.groups, group] },
        { ...one, joinedGroups: [...(one.joinedGroups ?? []), group] },
        { ...one, otherGroups: [...(one.otherGroups ?? []), group] },
      ]),
    [person],
  );
}

const some = <T>(...values: readonly T[]) => fc.subarray([...values], { minLength: 1 });
const audience = fc.oneof(
  { weight: 6, arbitrary: some('developers', 'leads', 'barred', 'night') },
  fc.constant('everyone'),
);
const where = fc.option(some('*/live', 'acme-shop/*', 'company'), { nil: undefined });
const what = some('read', 'routine', 'push', 'cache clear', 'pause');
const approval = fc.option(
  fc.record({ by: some('leads', 'night'), count: fc.constantFrom(1, 2), expires: fc.constantFrom('5m', '1h') }),
  { nil: undefined },
);
const rule = fc
  .record({ effect: fc.constantFrom('allow', 'allow', 'deny'), what, to: audience, where, approval })
  .map(({ effect, what: named, to: whom, where: places, approval: asks }) => {
    const isAllow = effect === 'allow';
    const changes = isAllow && asks ? named.filter((one) => !['read', 'pause'].includes(one)) : named;
    const approves = isAllow && asks && changes.length > 0 ? { approval: asks } : {};
    return JSON.stringify({ [effect]: changes.length > 0 ? changes : named, to: whom, where: places, ...approves });
  });
const rules = fc.array(rule, { minLength: 1, maxLength: 6 });
const parsed: fc.Arbitrary<AccessRequest> = fc.record({
  command: fc.constantFrom(...catalogue.filter(({ path }) => ['logs', 'cache clear', 'push', 'pause'].includes(path))),
  aims: fc.array(
    fc.record({
      target: fc.constantFrom(environment('acme-shop/live'), environment('acme-shop/staging')),
      access: fc.constantFrom('change', 'read'),
    }),
    { maxLength: 2 },
  ),
});
const who = fc.record({
  id: fc.constantFrom('U01ANA', 'U03CHI', 'U06ROB', 'U0NOBODY'),
  groups: fc.subarray([...userGroups]),
  joined: fc.subarray([...userGroups]),
});
const testUser = who.map(({ id, groups, joined }) =>
  known(
    id,
    groups,
    joined.filter((group) => !groups.includes(group)),
  ),
);
const unknown = fc.subarray([...userGroups], { maxLength: 3 });

function load(texts: readonly string[]): Policy {
  const loaded = loadPolicy(withRules(...texts), catalogue);
  fc.pre(loaded.kind === 'policy');
  if (loaded.kind !== 'policy') throw new Error('unreachable');
  return loaded.policy;
}
const holds = <T>(property: fc.IProperty<T>): void => fc.assert(property, { numRuns: 400 });
const isAllowed = ({ kind }: AccessDecision): boolean => kind === 'allowed';

test('an unknown membership never allows more than either answer would, and is unknown exactly if they differ', () => {
  holds(
    fc.property(rules, testUser, unknown, parsed, (texts, person, hidden, wanted) => {
      const policy = load(texts);
      const partly = without(person, hidden);
      const decision = decideAccess(policy, partly, wanted);
      const all = resolutions(partly, unknownGroups(policy, partly)).map((one) => decideAccess(policy, one, wanted));
      // Certain either way, so it does not depend on the unknown groups.
      for (const one of all) expect(unknownIn(one)).toEqual([]);
      if (decision.kind === 'allowed') {
        for (const one of all) {
          if (one.kind !== 'allowed') throw new Error('it allows more than one of the answers');
          const { approval: asks } = one;
          const both = asks === 'none' || decision.approval === 'none' ? asks : decision.approval;
          if (both === 'none') continue;
          if (decision.approval === 'none') throw new Error('it asks for less than one of the answers');
          for (const { by, count } of asks === 'none' ? [] : asks.requirements) {
            const same = decision.approval.requirements.find((each) => String(each.by) === String(by));
            expect(same?.count).toBeGreaterThanOrEqual(count);
          }
        }
      } else if (unknownIn(decision).length > 0) {
        expect(new Set(all.map(isAllowed))).toEqual(new Set([true, false]));
        expect(unknownGroups(policy, partly)).toEqual(expect.arrayContaining([...unknownIn(decision)]));
      } else expect(all.some(isAllowed)).toBe(false);
      expect(all.map(isAllowed)).toContain(isAllowed(decideAccess(policy, person, wanted)));
    }),
  );
});

test('knowing the groups that a decision names settles it', () => {
  holds(
    fc.property(rules, testUser, unknown, parsed, (texts, person, hidden, wanted) => {
      const policy = load(texts);
      const named = unknownIn(decideAccess(policy, without(person, hidden), wanted));
      const rest = hidden.filter((group) => !named.includes(group));
      expect(
        unknownIn(decideAccess(policy, without(person, rest), wanted)).every((group) => !named.includes(group)),
      ).toBe(true);
    }),
  );
});

test('an emergency stop is allowed to people who may turn out to be allowed it', () => {
  holds(
    fc.property(rules, testUser, unknown, (texts, person, hidden) => {
      const policy = load(texts);
      const stop: AccessRequest = { command: { ...command('pause'), brake: true }, aims: [] };
      const partly = without(person, hidden);
      const decision = decideAccess(policy, partly, stop);
      expect(unknownIn(decision)).toEqual([]);
      const some = resolutions(partly, hidden).some((one) => isAllowed(decideAccess(policy, one, stop)));
      if (some) expect(decision.kind).toBe('allowed');
      if (isAllowed(decideAccess(policy, person, stop))) expect(decision.kind).toBe('allowed');
      // With all memberships known, it is a command like any other.
      const usual = decideAccess(policy, person, { command: command('pause'), aims: [] });
      expect(decideAccess(policy, person, stop)).toEqual(usual);
    }),
  );
});

test('whether somebody may run it anywhere is as certain as their memberships', () => {
  holds(
    fc.property(rules, testUser, unknown, fc.constantFrom(...catalogue), (texts, person, hidden, asked) => {
      const policy = load(texts);
      const partly = without(person, hidden);
      const is = decideAnywhere(policy, partly, asked);
      const all = resolutions(partly, unknownGroups(policy, partly)).map((one) => decideAnywhere(policy, one, asked));
      expect(new Set(all)).toEqual(is === 'yes' || is === 'no' ? new Set([is]) : new Set(['yes', 'no']));
    }),
  );
});

test('uncertain votes never complete an approval', () => {
  const votes = fc.array(fc.tuple(testUser, unknown), { maxLength: 3 });
  holds(
    fc.property(rules, votes, parsed, (texts, cast, wanted) => {
      const policy = load(texts);
      const needed = strictest([
        { by: ['leads'], count: 1, expires: 60_000, reason: 'optional' },
        { by: 'allowed', count: 2, expires: 60_000, reason: 'optional' },
      ]);
      if (needed === 'none') throw new Error('unreachable');
      const asked: ApprovalRequest = { ...wanted, requester: 'U02BEN', waited: 0 };
      const left = (voters: readonly Member[], counting?: 'perhaps') =>
        outstanding(policy, needed, asked, voters, counting).reduce((sum, { count }) => sum + count, 0);
      const partly = cast.map(([person, hidden]) => without(person, hidden));
      const people = cast.map(([person]) => person);
      expect(left(partly)).toBeGreaterThanOrEqual(left(people));
      expect(left(partly, 'perhaps')).toBeLessThanOrEqual(left(people));
      expect(left(people, 'perhaps')).toBe(left(people));
    }),
  );
});

describe('if a user group cannot be read', () => {
  const policy = policyOf(
    withRules(
      '{ allow: [read], to: everyone }',
      '{ allow: [routine], to: [developers] }',
      '{ deny: [images], to: [barred] }',
      '{ allow: [push], to: [developers], approval: { by: [leads] } }',
      '{ allow: [push], to: [night], approval: { by: [leads], count: 1, reason: required } }',
    ),
  );
  const clear = to('cache clear', 'acme-shop/live');
  const ana = known('U01ANA');

  test.each<[string, Member, AccessRequest, readonly string[]]>([
    ['whoever is named by their id needs no group', without(ana, userGroups), clear, []],
    ['a deny holds', without(ana, ['S0BARRED']), to('images', 'a/b'), ['S0BARRED']],
    ['an allow does not', without(known('U0NEW'), ['S0DEVS']), clear, ['S0DEVS']],
    ['what was not asked is not known', { id: 'U0NEW', groups: [] }, clear, ['S0DEVS']],
    ['what cannot be either way is refused', without(known('U0NEW'), ['S0LEADS']), clear, []],
    ['reading depends on none', without(known('U0NEW'), userGroups), to('logs', 'a/b'), []],
  ])('%s', (_, person, wanted, groups) => {
    expect(unknownIn(decideAccess(policy, person, wanted))).toEqual(groups);
  });

  test('an additional approval that a rule may require is required', () => {
    const push = to('push', 'acme-shop/live');
    const asks = (person: Member): unknown => {
      const decision = decideAccess(policy, person, push);
      return decision.kind === 'allowed' && decision.approval !== 'none'
        ? [decision.approval.reason, decision.unsure]
        : decision;
    };
    expect(asks(ana)).toEqual(['optional', []]);
    expect(asks(without(ana, ['S0NIGHT']))).toEqual(['required', ['S0NIGHT']]);
    expect(asks(known('U01ANA', ['S0NIGHT']))).toEqual(['required', []]);
  });

  test('a rule that requires the same approval leaves no doubt', () => {
    const same = 'approval: { by: [leads] }';
    const twice = policyOf(
      withRules(`{ allow: [push], to: [developers], ${same} }`, `{ allow: [push], to: [night], ${same} }`),
    );
    const decision = decideAccess(twice, without(ana, ['S0NIGHT']), to('push', 'acme-shop/live'));
    expect(decision).toMatchObject({ kind: 'allowed', rules: [{ line: twice.rules[0]?.line }], unsure: [] });
  });

  test('an emergency stop names the rule by which it may turn out to be allowed', () => {
    const stop = policyOf(withRules('{ allow: [pause], to: [night] }'));
    const pause: AccessRequest = { command: { ...command('pause'), brake: true }, aims: [] };
    const decision = decideAccess(stop, without(known('U0NEW'), ['S0NIGHT']), pause);
    expect(decision).toMatchObject({ kind: 'allowed', rules: [{ line: stop.rules[0]?.line }] });
  });

  test('a group named allowed is not requested when `allowed` may approve', () => {
    const named = policyOf(`version: 1
groups: { developers: [U01ANA, U02BEN], allowed: [S0ALLOWED] }
rules: [{ allow: [push], to: [developers] }]
`);
    const needed: Needed = { requirements: [{ by: 'allowed', count: 1 }], expires: 1, reason: 'optional' };
    expect(groupsApproving(named, command('push'), needed, undefined)).toEqual([]);
  });

  test('a deny applies to a person whose other id is in the group, an allow does not', () => {
    const rob = known('U06ROB', ['S0DEVS'], ['S0BARRED']);
    expect(decideAccess(policy, rob, to('images', 'a/b'))).toMatchObject({ why: { kind: 'denied' } });
    expect(decideAccess(policy, known('U06ROB', [], ['S0DEVS']), clear).kind).toBe('not allowed');
  });

  test('an approval may count, and says which groups it depends on', () => {
    const needed: Needed = {
      requirements: [{ by: ['leads'], count: 1 }],
      expires: 60_000,
      reason: 'optional',
    };
    const asked: ApprovalRequest = { ...to('push', 'acme-shop/live'), requester: 'U01ANA', waited: 0 };
    const voteOf = (person: Member) => mayApprove(policy, person, needed, asked);
    expect(voteOf(known('U0NEW', ['S0LEADS']))).toMatchObject({ kind: 'counts' });
    expect(voteOf(without(known('U0NEW'), ['S0LEADS']))).toMatchObject({ why: 'unknown', groups: ['S0LEADS'] });
    expect(voteOf(without(known('U0NEW'), ['S0DEVS']))).toMatchObject({ why: 'not named' });
    expect(voteOf(without(ana, userGroups))).toMatchObject({ why: 'yourself', perhaps: [], groups: [] });
    // A person who is not denied still has to be named by a rule.
    const images: ApprovalRequest = { ...to('images', 'acme-shop/live'), requester: 'U01ANA', waited: 0 };
    const barred = without(known('U0NEW'), ['S0BARRED']);
    expect(mayApprove(policy, barred, needed, images)).toMatchObject({ why: 'not named', groups: [] });
  });

  test('only groups in rules about the command, about reading, and of approvers have to be known', () => {
    expect(groupsAbout(policy, command('cache clear'))).toEqual(['S0DEVS']);
    expect(groupsAbout(policy, command('images'))).toEqual(['S0DEVS', 'S0BARRED']);
    expect(groupsAbout(policy)).toEqual([]);
    expect(groupsApproving(policy, command('push'), 'none', undefined)).toEqual(['S0DEVS', 'S0NIGHT', 'S0LEADS']);
    const then: Needed = { requirements: [{ by: ['barred', 'gone'], count: 1 }], expires: 1, reason: 'optional' };
    expect(groupsApproving(policy, command('cache clear'), then, undefined)).toEqual(['S0DEVS', 'S0BARRED']);
  });
});
