import { describe, expect, test } from 'vitest';
import {
  findingsOf,
  shortReading,
  readingsInShort,
  readingsInWords,
  verdictInWords,
  type SiteReadings,
} from '../../src/change/site-readings.ts';
import type { Answered, Look, SiteReading } from '../../src/site-check/reading.ts';
import { plain } from '../../src/words/text.ts';

const asked = { address: 'https://acme-shop.example/', as: 'visitor' } as const;
const answered = (status: number, more: Partial<Answered> = {}): Answered => ({
  ...asked,
  kind: 'answered',
  status,
  firstByteMs: 90,
  ms: 420,
  finalAddress: asked.address,
  title: undefined,
  trouble: undefined,
  cache: undefined,
  certificateDays: undefined,
  ...more,
});
const silent: Look = { ...asked, kind: 'no answer', why: 'had not answered after 2.7 s', isOfSite: false };
const ten = 10_000;
const reading = (at: number, look: Look, missing: readonly string[] = []): SiteReading => ({
  at,
  looks: [look],
  missing: missing.map((text) => ({ text, as: 'visitor' })),
});
const three = (...looks: readonly Look[]): readonly SiteReading[] => looks.map((look, at) => reading(at * ten, look));
const [well, broken] = [answered(200), answered(500)];
const around = (before: Look | undefined, after: readonly SiteReading[]): SiteReadings => {
  const first = before && shortReading(reading(0, before));
  const found = findingsOf({ readings: after }, first);
  return { ...(first && { before: first }), ...(found && { after: found }) };
};
const said = (readings: SiteReadings, risk: 'routine' | 'destructive' = 'destructive'): string | undefined => {
  const text = verdictInWords('acme-shop/live', risk, readings);
  return text && plain(text);
};

test.each([
  [
    'well, then bad',
    well,
    three(broken, broken, broken),
    /was 200 in 0\.4 s before, and is now 500, in 3 of 3 readings/,
  ],
  [
    'bad, and still',
    broken,
    three(broken, broken, broken),
    /is now 500, in 3 of 3.*It was bad before too, in one reading: 500\./,
  ],
  ['unknown before', silent, three(broken, broken, broken), /is now 500, in 3 of 3.*I don't know how it was before\./],
  ['not read before', undefined, three(broken, broken, broken), /I don't know how it was before\./],
  [
    'bad, then well',
    broken,
    three(well, well, well),
    /^✅ acme-shop\/live is well again: 200 in 0\.4 s, in 3 of 3 readings \(.*\)\. Before, it was 500, in one reading\.$/,
  ],
  ['unsteady', well, three(broken, well, well), /is now unsteady: bad in 1 of 3 readings, last as 500/],
])('%s: it is told', (_, before, after, words) => {
  expect(said(around(before, after))).toMatch(words);
});

test.each([
  ['well before and after', well, three(well, well, well)],
  ['bad in one reading', well, three(broken)],
  ['bad in two readings', well, three(broken, broken)],
  ['unknown after', well, three(silent, silent, silent)],
  ['bad, then unknown', well, three(broken, silent, silent)],
  ['not read after', well, []],
])('%s: nothing is claimed', (_, before, after) => {
  expect(said(around(before, after))).toBeUndefined();
});

describe('before and after are compared on one page only', () => {
  const at = (address: string, look: Look): Look => ({ ...look, address });
  const [old, added] = ['https://old.example/', 'https://new.example/'];
  const readings = (...looks: readonly Look[]): readonly SiteReading[] =>
    [0, ten, 2 * ten].map((begun) => ({ at: begun, looks, missing: [] }));
  const around = (before: readonly Look[], after: readonly Look[]): SiteReadings => {
    const first = shortReading({ at: 0, looks: before, missing: [] });
    const found = findingsOf({ readings: readings(...after) }, first);
    return { ...(first && { before: first }), ...(found && { after: found }) };
  };

  test('a domain that was just added was not read before', () => {
    const both = around([at(old, well)], [at(old, well), at(added, answered(404))]);
    expect(said(both)).toMatch(/is now 404, in 3 of 3 .*new\.example.*I didn't read that page before\./);
    expect(plain(readingsInShort(both))).toBe('was 200 in 0.4 s on another page, then 404 in 3 of 3 readings');
  });

  test('a page that breaks is compared with itself, and another page that was bad before is named', () => {
    const [slow, fast] = [answered(200, { ms: 2_000 }), answered(200, { ms: 100 })];
    const second = around([at(old, fast), at(added, slow)], [at(old, fast), at(added, broken)]);
    expect(said(second)).toContain('was 200 in 2.0 s before, and is now 500');
    const beside = around([at(old, broken), at(added, well)], [at(old, well), at(added, answered(404))]);
    expect(said(beside)).toMatch(/is now 404.* It was bad before too, in one reading: 500 \(https:\/\/old/);
    const unclear = around([at(old, answered(403)), at(added, well)], [at(old, answered(403)), at(added, broken)]);
    expect(said(unclear)).toContain('was 200 in 0.4 s before, and is now 500');
  });

  test('a site is well again only if the page that was bad is', () => {
    const both = around([at(old, well), at(added, broken)], [at(old, well), at(added, well)]);
    expect(said(both)).toMatch(
      /well again: 200 in 0\.4 s, in 3 of 3 readings \(https:\/\/new\..* it was 500, in one reading/,
    );
    expect(said(around([at(old, broken), at(added, well)], [at(added, well)]))).toBeUndefined();
  });

  test('visits through the cache and past it are not compared', () => {
    const past = (look: Look): Look => ({ ...look, as: 'past the cache' });
    expect(said(around([well, past(silent)], [well, past(broken)]))).toContain("I don't know how it was before.");
  });
});

test('a routine change reports a site that is bad or well again, but not an unsteady one; an interrupted series claims nothing', () => {
  expect(said(around(well, three(broken, broken, broken)), 'routine')).toContain('3 of 3');
  expect(said(around(well, three(broken, well, well)), 'routine')).toBeUndefined();
  expect(said(around(broken, three(well, well, well)), 'routine')).toContain('is well again');
  expect(said({ after: 'begun' })).toBeUndefined();
});

test('a bad site that could not be read again, because too many were read, is reported as one reading', () => {
  const busy = (look: Look): SiteReadings => {
    const after = findingsOf({ readings: [reading(0, look)], cut: 'busy' });
    return after ? { after } : {};
  };
  expect(said(busy(broken), 'routine')).toBe(
    "⚠️ acme-shop/live was 500 in one reading (https://acme-shop.example/), and I was reading too many sites to look again. I don't know how it was before.",
  );
  expect(said(busy(silent))).toBeUndefined();
  expect(said(busy(well))).toBeUndefined();
});

test('a reading names the page’s trouble, the missing text, and whether it was past the cache', () => {
  expect(shortReading(reading(0, answered(200, { trouble: 'the page is empty' })))?.says).toBe(
    '200, but the page is empty',
  );
  expect(shortReading(reading(0, well, ['Add *to* cart']))).toMatchObject({
    impression: 'bad',
    says: 'without “Add *to* cart”',
  });
  const past = (look: Look): Look => ({ ...look, as: 'past the cache' });
  expect(shortReading({ ...reading(0, well), looks: [well, past(broken)] })).toMatchObject({
    as: 'past the cache',
    says: '500',
  });
  const onlyPast = { text: 'Add to cart', as: 'past the cache' } as const;
  expect(shortReading({ at: 0, looks: [well, past(well)], missing: [onlyPast] })).toMatchObject({
    as: 'past the cache',
    says: 'without “Add to cart”',
  });
  const [before, after] = readingsInWords(around(silent, [])).map(([label, text]) => `${label}: ${plain(text)}`);
  expect(before).toMatch(
    /^Site before: unknown in one reading: without an answer \(it had not answered after 2\.7 s\)/,
  );
  expect(after).toBe('Site after: not read');
});

test.each([
  ['well', well, three(well, well, well), 'was 200 in 0.4 s, then 200 in 0.4 s, well in 3 of 3 readings'],
  ['broken', well, three(broken, broken, broken), 'was 200 in 0.4 s, then 500 in 3 of 3 readings'],
  ['unsteady', broken, three(well, broken, well), 'was 500, then 500 in 1 of 3 readings'],
  ['not read', undefined, [], 'was not read before, then not read'],
  ['refused', well, three(answered(403), answered(403), answered(403)), 'was 200 in 0.4 s, then unknown: 403'],
  ['read once', well, three(broken), 'was 200 in 0.4 s, then 500 in one reading'],
])('a site that is %s, in half a sentence', (_, before, after, words) => {
  expect(plain(readingsInShort(around(before, after)))).toBe(words);
});

test('a series without a recorded end is unknown', () => {
  expect(plain(readingsInShort({ after: 'begun' }))).toBe('was not read before, then not known');
});
