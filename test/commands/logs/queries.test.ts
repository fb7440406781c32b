import { afterAll, expect, it, test, describe } from 'vitest';
import { aliasesBy } from '../../../src/commands/logs/masking.ts';
import { loudestError } from '../../../src/commands/logs/loudest.ts';
import { peaksIn, findNewKinds } from '../../../src/commands/logs/queries.ts';
import { createLogReader } from '../../../src/commands/logs/run-analysis.ts';
import type { LogPeaks } from '../../../src/commands/kit/log-query.ts';

describe('peaks', () => {
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
    Array.from({ length: (hours * 60) / every }, (_, index) =>
      fatal(now - hours * 60 * minute + index * every * minute),
    );

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
});

describe('new kinds', () => {
  const hour = 3_600_000;
  const now = Date.parse('2026-11-23T12:00:00Z');
  const line = (hoursAgo: number, message: string): string =>
    `[${new Date(now - hoursAgo * hour).toISOString().slice(0, 19).replace('T', ' ')}] ${message}`;
  const error = (hoursAgo: number, what: string): string => line(hoursAgo, `PHP Fatal error: ${what}`);

  async function found(lines: readonly string[], { match = '', wanted = 1_000 } = {}) {
    const query = {
      text: lines.map((one) => `${one}\n`).join(''),
      wanted,
      since: now - hour,
      match: match || undefined,
      now,
    };
    const { kinds, ...read } = await findNewKinds(query, () => 'client-3f2a');
    return { ...read, told: kinds.map(({ says, count }) => `${count} ${says.replace('PHP Fatal error: ', '')}`) };
  }

  describe('new kinds of errors', () => {
    test.each<[string, readonly string[], readonly string[]]>([
      ['was never there', [error(30, 'x'), error(0.5, 'new')], ['1 new']],
      ['was there 23 hours before', [error(23.4, 'order 1'), error(0.5, 'order 2')], []],
      ['was there 25 hours before', [error(25.6, 'order 1'), error(0.5, 'order 2')], ['1 order 2']],
      [
        'is counted since the last look, with its first line',
        [error(30, 'x'), error(0.9, 'order 1'), error(0.2, 'order 2')],
        ['2 order 1'],
      ],
      ['is a warning', [error(30, 'x'), line(0.5, 'PHP Warning: new')], []],
      [
        'is cut off, and begins a known one',
        [
          error(20, `Uncaught ${'y'.repeat(50)} and more`),
          line(
            0.5,
            `[error] 1#1: *1 FastCGI sent in stderr: "PHP message: PHP Fatal error: Uncaught ${'y'.repeat(50)}`,
          ),
        ],
        [],
      ],
      ['is before the last look', [error(30, 'x'), error(1.5, 'late')], []],
    ])('one that %s', async (_, lines, told) => {
      expect((await found(lines)).told).toEqual(told);
    });

    test('say how far the lines go back, and whether the host may have more', async () => {
      expect(await found([error(5, 'x'), error(0.5, 'y')])).toMatchObject({
        reaches: now - 5 * hour,
        lines: 2,
        isCut: false,
      });
      expect(await found([error(5, 'x'), error(0.5, 'y')], { wanted: 1 })).toMatchObject({
        reaches: now - hour / 2,
        isCut: true,
      });
      expect(await found(['no time', 'nor here'])).toMatchObject({ reaches: undefined, lines: 2, told: [] });
      expect(await found([])).toMatchObject({ reaches: undefined, lines: 0, told: [] });
    });

    test('say whether times have no zone and were read as UTC', async () => {
      const utc = `[23-Nov-2026 11:30:00 UTC] PHP Fatal error: x`;
      expect(await found([utc])).toMatchObject({ isZoneless: false, told: ['1 x'] });
      expect(await found(['2026-11-23T11:30:00+02:00 x', '[23/Nov/2026:11:30:00 +0000] y'])).toMatchObject({
        isZoneless: false,
      });
      expect(await found([utc, error(0.4, 'y')])).toMatchObject({ isZoneless: true });
    });

    test('match words in any line of an entry, as it may be shown', async () => {
      const lines = [
        error(30, 'x'),
        error(0.5, 'one'),
        '#0 /www/Checkout.php(3)',
        error(0.4, 'two password=hunter2-hunter2'),
      ];
      expect((await found(lines, { match: 'checkout' })).told).toEqual(['1 one']);
      expect((await found(lines, { match: 'hunter2' })).told).toEqual([]);
    });

    test('lose none to many known kinds', async () => {
      const names = Array.from(
        { length: 400 },
        (_, at) =>
          `${String.fromCodePoint(97 + (at % 26)).repeat(3)}-${'qrstuvwxyz'.charAt(at % 10)}-${'é'.repeat(1 + Math.floor(at / 26))}`,
      );
      const known = names.flatMap((name) => [error(20, name), error(0.5, name), error(0.4, name)]);
      expect((await found([error(30, 'x'), ...known, error(0.3, 'rare')], { wanted: 5_000 })).told).toEqual(['1 rare']);
    });
  });
});

describe('loudest', () => {
  const env = {
    kind: 'environment',
    id: '5f0e5f0e-0000-4000-8000-000000000001',
    name: 'acme-shop/live',
    live: true,
    site: undefined,
  } as const;
  const now = Date.UTC(2026, 10, 23, 3, 0);
  const from = now - 3_600_000;
  const at = (minutes: number): string =>
    `[${new Date(now - minutes * 60_000).toISOString().slice(0, 19).replace('T', ' ')} UTC]`;
  const answer = (logs: string): unknown => ({ environment: { container_info: { logs } } });
  const loudest = (lines: readonly string[]) =>
    loudestError(async ({ reply }) => reply.parse(answer(lines.map((line) => `${line}\n`).join(''))), env, {
      from,
      now,
      alias: () => 'client-3f2a',
    });
  const many = (count: number, line: (n: number) => string): readonly string[] =>
    Array.from({ length: count }, (_, n) => line(n));

  test.each<[string, readonly string[], object]>([
    ['an empty log', [], { errors: 0, others: 0, loudest: undefined, cut: undefined, isTimeless: false }],
    ['warnings only', [`${at(5)} PHP Warning: a fatal error is near`], { errors: 0, others: 1, loudest: undefined }],
    [
      'the most frequent error, not the most frequent message',
      [
        ...many(4, () => `${at(9)} PHP Notice: hello`),
        `${at(8)} PHP Parse error: once`,
        ...many(2, (n) => `${at(7 - n)} PHP Fatal error: Uncaught in /www/public/wp-content/a.php:${n}`),
      ],
      {
        errors: 3,
        kinds: 2,
        others: 4,
        loudest: { says: 'PHP Fatal error: Uncaught in …/a.php:*', count: 2, last: now - 6 * 60_000 },
      },
    ],
    [
      'older lines of a host that ignores the span',
      [`${at(90)} PHP Fatal error: old`, `${at(2)} PHP Warning: new`],
      { errors: 0, others: 1, cut: undefined },
    ],
    [
      'more lines than were read',
      many(1_100, () => `${at(30)} PHP Fatal error: again`),
      { errors: 1_000, cut: { since: now - 30 * 60_000 } },
    ],
    [
      'more characters than were read',
      many(300, () => `${at(20)} PHP Fatal error: ${'x'.repeat(2_000)}`),
      { cut: { since: now - 20 * 60_000 } },
    ],
    ['lines without a time', ['PHP Fatal error: when?'], { errors: 1, isTimeless: true, loudest: { last: undefined } }],
    [
      'one endless line',
      ['x'.repeat(900_000)],
      { errors: 0, withoutLevel: 1, cut: { since: undefined }, isTimeless: true },
    ],
    [
      'a line that does not say how grave it is',
      [`${at(5)} boom: the database is gone`, `${at(4)} PHP Notice: hello`],
      { errors: 0, others: 1, withoutLevel: 1, possible: 0, loudest: { says: 'boom: the database is gone' } },
    ],
  ])('%s', async (_, lines, expected) => {
    expect(await loudest(lines)).toMatchObject(expected);
  });
});
