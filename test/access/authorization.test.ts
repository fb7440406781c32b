import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { catalogue } from '../../src/commands/index.ts';
import type { Environment } from '../../src/hosting/contract/target.ts';
import { authorize, type Authorized } from '../../src/access/access-check.ts';
import { evaluate } from '../../src/talk/conversation.ts';
import { createNames } from '../../src/change/visible-names.ts';
import { parse } from '../../src/language/parse.ts';
import { areEnvironments, resolve, type Resolved } from '../../src/language/resolve.ts';
import type { Policy } from '../../src/policy/rules.ts';
import {
  ana,
  company,
  contextWith,
  environment,
  noSites,
  policyFrom,
  policyOf,
  refusalOf,
  refusalText,
} from '../fixtures.ts';

/** Which of many environments are kept, which are named as not allowed, and what all of them need together. */

const readable = ['yes', 'no', 'not known'] as const;
const rights = [
  'no approval',
  'a lead',
  'a lead and a senior',
  'denied',
  'no rule',
  'not known',
  'perhaps denied',
] as const;
type Readable = (typeof readable)[number];
type Right = (typeof rights)[number];
type Site = { readonly name: string; readonly reads: Readable; readonly right: Right };

/** Slack does not say who is a guide. */
const readRule: Readonly<Record<Readable, readonly string[]>> = {
  yes: ['allow: [read], to: [developers]'],
  no: [],
  'not known': ['allow: [read], to: [guides]'],
};
const lead = 'approval: { by: [leads], count: 1, expires: 2h, reason: required }';
const senior = 'approval: { by: [seniors], count: 2, expires: 1h }';
const may = 'allow: [cache clear], to: [developers]';
const mayUnlock = 'allow: [unlock], to: [developers]';
const rightRule: Readonly<Record<Right, readonly string[]>> = {
  'no approval': [`${may}, approval: none`, mayUnlock],
  'a lead': [`${may}, ${lead}`],
  'a lead and a senior': [`${may}, ${lead}`, `${may}, ${senior}`],
  denied: [`${may}, approval: none`, mayUnlock, 'deny: [cache clear, unlock], to: [developers]'],
  'no rule': [],
  'not known': ['allow: [cache clear], to: [guides], approval: none', 'allow: [unlock], to: [guides]'],
  'perhaps denied': [`${may}, approval: none`, mayUnlock, 'deny: [cache clear, unlock], to: [guides]'],
};

/** A policy for these sites, each with one environment. */
function policyFor(sites: readonly Site[]): Policy {
  const rules = sites.flatMap(({ name, reads, right }) =>
    [...readRule[reads], ...rightRule[right]].map((rule) => `  - { ${rule}, where: ["${name}"] }\n`),
  );
  return policyFrom(`version: 1
live: ["*/live"]
groups: { developers: [U01ANA], leads: [U03CHI], seniors: [U04DEE, U05FAY], guides: [S0GUIDES] }
sets: { all: ["*/*"] }
rules:
  - { allow: [read, routine], to: [leads, seniors, guides], where: ["nowhere/*"] }
${rules.join('')}`);
}

/** This command with these words, among the names that Ana can see. */
function read(
  sites: readonly Site[],
  words: string,
  path = 'cache clear',
): { readonly policy: Policy; readonly resolved: Resolved } {
  const policy = policyFor(sites);
  const names = createNames(
    () => ({
      ...noSites.listing(),
      environments: sites.map(({ name }, at) => {
        const { id, site } = environment(name, at + 1);
        const [own = '', env = ''] = name.split('/');
        return {
          id,
          name: env,
          displayName: '',
          site: { id: site?.id, name: own, displayName: '' },
          named: 'by the host',
        };
      }),
    }),
    () => policy,
  )(ana);
  const parsed = parse(`${path} ${words}`, catalogue);
  if (parsed === undefined) throw new Error('an empty line');
  const resolved = resolve(parsed, names);
  if (resolved.problems[0]) throw resolved.problems[0].refusal;
  return { policy, resolved };
}

/** What it is authorized to do. */
function authorized(sites: readonly Site[], words: string, path?: string): Authorized {
  const { policy, resolved } = read(sites, words, path);
  return authorize(policy, ana, resolved, company);
}

const namesOf = (all: readonly Environment[] = []): readonly string[] => all.map(({ name }) => name);
const leads = { by: ['leads'], count: 1 };
const seniors = { by: ['seniors'], count: 2 };
const needs: Readonly<Partial<Record<Right, unknown>>> = {
  'no approval': 'none',
  'a lead': { requirements: [leads], expires: 7_200_000, reason: 'required' },
  'a lead and a senior': { requirements: [leads, seniors], expires: 3_600_000, reason: 'required' },
};

/** The expected result in the words of its refusal, or as kept, not allowed and approval. */
function expected({ reads, right }: Site, isList: boolean): unknown {
  if (reads === 'not known') return isList ? /^I can't tell right now which/ : /^I can't tell right now whether/;
  if (reads === 'no') return isList ? /^I can't find cell\/live among/ : [['base/staging'], [], 'none'];
  if (right === 'denied' || right === 'no rule') return [['base/staging'], ['cell/live'], 'none'];
  if (right === 'not known' || right === 'perhaps denied') return /^I can't tell whether you may run cache clear/;
  return [['base/staging', 'cell/live'], [], needs[right]];
}

describe('one environment beside another that may be changed', () => {
  const base: Site = { name: 'base/staging', reads: 'yes', right: 'no approval' };
  const cells = (['set:all', '*/*', 'cell/live, base/staging'] as const).flatMap((words) =>
    readable.flatMap((reads) => rights.map((right) => ({ words, reads, right }))),
  );
  test.each(cells)('$words, readable: $reads, right: $right', ({ words, reads, right }) => {
    const cell: Site = { name: 'cell/live', reads, right };
    const wanted = expected(cell, words.includes(','));
    if (wanted instanceof RegExp) {
      const refused = refusalOf(() => authorized([cell, base], words));
      expect(refusalText(refused)).toMatch(wanted);
      expect(refusalText(refused)).toMatch(/Nothing was (?:done|sent)\./);
      expect(refused.isLater ?? false).toBe(!/can't find/.test(wanted.source));
      return;
    }
    const { each, alsoReads, notAllowed, authorization, target } = authorized([cell, base], words);
    expect([namesOf(each?.flatMap((one) => environmentOf(one))), namesOf(notAllowed), authorization.approval]).toEqual(
      wanted,
    );
    expect(alsoReads).toEqual(each?.flatMap(environmentOf));
    expect(target).toBeUndefined();
  });

  test.each<[Readable, Right, RegExp]>([
    ['yes', 'denied', /^You may not run cache clear on cell\/live\. .* The same goes for all of them\.$/],
    ['yes', 'no rule', /^You may not run cache clear on cell\/live\. .* The same goes for all of them\.$/],
    ['yes', 'not known', /^I can't tell whether you may run cache clear/],
    ['no', 'no approval', /^I can't find cell\/\* among the environments you can see/],
    ['not known', 'no approval', /^I can't tell right now which environments that means/],
  ])('alone, readable: %s, right: %s', (reads, right, says) => {
    expect(refusalText(refusalOf(() => authorized([{ name: 'cell/live', reads, right }, base], 'cell/*')))).toMatch(
      says,
    );
  });
});

describe('a lock of many is freed where the rules allow it; what may be hidden keeps none of the others locked', () => {
  const base: Site = { name: 'base/staging', reads: 'yes', right: 'no approval' };
  test.each<[Readable, Right, RegExp | readonly [kept: string[], notAllowed: string[], mayBeMore: boolean]]>([
    ['yes', 'no approval', [['base/staging', 'cell/live'], [], false]],
    ['yes', 'denied', [['base/staging'], ['cell/live'], false]],
    ['yes', 'no rule', [['base/staging'], ['cell/live'], false]],
    ['yes', 'not known', /^I can't tell whether you may run unlock on cell\/live.* Nothing was done\./],
    ['yes', 'perhaps denied', /^I can't tell whether you may run unlock on cell\/live.* Nothing was done\./],
    ['no', 'no approval', [['base/staging'], [], false]],
    ['no', 'denied', [['base/staging'], [], false]],
    ['not known', 'no approval', [['base/staging'], [], true]],
    ['not known', 'denied', [['base/staging'], [], true]],
  ])('readable: %s, right: %s', (reads, right, wanted) => {
    const cell: Site = { name: 'cell/live', reads, right };
    if (wanted instanceof RegExp) {
      expect(refusalText(refusalOf(() => authorized([cell, base], '*/*', 'unlock')))).toMatch(wanted);
      return;
    }
    const { each, notAllowed, input, target } = authorized([cell, base], '*/*', 'unlock');
    const { env } = input;
    if (!areEnvironments(env)) throw new Error('not several environments');
    expect([namesOf(each?.flatMap(environmentOf)), namesOf(notAllowed), env.trouble !== undefined]).toEqual(wanted);
    expect(namesOf(env.all)).toEqual(namesOf(each?.flatMap(environmentOf)));
    // Each by its own rules, as the trail says.
    expect(each?.map(({ authorization: { rules } }) => rules.length)).toEqual(env.all.map(() => 1));
    expect(target).toBeUndefined();
  });

  test('is refused if the rules allow it on none of them, and freeing the lock of a change takes a right of its own', () => {
    const none = () => authorized([{ ...base, right: 'no rule' }], '*/*', 'unlock');
    expect(refusalText(refusalOf(none))).toMatch(/^You may not run unlock on base\/staging\. .* The same goes for all/);
    expect(refusalText(refusalOf(() => authorized([base], '*/* --force', 'unlock')))).toMatch(
      /^You may not run unlock --force on base\/staging\./,
    );
  });
});

test('an environment that may no longer be read is not named, and nothing is done', () => {
  const cell = environment('cell/live', 1);
  const base: Site = { name: 'base/staging', reads: 'yes', right: 'no approval' };
  const { policy, resolved } = read([{ name: cell.name, reads: 'no', right: 'denied' }, base], '*/*');
  const { env } = resolved.input;
  if (!areEnvironments(env)) throw new Error('not several environments');
  const before = { ...resolved, input: { env: { ...env, all: [cell, ...env.all] } } };
  const refused = refusalOf(() => authorize(policy, ana, before, company));
  expect(refusalText(refused)).toMatch(/^I can't find \*\/\* among the environments you can see\. Nothing was done\./);
  expect(refusalText(refused)).not.toContain(cell.name);
});

const environmentOf = ({ target }: Authorized): readonly Environment[] =>
  target?.kind === 'environment' ? [target] : [];

test('those that are not live go first, then by name, and the approval is what all need together', () => {
  const sites = ['d/live', 'c/staging', 'b/live', 'a/staging'].map((name, at): Site => ({
    name,
    reads: 'yes',
    right: at === 0 ? 'a lead and a senior' : at === 1 ? 'a lead' : at === 2 ? 'no rule' : 'no approval',
  }));
  const { each, notAllowed, authorization } = authorized(sites, '*/*');
  expect(namesOf(each?.flatMap(environmentOf))).toEqual(['a/staging', 'c/staging', 'd/live']);
  expect(namesOf(notAllowed)).toEqual(['b/live']);
  expect(authorization.approval).toEqual(needs['a lead and a senior']);
  // Two rules for the live one, and one for each of the others.
  expect(authorization.rules.length).toBe(4);
});

test.each(['--queue', '--hand-on'])('%s is for one environment', (option) => {
  const sites = ['a/live', 'b/live'].map((name): Site => ({ name, reads: 'yes', right: 'no approval' }));
  const { policy, resolved } = read(sites, `*/live ${option}`);
  const context = contextWith({ policy: () => policy, company: () => company });
  const asks = () => evaluate(context, resolved, { person: ana, channel: { id: 'C1', shared: false } });
  expect(refusalText(refusalOf(asks))).toMatch(/is for one environment at a time\. Nothing was done\./);
});

test('under any rules, a pattern never touches an environment that its requester may not change', () => {
  const site = fc.record({ reads: fc.constantFrom(...readable), right: fc.constantFrom(...rights) });
  let [kept, refused] = [0, 0];
  fc.assert(
    fc.property(fc.array(site, { minLength: 1, maxLength: 5 }), fc.constantFrom('*/*', 'set:all'), (some, words) => {
      const sites = some.map((one, at): Site => ({ ...one, name: `${at}/${at % 2 ? 'live' : 'dev'}` }));
      const seen = sites.filter(({ reads }) => reads === 'yes');
      const mine = seen.filter(({ right }) => Object.hasOwn(needs, right)).map(({ name }) => name);
      const isKnown =
        sites.every(({ reads }) => reads !== 'not known') &&
        seen.every(({ right }) => right !== 'not known' && right !== 'perhaps denied');
      const work = (): Authorized => authorized(sites, words);
      if (!isKnown || mine.length === 0) {
        const refusal = refusalOf(work);
        refused += 1;
        if (isKnown) expect(refusal.isLater ?? false).toBe(false);
        return;
      }
      kept += 1;
      const { each, notAllowed } = work();
      expect(namesOf(each?.flatMap(environmentOf)).toSorted()).toEqual(mine.toSorted());
      expect(namesOf(notAllowed).toSorted()).toEqual(
        seen
          .map(({ name }) => name)
          .filter((name) => !mine.includes(name))
          .toSorted(),
      );
    }),
    { numRuns: 400 },
  );
  expect(Math.min(kept, refused)).toBeGreaterThan(20);
});

const rule = (words: string, ...lines: readonly string[]): Authorized => {
  const policy = policyOf('{ allow: [read], to: everyone }', ...lines);
  const environments = ['a/dev', 'b/live', 'c/live'].map((name, at) => environment(name, at + 1));
  const parsed = parse(words, catalogue);
  if (parsed === undefined) throw new Error('nothing was typed');
  return authorize(policy, ana, resolve(parsed, { environments, domains: [] }), company);
};

describe('a rule that asks for a canary', () => {
  test.each([
    ['a live one goes first', '{ allow: ["cache clear"], to: everyone, canary: true }', 'cache clear */*', 'b/live'],
    [
      'the asker may name another',
      '{ allow: ["cache clear"], to: everyone, canary: true }',
      'cache clear */* --canary a/dev',
      'a/dev',
    ],
    ['not without the rule', '{ allow: ["cache clear"], to: everyone }', 'cache clear */*', undefined],
    [
      'what no site check can tell has none',
      '{ allow: ["allowlist add"], to: everyone, canary: true }',
      'allowlist add */* 203.0.113.7',
      undefined,
    ],
  ])('%s', (_, line, words, first) => {
    const { parsed: request, each } = rule(words, line);
    const canary = each?.flatMap(environmentOf).find(({ id }) => id === request.canary);
    expect(canary?.name).toBe(first);
  });
});

test('a batch is valid for as long as the strictest rule of its environments says', () => {
  const lines = ['b/*", "c/*', 'c/live'].map(
    (where, at) => `{ allow: ["cache clear"], to: everyone, where: ["${where}"], batchValidity: ${2 - at}h }`,
  );
  const hours = (words: string): number => (rule(words, ...lines).authorization.batchValidity ?? 0) / 3_600_000;
  expect([hours('cache clear b/*'), hours('cache clear */live')]).toEqual([2, 1]);
});
