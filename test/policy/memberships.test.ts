import { expect, test } from 'vitest';
import { dependsOn, holds, membershipsOf, mentionedGroups } from '../../src/policy/memberships.ts';
import { policyOf } from './fixtures.ts';

const policy = policyOf(`version: 1
people: { ana: [U01ANA, U0ANATWO] }
groups:
  developers: [U01ANA, S0DEVS]
  night: [S0NIGHT, S0DEVS]
  barred: [U0ANATWO]
  e: [S0NIGHT]
rules: []
`);
const ana = { id: 'U01ANA', groups: ['S0NONE'], otherGroups: [] };

test('somebody is in groups by the id they act with, by any of theirs, and perhaps in others', () => {
  const { own, any, perhaps } = membershipsOf(policy, ana);
  expect(own).toEqual(new Set(['developers']));
  expect(any).toEqual(new Set(['developers', 'barred']));
  expect([...perhaps]).toEqual([
    ['night', ['S0DEVS', 'S0NIGHT']],
    ['e', ['S0NIGHT']],
  ]);
});

test('it is computed once', () => {
  const [another, ben] = [
    { ...policy, groups: new Map(policy.groups) },
    { ...ana, id: 'U02BEN' },
  ];
  expect(membershipsOf(another, ben)).toBe(membershipsOf(another, ben));
  expect(mentionedGroups(another)).toBe(mentionedGroups(another));
});

test('an audience contains them, does not, or possibly does', () => {
  const of = membershipsOf(policy, ana);
  expect(['everyone' as const, ['developers'], ['night'], ['barred'], []].map((to) => holds(to, of, 'allow'))).toEqual([
    'yes',
    'yes',
    'perhaps',
    'no',
    'no',
  ]);
  expect(holds(['barred'], of, 'deny')).toBe('yes');
});

test('everyone depends on no group, and is not read as a list of letters', () => {
  const of = membershipsOf(policy, ana);
  expect(dependsOn(['everyone'], of)).toEqual([]);
  expect(dependsOn([['e'], ['night']], of)).toEqual(['S0NIGHT', 'S0DEVS']);
  expect(dependsOn([['e'], ['night']], of, ['S0NIGHT'])).toEqual(['S0DEVS']);
});
