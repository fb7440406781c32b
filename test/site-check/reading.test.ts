import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  impressionIn,
  verdictOf,
  type Answered,
  type Impression,
  type Look,
  type SiteReading,
} from '../../src/site-check/reading.ts';

/** What readings prove. */

const asked = { address: 'https://shop.example.com/', as: 'visitor' } as const;
const answered = (status: number, trouble?: string): Answered => ({
  ...asked,
  kind: 'answered',
  status,
  firstByteMs: 1,
  ms: 2,
  finalAddress: asked.address,
  title: undefined,
  trouble,
  cache: undefined,
  certificateDays: undefined,
});
const unread: Look = { ...answered(200), unread: 'compressed oddly' };
const silent = (isOfSite: boolean): Look => ({ ...asked, kind: 'no answer', why: 'is away', isOfSite });
const refused: Look = { ...asked, kind: 'not checked', why: 'it is inside' };
const reading = (at: number, ...looks: readonly Look[]): SiteReading => ({ at, looks, missing: [] });

test.each<[string, Look, Impression]>([
  ['a page', answered(200), 'well'],
  ['another success', answered(204, undefined), 'well'],
  ['an error page with status 200', answered(200, 'the page is empty'), 'bad'],
  ['a page that was not read', unread, 'unknown'],
  ['a server error', answered(500), 'bad'],
  ['a page that is gone', answered(404), 'bad'],
  ['a refusal, perhaps of Sitehand alone', answered(403), 'unknown'],
  ['too many requests', answered(429), 'unknown'],
  ['a redirect to nowhere', answered(302), 'unknown'],
  ['a site that closes the connection', silent(true), 'bad'],
  ['a way that is closed', silent(false), 'unknown'],
  ['what is never asked', refused, 'cannot be checked'],
])('%s is %s', (_, look, wanted) => {
  expect(impressionIn(reading(0, look))).toBe(wanted);
});

test('one page past the cache that fails makes the reading bad, and so does a text that is missing', () => {
  expect(impressionIn(reading(0, answered(200), { ...answered(502), as: 'past the cache' }))).toBe('bad');
  expect(impressionIn({ ...reading(0, answered(200)), missing: [{ text: 'Add to cart', as: 'visitor' }] })).toBe('bad');
  expect(impressionIn(reading(0, answered(200), refused))).toBe('unknown');
});

test('1,000 sequences: never bad from fewer than three bad readings over some twenty seconds, never well unless all are', () => {
  const kinds = { well: answered(200), bad: answered(500), unknown: silent(false), 'cannot be checked': refused };
  const names = ['well', 'bad', 'unknown', 'cannot be checked'] as const;
  // Three readings with two of the fixed pauses between them last just under 15 s, or just that.
  const after = fc.oneof(fc.integer({ min: 0, max: 40_000 }), fc.constantFrom(7_499, 7_500));
  const step = fc.record({ is: fc.constantFrom(...names, 'bad' as const, 'bad' as const), after });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 6 }), (steps) => {
      let at = 1_000;
      const readings = steps.map(({ is, after }) => reading((at += after), kinds[is]));
      const verdict = verdictOf(readings);
      const are = (is: Impression): boolean => steps.length > 0 && steps.every((one) => one.is === is);
      const span = (readings.at(-1)?.at ?? 0) - (readings[0]?.at ?? 0);
      if (steps.length === 1) {
        expect(verdict).toEqual({ kind: 'one reading', looks: steps[0]?.is });
        return;
      }
      const wanted =
        are('bad') && steps.length >= 3 && span >= 15_000
          ? 'bad'
          : are('well') || are('cannot be checked')
            ? steps[0]?.is
            : steps.some(({ is }) => is === 'bad') && steps.some(({ is }) => is === 'well')
              ? 'unsteady'
              : 'unknown';
      expect(verdict).toMatchObject({ kind: wanted, of: steps.length });
    }),
    { numRuns: 1_000 },
  );
});
