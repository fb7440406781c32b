import { afterAll, expect, it, test } from 'vitest';
import { aliasesBy } from '../../../src/commands/logs/masking.ts';
import { peaksIn } from '../../../src/commands/logs/peaks.ts';
import { createLogReader } from '../../../src/commands/logs/run-analysis.ts';
import type { LogPeaks } from '../../../src/commands/kit/log-query.ts';

const now = Date.UTC(2026, 10, 21, 14, 5);
const minute = 60_000;
const reader = createLogReader('key');
afterAll(reader.close);

const stamp = (at: number): string => new Date(at).toISOString();
const fatal = (at: number, says = 'Uncaught Error in cart.php'): string => `[${stamp(at)}] PHP Fatal error:  ${says}`;
/** This many errors, ten seconds apart, from so many minutes ago on. */
const burst = (ago: number, count: number, says?: string): readonly string[] =>
  Array.from({ length: count }, (_, index) => fatal(now - ago * minute + index * 10_000, says));
/** An error every `every` minutes, for so many hours. */
const quiet = (hours: number, every: number): readonly string[] =>
  Array.from({ length: (hours * 60) / every }, (_, index) => fatal(now - hours * 60 * minute + index * every * minute));

const query = (lines: readonly string[], hours: number, wanted = 20_000) => ({
  text: lines.length === 0 ? '' : `${lines.toSorted().join('\n')}\n`,
  wanted,
  span: { from: now - hours * 60 * minute, to: now },
  now,
});
const peaks = (lines: readonly string[], hours = 6, wanted?: number): Promise<LogPeaks> =>
  peaksIn(query(lines, hours, wanted), aliasesBy('key'));
const shown = ({ peaks: found }: LogPeaks): readonly string[] =>
  found.map((one) => `${stamp(one.from).slice(11, 19)}-${stamp(one.to).slice(11, 19)} ${one.count}× ${one.says}`);

it('finds when there were far more errors than usual, and what most of them say', async () => {
  const found = await peaks([...quiet(6, 15), ...burst(125, 40, 'Cart::total() is null'), ...burst(125, 3)]);
  expect(shown(found)).toEqual(['12:00:00-12:06:30 44× PHP Fatal error:  Cart::total() is null']);
  expect(found).toMatchObject({ errors: 67, lines: 67, timeless: 0, readFrom: undefined });
});

test('peaks beside each other are one, the newest ends now, and at most five are shown', async () => {
  expect(shown(await peaks(burst(15, 90, 'no price in /www/public/wp-content/cart.php')))).toEqual([
    '13:50:00-14:04:50 90× PHP Fatal error:  no price in …/cart.php',
  ]);
  const many = [20, 60, 100, 140, 180, 220, 260].flatMap((ago, index) => burst(ago, 6 + index));
  expect((await peaks(many)).peaks.map(({ count }) => count)).toEqual([12, 11, 10, 9, 8]);
});

test.each<[string, readonly string[]]>([
  ['errors that are always as many', quiet(6, 1)],
  ['a few errors', burst(30, 4)],
  ['warnings', burst(30, 0).concat(Array.from({ length: 50 }, () => `[${stamp(now - minute)}] PHP Warning:  x`))],
  ['the lines of one long trace', [fatal(now - minute), ...Array.from({ length: 50 }, () => '#0 cart.php(7)')]],
  ['nothing', []],
  ['errors before the span', burst(500, 40)],
])('%s are no peak', async (_what, lines) => {
  expect((await peaks(lines)).peaks).toEqual([]);
});

it('begins with its first busy minute, not with a lonely error before it', async () => {
  const lines = [fatal(now - 64 * minute, 'lonely'), ...burst(58, 30), fatal(now - 46 * minute, 'late')];
  expect(shown(await peaks(lines))).toEqual(['13:07:00-13:11:50 30× PHP Fatal error:  Uncaught Error in cart.php']);
});

it('says since when it could read the log, and which lines it could not place', async () => {
  const cut = await peaks(burst(60, 30), 6, 20);
  expect(cut).toMatchObject({ lines: 20, readFrom: now - 60 * minute + 100_000 });
  expect(await peaks(['PHP Fatal error:  no time', 'PHP Fatal error:  at all'])).toMatchObject({
    peaks: [],
    errors: 2,
    timeless: 2,
  });
});

it('masks what the errors say', async () => {
  const found = await peaks(burst(60, 30, 'mail to jo@acme.example from 203.0.113.9 with password=hunter2hunter2'));
  expect(found.peaks[0]?.says).toMatch(/^PHP Fatal error:  mail to \*\*\*@\*\*\* from (?:client-|\*)/);
  expect(JSON.stringify(found)).not.toMatch(/jo@acme|203\.0\.113|hunter2/);
});

it('reads a long log in the worker thread with the same result', async () => {
  const lines = [...quiet(6, 1), ...burst(125, 40, 'Cart::total() is null'.repeat(300))];
  const long = query([...lines, ...burst(300, 400, 'x'.repeat(1_000))], 6);
  expect(long.text.length).toBeGreaterThan(400_000);
  expect(await reader.peaks(long)).toEqual(await peaksIn(long, aliasesBy('key')));
});
