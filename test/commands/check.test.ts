import { expect, test } from 'vitest';
import { checkPage } from '../../src/commands/check.ts';
import type { Look, SiteReading } from '../../src/site-check/reading.ts';
import { plain } from '../../src/words/text.ts';

const refused: SiteReading = {
  at: Date.UTC(2026, 10, 23),
  looks: [{ address: 'https://a.example/', as: 'visitor', kind: 'no answer', why: 'was away', isOfSite: true }],
  missing: [],
};

test('three bad readings within a moment give no verdict, and the title says why', () => {
  const id = '00000001-0000-4000-8000-000000000000';
  const plan = { kind: 'pages', addresses: ['https://a.example/'], must: [], otherDomains: 0 } as const;
  const { title } = checkPage(
    { kind: 'domain', id, name: 'a.example', site: undefined },
    { plan, instead: undefined, readings: [refused, refused, refused] },
  );
  expect(plain(title)).toBe("❔ I can't tell how a.example is: bad in 3 of 3 readings, too close together");
});

const answered = (ms: number, as: 'visitor' | 'past the cache' = 'visitor'): Look => ({
  address: 'https://a.example/',
  as,
  kind: 'answered',
  status: 200,
  firstByteMs: ms,
  ms,
  finalAddress: 'https://a.example/',
  title: 'A',
  trouble: undefined,
  cache: undefined,
  certificateDays: undefined,
});

test.each<[string, readonly (readonly [number, number])[], string]>([
  [
    'well',
    [
      [100, 2_900],
      [90, 300],
      [90, 300],
    ],
    '✅ a.example is well in 3 of 3 readings',
  ],
  [
    'slow past the cache',
    [
      [100, 5_000],
      [90, 300],
      [90, 4_000],
    ],
    '⚠️ a.example answers, but slowly: 5.0 s past the cache · slow in 2 of 3 readings',
  ],
  ['slow in the only reading', [[3_000, 2_000]], '⚠️ a.example answers, but slowly: 3.0 s as a visitor · one reading'],
])('a site that is %s says so in the first line', (_, times, says) => {
  const id = '00000001-0000-4000-8000-000000000000';
  const plan = { kind: 'pages', addresses: ['https://a.example/'], must: [], otherDomains: 0 } as const;
  const readings = times.map(([visitor, past], at) => ({
    at: refused.at + at * 8_000,
    looks: [answered(visitor), answered(past, 'past the cache')],
    missing: [],
  }));
  const page = checkPage(
    { kind: 'domain', id, name: 'a.example', site: undefined },
    { plan, instead: undefined, readings },
  );
  expect(plain(page.title)).toBe(says);
  const slow = times.filter((pair) => Math.max(...pair) >= 3_000).length;
  if (times.length > 1) expect(JSON.stringify(page.parts).match(/, slow/g) ?? []).toHaveLength(slow);
});

test('a missing text is reported with who does not get it', () => {
  const id = '00000001-0000-4000-8000-000000000000';
  const plan = { kind: 'pages', addresses: ['https://a.example/'], must: [], otherDomains: 0 } as const;
  const missing = [
    { text: 'Both', as: 'visitor' },
    { text: 'Both', as: 'past the cache' },
    { text: 'Cart', as: 'past the cache' },
  ] as const;
  const { parts } = checkPage(
    { kind: 'domain', id, name: 'a.example', site: undefined },
    { plan, instead: undefined, readings: [{ ...refused, missing }] },
  );
  const [drawn] = parts.flatMap((part) => (part.kind === 'text' ? [plain(part.text)] : []));
  expect(drawn).toContain('Missing: “Both” is on none of these pages.');
  expect(drawn).toContain('Missing: “Cart” is on none of these pages past the cache.');
});

test.each([
  ['busy', "I'm reading too many sites right now"],
  ['stopping', "I'm being stopped"],
  ['late', 'The readings took too long'],
] as const)('a series that ended early (%s) has no verdict and says why', (cut, why) => {
  const id = '00000001-0000-4000-8000-000000000000';
  const plan = { kind: 'pages', addresses: ['https://a.example/'], must: [], otherDomains: 0 } as const;
  const { title, parts } = checkPage(
    { kind: 'domain', id, name: 'a.example', site: undefined },
    { plan, instead: undefined, readings: [refused], cut },
  );
  expect(plain(title)).toBe('❔ No verdict on a.example: 1 reading of 3');
  expect(JSON.stringify(parts)).toContain(why);
  expect(JSON.stringify(parts)).toContain('Reading 1, ');
});
