import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allowlistAdd } from '../../src/commands/allowlist/add.ts';
import { catalogue } from '../../src/commands/index.ts';
import type { Environment, Environments } from '../../src/hosting/contract/target.ts';
import { createNames } from '../../src/change/visible-names.ts';
import {
  everything,
  maxNamedTogether,
  environmentsNamed,
  type EnvironmentNames,
} from '../../src/language/many-environments.ts';
import type { BindContext } from '../../src/language/bind-arguments.ts';
import { parse, parseArgs } from '../../src/language/parse.ts';
import { areEnvironments, canonicalArgs, resolve, type Resolved } from '../../src/language/resolve.ts';
import { join } from '../../src/language/tokenize.ts';
import { inline, plain, say } from '../../src/words/text.ts';
import { ana, environment, noSites, policyFrom, refusalOf, refusalText } from '../fixtures.ts';

const policy = policyFrom(`
version: 1
groups: { developers: [U01ANA] }
sets: { care-plan: ["acme-*/live", beta/staging], all: ["*/*"], hidden: ["secret/*"] }
rules:
  - { allow: [read], to: [developers] }
  - { deny: [read], to: everyone, where: ["secret/*"] }
`);
const all = ['acme-blog/live', 'acme-shop/live', 'acme-shop/staging', 'beta/live', 'beta/staging', 'secret/live'];
const listed = all.map((name, at): Environment => environment(name, at + 1));
const names = createNames(
  () => ({
    ...noSites.listing(),
    environments: listed.map(({ id, name, site }) => ({
      id,
      name: name.split('/')[1] ?? '',
      displayName: '',
      site: { id: site?.id, name: site?.name ?? '', displayName: '' },
      named: 'by the host',
    })),
  }),
  () => policy,
)(ana);

const read = (line: string, context?: BindContext, known = { ...names }): Resolved => {
  const parsed = parse(line, catalogue, context);
  if (parsed === undefined) throw new Error('an empty line');
  return resolve(parsed, known);
};
/** The names that a line of `backups list` names together. */
const named = (typed: string, context?: BindContext): readonly string[] => {
  const { input, problems } = read(`backups list ${typed}`, context);
  const [problem] = problems;
  if (problem) throw problem.refusal;
  if (!areEnvironments(input['env'])) throw new Error('not several environments');
  return input['env'].all.map(({ name }) => name);
};

const namesIn = ({ all: some }: Environments): string => some.map(({ name }) => name).join(' ');
const takeMany =
  'status, cache clear, allowlist find, allowlist add, allowlist remove, themes list, themes update, backups list, lock, unlock';

describe('several environments', () => {
  test.each<[string, readonly string[]]>([
    ['acme-*/live', ['acme-blog/live', 'acme-shop/live']],
    ['ACME-*/Live', ['acme-blog/live', 'acme-shop/live']],
    ['*/*', all.slice(0, 5)],
    ['acme-shop/*', ['acme-shop/live', 'acme-shop/staging']],
    ['"acme-shop/*"', ['acme-shop/live', 'acme-shop/staging']],
    ['beta/live, acme-shop/live', ['acme-shop/live', 'beta/live']],
    ['beta/live,acme-shop/live', ['acme-shop/live', 'beta/live']],
    ['beta/live , acme-shop/live', ['acme-shop/live', 'beta/live']],
    ['beta/live ,acme-shop/live', ['acme-shop/live', 'beta/live']],
    ['beta/live, beta/live', ['beta/live']],
    [`beta/live, ${listed[1]?.id}`, ['acme-shop/live', 'beta/live']],
    ['set:care-plan', ['acme-blog/live', 'acme-shop/live', 'beta/staging']],
    ['Set:Care-Plan', ['acme-blog/live', 'acme-shop/live', 'beta/staging']],
    ['set:care-plan, beta/live', ['acme-blog/live', 'acme-shop/live', 'beta/live', 'beta/staging']],
    ['set:care-plan except acme-shop/live', ['acme-blog/live', 'beta/staging']],
    ['set:care-plan EXCEPT acme-shop/live, beta/*', ['acme-blog/live']],
    ['set:all except set:care-plan', ['acme-shop/staging', 'beta/live']],
    ['*/live except acme-*/live except beta/staging', ['beta/live']],
    ['--older 24h acme-*/live', ['acme-blog/live', 'acme-shop/live']],
    ['acme-*/live --older 24h except beta/live', ['acme-blog/live', 'acme-shop/live']],
  ])('%s', (typed, expected) => {
    expect(named(typed)).toEqual(expected);
    expect(named(typed, { target: listed[3]?.id })).toEqual(expected);
  });

  test.each<[string, RegExp]>([
    ['beta/live, nowhere/live', /^I can't find nowhere\/live among the environments you can see\. Nothing was done\./],
    ['beta/live, secret/live', /^I can't find secret\/live among the environments you can see\. Nothing was done\./],
    ['secret/*', /^I can't find secret\/\* among the environments you can see\. Nothing was done\./],
    ['nowhere-*/live', /^I can't find nowhere-\*\/live among the environments you can see\. Nothing was done\./],
    ['*/live except acme-shpo/live', /^I can't find acme-shpo\/live among/],
    ['*/live except acmee-*/live', /^I can't find acmee-\*\/live among/],
    ['*/live except */live', /^Nothing is left of that after except\. Nothing was done\./],
    ['set:care-plna', /^I can't find set:care-plna with environments you can see\. .* Did you mean set:care-plan\?$/],
    [
      'set:hidden',
      /^I can't find set:hidden with environments you can see\. Nothing was done\. \/site environments lists/,
    ],
    [
      'set:hiden',
      /^I can't find set:hiden with environments you can see\. Nothing was done\. \/site environments lists/,
    ],
    ['set:', /^I can't find set: with environments you can see\./],
    ['set:constructor', /^I can't find set:constructor with/],
    ['beta/live,', /^A name is missing before or after a comma or except\. Nothing was done\./],
    ['beta/live,, beta/staging', /^A name is missing/],
    ['*/live except', /^A name is missing|doesn't know what to do with “except”/],
    ['beta/live, acme-shop', /doesn't know what to do with “acme-shop”|I can't find/],
    [
      'ac**me/live, beta/live',
      /^ac\*\*me\/live is not a name with a \*: the only wildcard is a single \*\. Nothing was done\./,
    ],
    ['domain:*', /^domain:\* names no environment/],
    ['*', /^\* names no environment/],
    ['live except beta/live', /doesn't know what to do with “live”|I can't find/],
    [
      'beta/live acme-shop/live',
      /doesn't know what to do with “acme-shop\/live”\. Nothing was done\. Put commas between several: \/site [a-z ]+ beta\/live,acme-shop\/live$/,
    ],
    ['*/live except beta/live acme-shop/live', /doesn't know what to do with “acme-shop\/live”\. [^]* Usage: /],
    [
      Array.from({ length: 21 }, (_, at) => `*${at}/live`).join(','),
      /^One command takes at most 20 sets and names with a \*/,
    ],
  ])('%s is refused whole', (typed, says) => {
    expect(refusalText(refusalOf(() => named(typed)))).toMatch(says);
  });

  test('an unreadable list means later, never that nothing matches', () => {
    const trouble = say`The host didn't answer in time.`;
    for (const typed of ['nowhere/live, beta/live', 'nowhere-*/live', 'set:nothing', '*/live except nowhere/*']) {
      const refused = refusalOf(() => environmentsNamed([typed], { ...names, trouble }));
      expect(refused.isLater).toBe(true);
      expect(refusalText(refused)).toMatch(
        /^I can't tell right now which environments that means\. The host didn't answer in time\. Nothing was done\./,
      );
    }
    expect(refusalOf(() => everything({ environments: [], trouble })).isLater).toBe(true);
    expect(environmentsNamed(['*/live'], { ...names, trouble }).trouble).toBe(trouble);
  });

  test('too many are refused with their number', () => {
    const environments = Array.from({ length: maxNamedTogether + 1 }, (_, at) => environment(`s${at}/live`, at));
    expect(refusalText(refusalOf(() => environmentsNamed(['*/live'], { environments })))).toMatch(
      /^These are 201 environments, and one command takes at most 200\. Nothing was done\./,
    );
    expect(environmentsNamed(['*/live except s7/live'], { environments }).all).toHaveLength(maxNamedTogether);
  });

  test('two environments of one name are told apart by their ids', () => {
    const environments = [environment('a/live', 1), environment('a/live', 2), environment('b/live', 3)];
    expect(refusalText(refusalOf(() => environmentsNamed(['a/live, b/live'], { environments })))).toContain(
      'more than one environment',
    );
  });

  test('an environment of an unknown site is in no pattern, and left out by each', () => {
    const stray: Environment = { ...environment('stray', 9), site: undefined };
    const environments = [...listed, stray];
    expect(environmentsNamed(['*/*'], { environments }).all).toEqual(listed);
    expect(environmentsNamed([`beta/live, ${stray.id} except secret/*`], { environments }).all).toEqual([listed[3]]);
    expect(() => environmentsNamed(['*/* except nowhere/*'], { environments })).toThrow("I can't find nowhere/*");
  });
});

describe('an action that takes many environments', () => {
  const env = (line: string): unknown => read(line).input['env'];
  test.each(['beta/live, beta/live', 'beta/live except beta/staging', `beta/live,${listed[3]?.id}`])(
    'takes names that are one environment as that one: %s',
    (typed) => expect(env(`cache clear ${typed}`)).toMatchObject({ kind: 'environment', name: 'beta/live' }),
  );
  test.each([
    'beta/l*',
    '*beta/live*',
    'Set:care-plan except acme-*/*',
    'beta/* except beta/staging',
    'beta/*, beta/live except beta/staging',
  ])('takes a set or a * as many, even if it is one, so that it is shown first: %s', (typed) =>
    expect(env(`cache clear ${typed}`)).toMatchObject({ kind: 'environments', all: [{}] }),
  );
  test('says which field works for one environment only', () => {
    const words = allowlistAdd.batch?.({
      input: { addresses: ['198.51.100.4'], for: 60_000 },
      where: '2 environments',
    });
    expect(words).toMatchObject({ field: 'for' });
    expect(words && 'says' in words && plain(inline(words.says))).toMatch(
      /one environment at a time\. Nothing was done\. Name one, or leave out --for/,
    );
  });
});

describe('a command about one environment', () => {
  test.each([
    'redirects clear acme-*/live',
    'redirects clear set:care-plan',
    'redirects clear acme-shop/live, beta/live',
    'redirects clear acme-shop/live,beta/live',
    'redirects clear acme-shop/live except beta/live',
    'logs acme-*/live error',
    'push acme-shop/staging, beta/live acme-shop/live',
    'delete */*',
  ])('%s says which ones take many', (line) => {
    for (const context of [{}, { target: listed[3]?.id }]) {
      const { problems } = read(line, context);
      const [path] = line.split(/ (?:acme|set|\*)/);
      expect(refusalText(problems[0]?.refusal ?? refusalOf(() => undefined))).toBe(
        `${path} takes one environment at a time, and this names several or has a *. Nothing was done. These take many environments: ${takeMany}.`,
      );
    }
  });

  test.each([
    ['lock set:care-plan the release', 'acme-blog/live acme-shop/live beta/staging', 'the release'],
    ['lock acme-*/live --for 2h nothing goes out', 'acme-blog/live acme-shop/live', 'nothing goes out'],
    ['lock acme-*/live except acme-blog/live deploying', 'acme-shop/live', 'deploying'],
    ['lock beta/live, acme-shop/live release 42', 'acme-shop/live beta/live', 'release 42'],
  ])('%s names environments, and then the reason', (line, all, why) => {
    const { input } = read(line, { target: listed[3]?.id });
    if (!areEnvironments(input['env'])) throw new Error('not several environments');
    expect([namesIn(input['env']), input['why']]).toEqual([all, why]);
  });

  test('a reason, a path or an address is not taken for a second name', () => {
    expect(read('lock beta/live "except fridays"').input).toMatchObject({ why: 'except fridays' });
    expect(read('allowlist add beta/live 10.0.0.0/8,10.1.0.0/16').problems).toEqual([]);
  });
});

test('allowlist find looks in one, in many or in all', () => {
  const among = (line: string): unknown => read(line, { target: listed[3]?.id }).input['among'];
  expect(among('allowlist find 203.0.113.7')).toBeUndefined();
  expect(among('allowlist find 203.0.113.7 in beta/live')).toMatchObject({ name: 'beta/live' });
  expect(among('allowlist find 203.0.113.7 in */live except beta/live')).toMatchObject({ kind: 'environments' });
  expect(() => among('allowlist find 203.0.113.7 in')).toThrow('Among is empty. Nothing was done.');
  expect(read('allowlist find 203.0.113.0/24').problems[0]?.refusal.message).toMatch(/is a range/);
});

test('themes list is about the company, or about those named after in', () => {
  const resolved = read('themes list --only vulnerable in beta/live', { target: listed[3]?.id });
  expect(resolved.input).toMatchObject({ only: 'vulnerable', among: { name: 'beta/live' } });
  expect(resolved.input).not.toHaveProperty('search');
  expect(read('themes list kiln', { target: listed[3]?.id }).input).toEqual({ search: 'kiln', descending: false });
  expect(read('themes list in set:care-plan --only updates').input).toMatchObject({ among: { kind: 'environments' } });
  expect(() => read('themes list in')).toThrow('Among is empty. Nothing was done.');
});

test('the arguments that are kept are the environments, not the words', () => {
  const resolved = read('backups list set:care-plan except acme-shop/live --older 24h');
  const args = canonicalArgs(resolved);
  expect(args.slice(0, 3)).toEqual(['backups', 'list', [listed[0]?.id, listed[4]?.id].join(',')]);
  for (const again of [parseArgs(args, catalogue), parse(join(args), catalogue)]) {
    if (again === undefined) throw new Error('lost');
    expect(resolve(again, names).input).toEqual(resolved.input);
    const fewer = { ...names, environments: names.environments.slice(1) };
    expect(resolve(again, fewer).problems[0]?.refusal.message).toMatch(/I can't find/);
  }
});

/** Names and patterns of few letters, so that they meet. */
const part = fc.string({ unit: fc.constantFrom('a', 'b', '-', 'A'), minLength: 1, maxLength: 3 });
const glob = fc
  .string({ unit: fc.constantFrom('a', 'b', '-', '*'), minLength: 1, maxLength: 4 })
  .filter((text) => !text.includes('**'));
const world = fc.uniqueArray(
  fc.tuple(part, part).map((parts) => parts.join('/')),
  {
    minLength: 1,
    maxLength: 12,
    selector: (name) => name.toLowerCase(),
  },
);
const pattern = fc.tuple(glob, glob).map((parts) => parts.join('/'));
const terms = fc.array(pattern, { minLength: 1, maxLength: 3 });

/** What a pattern means, letter by letter. */
const means = (text: string, name: string): boolean =>
  new RegExp(`^${text.toLowerCase().replaceAll('*', '[^/]*')}$`).test(name.toLowerCase());

test('matches exactly what a plain reference implementation matches, and nothing that cannot be read', () => {
  fc.assert(
    fc.property(
      world,
      terms,
      fc.option(terms, { nil: [] as string[] }),
      fc.func(fc.boolean()),
      (sites, some, without, isReadable) => {
        const environments = sites.map((name, at) => environment(name, at)).filter(({ name }) => isReadable(name));
        const together: EnvironmentNames = { environments };
        const typed = `${some.join(', ')}${without.length > 0 ? ` except ${without.join(', ')}` : ''}`;
        const met = (texts: readonly string[]) =>
          environments.filter(({ name }) => texts.some((text) => means(text, name)));
        const wanted = met(some).filter((one) => !met(without).includes(one));
        const isWhole = [...some, ...without].every((text) => met([text]).length > 0) && wanted.length > 0;
        const found = ((): Environments | undefined => {
          try {
            return environmentsNamed(typed.split(' '), together);
          } catch {
            return undefined;
          }
        })();
        expect(found?.all).toEqual(isWhole ? wanted : undefined);
        if (found && without.length > 0) {
          const before = environmentsNamed([some.join(', ')], together).all;
          expect(before).toEqual(expect.arrayContaining([...found.all]));
        }
      },
    ),
    { numRuns: 500 },
  );
});
