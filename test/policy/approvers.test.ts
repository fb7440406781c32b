import type { Needed, Policy } from '../../src/policy/rules.ts';
import { describe, expect, test } from 'vitest';
import { groupsEver, inForce } from '../../src/policy/approval-requirement.ts';
import {
  countsFrom,
  groupsForRequirement,
  mayApprove,
  namesOthers,
  outstanding,
  type ApprovalRequest,
} from '../../src/policy/approvers.ts';
import { canonicalId, groupIds, idsOf, mentionedGroups, samePerson } from '../../src/policy/memberships.ts';
import { ana, ben, chi, dee, guy, GROUPS, person, policyOf, rob, rulesOf, to } from './fixtures.ts';

const PUSH = to('push', 'acme-shop/live');
const by = (...requirements: Needed['requirements']): Needed => ({ requirements, expires: 60_000, reason: 'optional' });
const leads = (count: number) => by({ by: ['leads'], count });
const asked = (requester: string): ApprovalRequest => ({ ...PUSH, requester, waited: 0 });

const people = policyOf(`${GROUPS}people: { chi: [U03CHI, U0CHITWO], ana: [U0ANATWO, U01ANA] }
rules:
  - { allow: [push], to: [developers, guides], where: ["acme-shop/*"] }
  - { allow: [push], to: [readers], where: ["acme-blog/*"] }
  - { deny: [push], to: [readers] }
`);

describe('whose approval counts', () => {
  test.each([
    ['a lead', chi, leads(1), 'U01ANA', 'counts'],
    ['the requester', chi, leads(1), 'U03CHI', 'yourself'],
    ['the requester with a second id', person('U0CHITWO'), leads(1), 'U03CHI', 'yourself'],
    ['the requester’s first id for a request of the second', chi, leads(1), 'U0CHITWO', 'yourself'],
    ['a second id that no group names', person('U0CHITWO'), leads(1), 'U01ANA', 'not named'],
    ['not a developer', ben, leads(1), 'U01ANA', 'not named'],
    ['not whom a rule denies it', rob, by({ by: ['readers'], count: 1 }), 'U01ANA', 'denied'],
    ['a person who may run it', ben, by({ by: 'allowed', count: 1 }), 'U01ANA', 'counts'],
    ['a person who may run it, by user group', guy, by({ by: 'allowed', count: 1 }), 'U01ANA', 'counts'],
    ['who has left the user group', person('U09GUY'), by({ by: 'allowed', count: 1 }), 'U01ANA', 'not named'],
    ['a lead who may not do it', chi, by({ by: 'allowed', count: 1 }), 'U01ANA', 'not named'],
    ['who would do it, asking themselves', ana, by({ by: 'allowed', count: 1 }), 'U0ANATWO', 'yourself'],
    ['a group that is gone', chi, by({ by: ['chiefs'], count: 1 }), 'U01ANA', 'not named'],
  ] as const)('%s', (_, voter, needed, requester, expected) => {
    const vote = mayApprove(people, voter, needed, asked(requester));
    expect(vote.kind === 'counts' ? 'counts' : vote.why).toBe(expected);
  });
});

describe('what is outstanding', () => {
  test.each([
    ['nobody yet', leads(2), [], [{ by: ['leads'], count: 2 }]],
    ['one of two', leads(2), [chi], [{ by: ['leads'], count: 1 }]],
    ['both', leads(2), [chi, dee], []],
    ['the same one twice', leads(2), [chi, chi], [{ by: ['leads'], count: 1 }]],
    ['one who does not count', leads(2), [chi, ben, ana], [{ by: ['leads'], count: 1 }]],
    ['more than enough', leads(1), [chi, dee], []],
    ['one person towards two', by({ by: ['leads'], count: 1 }, { by: ['guides', 'leads'], count: 1 }), [chi], []],
    [
      'every requirement by itself',
      by({ by: ['leads'], count: 1 }, { by: 'allowed', count: 1 }),
      [chi],
      [{ by: 'allowed', count: 1 }],
    ],
    ['all requirements', by({ by: ['leads'], count: 1 }, { by: 'allowed', count: 1 }), [chi, ben], []],
  ] as const)('%s', (_, needed, voters, expected) => {
    expect(outstanding(people, needed, asked('U01ANA'), voters)).toEqual(expected);
  });

  test('one person with two ids counts once', () => {
    const both = policyOf(`version: 1
people: { chi: [U03CHI, U0CHITWO] }
groups: { leads: [U03CHI, U0CHITWO, U04DEE] }
rules: []
`);
    const left = outstanding(both, leads(2), asked('U01ANA'), [chi, person('U0CHITWO')]);
    expect(left).toEqual([{ by: ['leads'], count: 1 }]);
  });
});

describe('what escalates', () => {
  const escalate = { after: 60_000, to: ['guides', 'leads'] };
  const leadsFirst = { by: ['leads'], count: 2, escalate };

  test('names further groups from then on, and nobody later; they are notified too, if others are', () => {
    expect(inForce(leadsFirst, 59_999)).toBe(leadsFirst);
    expect(inForce(leadsFirst, 60_000)).toEqual({ by: ['guides', 'leads'], count: 2 });
    expect(inForce({ ...leadsFirst, notify: ['readers'] }, Infinity)).toEqual({
      by: ['guides', 'leads'],
      count: 2,
      notify: ['guides', 'leads', 'readers'],
    });
    expect(groupsForRequirement(people, leadsFirst, { ...asked('U01ANA'), waited: 60_000 })).toEqual([
      'guides',
      'leads',
    ]);
    expect([groupsEver(leadsFirst), groupsEver({ by: ['readers'] }), groupsEver({ by: 'allowed' })]).toEqual([
      ['leads', 'guides', 'leads'],
      ['readers'],
      [],
    ]);
  });

  test('others are named by whoever could approve it and may see it, also later or by a user group', () => {
    const seeing = policyOf(
      `${GROUPS}rules:\n  - { allow: [read], to: everyone }\n  - { allow: [push], to: [readers, developers] }\n  - { deny: [push], to: [leads] }\n`,
    );
    const others = (policy: Policy, ...all: Needed['requirements']): boolean =>
      namesOthers(policy, by(...all), { ...PUSH, requester: 'U06ROB', waited: 0 });
    const readers = { by: ['readers'], count: 1 };
    const developers = { by: ['developers'], count: 1 };
    expect([
      others(seeing, readers),
      others(seeing, developers),
      others(seeing, { ...readers, escalate: { after: 60_000, to: ['developers'] } }),
      // A rule denies it to each of them.
      others(seeing, { by: ['leads'], count: 1 }),
      // They may read one of its targets by one rule, and push by another.
      others(seeing, { by: 'allowed', count: 1 }),
      // Nobody may see what it is about.
      others(people, developers),
    ]).toEqual([false, true, true, false, true, false]);
  });

  test.each([
    ['whom it escalates to, then', guy, 60_000],
    ['somebody else, never', ben, Infinity],
    ['the requester, never', ana, Infinity],
  ])('counts %s', (_, who, from) => {
    expect(countsFrom(people, who, by(leadsFirst), asked('U01ANA'))).toBe(from);
    const later = { ...leadsFirst, escalate: { after: 90_000, to: ['guides'] } };
    expect(countsFrom(people, who, by(later, leadsFirst, { by: ['leads'], count: 1 }), asked('U01ANA'))).toBe(from);
  });
});

test('people are joined', () => {
  expect(samePerson(people, 'U01ANA', 'U0ANATWO')).toBe(true);
  expect(samePerson(people, 'U01ANA', 'U03CHI')).toBe(false);
  expect(canonicalId(people, 'U01ANA')).toBe(canonicalId(people, 'U0ANATWO'));
  expect(canonicalId(people, 'U0STRANGER')).toBe('U0STRANGER');
  expect(idsOf(people, 'U01ANA')).toEqual(['U0ANATWO', 'U01ANA']);
  expect(idsOf(people, 'U0STRANGER')).toEqual(['U0STRANGER']);
});

test('groups are looked up', () => {
  expect(mentionedGroups(people)).toEqual(['S0GUIDES']);
  expect(groupIds(people, ['developers', 'guides', 'chiefs', 'developers'])).toEqual(['U01ANA', 'U02BEN', 'S0GUIDES']);
  expect(groupsForRequirement(people, { by: ['leads'], count: 1 }, asked('U01ANA'))).toEqual(['leads']);
  expect(groupsForRequirement(people, { by: 'allowed', count: 1 }, asked('U01ANA'))).toEqual(['developers', 'guides']);
  expect(groupsForRequirement(rulesOf(), { by: 'allowed', count: 1 }, asked('U01ANA'))).toEqual([]);
});

describe('whether the policy names others who could approve', () => {
  const named = policyOf(`${GROUPS}  teams: [U01ANA]
  doubles: [U0ANATWO, U01ANA]
  nobody: []
  anybody: [U0GONE]
people: { ana: [U0ANATWO, U01ANA] }
rules:
  - { allow: [read], to: everyone }
  - { allow: [push], to: [teams], where: ["acme-shop/*"] }
  - { allow: [push], to: everyone, where: ["acme-blog/*"] }
  - { allow: [push], to: [teams, leads], where: ["acme-docs/*"] }
  - { deny: [push], to: [leads], where: ["acme-docs/live"] }
`);
  test.each<[string, Needed, string, boolean, string?]>([
    ['others', leads(1), 'U01ANA', true],
    ['the asker and others', leads(1), 'U03CHI', true],
    ['the asker alone', by({ by: ['teams'], count: 1 }), 'U01ANA', false],
    ['the asker with another account', by({ by: ['teams'], count: 1 }), 'U0ANATWO', false],
    ['both accounts of the asker', by({ by: ['doubles'], count: 1 }), 'U01ANA', false],
    ['nobody', by({ by: ['nobody'], count: 1 }), 'U01ANA', false],
    ['a group that is gone', by({ by: ['chiefs'], count: 1 }), 'U01ANA', false],
    ['somebody, who may be gone by now', by({ by: ['anybody'], count: 1 }), 'U01ANA', true],
    ['a Slack user group, whoever is in it', by({ by: ['guides'], count: 1 }), 'U01ANA', true],
    ['others for one of two approvals', by({ by: ['teams'], count: 1 }, { by: ['leads'], count: 1 }), 'U01ANA', true],
    [
      'nobody but the asker for either',
      by({ by: ['teams'], count: 1 }, { by: ['doubles'], count: 1 }),
      'U01ANA',
      false,
    ],
    ['nobody else who may do it', by({ by: 'allowed', count: 1 }), 'U01ANA', false],
    ['everyone, who may do it', by({ by: 'allowed', count: 1 }), 'U01ANA', true, 'acme-blog/live'],
    ['others who may do it', by({ by: 'allowed', count: 1 }), 'U01ANA', true, 'acme-docs/staging'],
    ['others, whom a rule denies it here', by({ by: 'allowed', count: 1 }), 'U01ANA', false, 'acme-docs/live'],
  ])('%s', (_, needed, requester, is, where = 'acme-shop/live') => {
    expect(namesOthers(named, needed, { ...to('push', where), requester, waited: 0 })).toBe(is);
  });
});
