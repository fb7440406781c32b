import { expect, test } from 'vitest';
import { checkPlanFor } from '../../src/send/check-plan.ts';
import { plain } from '../../src/words/text.ts';
import { listing } from '../matrix/people-and-rules.ts';
import { allEnvironments } from '../../src/change/visible-names.ts';
import { mistakesOf, policyOf } from './fixtures.ts';

/** `checks:` in the policy, and which pages follow from it. */

const written = (checks: string): string => `version: 1\nrules: []\nchecks: ${checks}\n`;

test.each([
  ['on', 'line 3: expected "off", or sites with what to check'],
  ['{ "a/b/c": off }', 'line 3: "a/b/c" is neither a site nor site/environment'],
  [
    '{ "a-*": { domains: [shop.example.com] } }',
    'line 3: domains belong to one environment: give it as site/environment',
  ],
  ['{ a: { pathz: ["/"] } }', 'line 3: unknown key "pathz"; did you mean "paths"?'],
  ['{ a: { paths: ["//evil.example/"] } }', 'line 3: "//evil.example/" is not a path'],
  ['{ a: { paths: ["/#x"] } }', 'line 3: "/#x" is not a path'],
  ['{ a: { must: [""] } }', 'line 3: "" cannot be looked for'],
  ['{ a/b: { domains: [127.0.0.1] } }', 'line 3: "127.0.0.1" is not a domain'],
  ['{ a/b: { domains: ["*.example.com"] } }', 'line 3: "*.example.com" is not a domain'],
])('checks: %s', (checks, mistake) => {
  expect(mistakesOf(written(checks))).toEqual([expect.stringContaining(mistake)]);
});

const [shop] = allEnvironments(listing, policyOf(written('{}')));
const domain = (name: string) => ({ kind: 'domain', id: name, name, site: undefined }) as const;
const own = (...names: readonly string[]) => ({
  ...listing,
  environmentDomains: names.map((name, at) => ({ id: String(at), name, environmentId: shop?.id ?? '' })),
});
/** The pages of the shop, or why there are none. */
const planned = (checks: string, names = own(), target: Parameters<typeof checkPlanFor>[0] | undefined = shop) => {
  if (target === undefined) throw new Error('no shop');
  const plan = checkPlanFor(target, names, policyOf(written(checks)));
  return plan.kind === 'pages' ? plan.addresses : plain(plan.why);
};

test('the host’s domains come before the policy’s, and what neither names is not checked', () => {
  const named = '{ acme-shop/live: { domains: [b.example.com] } }';
  expect(planned('{}')).toBe('the host names no domain of acme-shop/live, and no checks in the policy do');
  expect(planned(named)).toEqual(['https://b.example.com/']);
  expect(planned(named, own('a.example.com'))).toEqual(['https://a.example.com/']);
  expect(planned(named, own('*.example.com', 'A.example.com', 'b.example.com'))).toEqual([
    'https://b.example.com/',
    'https://a.example.com/',
  ]);
  expect(planned('off', own('a.example.com'))).toBe('the policy turns checks of it off');
  expect(planned('{ acme-shop: off, "acme-*": { paths: [/a] } }', own('a.example.com'))).toMatch(/off$/);
});

test('a domain is checked if it is one environment’s', () => {
  expect(planned('{ acme-shop: { paths: [/a, /b] } }', own('a.example.com'), domain('a.example.com'))).toEqual([
    'https://a.example.com/a',
    'https://a.example.com/b',
  ]);
  expect(planned('{}', own('a.example.com'), domain('shop.acme.com'))).toMatch(
    /^the host does not say which environment/,
  );
  const named = '{ acme-shop/live: { domains: [b.example.com] } }';
  expect(planned(named, own(), domain('b.example.com'))).toEqual(['https://b.example.com/']);
  // The host says what the domains of the shop are, and this is none of them.
  expect(planned(named, own('a.example.com'), domain('b.example.com'))).toMatch(/^the host does not say/);
});
