import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { catalogue } from '../../src/commands/index.ts';
import type { Page } from '../../src/commands/kit/page.ts';
import type { SentChange } from '../../src/commands/kit/log-query.ts';
import type { HostReader } from '../../src/hosting/contract/call.ts';
import { parse } from '../../src/language/parse.ts';
import { resolve } from '../../src/language/resolve.ts';
import { join } from '../../src/language/tokenize.ts';
import { blockComplaints } from '../../src/playground/slack/block-kit/check.ts';
import { Refusal } from '../../src/base/errors.ts';
import { drawPage } from '../../src/block-kit/answer-pages.ts';
import { inline, plain } from '../../src/words/text.ts';
import { company, hostile, live, names, noCertificate, refusalText, reportDefaults } from '../fixtures.ts';
import { cpuTimeOf } from '../cpu-time.ts';

const now = Date.UTC(2026, 10, 21, 14, 5);
const minute = 60_000;
const atMinute = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ');
const lineAt = (ago: number, text: string): string => `[${atMinute(now - ago * minute)}] ${text}`;

type Asked = {
  readonly host?: string;
  readonly happened?: readonly SentChange[];
  readonly zone?: string;
  /** Receives the requests to the host. */
  readonly asked?: unknown[];
};

/** The page of these arguments for a host with this log. */
async function shown(words: string, of: Asked = {}): Promise<Page> {
  const { host = '', happened = [], zone = 'Europe/Berlin', asked = [] } = of;
  const parsed = parse(`logs ${live.id} ${words}`, catalogue);
  if (parsed?.command.shape !== 'report') throw new Error('logs is a report');
  const { input, problems } = resolve(parsed, names);
  expect(problems).toEqual([]);
  const read: HostReader = async (call) => {
    asked.push(call.query);
    return call.reply.parse({ environment: { container_info: { logs: host } } });
  };
  return parsed.command.show({
    input,
    read,
    company,
    certificate: noCertificate,
    ...reportDefaults,
    now,
    zone,
    sentChanges: async (_, since) => happened.filter(({ at }) => at >= since),
  });
}
const textOf = ({ title, parts }: Page): string =>
  [
    plain(title),
    ...parts.map((part) => (part.kind === 'text' ? plain(part.text) : part.kind === 'code' ? part.text : '')),
  ].join('\n');

const own: SentChange = {
  at: now - 17 * minute,
  number: 1039,
  mark: '✅',
  says: 'Cleared the cache of acme-shop/live',
};
const fatal = (ago: number): string =>
  lineAt(ago, `PHP Fatal error:  Uncaught Error for order ${Math.round(ago * 97)}`);
const warning = (ago: number): string =>
  lineAt(ago, `PHP Warning:  Undefined key in /a/b/c.php on line ${Math.round(ago)}`);
const morning = [
  ...Array.from({ length: 30 }, (_, index) => warning(60 - index)),
  ...Array.from({ length: 40 }, (_, index) => fatal(15 - index / 4)),
].join('\n');

describe('the error log', () => {
  test('is grouped by kind, over time, with our own changes on the same axis', async () => {
    const page = await shown('error', { host: morning, happened: [own] });
    expect(plain(page.title)).toBe('acme-shop/live · error log · 13:05 UTC–13:59 UTC · 70 lines, 2 kinds');
    const text = textOf(page);
    expect(text).toMatch(/^[▁-█]{24}\n *↑$/m);
    expect(text).toContain(
      'Changes made with Sitehand (↑ if under the bars):\n✅ 13:48 UTC Cleared the cache of acme-shop/live (#1039), 2 min before the first “PHP Fatal error:  Uncaught Error for order *”',
    );
    expect(text).toContain('40× PHP Fatal error:  Uncaught Error for order * · first 13:50 UTC, last 13:59 UTC');
    expect(text).toContain('newest: PHP Fatal error:  Uncaught Error for order 509');
    expect(text).toContain('30× PHP Warning:  Undefined key in …/c.php on line * · first 13:05 UTC, last 13:34 UTC');
    expect(text.indexOf('40×')).toBeLessThan(text.indexOf('30×'));
    expect(page.file).toBeUndefined();
  });

  test('suggests next commands that can be typed', async () => {
    const { offers = [] } = await shown('error --search PHP --since 90m', { host: morning });
    expect(offers.map(({ label }) => label)).toEqual(['Errors only', 'Around the busiest minute', 'Full log']);
    expect(offers.map(({ args }) => args.slice(2).join(' '))).toEqual([
      'error --since=1h30m --search=PHP --errors',
      'error --lines=20000 --since=2026-11-21T13:47Z --until=2026-11-21T13:54Z --search=PHP',
      'error --since=1h30m --search=PHP --full',
    ]);
    for (const { args } of offers) expect(parse(join(args), catalogue)?.path).toBe('logs');
    const around = await shown(offers[1]?.args.slice(2).join(' ') ?? '', { host: morning });
    expect(textOf(around)).toContain('Fatal');
  });

  test('in an unknown time zone has the same buttons, because labels hold no time', async () => {
    const { offers = [] } = await shown('error', { host: morning, zone: 'No/Where' });
    expect(offers).toEqual((await shown('error', { host: morning })).offers);
    for (const { label } of offers) expect(label).not.toMatch(/\d/);
  });

  test('a change before the first line has no “first after it”', async () => {
    const text = textOf(await shown('error', { host: fatal(16), happened: [own] }));
    expect(text).toContain('(#1039)');
    expect(text).not.toContain('before the first');
  });

  test.each<[string, string, string]>([
    ['only its newest lines', '--lines 45', '13:30 UTC'],
    ['the lines since a time', '--since 35m', '13:30 UTC'],
  ])('with %s, the first after a change is the first of the lines read', async (_, words, since) => {
    const text = textOf(await shown(`error ${words}`, { host: morning, happened: [own] }));
    expect(text).toMatch(/2 min before the first “PHP Fatal error:  Uncaught Error for order \*”$/m);
    expect(text).toContain(`This leaves out lines before ${since}, so a “first” may have occurred earlier.`);
    const whole = textOf(await shown('error', { host: morning, happened: [own] }));
    expect(whole).not.toContain('This leaves out lines');
  });

  test('with a search, the first may be among the lines that do not match', async () => {
    const text = textOf(await shown('error --search PHP', { host: morning, happened: [own] }));
    expect(text).toMatch(/2 min before the first “PHP Fatal error:/);
    expect(text).toContain('This leaves out some lines, so a “first” may have occurred earlier.');
  });

  test('the kinds of errors come before the changes, and each problem is named once, at the change nearest before it', async () => {
    const host = [...Array.from({ length: 45 }, (_, at) => warning(60 - at)), fatal(8), fatal(7), warning(1)].join(
      '\n',
    );
    const happened = [40, 30, 20, 10, 9, 2].map((ago, at) => ({ ...own, at: now - ago * minute, number: at + 1 }));
    const text = textOf(await shown('error', { host, happened }));
    expect(text.indexOf('46×')).toBeLessThan(text.indexOf('Changes made with Sitehand'));
    expect(text.match(/before the first/g)).toHaveLength(1);
    expect(text).toContain(
      [
        'Changes made with Sitehand (↑ if under the bars):',
        '✅ 13:55 UTC Cleared the cache of acme-shop/live (#4)',
        '✅ 13:56 UTC Cleared the cache of acme-shop/live (#5), 60 s before the first “PHP Fatal error:  Uncaught Error for order *”',
        '✅ 14:03 UTC Cleared the cache of acme-shop/live (#6)',
        '• and 3 other changes.',
      ].join('\n'),
    );
  });

  test('a change that problems followed is shown before newer ones that none followed', async () => {
    const host = [fatal(50), warning(28), warning(1)].join('\n');
    const happened = [29, 4, 3, 2].map((ago, at) => ({ ...own, at: now - ago * minute, number: at + 1 }));
    const text = textOf(await shown('error', { host, happened }));
    expect(text.match(/\(#\d\)/g)).toEqual(['(#1)', '(#3)', '(#4)']);
  });

  test('of the changes before the asked span, only those of the last 15 minutes are listed', async () => {
    const happened = [51, 49, 46].map((ago, at) => ({ ...own, at: now - ago * minute, number: at + 1 }));
    const text = textOf(await shown('error --since 35m', { host: morning, happened }));
    expect(text.match(/\(#\d\)/g)).toEqual(['(#2)', '(#3)']);
  });

  test('a change in the second of the first line counts as before it, because logs have whole seconds', async () => {
    const happened = [{ ...own, at: now - 16 * minute + 500 }];
    const text = textOf(await shown('error', { host: [fatal(16), warning(15)].join('\n'), happened }));
    expect(text).toContain('(#1039)');
    expect(text).not.toContain('before the first');
  });

  test.each<[string, string, number]>([
    ['before the first line', morning, 70],
    ['of lines of one moment', `${fatal(16)}\n${fatal(16)}`, 16],
  ])('five changes %s have no comparison and no arrow', async (_, host, ago) => {
    const happened = Array.from({ length: 5 }, (_, index) => ({ ...own, at: now - ago * minute, number: index + 1 }));
    const text = textOf(await shown('error', { host, happened }));
    expect(text).toContain('Changes made with Sitehand around that time:\n✅ ');
    expect(text.match(/\(#\d\)/g)).toHaveLength(3);
    expect(text).not.toContain('↑');
  });

  test('errors only', async () => {
    const page = await shown('error --errors', { host: morning });
    expect(plain(page.title)).toContain('errors only · 40 of 70 lines, 1 kind');
    expect(textOf(page)).not.toContain('Warning');
    expect(page.offers?.map(({ label }) => label)).not.toContain('Errors only');
  });

  test('the full log is a file with every line, masked', async () => {
    const host = `${morning}\nmail to maria@example.com failed, password=hunter22`;
    const { file, offers } = await shown('error --full', { host });
    expect(file?.name).toBe('acme-shop-live-error.log');
    expect(file?.content.split('\n')).toHaveLength(71);
    expect(file?.content).toContain('mail to ***@*** failed, password=***');
    expect(offers?.map(({ label }) => label)).not.toContain('Full log');
  });

  test('kinds that are not shown are counted', async () => {
    const letters = 'abcdefghijklmnopqrstuvwxyz';
    const host = Array.from(letters, (letter, index) => lineAt(index, `kind ${letter.repeat(index + 1)}`)).join('\n');
    const text = textOf(await shown('error', { host }));
    expect(text.match(/^1× /gm)).toHaveLength(8);
    expect(text).toContain('18 more messages of 18 other kinds.');
  });

  test('a full answer holds the newest lines, and the histogram begins with the oldest of them', async () => {
    const page = await shown('error --lines 10 --since 3h', { host: morning });
    expect(plain(page.title)).toContain('13:57 UTC–14:05 UTC · the newest 10 lines, 1 kind');
  });

  test.each<[string, string, string, readonly string[]]>([
    ['no line', '', 'No line in this log. Read another log.', ['Access log', 'Cache log']],
    [
      'no line in a range',
      '--since 1h',
      'No line in this log since 2026-11-21 13:05 UTC. Read its newest lines, or another log.',
      ['Newest lines', 'Access log', 'Cache log'],
    ],
    [
      'no line in a range, unless its times are of another zone',
      '--since 59m',
      'No line in this log since 2026-11-21 13:06 UTC, if times without a zone are UTC: the newest says 2026-11-21 09:05. Read its newest lines, or another log.',
      ['Newest lines', 'Access log', 'Cache log'],
    ],
    ['no error', '--errors', 'No error in 1 line. Read all lines', ['All lines', 'Access log', 'Cache log']],
  ])('%s', async (_, words, says, labels) => {
    const host = { '--errors': warning(5), '--since 59m': warning(300) }[words] ?? '';
    const page = await shown(`error ${words}`, { host });
    expect(textOf(page)).toContain(says);
    expect(page.offers?.map(({ label }) => label)).toEqual(labels);
    expect(page.file).toBeUndefined();
    for (const { args } of page.offers ?? []) expect(parse(join(args), catalogue)?.path).toBe('logs');
    const newest = page.offers
      ?.find(({ label }) => label === 'Newest lines')
      ?.args.slice(2)
      .join(' ');
    if (newest && host) expect(textOf(await shown(newest, { host }))).toContain('PHP Warning');
  });

  test('a line that does not say how grave it is may be an error', async () => {
    const page = await shown('error --errors', { host: lineAt(5, 'boom: the database is gone') });
    expect(textOf(page)).toContain('No line that says it is an error in 1 line. Read all lines');
  });

  test.each<[string, string]>([
    ['--since 2027-01-01', '--since is in the future. Nothing was done.'],
    ['--since 1h --until 2h', '--until is not after --since. Nothing was done.'],
  ])('refuses %s', async (words, says) => {
    const refused = await shown(`error ${words}`).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Refusal);
    if (refused instanceof Refusal) expect(refusalText(refused)).toContain(says);
  });
});

describe('a host that sends more than the requested span', () => {
  const trace = ['Stack trace:', '#0 /a.php(1): b()', '  thrown in /a.php on line 1'];
  const days = 24 * 60;

  test('only the lines of the span are shown, each with its continuation lines', async () => {
    const host = [fatal(3 * days), ...trace, warning(40), 'a line without a time', fatal(20), ...trace, warning(5)];
    const page = await shown('error --since 30m --full', { host: host.join('\n') });
    expect(page.file?.content.split('\n')).toEqual(host.slice(6));
    expect(plain(page.title)).toContain('13:35 UTC–14:05 UTC · 5 lines, 2 messages, 2 kinds');
    expect(plain(inline(page.source ?? ''))).toContain('6 lines outside this span are left out');
    expect(textOf(page)).not.toContain('a line without a time');
  });

  test.each<[string, string]>([
    ['nginx', '2026/11/21 13:50:01 [error] 7#7: *1 FastCGI sent in stderr: "PHP message: inside"'],
    ['access', 'a.example 203.0.113.9 [21/Nov/2026:13:50:01 +0000] GET "/inside" HTTP/2.0 200'],
    ['cache', '[21/Nov/2026:13:50:01 +0000] HIT HOST 203.0.113.9 "GET /inside HTTP/2.0" 200'],
    ['PHP', '[21-Nov-2026 13:50:01 UTC] PHP Warning:  inside'],
    ['PHP in a zone', '[21-Nov-2026 14:50:01 Europe/Berlin] PHP Warning:  inside'],
  ])('with the times of %s, which are UTC unless they name a zone', async (_, line) => {
    const host = [line.replace(':50:', ':40:'), line, line.replace(':50:', ':58:')].join('\n');
    const page = await shown('error --since 2026-11-21T13:50:01Z --until 2026-11-21T13:55Z --full', { host });
    expect(page.file?.content).toMatch(/^[^\n]*:50:01[^\n]*$/);
  });

  test('--lines counts the shown lines of the span; a span with an end requests the maximum', async () => {
    const asked: unknown[] = [];
    const page = await shown('error --since 58m --until 40m --lines 5', { host: morning, asked });
    expect(asked).toMatchObject([{ lines: 20_000 }]);
    expect(plain(page.title)).toContain('13:21 UTC–13:25 UTC · the newest 5 lines');
    await shown('error --since 58m --lines 5', { host: morning, asked });
    expect(asked[1]).toMatchObject({ lines: 5 });
  });

  test('a full answer that reaches back beyond the span is complete', async () => {
    const page = await shown('error --since 14m --lines 60', { host: morning });
    expect(plain(page.title)).toContain('13:51 UTC–14:05 UTC · 36 lines, 1 kind');
  });

  test('lines without a time are shown, with a note that the span could not be checked', async () => {
    const host = ['one thing', 'another thing', ...trace].join('\n');
    const page = await shown('error --since 30m --until 10m', { host });
    expect(textOf(page)).toContain(
      'These lines have no times that can be true, so I could not cut them to the span you asked for. These are all 5 lines that the host sent.',
    );
    const withoutSpan = textOf(await shown('error', { host }));
    expect(withoutSpan).not.toContain('no times');
    const some = await shown('error --since 30m', { host: `${host}\n${fatal(20)}` });
    expect(plain(some.title)).toContain('6 lines');
    expect(plain(inline(some.source ?? ''))).toContain('5 lines have no time that can be true');
    const old = await shown('error --since 30m', { host: `${host}\n${fatal(45)}\n${fatal(20)}` });
    expect(plain(old.title)).toContain('1 line,');
  });

  test('if it does not go back as far as the span, nothing is called empty', async () => {
    const host = Array.from({ length: 20_000 }, (_, at) => lineAt(30 - at / 1_000, 'late')).join('\n');
    const page = await shown('error --until 2h', { host });
    expect(textOf(page)).toContain('The newest 20,000 lines of this log only go back to 2026-11-21 13:35 UTC');
    expect(textOf(page)).not.toContain('No line');
    const none = await shown('error --since 2h --until 1h', { host: fatal(10) });
    expect(textOf(none)).toContain('No line in this log since');
    expect(plain(inline(none.source ?? ''))).toContain('1 line outside this span is left out');
  });

  test('lines without the searched text are left out too', async () => {
    const host = [fatal(20), ...trace, warning(19), lineAt(18, 'ORDER 7 again')].join('\n');
    const page = await shown('error --search order --full', { host });
    expect(page.file?.content.split('\n')).toHaveLength(5);
    expect(plain(inline(page.source ?? ''))).toContain('1 line without “order” is left out');
    const none = await shown('error --search nothing', { host });
    expect(textOf(none)).toContain('No line in this log with “nothing”');
  });

  test('a search for a masked value finds it', async () => {
    const host = [lineAt(20, 'client 203.0.113.9 x'), lineAt(19, 'client 203.0.113.8 y')].join('\n');
    const page = await shown('error --search 203.0.113.9', { host });
    expect(plain(page.title)).toContain('1 line');
    expect(JSON.stringify(page.parts)).not.toContain('203.0.113.');
  });
});

const request = (ago: number, path: string, status: number, seconds: string, address = '203.0.113.7'): string =>
  `${address} - - [${new Date(now - ago * minute).toUTCString().replace(/^\w+, (\d+) (\w+) (\d+) ([\d:]+) GMT$/, '$1/$2/$3:$4 +0000')}] "GET ${path} HTTP/2.0" ${status} 12 "-" "Bot/1.0" ${seconds}`;

test('the access log: statuses, failures, slow requests, visitors', async () => {
  const host = [
    request(30, '/product/lamp-123/', 200, '0.100'),
    request(29, '/product/lamp-456/', 200, '0.300'),
    request(20, '/checkout/', 502, '9.000'),
    request(19, '/checkout/', 504, '60.001'),
    request(18, '/checkout/', 504, '60.001'),
    request(17, '/wp-login.php', 403, '0.010'),
    'not a request',
  ].join('\n');
  const page = await shown('access', { host, happened: [{ ...own, at: now - 21 * minute }] });
  const text = textOf(page);
  expect(plain(page.title)).toContain('acme-shop/live · access log · 13:35 UTC–13:48 UTC · 7 lines');
  expect(text).toContain('2xx 2 · 4xx 1 · 5xx 3 · 1 not understood');
  expect(text).toContain('Failing most\n3× /checkout/ · 504 ×2, 502 ×1\n1× /wp-login.php · 403');
  expect(text).toContain('Slowest\n43 s /checkout/ · on average of 3, 60 s at most\n0.20 s /product/lamp-*/');
  expect(text).toContain('Busiest visitors client-3f2a 6, of 1');
  expect(text).toContain('2 min before the first “504”');
  expect(text).not.toContain('203.0.113.7');
  const failing = await shown('access --errors', { host });
  expect(plain(failing.title)).toContain('errors only · 4 of 7 lines');
  expect(textOf(failing)).not.toContain('lamp');
});

test('the cache log: the hit rate, and the most frequent misses', async () => {
  const host = [
    ...Array.from({ length: 299 }, () => `[21/Nov/2026:13:48:00 +0000] HIT a.example "GET /MISS/ HTTP/2.0" 200 0.001`),
    '[21/Nov/2026:13:49:00 +0000] MISS a.example "GET /blog/2025/x/ HTTP/2.0" 200 1.001',
    '[21/Nov/2026:13:49:00 +0000] PURGE a.example "PURGE /* HTTP/1.1" 200 0.012',
  ].join('\n');
  const text = textOf(await shown('cache', { host }));
  expect(text).toContain('HIT 99% (299) · MISS 1% (1) · BYPASS 0% (0) · 1 neither');
  expect(text).toContain('Missed most\n1× /blog/2025/x/');
});

test('promise 6: for any log, the page is within Slack’s limits and holds no credential', async () => {
  const secret = 'sk_live_0123456789abcdefghij';
  const log = fc.array(
    fc
      .tuple(
        fc.constantFrom(
          '',
          '[2026-11-21 13:48:00] ',
          '[21/Nov/2026:13:48:00 +0000] ',
          '203.0.113.7 - - ',
          'PHP Fatal error: ',
          '2026/11/21 13:48:00 [error] 7#7: *1 FastCGI sent in stderr: "PHP message: ',
        ),
        fc.oneof(
          hostile,
          fc.constantFrom(
            '\u001B[31mred',
            '\u001B]0;title',
            '\uFFFD\uFFFD',
            `key ${secret}`,
            '"GET /?token=abcdef HTTP/1.1" 500 1',
            'x" while reading upstream, client: 203.0.113.7, server: a, request: "GET /sk_live_0123456789abcdefghij?token=abcdef HTTP/1.1", host: "a"',
          ),
        ),
      )
      .map((parts) => parts.join('')),
    { maxLength: 40 },
  );
  const words = fc
    .tuple(fc.constantFrom('error', 'access', 'cache'), fc.constantFrom('', '--errors', '--full'))
    .map((parts) => parts.join(' '));
  await fc.assert(
    fc.asyncProperty(log, words, async (lines, words) => {
      const page = await shown(words, { host: lines.join('\n'), happened: [own] });
      const { text, blocks } = drawPage(page, { id: '0'.repeat(36), shareable: true });
      expect(blockComplaints(blocks, 'message')).toEqual([]);
      expect(text).toContain('acme-shop/live');
      const sizes = page.parts.map(
        (part) => (part.kind === 'text' ? plain(part.text) : part.kind === 'code' ? part.text : '').length,
      );
      expect(Math.max(...sizes)).toBeLessThan(2_800);
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(9_000);
      expect(JSON.stringify(page)).not.toMatch(/sk_live_|abcdef|203\.0\.113|\\u001b/i);
    }),
  );
});

test.each(['PHP alone', 'nginx'])(
  'the longest lines of two hundred kinds fit into one message: with %s',
  async (by) => {
    const word = (index: number): string => String.fromCharCode(97 + (index % 26)).repeat(60);
    const path = (index: number): string => `/${'\\'.repeat(20)}${word(index * 3)}`;
    const host = Array.from({ length: 800 }, (_, index) => {
      const of = index % 200;
      const message = `PHP Fatal error: ${word(of)} ${word(of * 7)} \\"${of}\\" ${'x'.repeat(of)} /a/b/${word(of)}.php`;
      if (by !== 'nginx') return lineAt(index / 40, message);
      const request = `client: 203.0.113.${index % 250}, server: a, request: "DELETE ${path(index)} HTTP/2.0", host: "${index}.example"`;
      return `${atMinute(now - (index * minute) / 40).replaceAll('-', '/')} [error] 7#7: *1 FastCGI sent in stderr: "PHP message: ${message}" while reading upstream, ${request}`;
    }).join('\n');
    const page = await shown('error', { host, happened: Array.from({ length: 9 }, () => own) });
    expect(textOf(page)).toContain('and 6 other changes.');
    expect(JSON.stringify(drawPage(page, { id: '0'.repeat(36), shareable: true }).blocks)).not.toContain('too long');
  },
);

test('one line of five megabytes, and more lines than requested, are read quickly', async () => {
  const ms = await cpuTimeOf(async () => {
    await shown('error', { host: `${lineAt(1, 'x'.repeat(5_000_000))}\n${'y\n'.repeat(100_000)}` });
    const page = await shown('access --lines 5', { host: 'y\n'.repeat(1_000_000) });
    expect(plain(page.title)).toContain('the newest 5 lines');
  });
  expect(ms).toBeLessThan(5_000);
});
