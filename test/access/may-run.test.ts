import { describe, expect, test } from 'vitest';
import { Refusal } from '../../src/base/errors.ts';
import type { Environment } from '../../src/hosting/contract/target.ts';
import { authorize, type Person } from '../../src/access/access-check.ts';
import {
  allOf,
  isDecided,
  mayRunOn,
  mayRunSomewhere,
  refuseUnlessMayAsk,
  withoutForbidden,
  type MayRun,
} from '../../src/access/may-run.ts';
import { resolve } from '../../src/language/resolve.ts';
import type { Policy } from '../../src/policy/rules.ts';
import {
  ana,
  commandAt,
  company,
  live,
  names,
  parsedFor,
  policyFrom,
  refusalOf,
  refusalText,
  staging,
} from '../fixtures.ts';

/** Ana is a developer and no guide; Slack doesn't say who is in `oncall`. */
const policyOf = (...rules: readonly string[]): Policy =>
  policyFrom(`version: 1
live: ["*/live"]
groups: { developers: [U01ANA], leads: [U03CHI], guides: [S0GUIDES], oncall: [S0ONCALL] }
rules:
${rules.map((rule) => `  - { ${rule} }\n`).join('')}`);
const person: Person = { ...ana, otherGroups: ['S0GUIDES'] };
const read = 'allow: [read], to: [developers]';
const stagings = 'to: [developers], where: ["*/staging"]';

/** Whether the command is accepted for this environment or, without a field for one, as it is. */
function accepts(policy: Policy, path: string, env: Environment): boolean {
  const given = commandAt(path).fields['env'] ? { env: [env.name] } : {};
  const run = () => authorize(policy, person, resolve(parsedFor(path, given), names), company);
  try {
    run();
    return true;
  } catch {
    refusalOf(run);
    return false;
  }
}

describe('whether a command may be run on acme-shop/staging and acme-shop/live', () => {
  // Ana can read both, so that only the right to the command decides.
  test.each<[string, string, readonly string[], MayRun, MayRun]>([
    ['an action, by a rule for some places', 'cache clear', [`allow: [routine], ${stagings}`], 'yes', 'no'],
    ['an action, without a rule: reading is not enough', 'cache clear', [], 'no', 'no'],
    [
      'an action that is denied there',
      'cache clear',
      ['allow: [routine], to: [developers]', `deny: [cache clear], ${stagings}`],
      'no',
      'yes',
    ],
    [
      'an action, by a group that Slack says nothing about',
      'cache clear',
      ['allow: [routine], to: [oncall], where: ["*/staging"]'],
      ['S0ONCALL'],
      'no',
    ],
    ['an action, by a group without her', 'cache clear', ['allow: [routine], to: [guides]'], 'no', 'no'],
    ['a report', 'logs', [], 'yes', 'yes'],
    ['a report that is denied there', 'logs', [`deny: [logs], ${stagings}`], 'no', 'yes'],
    ['a report that may be denied there', 'logs', ['deny: [logs], to: [oncall]'], ['S0ONCALL'], ['S0ONCALL']],
    ['a report that needs its name in a rule', 'logs reveal', [`allow: [logs reveal], ${stagings}`], 'yes', 'no'],
    ['what is open to anyone', 'whoami', [], 'yes', 'yes'],
    ['a built-in command that is denied there', 'status', [`deny: [status], ${stagings}`], 'no', 'yes'],
    ['the same, denied everywhere', 'status', ['deny: [status], to: everyone'], 'no', 'no'],
    ['a built-in command that needs its name in a rule', 'lock', [`allow: [lock], ${stagings}`], 'yes', 'no'],
    [
      'the same, by a group that Slack says nothing about',
      'lock',
      ['allow: [lock], to: [oncall]'],
      ['S0ONCALL'],
      ['S0ONCALL'],
    ],
    ['what affects everything, by a rule for some places', 'pause', [`allow: [pause], ${stagings}`], 'no', 'no'],
    ['what affects everything, by a rule for everything', 'pause', ['allow: [pause], to: [developers]'], 'yes', 'yes'],
  ])('%s', (_, path, rules, onStaging, onLive) => {
    const policy = policyOf(read, ...rules);
    expect(mayRunOn(policy, person, path, staging)).toEqual(onStaging);
    expect(mayRunOn(policy, person, path, live)).toEqual(onLive);
    // It promises nothing that is then refused, and withholds nothing that would be accepted.
    for (const env of [staging, live])
      expect(accepts(policy, path, env)).toBe(mayRunOn(policy, person, path, env) === 'yes');
  });

  test('a command that does not exist is a mistake in the program', () => {
    expect(() => mayRunOn(policyOf(read), person, 'cache clean', live)).toThrow('there is no command cache clean');
  });
});

describe('whether the rules must allow the target itself, without one and with one', () => {
  test.each<[string, string, boolean, boolean]>([
    ['an action, always', 'cache clear', true, true],
    ['a report, if it has a target', 'logs', false, true],
    ['a command that needs its name in a rule, if it has a target', 'lock', false, true],
    ['one that affects everything, always', 'pause', true, true],
    ['a built-in command, if it has a target', 'status', false, true],
    ['one that is open to anyone, never', 'whoami', false, false],
  ])('%s', (_, path, without, withOne) => {
    const command = commandAt(path);
    expect([isDecided(command, undefined), isDecided(command, live)]).toEqual([without, withOne]);
  });
});

test.each<[readonly MayRun[], MayRun]>([
  [[], 'yes'],
  [['yes', 'yes'], 'yes'],
  [['yes', 'no', ['S0A']], 'no'],
  [
    ['yes', ['S0A', 'S0B'], ['S0A']],
    ['S0A', 'S0B'],
  ],
])('what needs all of %j is %j', (answers, is) => {
  expect(allOf(answers)).toEqual(is);
});

describe('a report is offered to whoever may read something that it can be about', () => {
  test.each<[string, string, readonly string[], readonly string[]]>([
    ['some environments', '*/staging', ['check', 'allowlist find', 'themes list'], ['domains list']],
    ['some domains', 'domain:acme.com', ['check'], ['allowlist find', 'themes list', 'domains list']],
    ['the company', 'company', ['themes list', 'domains list'], ['check', 'allowlist find']],
  ])('%s', (_, where, offered, withheld) => {
    const policy = policyOf(`allow: [read], to: [developers], where: ["${where}"]`);
    const isOffered = (path: string): boolean => mayRunSomewhere(policy, person, path, commandAt(path)) === 'yes';
    expect([...offered, ...withheld].filter(isOffered)).toEqual(offered);
  });
});

test('a report that is narrowed to environments needs no right to the company', () => {
  const policy = policyOf(`allow: [read], ${stagings}`);
  const narrowed = resolve(parsedFor('themes list', { among: [staging.name] }), names);
  expect(authorize(policy, person, narrowed, company).target).toBeUndefined();
  const whole = resolve(parsedFor('themes list', {}), names);
  expect(() => authorize(policy, person, whole, company)).toThrow('You may not run');
});

test('a refusal has no button for a command that the rules let this person run nowhere', () => {
  const offers = [
    { label: 'Run pause', args: ['pause'] },
    { label: 'Run logs x', args: ['logs', 'x'] },
  ];
  const refusal = new Refusal("I don't know it. Nothing was done.", { hint: 'Did you mean it?', offers });
  const left = withoutForbidden(refusal, policyOf(read), person);
  expect(left.offers).toEqual(offers.slice(1));
  expect(refusalText(left)).toBe(refusalText(refusal));
  const unsure = policyOf('allow: [pause, read], to: [oncall]');
  expect(withoutForbidden(refusal, unsure, person)).toBe(refusal);
  const other = new Refusal('Nothing was done.', {
    hint: 'Press it.',
    offers: [{ label: 'More', args: ['no command'] }],
  });
  expect(withoutForbidden(other, policyOf(read), person).offers).toEqual(other.offers);
});

test('whoever may run a command nowhere is refused before the form, and a reader hears how to learn who may', () => {
  const [clear, whoami] = [parsedFor('cache clear', {}), parsedFor('whoami', {})];
  const refusedBy = (...rules: readonly string[]) =>
    refusalText(refusalOf(() => refuseUnlessMayAsk(policyOf(...rules), person, clear)));
  expect(refusedBy('allow: [pause], to: [developers]')).toBe('You may not use cache clear. Nothing was done.');
  expect(refusedBy(read)).toMatch(
    /^You may not use cache clear\. Nothing was done\. Type it in full, and I'll say who may: \/site cache clear <site\/environment>/,
  );
  expect(() => refuseUnlessMayAsk(policyOf('allow: [routine], to: [developers]'), person, clear)).not.toThrow();
  expect(() => refuseUnlessMayAsk(policyOf(read), person, whoami)).not.toThrow();
});
