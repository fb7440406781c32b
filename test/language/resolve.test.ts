import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalArgs, isNamed, resolve, type Resolved } from '../../src/language/resolve.ts';
import { comparableName } from '../../src/policy/pattern.ts';
import { say } from '../../src/words/text.ts';
import { createNames } from '../../src/change/visible-names.ts';
import {
  ana,
  blog,
  environment,
  hostile,
  live,
  names,
  policyOf,
  refusalText,
  shopDomain,
  staging,
  parsedFor,
  emptyListing,
} from '../fixtures.ts';

const find = (typed: string): Resolved => resolve(parsedFor('cache clear', { env: [typed] }, { reason: 'a b' }), names);
const refusal = (typed: string) => {
  const [problem] = find(typed).problems;
  if (problem === undefined) throw new Error(`${typed} was found`);
  return problem.refusal;
};

describe('a name means one target or none', () => {
  test.each<[string, string]>([
    ['exactly', 'acme-shop/live'],
    ['in capitals', 'ACME-Shop/LIVE'],
    ['in full-width letters', 'ａｃｍｅ-ｓｈｏｐ/live'],
    ['by id', live.id],
    ['by id in capitals', live.id.toUpperCase()],
  ])('%s', (_, typed) => {
    expect(find(typed).input['env']).toBe(live);
  });

  test.each<[string, string, readonly string[]]>([
    ['part of several', 'acme-shop', ['acme-shop/live', 'acme-shop/staging']],
    ['the environment alone', 'live', ['acme-blog/live', 'acme-shop/live']],
    ['part of one is asked back too', 'acme-shop/stag', ['acme-shop/staging']],
  ])('%s is answered with every candidate', (_, typed, candidates) => {
    const asked = refusal(typed);
    expect(refusalText(asked)).toContain(
      candidates.length > 1 ? 'Which one? Nothing' : 'could be acme-shop/staging. Is that the one? Nothing',
    );
    expect(asked.offers.map((offer) => offer.label)).toEqual(candidates.map((name) => `Clear cache: ${name}`));
    expect(asked.offers[0]?.args).toContain('--reason=a b');
  });

  test('of two names of one command, only sites that have both are offered, however many have one', () => {
    const ofSite = (site: string, ...own: readonly string[]) =>
      own.map((one, at) => ({
        ...environment(`${site}/${one}`, at),
        id: `${site}-${one}`,
        site: { id: site, name: site },
      }));
    const many = Array.from({ length: 9 }, (_, at) => ofSite(`site-${at}`, 'live', 'staging')).flat();
    const shop = ofSite('zeta-shop', 'staging', 'live', 'prod');
    const all = { ...names, environments: [...many, ...shop] };
    const offersOf = (from: string, onto: string) =>
      resolve(parsedFor('push', { from: [from], onto: [onto] }), all).problems[0]?.refusal.offers.map(
        ({ label }) => label,
      );
    const whole = 'Push an environment: zeta-shop/staging → zeta-shop/';
    expect(offersOf('zeta-shop/staging', 'live')).toEqual([`${whole}live`]);
    expect(offersOf('staging', 'zeta-shop/live')).toEqual([`${whole}live`]);
    expect(offersOf('staging', 'prod')).toEqual([`${whole}prod`]);
    expect(offersOf('staging', 'live')).toHaveLength(5);
  });

  test.each<[string, string, string]>([
    ['a slip', 'acme-shop/lvie', 'Did you mean acme-shop/live'],
    ['a Cyrillic look-alike', 'acme-shop/lіve', 'not plain Latin'],
    ['the look-alike of a site', 'асme-shop/live', 'not plain Latin'],
    ['nothing like it', 'xyzzy/plugh', '/site environments lists what you can name'],
    ['a path', '../../etc/passwd', 'among the environments you can see'],
    ['an encoded path', '%2e%2e', 'among the environments you can see'],
    ['one level too many', 'acme-shop/live/x', 'among the environments you can see'],
    ['a prototype', '__proto__', 'among the environments you can see'],
    ['one letter', 'a', 'among the environments you can see'],
    ['another id', '00000000-0000-4000-8000-00000000ffff', 'among the environments you can see'],
  ])('%s is unknown', (_, typed, why) => {
    expect(refusalText(refusal(typed))).toContain(why);
    expect(refusalText(refusal(typed))).toContain('Nothing was done.');
  });

  test('an unknown environment of a known site is answered with its environments, and no click writes at once', () => {
    const asked = refusal('acme-shop/production');
    expect(refusalText(asked)).toBe(
      "I can't find acme-shop/production among the environments you can see. Nothing was done. Its site has acme-shop/live, acme-shop/staging.",
    );
    expect(asked.offers.map(({ label, opens }) => [label, opens])).toEqual([
      ['Clear cache: acme-shop/live', 'form'],
      ['Clear cache: acme-shop/staging', 'form'],
    ]);
    const { problems } = resolve(parsedFor('logs', { env: ['acme-shop/production'] }), names);
    expect(problems[0]?.refusal.offers).toEqual([
      { label: 'acme-shop/live', args: ['logs', live.id] },
      { label: 'acme-shop/staging', args: ['logs', staging.id] },
    ]);
    const trouble = say`The host does not answer.`;
    const later = resolve(parsedFor('logs', { env: ['acme-shop/production'] }), { ...names, trouble });
    expect(later.problems[0]?.refusal).toMatchObject({ offers: [], isLater: true });
  });

  test.each(['acme.com', 'https://ACME.com/checkout?step=2'])(
    'the domain in %s is answered with the environments of its site',
    (typed) => {
      const asked = refusal(typed);
      expect(refusalText(asked)).toBe(
        `I can't find ${typed} among the environments you can see. Nothing was done. Its site has acme-shop/live, acme-shop/staging.`,
      );
      expect(asked.offers.map(({ label, opens }) => [label, opens])).toEqual([
        ['Clear cache: acme-shop/live', 'form'],
        ['Clear cache: acme-shop/staging', 'form'],
      ]);
      const { problems } = resolve(parsedFor('cache clear', { env: [typed] }), { ...names, domains: [] });
      expect(problems[0]?.refusal.offers).toEqual([]);
    },
  );

  test('a domain that the host lists at two sites is answered with the environments of both', () => {
    const domains = [
      { ...shopDomain, id: 'd0', site: undefined },
      { ...shopDomain, id: 'd1', site: blog.site },
      shopDomain,
      { ...shopDomain, id: 'd3' },
    ];
    const { problems } = resolve(parsedFor('cache clear', { env: ['acme.com'] }), { ...names, domains });
    const [problem] = problems;
    if (problem === undefined) throw new Error('it was found');
    expect(refusalText(problem.refusal)).toBe(
      "I can't find acme.com among the environments you can see. Nothing was done. Its sites have acme-blog/live, acme-shop/live, acme-shop/staging.",
    );
    expect(problem.refusal.offers.map(({ label }) => label)).toEqual([
      'Clear cache: acme-blog/live',
      'Clear cache: acme-shop/live',
      'Clear cache: acme-shop/staging',
    ]);
  });

  test('a known domain is not called a typo of an environment of another site', () => {
    const domains = [{ ...shopDomain, name: 'acme-blog.live' }];
    const { problems } = resolve(parsedFor('cache clear', { env: ['acme-blog.live'] }), { ...names, domains });
    expect(problems[0]?.refusal.offers.map(({ label }) => label)).toEqual([
      'Clear cache: acme-shop/live',
      'Clear cache: acme-shop/staging',
    ]);
  });

  test('the address of a page is answered with its domain', () => {
    const { problems } = resolve(parsedFor('check', { of: ['https://acme.com/checkout'] }), {
      ...names,
      domains: [{ ...shopDomain, id: 'd2', name: 'acme.co' }, shopDomain],
    });
    expect(problems[0]?.refusal.offers).toEqual([{ label: 'acme.com', args: ['check', shopDomain.id] }]);
  });

  test('a misspelt choice is offered as a button', () => {
    const { problems } = resolve(parsedFor('logs', { env: [live.id], log: ['erorr'], since: ['1h'] }), names);
    expect(problems[0]?.refusal.offers).toEqual([
      { label: 'Log: error', args: ['logs', live.id, 'error', '--since=1h'] },
    ]);
    const far = resolve(parsedFor('logs', { env: [live.id], log: ['mysql-slow'] }), names);
    expect(far.problems[0]?.refusal.offers).toEqual([]);
  });

  test('two environments of one name are told apart by their ids', () => {
    const twin = { ...environment('acme-shop/live', 77) };
    const { problems } = resolve(parsedFor('cache clear', { env: ['acme-shop/live'] }), {
      ...names,
      environments: [live, twin],
    });
    expect(problems[0]?.refusal.offers.map(({ label, args }) => [label, args.at(-1)])).toEqual([
      ['Clear cache: acme-shop/live (…0001)', live.id],
      ['Clear cache: acme-shop/live (…0077)', twin.id],
    ]);
  });

  test('never guesses: a result has the typed name or id', () => {
    const near = fc
      .constantFrom(...names.environments)
      .chain(({ name, id }) =>
        fc
          .constantFrom(name, id)
          .chain((text) => fc.nat(text.length).map((cut) => text.slice(0, cut) + text.slice(cut + 1))),
      );
    fc.assert(
      fc.property(fc.oneof(hostile, near, fc.constantFrom(live.name, staging.id)), (typed) => {
        const found = find(typed).input['env'];
        if (!isNamed(found)) return;
        expect([comparableName(found.name), found.id]).toContain(comparableName(typed));
      }),
      { numRuns: 500 },
    );
  });
});

test('a missing value is told apart from an unreadable one', () => {
  const { missing, problems, input } = resolve(parsedFor('allowlist add', { addresses: ['bad'], for: [' '] }), names);
  expect(missing).toEqual(['env']);
  expect(problems.map((problem) => problem.field)).toEqual(['addresses']);
  expect(input).toEqual({});
});

test('stored arguments have ids and canonical values, and no reason', () => {
  const given = { env: ['ACME-shop/live'], addresses: ['1.1.1.1/32', '1.1.1.1', '10.0.0.0/08'], for: ['90m'] };
  const resolved = resolve(parsedFor('allowlist add', given, { reason: 'x' }), names);
  expect(canonicalArgs(resolved)).toEqual(['allowlist', 'add', live.id, '1.1.1.1', '10.0.0.0/8', '--for=1h30m']);
});

test('names are those a person may read, computed again when the rules or the listing change', () => {
  const site = (name: string) => ({ id: undefined, name, displayName: name });
  const listed = (id: string, name: string, of: string) => ({
    id,
    name,
    displayName: name,
    site: site(of),
    named: 'by the host' as const,
  });
  const listing = {
    ...emptyListing,
    at: 1,
    environments: [listed(live.id, 'live', 'acme-shop'), listed(blog.id, 'live', 'acme-blog')],
  };
  let policy = policyOf('{ allow: [read], to: [developers], where: ["acme-shop/*"] }');
  let now: typeof listing = listing;
  const namesOf = createNames(
    () => now,
    () => policy,
  );
  const mine = () => namesOf(ana).environments.map(({ name }) => name);
  expect(mine()).toEqual(['acme-shop/live']);
  expect(namesOf(ana)).toBe(namesOf(ana));
  expect(namesOf(undefined).environments.map(({ name, live }) => [name, live])).toEqual([
    ['acme-blog/live', true],
    ['acme-shop/live', true],
  ]);
  policy = policyOf('{ allow: [read], to: [developers] }');
  expect(mine()).toEqual(['acme-blog/live', 'acme-shop/live']);
  now = { ...listing, environments: [] };
  expect(mine()).toEqual([]);
});
