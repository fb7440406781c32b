import { describe, expect, test } from 'vitest';
import { kindsOf } from '../../../src/commands/logs/groups.ts';
import { lineReader } from '../../../src/commands/logs/lines.ts';
import { analyze } from '../../../src/commands/logs/analyze.ts';
import { unwrapped } from '../../../src/commands/logs/nginx.ts';
import { aliasesBy } from '../../../src/commands/logs/masking.ts';
import { inline, plain } from '../../../src/words/text.ts';
import { live } from '../../fixtures.ts';
import { cpuTime } from '../../cpu-time.ts';

const read = (...raw: readonly string[]) => lineReader(aliasesBy('k'), { from: 0, to: Date.UTC(2100) })(raw);
/** The request, as nginx appends it to a message. */
const request = (path: string, of = 9, method = 'GET'): string =>
  `, client: 203.0.113.${of}, server: a.example, request: "${method} ${path} HTTP/2.0", upstream: "fastcgi://unix:/var/run/php8.1-fpm.sock:", host: "a.example", referrer: "https://a.example/b"`;
const reading = (path = '/a', of = 9): string => `" while reading response header from upstream${request(path, of)}`;
const own = (level: string, what: string): string => `2026/08/20 17:50:01 [${level}] 891#891: *114 ${what}`;
const php = (said: string): string => own('error', `FastCGI sent in stderr: "${said}`);

describe('the messages in an entry of nginx', () => {
  const warning = 'PHP Warning:  Undefined array key "price" in /www/a/b.php on line 3';
  const fatal = 'PHP Fatal error:  Uncaught Error: Call to undefined function x() in /www/a/b.php:9';
  test.each<[string, string, readonly string[]]>([
    ['one', `PHP message: ${warning}${reading()}`, [warning]],
    ['several', `PHP message: ${warning}; PHP message: ${fatal}${reading()}`, [warning, fatal]],
    ['several by escaped newlines', `PHP message: ${warning}\\nPHP message: ${fatal}${reading()}`, [warning, fatal]],
    ['several without a separator', `PHP message: ${warning}PHP message: ${fatal}${reading()}`, [warning, fatal]],
    ['the rest of several', `; PHP message: ${warning}${reading()}`, [warning]],
    [
      'one with its trace',
      `PHP message: ${fatal}\\nStack trace:\\n#0 {main}\\n  thrown in /x.php on line 9${reading()}`,
      [fatal],
    ],
    [
      'one after a trace',
      `PHP message: ${fatal}\\nStack trace:\\n#0 {main}; PHP message: ${warning}${reading()}`,
      [fatal, warning],
    ],
    [
      'one cut off',
      `PHP message: ${warning}; PHP message: PHP Fatal error:  Unca`,
      [warning, 'PHP Fatal error:  Unca'],
    ],
    [
      'one with its end cut off',
      `PHP message: ${'x'.repeat(2_500)}`,
      ['x'.repeat(2_000 - php('PHP message: ').length)],
    ],
    ['one before another that was cut off', `PHP message: ${warning}; PHP mess`, [warning]],
    ['one before words that were cut off', `PHP message: ${warning}" while reading resp`, [warning]],
    ['one while reading the page', `PHP message: ${warning}" while reading upstream${request('/')}`, [warning]],
    ['one while anything else', `PHP message: ${warning}" while logging request${request('/')}`, [warning]],
    ['one without “while …”', `PHP message: ${warning}"${request('/')}`, [warning]],
    ['one without a request', `PHP message: ${warning}"`, [warning]],
    [
      'one that speaks of reading',
      'PHP message: stopped "x" while reading y; PHP message: z"',
      ['stopped "x" while reading y', 'z'],
    ],
    [
      'one with a class name that begins with n',
      `PHP message: PHP Notice:  App\\note() in C:\\new${reading()}`,
      ['PHP Notice:  App\\note() in C:\\new'],
    ],
    [
      'of a plugin',
      `PHP message: Cron reschedule event error for hook: a${reading()}`,
      ['Cron reschedule event error for hook: a'],
    ],
    ['no PHP message', `Primary script unknown${reading()}`, ['Primary script unknown']],
    ['an empty one', `PHP message: ${reading()}`, ['']],
  ])('%s', (_, said, messages) => {
    expect(read(php(said))[0]?.messages).toEqual(messages);
  });

  test.each<[string, string]>([
    [`[20-Aug-2026 18:01:00] WARNING: [pool www] child 5 said into stderr: "NOTICE: PHP message: ${warning}"`, warning],
    [`NOTICE: PHP message: ${warning}`, warning],
    [`PHP message: ${warning}${reading()}`, warning],
    [`[20-Aug-2026 18:01:00 UTC] ${warning}`, warning],
    [`[20-Aug-2026 18:01:00] WARNING: [pool www] child 5 started`, 'WARNING: [pool www] child 5 started'],
  ])('the messages in an entry of php-fpm: %s', (line, message) => {
    expect(read(line)[0]?.messages).toEqual([message]);
  });

  test.each<[string, string, string, boolean]>([
    ['error', 'open() "/www/a.png" failed (2: No such file or directory)', '', true],
    ['error', 'upstream timed out (110: Connection timed out)', ' while reading response header from upstream', true],
    [
      'crit',
      'connect() to unix:/run/php.sock failed (2: No such file or directory)',
      ' while connecting to upstream',
      true,
    ],
    ['error', 'client intended to send too large body: 999 bytes', '', true],
    ['error', 'upstream sent too big header', ' while reading response header from upstream', true],
    ['error', 'recv() failed (104: Connection reset by peer)', ' while reading response header from upstream', true],
    ['error', 'upstream prematurely closed connection', ' while reading response header from upstream', true],
    ['error', 'access forbidden by rule', '', true],
    ['error', 'directory index of "/www/a/" is forbidden', '', true],
    ['error', 'limiting requests, excess: 5.684 by zone "one"', '', true],
    [
      'crit',
      'SSL_do_handshake() failed (SSL: error:0A00006C:SSL routines::bad key share) while SSL handshaking',
      '',
      true,
    ],
    ['emerg', 'bind() to 0.0.0.0:80 failed (98: Address already in use)', '', true],
    ['alert', 'worker process 7 exited on signal 11', '', true],
    ['error', 'no live upstreams', ' while connecting to upstream', true],
    ['warn', 'a client request body is buffered to a temporary file /tmp/7', '', false],
    ['notice', 'signal process started', '', false],
    ['info', 'client closed connection: error', ' while sending to client', false],
    ['debug', 'fatal', '', false],
  ])('an entry of nginx itself: [%s] %s', (level, what, tail, isAnError) => {
    const [line] = read(own(level, `${what}${tail}${request('/a?key=1')}`));
    expect(line?.messages).toEqual([`[${level}] ${what}`]);
    expect(line?.cause).toEqual({ client: aliasesBy('k')('203.0.113.9'), request: 'GET /a?…', host: 'a.example' });
    expect(kindsOf(read(own(level, what)))[0]?.level === 'error').toBe(isAnError);
  });

  test('the request follows the trace if the trace has several lines', () => {
    const [kind, ...others] = kindsOf(
      read(
        php(`PHP message: ${fatal}`),
        'Stack trace:',
        '#0 {main}',
        `  thrown in /x.php on line 9${reading('/cart/')}`,
      ),
    );
    expect([kind?.count, kind?.level, kind?.causes.map(({ request }) => request), others]).toEqual([
      1,
      'error',
      ['GET /cart/'],
      [],
    ]);
  });

  test('a cut message counts as the kind with the same beginning, unless several match or too little is left', () => {
    const one = 'PHP Warning:  Undefined property: Shop::$total in /www/a.php on line 3';
    const other = one.replace('/www/a', '/www/z');
    const whole = [one, fatal].map((message) => php(`PHP message: ${message}${reading()}`));
    const summarised = (...raw: readonly string[]) =>
      kindsOf(read(...whole, ...raw)).map(({ text, count }) => `${count} ${text}`);
    const [folded, foldedFatal] = [one.replace('3', '*'), fatal.replace('9', '*')];
    const cut = one.slice(0, -14);
    expect(summarised(php(`PHP message: ${fatal}; PHP message: ${cut}`))).toEqual([`2 ${foldedFatal}`, `2 ${folded}`]);
    expect(summarised(php(`PHP message: ${one.slice(0, 20)}`))).toContain(`1 ${one.slice(0, 20)}`);
    const either = one.slice(0, 52);
    expect(summarised(php(`PHP message: ${either}`), php(`PHP message: ${other}${reading()}`))).toEqual([
      `1 ${foldedFatal}`,
      `1 ${either}`,
      `1 ${folded}`,
      `1 ${other.replace('3', '*')}`,
    ]);
  });

  test('a message repeated for one request is counted once, even if cut', () => {
    const again = `PHP message: ${warning}; PHP message: ${warning.replace('3', '44')}; PHP message: ${warning.slice(0, 50)}`;
    expect(kindsOf(read(php(again), php(again))).map(({ count }) => count)).toEqual([2]);
  });

  test.each<[string, string]>([
    ['openings', 'PHP message: '],
    ['ends', '" while reading '],
    ['requests', ', client: x, server: , request: "'],
    ['separators', '; \\n'],
    ['traces', 'Stack trace:'],
    ['spaces', ' '],
    ['levels', '[error] 1#1: '],
  ])('hostile: 100 KB of %s take linear time', (_, piece) => {
    const timed = (size: number): number => {
      const text = `[error] 1#1: *1 FastCGI sent in stderr: "${piece.repeat(size / piece.length)}`;
      return cpuTime(() => {
        for (let round = 0; round < 5; round += 1) unwrapped(text);
      });
    };
    timed(100_000);
    expect(timed(100_000)).toBeLessThan(250);
    expect(timed(800_000)).toBeLessThan(2_000);
  });
});

/** The output for this error log: the page's text, and the full log. */
async function shown(raw: readonly string[], more: { errors?: boolean; from?: number; to?: number } = {}) {
  const { errors = false, ...span } = more;
  const asked = { env: live, log: 'error', lines: undefined, since: [], until: [], search: undefined } as const;
  const page = await analyze(
    {
      text: `${raw.join('\n')}\n`,
      asked: { ...asked, errors, full: true },
      wanted: 20_000,
      most: 20_000,
      span,
      now: Date.UTC(2026, 7, 20, 20),
    },
    aliasesBy('k'),
    async () => [],
  );
  const parts = page.parts.map((part) => (part.kind === 'text' ? plain(part.text) : ''));
  return { title: plain(inline(page.title)), text: parts.join('\n'), file: page.file?.content.split('\n') ?? [] };
}

test('one notice in two hundred lines of ten requests is one kind, and no error', async () => {
  const paths = ['/', '/shop/', '/shop/?p=1', '/cart/', '/a', '/b', '/c', '/d', '/e', '/wp-cron.php?x=1.5'];
  const lines = Array.from({ length: 200 }, (_, index) => {
    const clock = `17:${String(index % 60).padStart(2, '0')}:01`;
    const said = `PHP message: PHP Notice:  Function map_meta_cap was called incorrectly. in /www/s/functions.php on line 6114`;
    const path = index < 60 ? '/shop/' : (paths[index % 10] ?? '');
    return php(`${said}${reading(path, index % 7)}`)
      .replace('17:50:01', clock)
      .replace('89', String(index));
  });
  const { title, text } = await shown(lines);
  expect(title).toContain('200 lines, 1 kind');
  expect(text).toContain(
    '200× PHP Notice:  Function map_meta_cap was called incorrectly. in …/functions.php on line * · first 17:00 UTC, last 17:59 UTC',
  );
  expect(text).toContain('requested: 74× GET /shop/, 14× GET /, 14× GET /a, 98× others · 7 visitors');
  expect(kindsOf(read(...lines)).map(({ level }) => level)).toEqual(['lesser']);
  expect((await shown(lines, { errors: true })).text).toContain('No error in 200 lines.');
  const elsewhere = await shown([
    ...lines,
    php(`PHP message: x${reading('/y')}`).replace('host: "a.', 'host: "b.'),
    php(`PHP message: x${reading('/y')}`),
  ]);
  expect(elsewhere.text).toMatch(/2× x · .*\n    requested: 2× GET \/y · client-[\da-f]{6} · several hosts$/m);
});

test('lines of several messages say how many messages there are', async () => {
  const both = `PHP message: PHP Notice:  a in /x.php on line 1PHP message: PHP Warning:  b in /x.php on line 2`;
  const { title, text } = await shown([php(`${both}${reading('/')}`), php(`${both}${reading('/shop/')}`)]);
  expect(title).toContain('2 lines, 4 messages, 2 kinds');
  expect(text).toContain('2× PHP Warning:  b in');
  // The lines of a trace are not messages, and hide none.
  const trace = ['[20-Aug-2026 17:50:02 UTC] PHP Fatal error:  c in /x.php:1', 'Stack trace:', '#0 {main}'];
  expect((await shown([php(`${both}${reading('/')}`), ...trace])).title).toContain('4 lines, 3 messages, 3 kinds');
});

describe('a mixed day', () => {
  const deprecated = 'PHP Deprecated:  Creation of dynamic property A::$b is deprecated in /www/d.php on line 7';
  const notice = 'PHP Notice:  Function x was called incorrectly. in /www/n.php on line 1';
  const warning = 'PHP Warning:  Undefined array key "price" in /www/w.php on line 12';
  const uncaught = 'PHP Fatal error:  Uncaught TypeError: f(): Argument #1 in /www/f.php:8';
  const parse = 'PHP Parse error:  syntax error, unexpected end of file in /www/p.php on line 99';
  const database =
    "WordPress database error Table 'wp_q' doesn't exist for query SELECT 1 made by require('wp-load.php')";
  const cron =
    'Cron reschedule event error for hook: tick, Error code: could_not_set, Error message: Not saved., Data: {}';
  const at = (clock: string, line: string): string => line.replace('17:50:01', clock);
  const said = (clock: string, ...messages: readonly string[]): string =>
    at(clock, php(`${messages.map((message) => `PHP message: ${message}`).join('; ')}${reading()}`));
  /** Each line, and whether `--errors` keeps it. */
  const day: readonly (readonly [string, boolean])[] = [
    [said('00:00:00', notice), false],
    [said('00:10:00', notice, deprecated, warning), false],
    [said('00:20:00', warning, warning.replace('12', '40')), false],
    [said('00:30:00', deprecated), false],
    [said('01:00:00', notice, uncaught), true],
    [said('01:05:00', uncaught), true],
    ['[20-Aug-2026 01:10:00 UTC] PHP Fatal error:  Uncaught TypeError: f(): Argument #1 in /www/f.php:8', true],
    ['Stack trace:', true],
    ['#0 /www/g.php(3): f()', true],
    ['#1 {main}', true],
    ['  thrown in /www/f.php on line 8', true],
    ['[20-Aug-2026 01:20:00 UTC] PHP Warning:  Undefined array key "price" in /www/w.php on line 12', false],
    [said('02:00:00', parse), true],
    [said('02:10:00', database), true],
    [said('02:20:00', database, notice), true],
    [said('02:30:00', cron), false],
    [said('02:40:00', 'mailer: queue is empty'), false],
    [said('02:50:00', 'mailer: queue is empty'), false],
    [
      at(
        '03:00:00',
        own('error', `open() "/www/favicon-1.ico" failed (2: No such file or directory)${request('/favicon-1.ico')}`),
      ),
      true,
    ],
    [
      at(
        '03:01:00',
        own('error', `open() "/www/favicon-2.ico" failed (2: No such file or directory)${request('/favicon-2.ico')}`),
      ),
      true,
    ],
    [
      at(
        '03:10:00',
        own(
          'error',
          `upstream timed out (110: Connection timed out) while reading response header from upstream${request('/slow', 3)}`,
        ),
      ),
      true,
    ],
    [
      at(
        '03:11:00',
        own(
          'error',
          `upstream timed out (110: Connection timed out) while reading response header from upstream${request('/slow', 4)}`,
        ),
      ),
      true,
    ],
    [at('03:20:00', own('error', `access forbidden by rule${request('/.env')}`)), true],
    [
      at(
        '03:30:00',
        own(
          'warn',
          `a client request body is buffered to a temporary file /tmp/0000000001${request('/up', 9, 'POST')}`,
        ),
      ),
      false,
    ],
    [
      at(
        '03:31:00',
        own(
          'warn',
          `a client request body is buffered to a temporary file /tmp/0000000002${request('/up', 9, 'POST')}`,
        ),
      ),
      false,
    ],
    [
      at(
        '03:40:00',
        own(
          'crit',
          'SSL_do_handshake() failed (SSL: error:1:bad key share) while SSL handshaking, client: 203.0.113.9, server: 0.0.0.0:443',
        ),
      ),
      true,
    ],
    [at('03:50:00', own('notice', 'signal process started')), false],
    [at('04:00:00', own('info', 'epoll_wait() reported that client prematurely closed connection')), false],
    [
      '[20-Aug-2026 04:10:00] WARNING: [pool www] server reached pm.max_children setting (8), consider raising it',
      false,
    ],
    [
      '[20-Aug-2026 04:11:00] WARNING: [pool www] server reached pm.max_children setting (8), consider raising it',
      false,
    ],
    ['[20-Aug-2026 04:12:00] NOTICE: [pool www] child 77 started', false],
    ['[20-Aug-2026 04:13:00] ALERT: [pool www] oops, unknown child (7) exited', true],
    [
      '[20-Aug-2026 06:14:00 Europe/Berlin] PHP Notice:  Function x was called incorrectly. in /www/n.php on line 1',
      false,
    ],
    [at('04:20:00', php(`PHP message: ${uncaught.replace('TypeError', 'OtherError')}`)), true],
    ['Stack trace:', true],
    ['#0 {main}', true],
    [`  thrown in /www/f.php on line 8${reading('/cart/')}`, true],
    [at('04:30:00', php(`PHP message: ${deprecated}; PHP message: ${warning.slice(0, -14)}`)), false],
    [at('04:40:00', php(`Primary script unknown${reading('/x.php')}`)), false],
    [
      said('05:00:00', 'PHP Recoverable fatal error:  Object could not be converted in /www/r.php on line 2', notice),
      true,
    ],
  ];
  const lines = day.map(([line]) => line);
  const timeout = 'upstream timed out (*: Connection timed out)';
  /** Written by hand: count, first and last time, and message. Errors first. */
  const errors = [
    `3 01:00–01:10 ${uncaught.replace('1 in', '* in').replace(':8', ':*')}`,
    '2 02:10–02:20 ' + database.replace('SELECT 1', 'SELECT *'),
    '2 03:00–03:01 [error] open() "/www/favicon-*.ico" failed (*: No such file or directory)',
    `2 03:10–03:11 [error] ${timeout}`,
    '1 04:13–04:13 ALERT: [pool www] oops, unknown child (*) exited',
    `1 04:20–04:20 ${uncaught.replace('1 in', '* in').replace(':8', ':*').replace('TypeError', 'OtherError')}`,
    '1 02:00–02:00 ' + parse.replace('99', '*'),
    '1 05:00–05:00 PHP Recoverable fatal error:  Object could not be converted in /www/r.php on line *',
    '1 03:40–03:40 [crit] SSL_do_handshake() failed (SSL: error:*:bad key share) while SSL handshaking',
    '1 03:20–03:20 [error] access forbidden by rule',
  ];
  const others = [
    '2 04:10–04:11 WARNING: [pool www] server reached pm.max_children setting (*), consider raising it',
    `1 02:30–02:30 ${cron}`,
    `6 00:00–05:00 ${notice.replace('line 1', 'line *')}`,
    `4 00:10–04:30 ${warning.replace('12', '*')}`,
    `3 00:10–04:30 ${deprecated.replace('line 7', 'line *')}`,
    '2 03:30–03:31 [warn] a client request body is buffered to a temporary file /tmp/*',
    '2 02:40–02:50 mailer: queue is empty',
    '1 04:12–04:12 NOTICE: [pool www] child * started',
    '1 04:40–04:40 Primary script unknown',
    '1 04:00–04:00 [info] epoll_wait() reported that client prematurely closed connection',
    '1 03:50–03:50 [notice] signal process started',
  ];
  const clock = (moment: number | undefined): string => new Date(moment ?? 0).toISOString().slice(11, 16);

  test('is grouped by kind, with counts, errors first', () => {
    const kinds = kindsOf(read(...lines));
    const summarised = kinds.map(({ count, first, last, text }) => `${count} ${clock(first)}–${clock(last)} ${text}`);
    expect(summarised).toEqual([...errors, ...others]);
    expect(kinds.filter(({ level }) => level === 'error')).toHaveLength(errors.length);
  });

  test('errors only', async () => {
    const { title, text, file } = await shown(lines, { errors: true });
    const kept = day.filter(([, stays]) => stays).map(([line]) => line);
    expect(file.map((line) => line.slice(0, 40))).toEqual(kept.map((line) => line.slice(0, 40)));
    // The counts below the title add up to the one in it.
    const messages = errors.reduce((sum, summarised) => sum + Number.parseInt(summarised, 10), 0);
    expect(title).toContain(`${kept.length} of ${day.length} lines, ${messages} messages, ${errors.length} kinds`);
    expect(text).not.toMatch(/PHP (?:Notice|Warning|Deprecated)|\[warn\]/);
    expect(text).toContain('2× [error] upstream timed out');
    // Times with a day have no “at” before them, because “at yesterday” would be wrong.
    expect(text).toContain('Busiest 2026-08-20');
    expect(text).not.toMatch(/ at 2026/);
    expect(text).toMatch(/requested: 2× GET \/a · client-[\da-f]{6}\n[^]*requested: .*\n[^]*requested: .*favicon-2/);
    expect(text).toMatch(/^2× \[error\] upstream timed out \(\*: Connection timed out\) · last .*\n1× /m);
  });

  test('a span holds the lines written in it, in any format', async () => {
    const span = { from: Date.UTC(2026, 7, 20, 4, 10), to: Date.UTC(2026, 7, 20, 4, 20) };
    const { file } = await shown(lines, span);
    expect(file.map((line) => line.slice(0, 40))).toEqual(lines.slice(28, 37).map((line) => line.slice(0, 40)));
  });
});
