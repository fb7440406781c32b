import { describe, expect, test } from 'vitest';
import { findNewKinds } from '../../../src/commands/logs/new-kinds.ts';

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
        line(0.5, `[error] 1#1: *1 FastCGI sent in stderr: "PHP message: PHP Fatal error: Uncaught ${'y'.repeat(50)}`),
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
