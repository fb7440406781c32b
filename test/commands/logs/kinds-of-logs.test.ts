import { describe, expect, test } from 'vitest';
import { linesOf } from '../../../src/talk/status-lines.ts';
import type { LogsInput } from '../../../src/commands/kit/log-query.ts';
import type { StatusPart } from '../../../src/commands/kit/site-status.ts';
import { analyze } from '../../../src/commands/logs/analyze.ts';
import { loudestError } from '../../../src/commands/logs/loudest.ts';
import { findNewKinds, peaksIn } from '../../../src/commands/logs/queries.ts';
import { jsonFields } from '../../../src/commands/logs/json-line.ts';
import { levelOf } from '../../../src/commands/logs/levels.ts';
import { isTrace } from '../../../src/commands/logs/nginx.ts';
import { stampReader } from '../../../src/commands/logs/timestamps.ts';
import { inline, plain } from '../../../src/words/text.ts';
import { cpuTime } from '../../cpu-time.ts';
import { live } from '../../fixtures.ts';

/** Logs of every kind that hosts send, and what is said about them. */

const now = Date.UTC(2026, 10, 21, 14);
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const alias = (address: string): string => `client-${address.length.toString(16).padStart(4, '0')}`;

const iso = (ago: number): string => new Date(now - ago).toISOString();
const clock = (ago: number): string => iso(ago).slice(11, 19);
const dayAndMonth = (ago: number): string => new Date(now - ago).toUTCString().slice(5, 16);
/** A time that long ago, as these programs write it. */
const stamps = {
  php: (ago: number) => `[${dayAndMonth(ago).replaceAll(' ', '-')} ${clock(ago)} UTC]`,
  apache: (ago: number) => {
    const [weekday, dayOfMonth, month, year] = new Date(now - ago).toUTCString().replace(',', '').split(' ');
    return `[${weekday} ${month} ${dayOfMonth} ${clock(ago)}.204817 ${year}]`;
  },
  fpm: (ago: number) => `[${dayAndMonth(ago).replaceAll(' ', '-')} ${clock(ago)}]`,
  spaced: (ago: number) => `${iso(ago).slice(0, 10)} ${clock(ago)}.512`,
};
const { php, apache, fpm, spaced } = stamps;
/** The same entry so many times, a minute apart, the last one a minute ago. */
const times = (count: number, entry: (ago: number, index: number) => string): readonly string[] =>
  Array.from({ length: count }, (_, index) => entry((count - index) * minute, index));

const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/** What `status` says about the errors of the last hour. */
async function status(lines: readonly string[]): Promise<string> {
  const answer = { environment: { container_info: { logs: textOf(lines) } } };
  const found = await loudestError(async ({ reply }) => reply.parse(answer), live, { from: now - hour, now, alias });
  const late: StatusPart<never> = { kind: 'late', afterMs: 1 };
  const parts = { site: late, work: late, backup: late, changes: late, access: late, pauses: late };
  const rest = { ...parts, verdict: undefined, freezes: [] };
  const line = linesOf({ ...rest, errors: { kind: 'found', found } }, now).find(({ label }) => label.startsWith('Err'));
  return line === undefined ? '' : `${line.mark} ${plain(line.says)}`;
}

/** What `logs` shows: title, kinds of messages, and the lines that are left. */
async function logs(lines: readonly string[], more: Partial<LogsInput> & { from?: number } = {}) {
  const { from, ...rest } = more;
  const asked = { env: live, log: 'error', lines: undefined, since: [], until: [], search: undefined } as const;
  const page = await analyze(
    {
      text: textOf(lines),
      asked: { ...asked, errors: false, full: true, ...rest },
      wanted: 20_000,
      most: 20_000,
      span: { from },
      now,
    },
    alias,
    async () => [],
  );
  const text = page.parts.map((part) => (part.kind === 'text' ? plain(part.text) : '')).join('\n');
  return {
    title: plain(inline(page.title)),
    text,
    source: plain(inline(page.source ?? '')),
    file: page.file?.content ?? '',
  };
}

const kindsIn = async (lines: readonly string[], more: Partial<LogsInput> = {}): Promise<readonly string[]> =>
  [...(await logs(lines, more)).text.matchAll(/^(\d+× .*?)(?: · .*)?$/gm)].map(([, kind = '']) => kind);

describe('a time that is older than what was asked', () => {
  const old = (ago: number): string => `${php(ago)} PHP Fatal error:  Uncaught Error: gone() in /www/old.php:7`;
  const recent = `${php(9 * minute)} PHP Fatal error:  Uncaught Error: here() in /www/new.php:3`;
  const older: readonly (readonly [string, readonly string[]])[] = [
    ['30 hours', times(8, (ago) => old(ago + 30 * hour))],
    ['30 days', times(8, (ago) => old(ago + 30 * day))],
    ['two years', times(8, (ago) => old(ago + 730 * day))],
    [
      'none that can be true, but before such a time',
      [...times(8, (ago) => old(ago + 18_250 * day)), `${php(9 * day)} PHP Notice:  x`],
    ],
    ['two years, with traces', times(8, (ago) => `${old(ago + 730 * day)}\nStack trace:\n#0 {main}`)],
  ];

  test.each(older)('%s: `status` counts none of them as one of the last hour', async (_, lines) => {
    expect(await status(lines)).toBe('✅ no error.');
    expect(await status([...lines, recent])).toMatch(
      /^⚠️ most frequent, 1×, last 13:51 UTC: “PHP Fatal error: {2}.*here/,
    );
    expect(await status([recent, ...lines])).toMatch(
      /^⚠️ most frequent, 1×, last 13:51 UTC: “PHP Fatal error: {2}.*here/,
    );
  });

  test.each(older)('%s: neither do `logs`, a time line and a watch', async (_, lines) => {
    const all = [...lines, recent];
    const shown = await logs(all, { from: now - hour });
    expect(shown.file).toBe(recent);
    expect(shown.source).toMatch(/\d+ lines outside this span are left out/);
    const sent = { text: textOf(all), wanted: 20_000, now };
    expect(await peaksIn({ ...sent, span: { from: now - hour, to: now } }, alias)).toMatchObject({
      errors: 1,
      timeless: 0,
    });
    const { kinds } = await findNewKinds({ ...sent, since: now - hour, match: undefined }, alias);
    expect(kinds.map(({ says, count }) => [says.includes('here()'), count])).toEqual([[true, 1]]);
  });

  test('that cannot be believed keeps no kind from being new, and draws no histogram of decades', async () => {
    const lines = [old(18_250 * day), `${php(30 * hour)} PHP Notice:  x`, old(minute)];
    const query = { text: textOf(lines), wanted: 20_000, now, since: now - hour, match: undefined };
    const { kinds, reaches } = await findNewKinds(query, alias);
    expect([kinds.length, reaches]).toEqual([1, now - 30 * hour]);
    expect((await logs(lines)).title).toContain('2026-11-20 08:00 UTC–2026-11-21 13:59 UTC');
  });

  test('and the rest of an entry before it are both outside', async () => {
    const lines = ['PHP Fatal error:  Uncaught Error: rest()', '  thrown in /www/a.php', old(730 * day), recent];
    expect(await status(lines)).toMatch(/^⚠️ most frequent, 1×, last 13:51 UTC: “PHP Fatal error: {2}.*here/);
    expect((await logs(lines, { from: now - hour })).file).toBe(recent);
  });

  const note = ' Some lines have no time that can be true, so they may be of another hour.';
  test.each<[string, readonly string[]]>([
    ['fifty years ago', [old(18_250 * day)]],
    ['in 2001', ['[01-Jan-2001 00:00:00 UTC] PHP Fatal error:  Uncaught Error: gone() in /www/old.php:7']],
    ['in two days', [old(-2 * day)]],
    ['in six minutes', [old(-6 * minute)]],
    ['none', ['PHP Fatal error:  Uncaught Error: gone() in /www/old.php:7']],
    ['fifty years ago, behind a warning of this hour', [`${php(minute)} PHP Warning:  x`, old(18_250 * day)]],
  ])('that can’t be true leaves the place of an error unknown: %s', async (_, lines) => {
    const said = '❔ most frequent, 1×: “PHP Fatal error:  Uncaught Error: gone() in /www/old.php:*”.';
    expect(await status(lines)).toBe(`${said}${note}`);
    const shown = await logs(lines, { from: now - hour });
    expect(shown.file).toBe(lines.join('\n'));
    expect(shown.text + shown.source).toContain('no time');
    expect(await peaksIn({ text: textOf(lines), wanted: 9, now, span: { from: now - hour, to: now } }, alias)).toEqual(
      expect.objectContaining({ errors: 1, timeless: 1, peaks: [] }),
    );
  });

  test('that can’t be true hides no error of this hour, and counts as none', async () => {
    const lines = [...times(8, (ago) => old(ago + 18_250 * day)), recent, old(-6 * minute)];
    const said = '⚠️ most frequent, 1×, last 13:51 UTC: “PHP Fatal error:  Uncaught Error: here() in /www/new.php:*”.';
    expect(await status(lines)).toBe(`${said}${note.replace('Some lines', '9 errors')}`);
    expect(await status([old(-4 * minute)])).toMatch(/^⚠️ most frequent, 1×, last 14:04 UTC/);
  });
});

describe('the level of a message', () => {
  const trace =
    '\nStack trace:\n#0 /www/cache.php(56): Redis->ping()\n#1 {main}\n  thrown in /www/cache.php on line 56';
  const fatal = 'PHP Fatal error:  Uncaught RedisException: read error in /www/cache.php:56';
  const json = (fields: object) => (ago: number) => JSON.stringify({ time: iso(ago), msg: 'order saved', ...fields });
  const entry = (message: string) => (ago: number) => `${php(ago)} ${message}`;
  const [none, lesser] = ['✅ no error; 4 warnings and notices.', '✅ no error; 4 warnings and notices.'];
  const isError = /^⚠️ most frequent, 4×, last 13:59 UTC: “/;
  const couldBe = /^⚠️ no line says that it is an error, but 4 messages could be; most frequent, 4×, last 13:59 UTC: “/;

  test.each<[string, (ago: number) => string, RegExp | string]>([
    ['an error of PHP in a wrapper’s [INFO]', (ago) => `${spaced(ago)} [INFO] [71] [STDERR] ${fatal}${trace}`, isError],
    ['an error of PHP in a wrapper’s [NOTICE]', (ago) => `${spaced(ago)} [NOTICE] [71] [STDERR] ${fatal}`, isError],
    ['an error of PHP in Monolog’s INFO', (ago) => `[${iso(ago)}] app.INFO: stderr: ${fatal} [] []`, isError],
    ['an error of PHP in JSON', json({ level: 'info', msg: fatal }), isError],
    ['an error of PHP in HTML', entry('<b>Fatal error</b>:  Uncaught Error in <b>/www/a.php</b>'), isError],
    ['a notice of PHP in a wrapper’s [ERROR]', (ago) => `${spaced(ago)} [ERROR] [71] PHP Notice:  no error`, lesser],
    ['an error with a notice of PHP in a quotation', entry('[error] no pay for "PHP Deprecated: x"'), isError],
    ['an error with a notice of PHP in a path', entry('[error] open() "/www/PHP Notice: x" failed'), isError],
    ['a path without quotation marks', entry('[core:error] File does not exist: /www/PHP Notice: x'), isError],
    ['an error of PHP in a quotation', entry('searched for "PHP Fatal error: x"'), couldBe],
    ['that in JSON', json({ level: 'info', msg: 'searched for "PHP Fatal error: x"' }), none],
    [
      'an error of PHP in JSON that is cut off',
      json({ n: 'a (b)', level: 'info', msg: `${fatal}${'x'.repeat(9_000)}` }),
      isError,
    ],
    [
      'an error of PHP in nginx’s words in a wrapper’s [INFO]',
      entry(`[INFO] FastCGI sent in stderr: "PHP message: ${fatal}"`),
      isError,
    ],
    ['an error of PHP-FPM in a wrapper’s [INFO]', entry(`[INFO] child 7 said into stderr: "${fatal}"`), isError],
    ['a warning of PHP about an error', entry('PHP Warning:  fatal error of a client in /www/a.php'), lesser],
    ['Monolog’s INFO about errors', (ago) => `[${iso(ago)}] shop.INFO: done, 0 errors {"error":false} []`, none],
    ['Monolog’s ERROR', (ago) => `[${iso(ago)}] shop.ERROR: no stock [] []`, isError],
    ['Laravel’s nested channel', (ago) => `[${iso(ago)}] local.api.CRITICAL: no stock`, isError],
    ['JSON that says info, and error: null', json({ level: 'info', error: null }), none],
    ['JSON that says error', json({ level: 'error', error: null }), isError],
    ['JSON with a context of another level', json({ context: { level: 'error' }, level: 'debug' }), none],
    ['JSON of pino: 30', json({ level: 30, error: 'none' }), none],
    ['JSON of pino: 50', json({ level: 50 }), isError],
    ['JSON of Monolog: 200', json({ level: 200, level_name: 'INFO', error: 'none' }), none],
    ['JSON of Monolog: 400', json({ level: 400 }), isError],
    ['JSON of syslog: 3', json({ severity: 3 }), isError],
    ['JSON without a level that names an error', json({ error: 'no stock' }), couldBe],
    ['JSON that is cut off', json({ level: 'warn', error: 'x'.repeat(3_000) }), lesser],
    ['logfmt: info', (ago) => `${iso(ago)} level=info msg="0 errors"`, none],
    ['a word in front: INFO', (ago) => `${iso(ago)} INFO no error`, none],
    ['a word after dashes', (ago) => `${spaced(ago)} - shop - ERROR - no stock`, isError],
    ['a word after brackets', (ago) => `${spaced(ago)} [main] WARN an error is near`, lesser],
    ['a word behind a name', (ago) => `${iso(ago)} shop.worker INFO: 0 errors`, none],
    ['a word behind a process', (ago) => `${iso(ago)} 71 --- ERROR | no stock`, isError],
    ['Apache’s own error', (ago) => `${apache(ago)} [core:error] [pid 31] AH00126: Invalid URI`, isError],
    ['Apache’s own notice', (ago) => `${apache(ago)} [mpm_event:notice] [pid 31] AH00489: no error`, none],
    ['an older Apache’s error', (ago) => `${apache(ago)} [error] [client 203.0.113.7] no such file`, isError],
    ['JSON of ECS, nested', json({ log: { logger: 'shop', level: 'error' } }), isError],
    ['JSON of ECS, nested: warn', json({ log: { level: 'warn' }, error: { message: 'no stock' } }), lesser],
    ['JSON of ECS with dots', (ago) => `{"@timestamp":"${iso(ago)}","log.level":"error","message":"x"}`, isError],
    ['MySQL’s own error', (ago) => `${iso(ago)} 0 [ERROR] [MY-010119] [Server] Aborting`, isError],
    ['MySQL’s own warning', (ago) => `${iso(ago)} 17 [Warning] [MY-010055] [Server] IP address failed`, lesser],
    ['MySQL’s own note', (ago) => `${iso(ago)} 0 [Note] Event Scheduler: no error`, lesser],
    ['MySQL about itself', (ago) => `${iso(ago)} 0 [System] [MY-010931] [Server] ready, no error`, lesser],
    ['MariaDB’s own error', (ago) => `${spaced(ago).slice(0, 19)} 5 [ERROR] mysqld: Disk full (/tmp)`, isError],
    ['a sentence about an error', entry('Error establishing a database connection'), couldBe],
    ['an uncaught error without PHP’s words', entry('Uncaught ReferenceError: x'), couldBe],
    ['a word of another language', entry('Unbekannter Fehler beim Speichern'), couldBe],
    [
      'an array that has an error',
      entry('Array\n(\n    [error] => 0\n)'),
      /^• no line says that it is an error, but 4 lines don't/,
    ],
  ])('%s', async (_, line, said) => {
    if (typeof said === 'string') expect(await status(times(4, line))).toBe(said);
    else expect(await status(times(4, line))).toMatch(said);
  });

  const said = (level: number, ago = minute): string =>
    JSON.stringify({ level, time: iso(ago), msg: 'stock of the shop synced' });
  const long = 'a '.repeat(200);
  test.each<[string, readonly string[]]>([
    ['in JSON', [said(30, 2 * minute), said(50)]],
    ['in JSON, the error first', [said(50, 2 * minute), ...Array.from({ length: 9 }, () => said(30))]],
    ['far behind', [`${php(minute)} ${long}`, `${php(minute)} ${long} PHP Fatal error:  down in /www/a.php`]],
  ])('messages that differ in little else are of two kinds: %s', async (_, lines) => {
    expect(await status(lines)).toMatch(/^⚠️ most frequent, 1×/);
  });

  test.each([
    ' ',
    '-',
    'a.',
    'a - ',
    '[a] ',
    '[',
    '{"a":1, ',
    '{"a":{',
    '"',
    '\\',
    'PHP ',
    'SELECT ',
    "do_action('",
    "Table '",
    'child 1 exited on signal ',
    '#1 ',
    'level=',
  ])('hostile: 100 KB of %j take linear time', (piece) => {
    const timed = (size: number): number => {
      const bodies = ['', '[', '{"a":1', 'PHP '].map((start) => start + piece.repeat(size / piece.length));
      return cpuTime(() => {
        for (const body of bodies) for (const work of [levelOf, jsonFields, stampReader(), isTrace]) work(body);
      });
    };
    timed(100_000);
    expect(timed(100_000)).toBeLessThan(250);
    expect(timed(800_000)).toBeLessThan(2_000);
  });

  test.each([
    ["WordPress-Datenbank-Fehler Table 'shop.wp_o' doesn't exist für Abfrage SELECT a FROM wp_o von require('a.php')"],
    ["База данных WordPress возвратила ошибку Unknown column 'R' in 'where clause' в ответ на запрос SELECT *"],
    ["Erreur de la base de données WordPress Duplicate entry '1-a' for key 'wp_o.k' pour la requête INSERT INTO wp_o"],
    ['WordPress データベースエラー: Lock wait timeout exceeded; try restarting transaction for query UPDATE wp_o'],
    ['Error de la base de datos de WordPress MySQL server has gone away para la consulta'],
    ['خطأ في قاعدة بيانات ووردبريس You have an error in your SQL syntax; check the manual'],
    ["WordPress databasfout Row size too large (> 8126) för fråga ALTER TABLE wp_o ADD b TEXT av do_action('init')"],
    ['WordPress database error The server is not configured for query SELECT 1'],
  ])('an error of the database is one in every language: %s', async (message) => {
    const lines = times(4, (ago, index) => `${php(ago)} ${message}`.replace('wp_o ', `wp_o /* ${index} */ `));
    expect(await status(lines)).toMatch(isError);
    expect((await logs(lines, { errors: true })).title).toContain('4 lines, 1 kind');
  });
});

describe('an entry', () => {
  const fatal = `PHP Fatal error:  Uncaught Error: box() in /www/app/box.php:3\nStack trace:\n#0 {main}\n  thrown in /www/app/box.php on line 3`;
  const notice = 'PHP Notice:  Undefined index: source in /www/app/box.php on line 42';
  const frames = ['Stack trace:', '  1. {main}() /www/index.php:0', '  2. require_once() /www/index.php:17'];
  const request =
    ' while reading response header from upstream, client: 203.0.113.7, server: a, request: "GET / HTTP/2.0"';
  const nginx = (ago: number): string => `${spaced(ago).slice(0, 19).replaceAll('-', '/')} [error] 7#7: *1 `;

  test.each<[string, readonly string[]]>([
    [
      'of nginx',
      [
        `${nginx(minute)}FastCGI sent in stderr: "PHP message: PHP Warning:  a in /www/a.php on line 1`,
        'PHP message: Booking [2020-01-01 10:00:00] not found',
        `PHP message: ${fatal.split('\n')[0]}"${request}`,
      ],
    ],
    ['without a time', ['PHP Fatal error:  Booking [2019-05-01 10:00:00] is gone in /www/a.php:3']],
  ])('%s may name a time: it is part of what is said', async (_, lines) => {
    expect(await status(lines)).toMatch(/^\S+ most frequent, 1×/);
  });

  test.each<[string, readonly string[], readonly string[]]>([
    [
      'is a printed array',
      [
        ...times(6, (ago, id) => `${php(ago)} Array\n(\n    [id] => ${id}\n    [error] => 0\n)\n`),
        `${php(0)} ${fatal}`,
      ],
      ['1× PHP Fatal error:  Uncaught Error: box() in …/box.php:*', '6× Array'],
    ],
    [
      'is a query of many lines',
      times(6, (ago, id) =>
        [
          `${php(ago)} WordPress database error Unknown column 'b' in 'on clause' for query SELECT *`,
          'FROM wp_posts p',
          `WHERE p.ID = ${id}`,
          "ORDER BY error_count made by do_action('wp')",
        ].join('\n'),
      ),
      ["6× WordPress database error Unknown column 'b' in 'on clause' for query SELECT *"],
    ],
    [
      'has a trace whose lines have times',
      times(6, (ago) =>
        [notice, ...frames.map((frame) => `PHP ${frame}`)].map((line) => `${php(ago)} ${line}`).join('\n'),
      ),
      ['6× PHP Notice:  Undefined index: source in …/box.php on line *'],
    ],
    [
      'has a trace whose lines have times and a wrapper',
      times(6, (ago) =>
        fatal
          .split('\n')
          .map((line) => `${spaced(ago)} [INFO] [71] [STDERR] ${line}`)
          .join('\n'),
      ),
      ['6× PHP Fatal error:  Uncaught Error: box() in …/box.php:*'],
    ],
    [
      'has what PHP said in one go, passed on by nginx line by line',
      times(
        6,
        (ago) =>
          `${nginx(ago)}FastCGI sent in stderr: "PHP message: ${notice}\nPHP message: PHP Warning:  y"${request}`,
      ),
      ['6× PHP Notice:  Undefined index: source in …/box.php on line *', '6× PHP Warning:  y'],
    ],
    [
      'has a trace that PHP said message by message',
      times(6, (ago) => {
        const said = [notice, ...frames.map((frame) => `PHP ${frame}`)].map((line) => `PHP message: ${line}`);
        return `${nginx(ago)}FastCGI sent in stderr: "${said.join('; ')}"${request}`;
      }),
      ['6× PHP Notice:  Undefined index: source in …/box.php on line *'],
    ],
    [
      'is passed on by Apache',
      times(
        6,
        (ago) =>
          `${apache(ago)} [proxy_fcgi:error] [pid 31:tid 14] [client 203.0.113.7:20430] AH01071: Got error 'PHP message: ${notice}', referer: https://a.example/'x'`,
      ),
      ['6× PHP Notice:  Undefined index: source in …/box.php on line *'],
    ],
    [
      'is several messages passed on by Apache',
      times(
        6,
        (ago) =>
          `${apache(ago)} [proxy_fcgi:error] [pid 31] AH01071: Got error 'PHP message: ${notice}; PHP message: ${fatal.replaceAll('\n', '\\n')}'`,
      ),
      [
        '6× PHP Fatal error:  Uncaught Error: box() in …/box.php:*',
        '6× PHP Notice:  Undefined index: source in …/box.php on line *',
      ],
    ],
    [
      'begins behind a byte order mark',
      ['\uFEFF', ''].map((mark, index) => `${mark}${php(index * minute)} ${fatal}`),
      ['2× PHP Fatal error:  Uncaught Error: box() in …/box.php:*'],
    ],
    [
      'hides no error that has no time, between lines that do',
      [`${fpm(9 * minute)} NOTICE: ready to handle connections`, ...times(6, () => fatal.slice(0, 61))],
      ['6× PHP Fatal error:  Uncaught Error: box() in …/box.php:*', '1× NOTICE: ready to handle connections'],
    ],
    [
      'has a trace that PHP-FPM passes on line by line',
      times(6, (ago) =>
        fatal
          .split('\n')
          .map((line) => `${fpm(ago)} WARNING: [pool www] child 5 said into stderr: "${line}"`)
          .join('\n'),
      ),
      ['6× PHP Fatal error:  Uncaught Error: box() in …/box.php:*'],
    ],
    [
      'is a printed array that is passed on line by line',
      ['Array', '(', '    [error] => 0', ')'].flatMap((line, index) => [
        `${fpm((9 - index) * minute)} WARNING: [pool www] child 5 said into stderr: "${line}"`,
      ]),
      ['1× Array'],
    ],
    [
      'is one that a wrapper passes on line by line',
      ['Array', '(', '    [error] => 0', ')'].map((line) => `${spaced(minute)} [INFO] [71] [STDERR] ${line}`),
      ['1× [INFO] [*] [STDERR] Array'],
    ],
    [
      'of PHP-FPM, of nginx itself and in JSON has one line',
      [
        `${fpm(9 * minute)} NOTICE: fpm is running, pid 1`,
        'a',
        'b',
        `${nginx(8 * minute)}no live upstreams`,
        'a',
        'b',
        JSON.stringify({ time: iso(7 * minute), level: 'info' }),
        'a',
        'b',
      ],
      [
        '1× [error] no live upstreams',
        '3× a',
        '3× b',
        '1× NOTICE: fpm is running, pid *',
        '1× {"time":"*-*-*T*.*Z","level":"info"}',
      ],
    ],
    [
      'of PHP is the same, whatever stands around it',
      [
        `${php(9 * minute)} ${notice}`,
        `${spaced(8 * minute)} [INFO] [71] [STDERR] ${notice}`,
        `${apache(7 * minute)} [php:notice] [pid 31] [client 203.0.113.7:20430] ${notice}\\nStack trace:\\n#0 {main}, referer: https://a.example/`,
        `${nginx(6 * minute)}FastCGI sent in stderr: "PHP message: ${notice}"${request}`,
      ],
      ['4× PHP Notice:  Undefined index: source in …/box.php on line *'],
    ],
    [
      'has no end of lines',
      [`${php(9 * minute)} NOTICE: ready`, ...times(1_000, () => 'mailer: queue is empty')],
      ['700× mailer: queue is empty', '1× NOTICE: ready'],
    ],
    [
      'is every line of a log without times, but for a trace, and lines that are indented or have no words',
      times(6, () => `${fatal}\n${notice}\nArray\n(\n    [error] => 0\n)`),
      [
        '6× PHP Fatal error:  Uncaught Error: box() in …/box.php:*',
        '6× Array',
        '6× PHP Notice:  Undefined index: source in …/box.php on line *',
      ],
    ],
    [
      'whose beginning was not read is one',
      ['FROM wp_posts', 'WHERE p.ID = 1', 'LIMIT 2', `${php(minute)} ${notice}`],
      ['1× FROM wp_posts', '1× PHP Notice:  Undefined index: source in …/box.php on line *'],
    ],
  ])('%s', async (_, lines, kinds) => {
    expect(await kindsIn(lines.flatMap((line) => line.split('\n')))).toEqual(kinds);
  });
});

describe('the time of an entry', () => {
  const at = 14 * minute;
  test.each([
    ['Apache', `${apache(at)} [core:error] [pid 31] x`],
    ['Apache without fractions', `${apache(at).replace('.204817', '')} [error] x`],
    ['JSON: time', JSON.stringify({ level: 'error', time: iso(at) })],
    ['JSON: @timestamp', JSON.stringify({ level: 'error', '@timestamp': iso(at) })],
    ['JSON: datetime of Monolog', JSON.stringify({ context: { time: iso(0) }, level: 400, datetime: iso(at) })],
    ['JSON: time_local', JSON.stringify({ level: 'error', time_local: '21/Nov/2026:14:46:00 +0100' })],
    ['JSON: milliseconds', JSON.stringify({ level: 50, time: now - at })],
    ['JSON: seconds', JSON.stringify({ level: 'error', ts: (now - at) / 1_000 + 0.25 })],
    ['JSON: behind another one that is none', JSON.stringify({ level: 'error', time: 'noon', ts: iso(at) })],
    ['behind a byte order mark', `\uFEFF${php(at)} PHP Fatal error:  x`],
    ['MariaDB', `${spaced(at).slice(0, 19)} 0 [ERROR] Aborting`],
    ['JSON behind a byte order mark', `\uFEFF${JSON.stringify({ level: 'error', time: iso(at) })}`],
  ])('%s', async (_, line) => {
    expect(await status([line])).toMatch(/^⚠️ most frequent, 1×, last 13:46 UTC/);
  });

  test('of a log of requests in JSON, and the requests', async () => {
    const lines = times(8, (ago, index) =>
      JSON.stringify({
        time: iso(ago),
        remote_addr: `203.0.113.${index}`,
        request: 'GET /shop/?q=1 HTTP/1.1',
        status: index % 2 === 0 ? 200 : 500,
        request_time: 0.5,
      }),
    );
    const { title, text } = await logs(lines, { log: 'access' });
    expect(title).toContain('13:52 UTC–13:59 UTC · 8 lines');
    expect(text).toContain(
      '2xx 4 · 5xx 4\nFailing most\n4× /shop/?… · 500\nSlowest\n0.50 s /shop/?… · on average of 8',
    );
    const uri = times(2, (ago) => `{"time_iso8601":"${iso(ago)}","request_uri":"\\/a","status":"404"}`);
    expect((await logs(uri, { log: 'access' })).text).toContain('4xx 2');
  });
});

describe('“nothing needs a look”', () => {
  const pool = (ago: number): string => `${fpm(ago)} WARNING: [pool www] `;
  test.each<[string, readonly string[], string]>([
    [
      'is not said over many lines that could be errors',
      [
        ...times(30, (ago) => `${php(ago)} Connection refused`),
        ...times(5, (ago) => `${php(ago)} Allowed memory size of 9 bytes exhausted`),
      ],
      '⚠️ no line says that it is an error, but 35 messages could be; most frequent, 30×, last 13:59 UTC: “Connection refused”.',
    ],
    [
      'nor over many that say nothing of themselves',
      times(12, (ago) => `${php(ago)} brak zapasów`),
      "⚠️ no line says that it is an error, but 12 lines don't say what they are; most frequent, 12×, last 13:59 UTC: “brak zapasów”.",
    ],
    [
      'nor over a PHP-FPM without workers',
      times(2, (ago) => `${pool(ago)}server reached pm.max_children setting (5), consider raising it`),
      '⚠️ no line says that it is an error, but 2 messages could be; most frequent, 2×, last 13:59 UTC: “WARNING: [pool www] server reached pm.max_children setting (*), consider raising it”.',
    ],
    [
      'nor beside other warnings',
      [`${php(2 * minute)} PHP Warning:  x`, `${pool(minute)}server reached pm.max_children setting (5)`],
      '⚠️ no line says that it is an error, but 1 message could be; most frequent, 1×, last 13:59 UTC: “WARNING: [pool www] server reached pm.max_children setting (*)”. Beside them, 1 warning or notice.',
    ],
    [
      'nor over workers that crash',
      times(1, (ago) => `${pool(ago)}child 30 exited on signal 11 (SIGSEGV) after 10.3 seconds from start`),
      '⚠️ no line says that it is an error, but 1 message could be; most frequent, 1×, last 13:59 UTC: “WARNING: [pool www] child * exited on signal * (SIGSEGV) after * seconds from start”.',
    ],
    [
      'nor over workers that take too long',
      times(1, (ago) => `${pool(ago)}child 19, script '/www/a.php' execution timed out (31.2 sec), terminating`),
      "⚠️ no line says that it is an error, but 1 message could be; most frequent, 1×, last 13:59 UTC: “WARNING: [pool www] child *, script '/www/a.php' execution timed out (* sec), terminating”.",
    ],
    [
      'nor over workers of Apache that crash',
      times(
        1,
        (ago) => `${apache(ago)} [core:notice] [pid 12] AH00052: child pid 44 exit signal Segmentation fault (11)`,
      ),
      '⚠️ no line says that it is an error, but 1 message could be; most frequent, 1×, last 13:59 UTC: “[core:notice] [pid *] AH*: child pid * exit signal Segmentation fault (*)”.',
    ],
    [
      'nor without a database',
      times(1, (ago) => `${php(ago)} PHP Warning:  mysqli_real_connect(): (HY000/2002): Connection refused`),
      '⚠️ no line says that it is an error, but 1 message could be; most frequent, 1×, last 13:59 UTC: “PHP Warning:  mysqli_real_connect(): (HY*/*): Connection refused”.',
    ],
    [
      'but over other warnings, and a worker that is told to end',
      times(2, (ago) => `${pool(ago)}child 30 exited on signal 15 (SIGTERM) after 10.3 seconds from start`),
      '✅ no error; 2 warnings and notices.',
    ],
    [
      'and a few lines that say nothing of themselves are just a fact',
      times(2, (ago) => `${php(ago)} mailer: queue is empty`),
      "• no line says that it is an error, but 2 lines don't say what they are.",
    ],
  ])('%s', async (_, lines, said) => {
    expect(await status(lines)).toBe(said);
  });

  test.each([
    'Fatal error: Uncaught Error: x',
    'Parse error: x',
    "WordPress database error Table 'shop.a' doesn't exist",
    '[core:error] [pid 3] boom',
    'Out of memory: Killed process',
    'Segmentation fault',
    'PHP Fatal error: x',
  ])('nor over a line without a time that says itself how grave it is: %s', async (line) => {
    for (const ago of [5 * minute, 2 * hour])
      expect(await status([`${php(ago)} PHP Notice:  x`, line, '#0 {main}'])).toMatch(
        /^❔ .*most frequent, 1×: “.*Some lines have no time/,
      );
    expect(await status([line, `${php(2 * hour)} PHP Notice:  x`])).toBe('✅ no error.');
  });

  const ifUtc = (newest: string): string => `, if times without a zone are UTC: the newest says 2026-11-21 ${newest}.`;
  test.each<[string, readonly string[], string]>([
    [
      'nginx, five hours behind',
      [
        `${iso(5 * hour)
          .slice(0, 19)
          .replaceAll('-', '/')
          .replace('T', ' ')} [error] 7#7: x`,
      ],
      `❔ none${ifUtc('09:00')}`,
    ],
    ['PHP-FPM, seven hours behind', [`${fpm(7 * hour)} ALERT: x`, 'y'], `❔ none${ifUtc('07:00')}`],
    ['farther behind than any zone', [`${fpm(14 * hour)} ALERT: x`], '✅ no error.'],
    [
      'some of this hour',
      [`${fpm(5 * hour)} ALERT: x`, `${fpm(minute)} NOTICE: x`],
      '✅ no error; 1 warning or notice.',
    ],
    [
      'beside PHP’s times with a zone',
      [`${fpm(5 * hour)} ALERT: x`, `${php(minute)} PHP Notice:  x`],
      `❔ none; 1 warning or notice${ifUtc('09:00')}`,
    ],
    [
      'beside errors with a zone',
      [`${fpm(5 * hour)} ALERT: x`, `${php(minute)} PHP Fatal error:  x`],
      `⚠️ most frequent, 1×, last 13:59 UTC: “PHP Fatal error:  x”. No others${ifUtc('09:00')}`,
    ],
    [
      'five hours behind, with a zone',
      [`[21-Nov-2026 08:50:00 EST] PHP Fatal error:  x`],
      '⚠️ most frequent, 1×, last 13:50 UTC: “PHP Fatal error:  x”.',
    ],
    ['an hour ahead, with a zone', [`[21-Nov-2026 13:50:00 CET] PHP Fatal error:  x`], '✅ no error.'],
  ])('nor where times may be of another zone, nor do `logs` and a time line: %s', async (_, lines, said) => {
    expect(await status(lines)).toBe(said);
    const [doubt = ''] = /, if times without a zone are UTC: [^.]*/.exec(said) ?? [];
    const { text, source } = await logs(lines, { from: now - hour });
    expect(text + source).toContain(doubt);
    expect(text + source).not.toContain(doubt === '' ? 'zone' : 'this log.');
    const { newestIfUtc } = await peaksIn(
      { text: textOf(lines), wanted: 9, now, span: { from: now - hour, to: now } },
      alias,
    );
    expect(newestIfUtc !== undefined).toBe(doubt !== '');
  });

  test('what could be an error of this hour comes before errors without a time', async () => {
    const lines = [
      'PHP Fatal error:  x',
      ...times(2, (ago) => `${php(ago)} Connection refused`),
      'PHP Fatal error:  y',
    ];
    expect(await status(lines)).toBe(
      '⚠️ no line with a time says that it is an error, but 2 messages could be; most frequent, 2×, last 13:59 UTC: “Connection refused”. 2 errors have no time that can be true, so they may be of another hour.',
    );
  });

  test('an error that quotes a warning of an outage stays an error', async () => {
    const line = 'PHP Fatal error:  Uncaught Error: child 3 exited on signal 11 in /www/a.php:3';
    expect(await status([`${php(minute)} ${line}`])).toMatch(/^⚠️ most frequent, 1×/);
  });
});
