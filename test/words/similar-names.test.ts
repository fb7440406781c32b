import { describe, expect, test } from 'vitest';
import { environmentsPage } from '../../src/talk/environments-page.ts';
import { toldApart } from '../../src/words/similar-names.ts';
import { manyPage } from '../../src/commands/many-environments.ts';
import { liveFacts } from '../../src/send/pin-batch.ts';
import { leaveOutInput } from '../../src/slack/forms/inputs.ts';
import { plain, say } from '../../src/words/text.ts';
import { live, staging } from '../fixtures.ts';

test.each<[string, readonly (readonly [id: string, name: string])[], readonly string[]]>([
  [
    'different names',
    [
      ['a-0001', 'shop'],
      ['a-0002', 'blog'],
    ],
    ['shop', 'blog'],
  ],
  [
    'the same name',
    [
      ['a-0001', 'shop'],
      ['a-0002', 'shop'],
    ],
    ['shop (…0001)', 'shop (…0002)'],
  ],
  [
    'the same in another case',
    [
      ['a-0001', 'Shop'],
      ['a-0002', 'shop'],
    ],
    ['Shop (…0001)', 'shop (…0002)'],
  ],
  [
    'the same end too',
    [
      ['ab-0001', 'shop'],
      ['cb-0001', 'shop'],
      ['x', 'shop'],
    ],
    ['shop (…ab-0001)', 'shop (…cb-0001)', 'shop (…x)'],
  ],
  [
    'one twice',
    [
      ['a-0001', 'shop'],
      ['a-0001', 'shop'],
    ],
    ['shop', 'shop'],
  ],
])('%s', (_, all, shown) => {
  const named = all.map(([id, name]) => ({ id, name }));
  expect(named.map(toldApart(named))).toEqual(shown);
});

test('a long name leaves room for its end', () => {
  const named = ['a-0001', 'a-0002'].map((id) => ({ id, name: 'x'.repeat(100) }));
  expect(named.map(toldApart(named))[0]).toMatch(/^x{60} \(…0001\)$/);
});

describe('two environments of one name differ in', () => {
  const twin = { ...live, id: `${live.id.slice(0, -4)}1001`, site: { id: 'twin', name: 'acme-shop' } };
  const all = [live, staging, twin];
  const [one, other] = [`${live.name} (…${live.id.slice(-4)})`, `${live.name} (…1001)`];
  const told: Readonly<Record<string, () => string>> = {
    'a report on many': () => {
      const page = manyPage({
        title: say`t`,
        of: { trouble: undefined },
        each: all.map((env) => ({ env, part: { kind: 'found', found: 1 } as const })),
        tell: () => ({ mark: '•', says: say`x`, rank: 0 }),
        none: say`none`,
        offer: (env, shown) => ({ label: shown, args: ['status', env.id] }),
        now: 0,
      });
      expect(page.offers?.map(({ label }) => label)).toEqual(expect.arrayContaining([one]));
      return page.parts.flatMap((part) => (part.kind === 'list' ? part.entries.map(plain) : [])).join('\n');
    },
    environments: () => {
      const names = { environments: all, domains: [], domainHomes: [], at: 0, isListed: true, trouble: undefined };
      const { parts } = environmentsPage(names, 'acme-shop', 0);
      return parts.flatMap((part) => (part.kind === 'list' ? part.entries.map(plain) : [])).join('\n');
    },
    'the review of a batch': () =>
      liveFacts(all)
        .map(([, value]) => plain(value))
        .join('\n'),
    'what can be left out of a batch': () => JSON.stringify(leaveOutInput(all)),
  };
  test.each(Object.entries(told))('%s', (_, shown) => {
    expect(shown()).toContain(one);
    expect(shown()).toContain(other);
    expect(shown()).not.toContain(`${staging.name} (…`);
  });
});
