import { Ajv } from 'ajv';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { rights } from '../../src/commands/rights.ts';
import { parseDuration } from '../../src/words/duration.ts';
import { loadPolicy } from '../../src/policy/load.ts';
import { loadMatcher } from '../../src/policy/reason-match.ts';
import { defaultExpiryMs } from '../../src/policy/rules.ts';
import { derivedIn, policySchema } from '../derived.ts';
import { withRules } from './fixtures.ts';

/** The JSON Schema of the policy file, by which editors complete and check it. */

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
const accepts = new Ajv().compile(JSON.parse(read('policy.schema.json')));
const ok = 'version: 1\nrules: []\n';
const UUID = '00000000-0000-4000-8000-00000000000F';

test('the file is up to date', () => {
  const { actual, wanted } = derivedIn(policySchema);
  expect(actual, 'npm run fix writes it').toBe(wanted);
});

test('the example names it for editors', () => {
  expect(read('policy.example.yml')).toMatch(/^# yaml-language-server: \$schema=\.\/policy\.schema\.json\n/);
});

test('an approval without `expires` has the default, which editors show', () => {
  const loaded = loadPolicy(withRules('{ allow: [push], to: [leads], approval: { by: [leads] } }'), rights);
  expect(loaded).toMatchObject({ policy: { rules: [{ approval: { expires: defaultExpiryMs } }] } });
  const [, defaultText = ''] = /"default": "(\d+[smhd])"/.exec(read('policy.schema.json')) ?? [];
  expect(parseDuration(defaultText)).toBe(defaultExpiryMs);
});

beforeAll(loadMatcher);

describe('editors accept what Sitehand accepts', () => {
  test.each([
    ['the example', read('policy.example.yml')],
    ['the rules of the playground', read('src/playground/policy.yml')],
    ['the least', ok],
    ['everyone', withRules('{ allow: [audit, unlock --force, logs reveal], to: everyone, approval: none }')],
    ['an approval', withRules('{ allow: [push], to: [leads], approval: { by: [leads], expires: 2592000s } }')],
    ['whom to notify', withRules('{ allow: [push], to: [leads], approval: { by: [leads], notify: [leads] } }')],
    [
      'a match',
      withRules(
        '{ allow: [push], to: [leads], approval: { by: [leads], reason: { match: a, link: https://a.b/$0 } } }',
      ),
    ],
    ['a deny', withRules('{ deny: [read, cache clear], to: [leads], where: [a/b, "domain:*", company] }')],
    ['groups of any name', `${ok}groups: { constructor: [U12], "12": [], a_b-c: [W12, S12] }`],
    ['sets', `${ok}sets: { care-plan_2: ["acme-*/live", b/c], constructor: ["*/*"] }`],
    [
      'freezes',
      `${ok}freezes: [{ name: a, zone: UTC, from: 2026-11-27 18:00, to: 2026-12-01 08:00, what: [push] }, { name: b, zone: UTC, weekly: [fri 16:00 – mon 08:00] }]`,
    ],
    ['people', `${ok}people: { "Zoë B.": [U12, W12], two: [] }`],
    ['channels', `${ok}channels: { G0A: {}, C0A: { cards: C0B, sites: ["*"] }, deny: [C12], ops: C0C }`],
    [
      'overrides',
      `${ok}environments: { ${UUID}: { site: größe 2, name: b, live: true } }\nsites: { ${UUID}: { name: a } }`,
    ],
  ])('%s', (_, text) => {
    expect(loadPolicy(text, rights).kind).toBe('policy');
    accepts(parse(text));
    expect(accepts.errors).toBeNull();
  });
});

describe('Sitehand refuses what editors refuse', () => {
  test.each([
    ['nothing', ''],
    ['no rules', 'version: 1'],
    ['another version', 'version: 2\nrules: []'],
    ['an unknown key', `${ok}rulez: []`],
    ['a planned key', `${ok}night: []`],
    ['a freeze without a zone', `${ok}freezes: [{ name: a, weekly: fri 16:00 - mon 08:00 }]`],
    ['a freeze without a time', `${ok}freezes: [{ name: a, zone: UTC }]`],
    [
      'a freeze of everyone but everyone',
      `${ok}freezes: [{ name: a, zone: UTC, weekly: fri 16:00 - mon 08:00, except: { to: everyone } }]`,
    ],
    ['a group called everyone', `${ok}groups: { everyone: [] }`],
    ['a group by a name', `${ok}groups: { Leads: [] }`],
    ['a name in a group', `${ok}groups: { leads: ["@chi"] }`],
    ['a user group as a person', `${ok}people: { a: [S12] }`],
    ['neither allow nor deny', withRules('{ to: [leads] }')],
    ['both', withRules('{ allow: [read], deny: [read], to: [leads] }')],
    ['approval of a deny', withRules('{ deny: [push], to: [leads], approval: none }')],
    ['an unknown command', withRules('{ allow: [cache cleer], to: [leads] }')],
    ['nothing allowed', withRules('{ allow: [], to: [leads] }')],
    ['no audience', withRules('{ allow: [read] }')],
    ['an audience without a list', withRules('{ allow: [read], to: leads }')],
    ['an unknown field', withRules('{ allow: [read], to: [leads], too: [leads] }')],
    ['approval by nobody', withRules('{ allow: [push], to: [leads], approval: { count: 1 } }')],
    ['nobody to notify', withRules('{ allow: [push], to: [leads], approval: { by: [leads], notify: [] } }')],
    ['too many approvals', withRules('{ allow: [push], to: [leads], approval: { by: [leads], count: 21 } }')],
    ['a duration', withRules('{ allow: [push], to: [leads], approval: { by: [leads], expires: 1w } }')],
    ['a reason', withRules('{ allow: [push], to: [leads], approval: { by: [leads], reason: yes } }')],
    ['a link alone', withRules('{ allow: [push], to: [leads], approval: { by: [leads], reason: { link: a } } }')],
    ['a set by a name', `${ok}sets: { Care plan: [a/b] }`],
    ['an empty set', `${ok}sets: { a: [] }`],
    ['a channel by its name', `${ok}channels: { "#ops": {} }`],
    ['cards by a name', `${ok}channels: { C0A: { cards: ops } }`],
    ['an unknown field of a channel', `${ok}channels: { C0A: { card: C0B } }`],
    ['an environment by its name', `${ok}environments: { a/b: { site: a, name: b } }`],
    ['a name with a space before it', `${ok}environments: { ${UUID}: { site: " a", name: b } }`],
    ['a site without a name', `${ok}sites: { ${UUID}: { environments: [] } }`],
  ])('%s', (_, text) => {
    expect(loadPolicy(text, rights).kind).toBe('mistakes');
    expect(accepts(parse(text))).toBe(false);
  });
});
