import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { catalogue } from '../../src/commands/index.ts';
import { Refusal } from '../../src/base/errors.ts';
import type { ParsedCommand, BindContext, Given } from '../../src/language/bind-arguments.ts';
import { parse, parseArgs } from '../../src/language/parse.ts';
import { usage, argsOf } from '../../src/language/usage.ts';
import { join } from '../../src/language/tokenize.ts';
import { hostile, live, printable, refusalOf, refusalText, staging, wordsFor } from '../fixtures.ts';

function read(line: string, context?: BindContext): ParsedCommand {
  const parsed = parse(line, catalogue, context);
  if (parsed === undefined) throw new Error(`${line} is empty`);
  return parsed;
}
const inThread: BindContext = { target: live.id, sibling: (word) => (word === 'staging' ? staging.id : undefined) };

describe('parsed lines', () => {
  test.each<[string, string, string, Given]>([
    ['a command of one word', 'logs acme-shop/live', 'logs', { env: ['acme-shop/live'] }],
    ['a command of two words', 'cache clear acme-shop/live', 'cache clear', { env: ['acme-shop/live'] }],
    ['capitals', 'Cache CLEAR acme-shop/live', 'cache clear', { env: ['acme-shop/live'] }],
    [
      'a time in two words',
      'logs a/b --since 7 days --until=2h ago',
      'logs',
      { env: ['a/b'], since: ['7 days'], until: ['2h ago'] },
    ],
    [
      'a time in three',
      'logs --since 90 min ago error a/b',
      'logs',
      { env: ['a/b'], log: ['error'], since: ['90 min ago'] },
    ],
    [
      'a count, and words of a reason',
      'lock a/b 2 days --for 3 hours',
      'lock',
      { env: ['a/b'], why: ['2', 'days'], for: ['3 hours'] },
    ],
    ['a bare name where a target is expected', 'cache clear live', 'cache clear', { env: ['live'] }],
    ['nothing but the command', 'cache clear', 'cache clear', {}],
    [
      'a name with a slash wins in any position',
      'logs access acme-shop/live',
      'logs',
      { env: ['acme-shop/live'], log: ['access'] },
    ],
    [
      'a range is no name',
      'allowlist add shop 10.0.0.0/8',
      'allowlist add',
      { env: ['shop'], addresses: ['10.0.0.0/8'] },
    ],
    [
      'an IPv6 range is no name',
      'allowlist add a/b 2001:db8::/32',
      'allowlist add',
      { env: ['a/b'], addresses: ['2001:db8::/32'] },
    ],
    [
      'a UUID in capitals',
      'cache clear ABCDEF00-0000-4000-8000-00000000000F',
      'cache clear',
      { env: ['ABCDEF00-0000-4000-8000-00000000000F'] },
    ],
    [
      'several addresses',
      'allowlist add a/b 1.1.1.1 2.2.2.2,3.3.3.3',
      'allowlist add',
      { env: ['a/b'], addresses: ['1.1.1.1', '2.2.2.2,3.3.3.3'] },
    ],
    [
      'options before words',
      'logs --lines 5 --search "a b" a/b',
      'logs',
      { env: ['a/b'], lines: ['5'], search: ['a b'] },
    ],
    ['an option with =', 'logs a/b --lines=5', 'logs', { env: ['a/b'], lines: ['5'] }],
    [
      'a value that looks like an option, with =',
      'logs a/b --search=--lines',
      'logs',
      { env: ['a/b'], search: ['--lines'] },
    ],
    [
      'a value that looks like an option, quoted',
      'logs a/b --search "--lines"',
      'logs',
      { env: ['a/b'], search: ['--lines'] },
    ],
    ['a value with = in it', 'logs a/b --search=a=b', 'logs', { env: ['a/b'], search: ['a=b'] }],
    ['an option typed with a dash', 'logs a/b —lines 5', 'logs', { env: ['a/b'], lines: ['5'] }],
    ['an option in capitals', 'logs a/b --LINES 5', 'logs', { env: ['a/b'], lines: ['5'] }],
    ['words after --', 'help -- --lines', 'help', { command: ['--lines'] }],
    ['a quoted word is no option', 'help "--lines"', 'help', { command: ['--lines'] }],
    [
      'a flag',
      'allowlist remove a/b 1.1.1.1 --empty',
      'allowlist remove',
      { env: ['a/b'], addresses: ['1.1.1.1'], empty: ['yes'] },
    ],
    [
      'a flag that says no',
      'allowlist remove a/b 1.1.1.1 --empty=no',
      'allowlist remove',
      { env: ['a/b'], addresses: ['1.1.1.1'], empty: ['no'] },
    ],
    [
      'the words of another command, options and all',
      'can push a/b c/d --files --for=2h -- x',
      'can',
      { command: ['push', 'a/b', 'c/d', '--files', '--for=2h', '--', 'x'] },
    ],
    [
      'of a person, as Slack writes a mention',
      'can <@U02BEN|ben> lock a/b --for 2h',
      'can',
      { person: ['@U02BEN'], command: ['lock', 'a/b', '--for', '2h'] },
    ],
    ['only a person', 'can @U02BEN', 'can', { person: ['@U02BEN'] }],
    ['an environment that may be left out', 'changes --mine', 'changes', { mine: ['yes'] }],
    ['or be said', 'audit a/b --by <@U02BEN>', 'audit', { env: ['a/b'], by: ['@U02BEN'] }],
    ['a command of the trail', 'audit export csv --since 7d', 'audit export', { format: ['csv'], since: ['7d'] }],
    ['a reason', 'lock a/b release 42 --for 2h', 'lock', { env: ['a/b'], why: ['release', '42'], for: ['2h'] }],
    [
      'one level too many is one word',
      'cache clear site/environment/extra',
      'cache clear',
      { env: ['site/environment/extra'] },
    ],
  ])('%s', (_, line, path, given) => {
    expect(read(line)).toMatchObject({ path, given });
    expect(Object.keys(read(line).given).sort()).toEqual(Object.keys(given).sort());
  });

  test.each<[string, string, string | undefined, boolean]>([
    ['a reason', 'cache clear a/b --reason "release 42"', 'release 42', false],
    ['an empty reason counts as no reason', 'cache clear a/b --reason ""', undefined, false],
    ['a dry run', 'cache clear a/b --dry-run', undefined, true],
    ['a dry run typed with a dash', 'cache clear a/b –dry-run', undefined, true],
    ['no dry run, in so many words', 'cache clear a/b --dry-run=no', undefined, false],
  ])('%s', (_, line, reason, dryRun) => {
    expect(read(line)).toMatchObject({ reason, dryRun });
  });

  test.each<[string, string, Given]>([
    ['the target of the thread', 'logs --since 10m', { env: [live.id], since: ['10m'] }],
    ['its sibling', 'cache clear staging', { env: [staging.id] }],
    ['a full name wins', 'cache clear acme-blog/live', { env: ['acme-blog/live'] }],
    [
      'other words are not taken for a target',
      'allowlist add 10.0.0.0/8',
      { env: [live.id], addresses: ['10.0.0.0/8'] },
    ],
    ['nor is the name of a log', 'logs access', { env: [live.id], log: ['access'] }],
    ['a sibling and words', 'allowlist add staging 1.1.1.1', { env: [staging.id], addresses: ['1.1.1.1'] }],
  ])('in a thread: %s', (_, line, given) => {
    expect(read(line, inThread).given).toEqual(given);
  });

  test('in a thread a mistyped sibling is refused, and never means the target', () => {
    expect(refusalText(refusalOf(() => read('cache clear stagin', inThread)))).toContain('“stagin”');
  });

  test('an empty line is nothing', () => {
    expect(parse(' \u00A0 ', catalogue)).toBeUndefined();
  });
});

describe('lines that cannot be parsed', () => {
  test.each<[string, string, string]>([
    ['a mistyped command', 'cahce clear acme/Live', "I don't know cahce. Nothing was done. /site help shows"],
    [
      'a mistyped second word',
      'allowlist ad acme/Live',
      "I don't know allowlist ad. Nothing was done. Type one of /site allowlist show, ",
    ],
    [
      'half a command',
      'allowlist',
      'allowlist needs a second word. Nothing was done. Type one of /site allowlist show, ',
    ],
    ['half a command of which there is one', 'cache', 'Type /site cache clear.'],
    ['half a command with a target', 'cache acme/Live', 'cache needs a second word'],
    ['nothing like it', 'xyzzyxyzzy', '/site help shows what you may run'],
    ['a prototype', '__proto__', "I don't know __proto__"],
    ['a constructor', 'constructor prototype', "I don't know constructor"],
    ['a mistyped option', 'logs a/b --sicne 1h', 'Did you mean --since?'],
    ['an unknown option', 'logs a/b --frobnicate', 'It has --lines, --since, --until, --search'],
    ...['emergency', 'force', 'skip-approval', 'urgent'].map((one): [string, string, string] => [
      `${one} for break-glass`,
      `cache clear a/b --${one}`,
      'Did you mean --break-glass?',
    ]),
    ['an option of another command', 'cache clear a/b --lines 5', 'It has --reason, --canary, --dry-run, --queue'],
    ['an option for a command without options', 'whoami --me', 'It has no options'],
    ['a prototype as an option', 'cache clear a/b --__proto__=1', 'has no option'],
    ['an option given twice', 'logs a/b --lines 1 --lines 2', 'appears twice'],
    ['a reason given twice', 'cache clear a/b --reason a --reason b', 'appears twice'],
    ['an option without its value', 'logs a/b --lines', 'needs a value'],
    ['an option that swallows the next', 'cache clear a/b --reason --dry-run', '--reason needs a value'],
    ['an option that swallows the end', 'cache clear a/b --reason -- x', '--reason needs a value'],
    ['a dry run of an odd kind', 'cache clear a/b --dry-run=maybe', 'is yes or no'],
    ['a word too many', 'cache clear a/b now', 'what to do with “now”'],
    ['two targets for a command with one', 'cache clear a/b c/d', 'what to do with “c/d”'],
    ['a target after the end of options', 'cache clear a/b -- --reason=x', 'what to do with “--reason=x”'],
  ])('%s', (_, line, why) => {
    const refusal = refusalOf(() => read(line));
    expect(refusalText(refusal)).toContain(why);
    expect(refusalText(refusal)).toContain('Nothing was done.');
    expect(refusal.offers).toEqual([]);
  });

  test.each<[string, Given]>([
    ['lock a/b for 2h deploying', { env: ['a/b'], why: ['deploying'], for: ['2h'] }],
    ['lock a/b deploying for 2h', { env: ['a/b'], why: ['deploying'], for: ['2h'] }],
    ['lock a/b deploying for 2 hours', { env: ['a/b'], why: ['deploying'], for: ['2 hours'] }],
    ['lock a/b for deploy for 2h', { env: ['a/b'], why: ['for', 'deploy'], for: ['2h'] }],
    ['lock a/b waiting for 2 people', { env: ['a/b'], why: ['waiting', 'for', '2', 'people'] }],
    ['lock a/b wait for it --for 1d', { env: ['a/b'], why: ['wait', 'for', 'it'], for: ['1d'] }],
    ['pause for the release', { why: ['for', 'the', 'release'] }],
  ])('%s: a length is no reason', (line, given) => {
    expect(read(line).given).toEqual(given);
  });

  test.each([
    ['lock a/b until 6am', ['lock', 'a/b', '--why=until 6am']],
    ['lock a/b and acme-blog/live', ['lock', 'a/b', '--why=and acme-blog/live']],
    ['lock a/b in 2 hours', ['lock', 'a/b', '--why=in 2 hours']],
  ])('%s: what may be a place or an end is no reason', (line, args) => {
    const refusal = refusalOf(() => read(line));
    expect(refusal.offers.map((one) => one.args)).toEqual([args]);
    expect(parseArgs(args, catalogue).given['why']?.join(' ')).toBe(args.at(-1)?.replace('--why=', ''));
  });
  test.each(['pause on fire', 'pause the shop is on fire', 'lock a/b "until 6am"'])('%s is taken', (line) => {
    expect(read(line).given['why']).toBeDefined();
  });
  test.each([
    ['pause', 'acme-shop/live'],
    ['pause', 'everything except acme-blog'],
    ['pause', 'until 6am'],
    ['pause', 'for 30m deploying'],
    ['pause callers', 'the agent on acme-shop/live runs wild'],
    ['pause callers', 'deploying for 30 minutes'],
  ])('%s %s stops at once: whatever follows is the reason', (path, why) => {
    expect(read(`${path} ${why}`)).toMatchObject({ path, given: { why: why.split(' ') } });
  });

  test('every field can be typed as an option, also by another word for it', () => {
    expect(read('lock --env=a/b --reason=deploying').given).toEqual({ env: ['a/b'], why: ['deploying'] });
    expect(read('push a/b a/c --db').given).toMatchObject({ database: ['yes'] });
  });

  test('anything after a command is parsed or refused', () => {
    const line = fc
      .tuple(fc.constantFrom(...catalogue.keys(), ''), fc.array(hostile))
      .map(([path, parts]) => [path, ...parts].join(' '));
    fc.assert(
      fc.property(line, (text) => {
        try {
          parse(text, catalogue, inThread);
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          expect(refusalText(error)).toContain('Nothing was done.');
        }
      }),
      { numRuns: 500 },
    );
  });
});

/** A command with words for some or all of its fields; a target comes first, as in canonical words. */
const anyGiven = fc.constantFrom(...catalogue).chain(([path, command]) => {
  const fields = Object.entries(command.fields);
  const given = fc.record(Object.fromEntries(fields.map(([name, field]) => [name, wordsFor(field, name)])), {
    requiredKeys: fields.filter(([, field]) => field.place === 'word').map(([name]) => name),
  });
  return fc.record({
    path: fc.constant(path),
    command: fc.constant(command),
    given,
    reason: fc.option(printable, { nil: undefined }),
    dryRun: fc.boolean(),
  });
});

describe('stored arguments are parsed again as they were', () => {
  test('by line and by words', () => {
    fc.assert(
      fc.property(anyGiven, ({ path, command, given, reason, dryRun }) => {
        const aside = command.shape === 'action' ? { reason, dryRun } : {};
        const words = argsOf(path, command.fields, (name) => given[name] ?? [], aside);
        const wanted = { path, given, reason: aside.reason, dryRun: aside.dryRun ?? false };
        expect(parse(join(words), catalogue)).toMatchObject(wanted);
        expect(parseArgs(words, catalogue)).toMatchObject(wanted);
      }),
      { numRuns: 500 },
    );
  });

  test.each<[string, Given]>([
    ['a word that looks like an option', { command: ['--reason=x'] }],
    ['the end of options', { command: ['--', 'x'] }],
  ])('%s', (_, given) => {
    const help = read('help').command;
    const words = argsOf('help', help.fields, (name) => given[name] ?? []);
    expect(read(join(words)).given).toEqual(given);
  });

  test('a flag set to no stays off', () => {
    const { command } = read('allowlist remove');
    const given: Given = { env: [live.id], addresses: ['1.1.1.1'], empty: ['no'] };
    expect(read(join(argsOf('allowlist remove', command.fields, (name) => given[name] ?? []))).given).toEqual(given);
  });
});

test.each([
  ['allowlist add', 'allowlist add <site/environment> <address…> [--for 2h] [--reason "…"] [--dry-run] [--at "…"]'],
  [
    'logs',
    'logs <site/environment> [error|access|cache] [--lines n] [--since 1h] [--until 1h] [--search search] [--errors] [--full]',
  ],
  ['whoami', 'whoami'],
  ['can', 'can [@person] <command…>'],
  ['audit', 'audit [site/environment] [--since 7d] [--by @person]'],
  ['lock', 'lock <site/environment…> <reason…> [--for 2h]'],
])('usage of %s', (path, line) => {
  expect(usage(path, read(path).command)).toBe(line);
});

test('a word too many that was typed twice is told by the word before it', () => {
  const refused = (line: string): string => refusalText(refusalOf(() => parse(line, catalogue)));
  expect(refused('redirects add acme-shop/live sale summer sale')).toContain(
    "redirects add doesn't know what to do with “sale” after “summer”. Nothing was done.",
  );
  expect(refused('redirects add acme-shop/live sale summer more')).toContain('what to do with “more”. Nothing');
});

test.each(['to', 'into', 'onto', '→', '->'])('between two environments, %s says what their order says', (word) => {
  expect(read(`push acme-shop/staging ${word} acme-shop/live`).given).toEqual(
    read('push acme-shop/staging acme-shop/live').given,
  );
  expect(read(`push staging ${word} live`).given).toEqual({ from: ['staging'], onto: ['live'] });
  const refused = refusalOf(() => parse(`push acme-shop/staging ${word} acme-shop/live now`, catalogue));
  expect(refusalText(refused)).toContain('what to do with “now”');
});

test.each([
  ['push to acme-shop/live acme-shop/staging --files', 'to'],
  ['push acme-shop/live from acme-shop/staging --files', undefined],
  ['redirects add acme-shop/staging /old -> /new', '->'],
  ['redirects add acme-shop/staging /old -&gt; /new', '->'],
  ['redirects add acme-shop/staging /old → /new', '→'],
  ['redirects add acme-shop/staging /old ➡️ /new', '➡️'],
  ['redirects add acme-shop/staging /old => /new', '=>'],
  ['redirects add acme-shop/staging /old —> /new', '—>'],
  ['redirects add acme-shop/staging /old to /new', 'to'],
  ['redirects add acme-shop/staging "/old" "to" /new', undefined],
])('%s: a word that says nothing more is to be left out, and no word that turns the command around', (line, filler) => {
  const refused = refusalText(refusalOf(() => parse(line, catalogue)));
  const path = /^push|^redirects add/.exec(line)?.[0] ?? '';
  if (filler === undefined) expect(refused).not.toContain('leave it out');
  else
    expect(refused).toContain(
      `${path} doesn't know what to do with “${filler}”. Nothing was done. Please leave it out. Usage: /site ${path} <`,
    );
});

test.each([
  '2 am',
  'tomorrow at 2 am',
  'at 14:30',
  'in 2 hours',
  'in 90m',
  'tonight 23.00',
  'fri 6pm',
  '2026-12-01 18:00',
])('--at takes a time in several words: %s', (at) => {
  expect(read(`cache clear --at ${at} acme-shop/live`)).toMatchObject({
    when: { at },
    given: { env: ['acme-shop/live'] },
  });
});

test.each([
  [
    'cache clear acme-shop/staging --reason fixing the header',
    'cache clear acme-shop/staging --reason "fixing the header"',
  ],
  ['cache clear acme-shop/live --reason=fixing the header --dry-run', 'live --reason "fixing the header" --dry-run'],
  [
    'dns set acme.example TXT _dmarc --add v=DMARC1; p=none',
    'dns set acme.example TXT _dmarc --add "v=DMARC1; p=none"',
  ],
  ['dns set acme.example MX @ --add 10 mx1.example.net', 'dns set acme.example MX @ --add "10 mx1.example.net"'],
  ['cache clear acme-shop/staging --reason "fixing" the header', undefined],
  ['cache clear acme-shop/staging the header --reason fixing', undefined],
])('%s: a value with spaces is shown in quotes', (line, quoted) => {
  const refused = refusalText(refusalOf(() => parse(line, catalogue)));
  expect(refused).toContain('Nothing was done.');
  if (quoted === undefined) expect(refused).not.toContain('goes into quotes');
  else expect(refused).toMatch(new RegExp(`A value with spaces goes into quotes: .*${quoted}`));
});

test.each([
  ['status acme-shop live', 'An environment is written as one word: /site status acme-shop/live'],
  ['cache clear acme-shop live --dry-run', 'An environment is written as one word: /site cache clear acme-shop/live'],
  ['cache clear acme-shop/live now', 'Usage: '],
  ['cache clear acme-shop live now', 'Usage: '],
])('%s: what is said of a name in two words', (line, says) => {
  expect(refusalText(refusalOf(() => parse(line, catalogue)))).toContain(says);
});
