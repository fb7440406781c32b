import { describe, expect, test } from 'vitest';
import { mistakeLine } from '../../src/policy/yaml-document.ts';
import { idleBreakGlass, impossibleRules } from '../../src/policy/unsatisfiable.ts';
import { policyFrom } from '../fixtures.ts';
import { mistakesOf, policyOf } from './fixtures.ts';

const PEOPLE = `version: 1
people: { chi: [U03CHI, U0CHITWO] }
groups:
  developers: [U01ANA, U02BEN]
  two: [U03CHI, U04DEE]
  three: [U03CHI, U04DEE, U05FAY]
  chi: [U03CHI, U0CHITWO]
  nobody: []
  guides: [S0GUIDES]
  mixed: [U03CHI, S0GUIDES]
rules:
`;
const LINE = 12;
const text = (...rules: readonly string[]) => PEOPLE + rules.map((rule) => `  - ${rule}\n`).join('');
const push = (to: string, by: string, count: number) =>
  `{ allow: [push], to: ${to}, approval: { by: [${by}], count: ${count} } }`;

describe('rules that could never be satisfied', () => {
  test.each<[string, string[], string[]]>([
    ['enough', [push('[developers]', 'two', 2)], []],
    ['enough, one of three asking', [push('[three]', 'three', 2)], []],
    ['enough for some who ask', [push('[developers, two]', 'two', 2)], []],
    [
      'enough once it has escalated',
      ['{ allow: [push], to: [developers], approval: { by: [nobody], then: { after: 1m, by: [two] } } }'],
      [],
    ],
    ['enough for everyone else', [push('everyone', 'two', 2)], []],
    ['enough, as far as is known', [push('[guides]', 'guides', 9)], []],
    ['enough, as far as is known of some', [push('[two]', 'mixed', 2)], []],
    [
      'both needed, one asks',
      [push('[two]', 'two', 2)],
      [
        `line ${LINE}: "push" could never be approved: it needs 2 of two, and there are only U03CHI and U04DEE, and the person who asks is one of them and does not count`,
      ],
    ],
    [
      'too many',
      [push('[developers]', 'three', 4)],
      [
        `line ${LINE}: "push" could never be approved: it needs 4 of three, and there are only U03CHI and U04DEE and U05FAY`,
      ],
    ],
    [
      'too many, whoever asks',
      [push('everyone', 'two', 3), push('[guides]', 'two', 3)],
      [
        `line ${LINE}: "push" could never be approved: it needs 3 of two, and there are only U03CHI and U04DEE`,
        `line ${LINE + 1}: "push" could never be approved: it needs 3 of two, and there are only U03CHI and U04DEE`,
      ],
    ],
    [
      'nobody',
      [push('[developers]', 'nobody', 1)],
      [`line ${LINE}: "push" could never be approved: it needs 1 of nobody, and there is nobody`],
    ],
    [
      'too many, also once it has escalated',
      ['{ allow: [push], to: [developers], approval: { by: [nobody], count: 3, then: { after: 1m, by: [two] } } }'],
      [`line ${LINE}: "push" could never be approved: it needs 3 of nobody, two, and there are only U03CHI and U04DEE`],
    ],
    [
      'too many, of two groups',
      [push('[developers]', 'two, nobody', 3)],
      [`line ${LINE}: "push" could never be approved: it needs 3 of two, nobody, and there are only U03CHI and U04DEE`],
    ],
    [
      'one person with two ids',
      [push('[developers]', 'chi', 2)],
      [`line ${LINE}: "push" could never be approved: it needs 2 of chi, and there is only U03CHI`],
    ],
    [
      'one person who asks with another id',
      [push('[chi]', 'chi', 1)],
      [
        `line ${LINE}: "push" could never be approved: it needs 1 of chi, and there is only U03CHI, and the person who asks is one of them and does not count`,
      ],
    ],
    [
      'approvers who are denied it',
      [push('[developers]', 'three', 2), '{ deny: [destructive], to: [two] }'],
      [`line ${LINE}: "push" could never be approved: it needs 2 of three, and there is only U05FAY`],
    ],
    [
      'approvers who are denied it elsewhere',
      [push('[developers]', 'two', 1), '{ deny: [push], to: [two], where: ["a/b"] }'],
      [],
    ],
    [
      'somebody else, where there is nobody else',
      ['{ allow: [routine, destructive], to: [chi] }'],
      [
        `line ${LINE}: "push" could never be approved: it needs 1 of the people who may do it themselves, and there is only U03CHI, and the person who asks is one of them and does not count`,
      ],
    ],
    [
      'another person, whom a rule denies it in one place',
      ['{ allow: [push], to: [chi] }', '{ deny: [push], to: [developers], where: ["a/b"] }'],
      [
        `line ${LINE}: "push" could never be approved: it needs 1 of the people who may do it themselves, and there is only U03CHI, and the person who asks is one of them and does not count`,
      ],
    ],
    [
      'another person, whom a rule allows it',
      ['{ allow: [push], to: [chi] }', '{ allow: [push], to: [developers] }'],
      [],
    ],
    [
      'another person, whom a rule may allow it',
      ['{ allow: [push], to: [chi] }', '{ allow: [push], to: [guides] }'],
      [],
    ],
    ['no possible requester', [push('[two]', 'two', 1), '{ deny: [push], to: [two] }'], []],
    ['no approval needed', ['{ allow: [push], to: [chi], approval: none }', '{ allow: [routine], to: [chi] }'], []],
  ])('%s', (_, rules, expected) => {
    expect(mistakesOf(text(...rules))).toEqual(expected);
  });

  test('rules with mistakes are not judged', () => {
    expect(mistakesOf(text(push('[two]', 'twoo', 2)))).toEqual([
      `line ${LINE}: unknown group "twoo"; did you mean "two"?`,
    ]);
  });
});

describe('once the user groups are known', () => {
  const policy = policyOf(text(push('[guides]', 'mixed', 2), push('[developers]', 'mixed', 2)));
  test.each<[string, string[], number]>([
    ['enough', ['U0AAA', 'U0BBB'], 0],
    ['both needed, and those who ask are among them', ['U03CHI', 'U0BBB'], 1],
    ['one of them twice', ['U0CHITWO'], 2],
    ['no approver, and no requester among guides', [], 1],
  ])('%s', (_, members, count) => {
    expect(impossibleRules(policy, new Map([['S0GUIDES', members]]))).toHaveLength(count);
  });

  test('a group with the ending of a caller’s name is not the caller', () => {
    const caller = `callers: { ci: { keys: ["sha256:${'a'.repeat(64)}"], for: U03CHI, operators: [U04DEE], channel: C0ACME, expires: 2027-03-01 } }`;
    const grouped = PEOPLE.replace('  two:', '  team-a-ci: [U0ZZZ]\n  two:').replace('rules:', `${caller}\nrules:`);
    expect(mistakesOf(`${grouped}  - ${push('[team-a-ci]', 'two', 1)}\n`)).toEqual([]);
    expect(mistakesOf(`${grouped}  - ${push('["caller:ci"]', 'two', 1)}\n`)).not.toEqual([]);
  });

  test('the rule is named', () => {
    const [mistake] = impossibleRules(policy, new Map([['S0GUIDES', []]]));
    expect(mistake && mistakeLine(mistake)).toBe(
      `line ${LINE + 1}: "push" could never be approved: it needs 2 of mixed, and there is only U03CHI`,
    );
  });
});

describe('breakGlass that never works', () => {
  const [works, alone, looked, idle] = [
    [],
    ['note: breakGlass: alone never works here, because others are named who can approve it; say true'],
    ['note: breakGlass: true never works here, because nobody else is named who could review it; say alone'],
    ['note: leave breakGlass out: no rule asks for approval, and there are no freezes'],
  ];
  const night = 'freezes: [{ name: night, weekly: fri 16:00 – mon 08:00, zone: UTC';
  test.each<[why: string, rule: string, more: string, says: readonly string[]]>([
    ['alone, where two others may', 'allow: [push], to: [a], approval: { by: [leads] }, breakGlass: alone', '', alone],
    ['alone, where another may', 'allow: [push], to: [a], approval: { by: [chi] }, breakGlass: alone', '', alone],
    ['alone, where a user group may', 'allow: [push], to: [a], approval: { by: [team] }, breakGlass: alone', '', alone],
    ['alone, where others may do it', 'allow: [push], to: [a, chi], breakGlass: alone', '', alone],
    ['alone, where only who asks may', 'allow: [push], to: [a], breakGlass: alone', '', works],
    ['alone, where nobody else may', 'allow: [push], to: [a], approval: { by: [a] }, breakGlass: alone', '', works],
    ['alone, with a second account', 'allow: [push], to: [a], approval: { by: [twice] }, breakGlass: alone', '', works],
    [
      'alone, where one of them asks',
      'allow: [push], to: [a, chi], approval: { by: [chi] }, breakGlass: alone',
      '',
      works,
    ],
    [
      'alone, where who asks is open',
      'allow: [push], to: [team], approval: { by: [chi] }, breakGlass: alone',
      '',
      works,
    ],
    [
      'alone, where everyone asks',
      'allow: [push], to: everyone, approval: { by: [chi] }, breakGlass: alone',
      '',
      works,
    ],
    [
      'alone, where another may later',
      'allow: [push], to: [a], approval: { by: [a], then: { after: 5m, by: [chi] } }, breakGlass: alone',
      '',
      alone,
    ],
    ['alone, where a freeze alone holds it', 'allow: [routine], to: [a], breakGlass: alone', `${night} }]`, works],
    ['true, where another may', 'allow: [push], to: [a], approval: { by: [chi] }, breakGlass: true', '', works],
    [
      'true, where another may later',
      'allow: [push], to: [a], approval: { by: [a], then: { after: 5m, by: [chi] } }, breakGlass: true',
      '',
      works,
    ],
    ['true, where only a second account is', 'allow: [routine], to: [twice], breakGlass: true', `${night} }]`, looked],
    ['true, where nobody else is let', 'allow: [routine], to: [a], breakGlass: true', `${night} }]`, looked],
    ['true, where everyone is let', 'allow: [routine], to: everyone, breakGlass: true', `${night} }]`, works],
    [
      'true, where an exception lets another',
      'allow: [routine], to: [a], breakGlass: true',
      `${night}, except: { to: [chi] } }]`,
      works,
    ],
    [
      'true, where an exception asks another',
      'allow: [routine], to: [a], breakGlass: true',
      `${night}, except: { to: [a], approval: { by: [chi] } } }]`,
      works,
    ],
    ['true, where nothing is skipped', 'allow: [push], to: [a, chi], approval: none, breakGlass: true', '', idle],
    ['true, where one of several is skipped', 'allow: [routine, push], to: [a, chi], breakGlass: true', '', works],
    ['none at all', 'allow: [push], to: [a], approval: none', '', works],
  ])('%s', (_, rule, more, says) => {
    const groups = '{ a: [U01ANA], twice: [U01ANA, U0ANATWO], chi: [U03CHI], leads: [U03CHI, U04DEE], team: [S0TEAM] }';
    const file = `version: 1\npeople: { ana: [U01ANA, U0ANATWO] }\ngroups: ${groups}\nrules:\n  - { ${rule} }\n${more}\n`;
    expect(idleBreakGlass(policyFrom(file)).map((one) => [one.line, one.says])).toEqual(says.map((one) => [5, one]));
  });
});
