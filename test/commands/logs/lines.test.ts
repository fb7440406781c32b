import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arrowsFor, barsOf, busiestMinute } from '../../../src/commands/logs/activity.ts';
import { kindsOf } from '../../../src/commands/logs/groups.ts';
import { normalized } from '../../../src/commands/logs/normalize.ts';
import { levelOf } from '../../../src/commands/logs/levels.ts';
import { lineReader, newestOf } from '../../../src/commands/logs/lines.ts';
import { stampReader } from '../../../src/commands/logs/timestamps.ts';
import { pathCounter, requestIn } from '../../../src/commands/logs/requests.ts';
import { hostile } from '../../fixtures.ts';

const always = { from: 0, to: Date.UTC(2100) };
const alias = (address: string): string => `client-${address.length.toString(16).padStart(4, '0')}`;
const read = (...raw: readonly string[]) => lineReader(alias, always)(raw);
const iso = (at: number | undefined): string | undefined =>
  at === undefined ? undefined : new Date(at).toISOString().slice(0, 19);

describe('the time of a line', () => {
  const stampOf = stampReader();
  test.each<[string, string, string]>([
    ['2026-11-21T13:48:00Z x', '2026-11-21T13:48:00', 'x'],
    ['2026-11-21T13:48:00.123+01:00 x', '2026-11-21T12:48:00', 'x'],
    ['[2026-11-21 13:48:00,5] x', '2026-11-21T13:48:00', 'x'],
    ['2026-11-21  9:48:00 0 [Note] x', '2026-11-21T09:48:00', '0 [Note] x'],
    ['2026/11/21 13:48:00 [error] 7#7: x', '2026-11-21T13:48:00', '[error] 7#7: x'],
    ['[21/Nov/2026:13:48:00 -0330] MISS', '2026-11-21T17:18:00', 'MISS'],
    ['[21-Nov-2026 13:48:00 UTC] PHP x', '2026-11-21T13:48:00', 'PHP x'],
    ['[21-Nov-2026 13:48:00 Europe/Berlin] x', '2026-11-21T12:48:00', 'x'],
    ['[21-Jul-2026 13:48:00 America/New_York] x', '2026-07-21T17:48:00', 'x'],
    ['[21-Nov-2026 13:48:00 EST] x', '2026-11-21T18:48:00', 'x'],
    ['[21-Jul-2026 13:48:00 EST5EDT] x', '2026-07-21T17:48:00', 'x'],
    ['[2026-11-21 13:48:00 CET] x', '2026-11-21T12:48:00', 'x'],
    ['2026-11-21 13:48:00 ERROR x', '2026-11-21T13:48:00', 'ERROR x'],
    ['[2026-11-21 13:48:00 ERROR] x', '2026-11-21T13:48:00', 'ERROR] x'],
    ['{"time":"2026-11-21 13:48:00 MST"}', '2026-11-21T20:48:00', '{"time":"2026-11-21 13:48:00 MST"}'],
    ['c - - [21/Nov/2026:13:48:00 +0000] "GET', '2026-11-21T13:48:00', 'c - - [21/Nov/2026:13:48:00 +0000] "GET'],
  ])('%s', (line, at, body) => {
    const stamp = stampOf(line);
    expect([iso(stamp?.at), line.slice(stamp?.end ?? 0)]).toEqual([at, body]);
  });

  test.each(['No/Where', 'CEST', 'BST', 'Mountain'])('in an unknown zone is unknown, and not UTC: %s', (zone) => {
    const [first, second] = read(`[21-Nov-2026 13:48:00 ${zone}] x`, '#0 {main}');
    expect(first).toMatchObject({ at: undefined, stamp: 'zoned', messages: ['x'] });
    expect(second?.at).toBeUndefined();
  });

  test.each([
    '',
    'no time at all',
    'the job of 2026-11-21T13:48:00Z failed',
    '[21/Foo/2026:13:48:00 +0000]',
    '[99-Nov-9026 13:48:00]',
    '13:48:00 x',
  ])('is missing in: %s', (line) => {
    expect(stampOf(line)).toBeUndefined();
  });

  test('is that of the previous line if a line has none', () => {
    const lines = read('first', '[2026-11-21 13:48:00] a', 'b', '#0 c', '[2026-11-21 13:49:00] d');
    expect(lines.map(({ at }) => iso(at)?.slice(11))).toEqual([
      undefined,
      '13:48:00',
      '13:48:00',
      '13:48:00',
      '13:49:00',
    ]);
    expect(lines.map(({ continues }) => continues)).toEqual([false, false, true, true, false]);
  });
});

describe('lines', () => {
  const logLine = fc.oneof(
    hostile,
    fc.constantFrom(
      '[2026-11-21 13:48:00] x 203.0.113.7',
      'Stack trace:',
      '-----BEGIN RSA PRIVATE KEY-----',
      'MIIEpAIBAAKCAQEA',
      '-----END RSA PRIVATE KEY-----',
      '\u001B[31mred\u001B[0m',
      '\uFFFD\uFFFD',
    ),
  );

  test('are the same wherever the chunks are cut, and none is lost', () => {
    fc.assert(
      fc.property(fc.array(logLine, { maxLength: 30 }), fc.nat(30), (raw, at) => {
        const whole = read(...raw);
        const reader = lineReader(alias, always);
        expect([...reader(raw.slice(0, at)), ...reader(raw.slice(at))]).toEqual(whole);
        expect(whole).toHaveLength(raw.length);
        const kinds = kindsOf(whole);
        for (const { messages } of whole.filter(({ continues }) => !continues))
          for (const message of messages) expect(kinds.map(({ text }) => text)).toContain(normalized(message));
      }),
    );
  });

  test('the newest lines of a text are the same as by splitting it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('', 'a', 'bc'), { maxLength: 8 }),
        fc.integer({ min: 1, max: 9 }),
        (all, most) => {
          const text = all.map((line) => `${line}\n`).join('');
          const lines = text === '\n' ? [] : all;
          expect(newestOf(text, most)).toEqual(lines.slice(-most));
        },
      ),
    );
  });
  test.each<[string, readonly string[]]>([
    ['', []],
    ['a', ['a']],
    ['a\nb', ['a', 'b']],
    ['\na', ['', 'a']],
  ])('the newest lines of %j', (text, lines) => {
    expect(newestOf(text, 10)).toEqual(lines);
  });

  test('a private key over many lines is masked up to its end', () => {
    const lines = read(
      'config: -----BEGIN RSA PRIVATE KEY-----',
      'Proc-Type: 4,ENCRYPTED',
      '',
      'MIIEpAIBAAKCAQEA7x+/abc=',
      '-----END RSA PRIVATE KEY-----',
      'MIIEafter',
    );
    expect(lines.map(({ text }) => text)).toEqual(['config: ***', '***', '***', '***', '***', 'MIIEafter']);
    const key = `MIIEowIBAAKCAQEA${'x'.repeat(48)}`;
    expect(read(key, 'Zm9vYmFyYmF6', 'Hello, world').map(({ text }) => text)).toEqual(['***', '***', 'Hello, world']);
  });

  test('a forged beginning of a key in a log hides no other lines', () => {
    const line = '[21/Nov/2026:13:48:00 +0000] GET /admin HTTP/2.0 200';
    expect(read('GET /?-----BEGIN PRIVATE KEY-----', line)[1]?.text).toBe(line);
  });
});

describe('the normal form of an entry', () => {
  test.each<[string, string]>([
    ['order 93967 of 1,234.56 at 13:48:00', 'order * of * at *'],
    ['payment 7hmxwkabcbj9 declined', 'payment * declined'],
    ['user 01234567-89ab-4cde-8fab-0123456789ab gone', 'user * gone'],
    ['for client-beef and client-3f2a', 'for * and *'],
    ['SQLSTATE[HY000] [2002] in cart.php:88', 'SQLSTATE[HY*] [*] in cart.php:*'],
    ['commit deadbee1 by ab12', 'commit * by *'],
    ['key *** and ***@***', 'key *** and ***@***'],
    ['no number', 'no number'],
    ['ü1ü', 'ü*ü'],
    ['', ''],
  ])('%s', (body, common) => {
    expect(normalized(body)).toBe(common);
  });

  test('does not depend on the numbers in it', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.uuid(), fc.uuid(), (one, other, id, otherId) => {
        expect(normalized(`order ${one} of ${id}: failed`)).toBe(normalized(`order ${other} of ${otherId}: failed`));
      }),
    );
  });

  test('is short and has no numbers, for any line', () => {
    fc.assert(
      fc.property(hostile, (body) => {
        expect(normalized(body)).not.toMatch(/\d/);
      }),
    );
    for (const piece of ['1', 'a', 'a1', '1.', '-1', '01234567-', 'client-', '_', 'ü1']) {
      expect(normalized(piece.repeat(2_000_000 / piece.length)).length).toBeLessThanOrEqual(300);
    }
  });

  test('kinds and their counts do not depend on the order of the entries', () => {
    const entry = fc
      .tuple(fc.constantFrom('order 1 failed', 'order 22 failed', 'PHP Fatal error: x', 'timeout'), fc.nat(59))
      .map(([what, second]) => `[2026-11-21 13:48:${String(second).padStart(2, '0')}] ${what}`);
    fc.assert(
      fc.property(fc.array(fc.tuple(entry, fc.nat()), { maxLength: 20 }), (keyed) => {
        const entries = keyed.map(([line]) => line);
        const shuffled = keyed.toSorted(([, one], [, other]) => one - other).map(([line]) => line);
        const told = (raw: readonly string[]) =>
          kindsOf(read(...raw)).map((kind) => ({ ...kind, oldest: '', example: '' }));
        expect(told(shuffled)).toEqual(told(entries));
      }),
    );
  });

  const nginx = '2026/11/21 13:48:00 [error] 89199#89199: *1145000 ';
  const request = 'client: 203.0.113.9, server: a.example, request: "GET /a HTTP/2.0", host: "a.example"';
  const reading = `" while reading response header from upstream, ${request}`;
  test.each<[string, string, string, boolean]>([
    [
      'a notice of PHP',
      `FastCGI sent in stderr: "PHP message: PHP Notice:  Function x was called incorrectly in /www/y.php on line 3${reading}`,
      'PHP Notice:  Function x was called incorrectly in /www/y.php on line *',
      false,
    ],
    [
      'an error of PHP',
      `FastCGI sent in stderr: "PHP message: PHP Fatal error:  Uncaught Error: x in /www/y.php:3${reading}`,
      'PHP Fatal error:  Uncaught Error: x in /www/y.php:*',
      true,
    ],
    [
      'an error that goes on in the next line',
      'FastCGI sent in stderr: "PHP message: PHP Fatal error:  Uncaught Error: x',
      'PHP Fatal error:  Uncaught Error: x',
      true,
    ],
    [
      'nginx itself',
      `open() "/www/a.png" failed (2: No such file or directory), ${request}`,
      '[error] open() "/www/a.png" failed (*: No such file or directory)',
      true,
    ],
    [
      'a slow upstream',
      `upstream timed out (110: Connection timed out) while reading response header from upstream, ${request}`,
      '[error] upstream timed out (*: Connection timed out)',
      true,
    ],
  ])('of a web server about %s is its message', (_, told, common, isAnError) => {
    const [kind] = kindsOf(read(`${nginx}${told}`));
    expect([kind?.text, kind?.level === 'error']).toEqual([common, isAnError]);
  });

  test('of a further message in the same entry is that message', () => {
    expect(kindsOf(read(`${nginx}x`, `PHP message: PHP Warning:  y${reading}`)).map(({ text }) => text)).toContain(
      'PHP Warning:  y',
    );
  });

  test('a stack trace belongs to its error, and so does that of the previous error', () => {
    const next = ['', 'Next App\\LateException: x in /a.php:2', 'Stack trace:', '#0 {main}'];
    const trace = ['Stack trace:', '#0 /a.php(1): b()', '#1 {main}', ...next, '  thrown in /a.php on line 1'];
    const kinds = kindsOf(
      read('[2026-11-21 13:48:00] PHP Fatal error: 1', ...trace, '[2026-11-21 13:49:00] PHP Fatal error: 2', ...trace),
    );
    expect(kinds).toHaveLength(1);
    expect(kinds[0]).toMatchObject({ text: 'PHP Fatal error: *', count: 2, example: 'PHP Fatal error: 2' });
    expect([iso(kinds[0]?.first), iso(kinds[0]?.last)]).toEqual(['2026-11-21T13:48:00', '2026-11-21T13:49:00']);
  });

  test.each<[string, boolean]>([
    ['PHP Fatal error:  Uncaught TypeError', true],
    ['PHP Parse error: x', true],
    ['[error] 7#7: upstream timed out', true],
    ['[crit] disk full', true],
    ['ERROR could not connect', true],
    ['PHP Fatal error:  Uncaught Exception: no [info] in log', true],
    ['PHP Recoverable fatal error:  x', true],
    ["WordPress database error Table 'a' doesn't exist", true],
    ['ALERT: [pool www] oops, unknown child', true],
    ['WARNING: [pool www] child 7 exited on signal 11', false],
    ['PHP Notice:  Uncaught ReferenceError was logged', false],
    ['PHP Strict Standards:  x', false],
    ['PHP Warning:  an error of somebody', false],
    ['PHP Deprecated:  x', false],
    ['[warn] error_page', false],
    ['quick-cart: payment declined', false],
    ['terrors', false],
  ])('%s is an error: %s', (body, is) => {
    expect(levelOf(body) === 'error').toBe(is);
  });
});

describe('a request', () => {
  const rest = { status: 200, visitor: 'client-3f2a' };
  test.each<[string, string, object]>([
    [
      'in the combined format, with a duration',
      'client-3f2a - - [21/Nov/2026:13:48:00 +0000] "GET /shop/?s=x HTTP/2.0" 200 5 "-" "Mozilla/5.0 605.1.15" 0.123',
      { ...rest, path: '/shop/?…', seconds: 0.123 },
    ],
    [
      'without one',
      'client-3f2a - - [t] "POST / HTTP/1.1" 502 5 "-" "Safari/605.1"',
      { ...rest, status: 502, path: '/', seconds: undefined },
    ],
    [
      'with the path alone in quotation marks',
      'a.example client-3f2a [t] GET "/a/" HTTP/1.0 200 "-" "X HTTP/9 404" client-1111 "/index.php" - - 4 0.003',
      { ...rest, path: '/a/', seconds: 0.003 },
    ],
    ['of a cache', '[t] MISS a.example "GET / HTTP/2.0" 200 1.5', { status: 200, path: '/', visitor: undefined }],
  ])('%s', (_, line, told) => {
    expect(requestIn(line)).toMatchObject(told);
  });

  test.each([
    '',
    ' HTTP/',
    'GET / HTTP/1.1',
    '"GET / HTTP/1.1" abc',
    'HTTP/1.1 200',
    'x / HTTP/1.1 200',
    'a'.repeat(9_000),
  ])('is not recognised in %s', (line) => {
    expect(requestIn(line)).toBeUndefined();
  });

  test('paths that differ only in ids are grouped; a constant path stays as it is', () => {
    const of = (path: string, status = 200) => ({ path, status, seconds: 1, visitor: undefined, beside: '' });
    const counter = pathCounter();
    for (const request of [of('/product/lamp-123/'), of('/product/lamp-77/', 404), of('/v1/2024/'), of('/v1/2024/')])
      counter.add(request);
    const counted = counter.counts();
    expect(counted.map(({ path, count }) => [path, count])).toEqual([
      ['/product/lamp-*/', 2],
      ['/v1/2024/', 2],
    ]);
    expect([...(counted[0]?.statuses ?? [])]).toEqual([
      [200, 1],
      [404, 1],
    ]);
  });
});

describe('histogram', () => {
  const stretch = { from: 0, to: 240 };
  test('shows the maximum at full height, any count above zero as visible, and zero as empty', () => {
    expect(barsOf([5, ...Array.from({ length: 100 }, () => 125), 240], stretch)).toBe('▂▁▁▁▁▁▁▁▁▁▁▁█▁▁▁▁▁▁▁▁▁▁▂');
  });

  test('has one width for any times', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.integer(), fc.nat(), (times, from, length) => {
        expect(barsOf(times, { from, to: from + length })).toMatch(/^[▁-█]{24}$/);
        expect(arrowsFor(times, { from, to: from + length })).toMatch(/^[ ↑]{0,24}$/);
      }),
    );
  });

  test('has arrows below the column of their time', () => {
    expect(arrowsFor([-1, 0, 125, 999], stretch)).toBe('↑           ↑');
    expect(arrowsFor([], stretch)).toBe('');
  });

  test('names the earliest of several busiest minutes', () => {
    expect(busiestMinute([60_000, 119_999, 120_000, 130_000])).toEqual({ at: 60_000, count: 2 });
    expect(busiestMinute([])).toBeUndefined();
  });
});
