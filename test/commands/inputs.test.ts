import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { catalogue } from '../../src/commands/index.ts';
import { Refusal } from '../../src/base/errors.ts';
import type { Write } from '../../src/hosting/contract/call.ts';
import type { Given } from '../../src/language/bind-arguments.ts';
import { parse } from '../../src/language/parse.ts';
import { resolve, type Resolved } from '../../src/language/resolve.ts';
import { join } from '../../src/language/tokenize.ts';
import { inline, plain, type Text } from '../../src/words/text.ts';
import { hostile, refusalText, parsedFor } from '../fixtures.ts';
import { InMemoryHost } from './in-memory-host.ts';
import { cpuTimeOf } from '../cpu-time.ts';

/** Odd values in the commands that take them: the resulting request, or the refusal. */

const S = 'acme-shop/staging';
const L = 'acme-shop/live';

type Result = { readonly call: Write; readonly card: Text } | { readonly refused: string };

/** The result of a request at this host. Any error but a `Refusal` fails the test. */
async function atHost(resolved: Resolved, host: InMemoryHost): Promise<Result> {
  const { input, problems, missing, parsed } = resolved;
  const action = parsed.command;
  if (action.shape !== 'action') throw new Error(`${parsed.path} is no action`);
  if (problems[0]) return { refused: refusalText(problems[0].refusal) };
  if (missing.length > 0) return { refused: `missing: ${missing.join(', ')}` };
  const unread = action.invalid?.(input);
  const snapshot: unknown = unread
    ? null
    : JSON.parse(JSON.stringify((await action.look?.({ input, ...host.sources() })) ?? null));
  const wrong = unread ?? action.impossible?.({ input, snapshot });
  if (wrong) return { refused: plain(inline(wrong.says)) };
  return {
    call: action.call({ input, snapshot }),
    card: action.card({ input, snapshot, now: 0 }).title,
  };
}

/** A line that somebody types. */
async function typed(line: string, host = new InMemoryHost()): Promise<Result> {
  try {
    const parsed = parse(line, catalogue);
    if (parsed === undefined) throw new Error(`${line} is empty`);
    return await atHost(resolve(parsed, host.names()), host);
  } catch (error) {
    if (error instanceof Refusal) return { refused: refusalText(error) };
    throw error;
  }
}
/** Arguments from a form. */
const filled = (path: string, given: Given, host = new InMemoryHost()): Promise<Result> =>
  atHost(resolve(parsedFor(path, given), host.names()), host);

const bodyOf = (result: Result): unknown => ('call' in result ? result.call.body : result);
const refusedBy = (result: Result): string => ('refused' in result ? result.refused : JSON.stringify(result.call.body));

describe('addresses', () => {
  const before = '203.0.113.10';

  test.each<[string, string, readonly string[]]>([
    ['one', '198.51.100.4', ['198.51.100.4']],
    ['a /8', '10.0.0.0/8', ['10.0.0.0/8']],
    ['by comma', '192.0.2.1,192.0.2.2', ['192.0.2.1', '192.0.2.2']],
    ['by comma and space', '192.0.2.1, 192.0.2.2;192.0.2.3', ['192.0.2.1', '192.0.2.2', '192.0.2.3']],
    ['by line', '"192.0.2.1\r\n192.0.2.2"', ['192.0.2.1', '192.0.2.2']],
    ['duplicates in other spellings', '2001:DB8::0001 2001:db8::1/128 2001:db8:0::1', ['2001:db8::1']],
    ['as Slack makes a link of it', '<http://192.0.2.1|192.0.2.1>', ['192.0.2.1']],
  ])('%s', async (_, words, added) => {
    expect(bodyOf(await typed(`allowlist add ${S} ${words}`))).toEqual({ ip_allowlist: [before, ...added] });
    expect(bodyOf(await typed(`allowlist set ${S} ${words}`))).toEqual({ ip_allowlist: added });
  });

  test.each<[string, string, string]>([
    ['a leading zero', '010.0.0.1', 'can be read in more than one way'],
    ['an IPv4 address in IPv6', '::ffff:10.0.0.1', 'is an IPv4 address in disguise. Write 10.0.0.1.'],
    ['everybody', '0.0.0.0/0', 'far too many addresses'],
    ['everybody on IPv6', '::/0', 'far too many addresses'],
    ['half of everybody', '128.0.0.0/1', 'far too many addresses'],
    ['nobody', '0.0.0.0', 'stands for every address, or for none'],
    ['a zone id', 'fe80::1%eth0', 'has a zone id'],
    ['a port', '192.0.2.1:22', 'has a port or brackets'],
    ['brackets and a port', '[2001:db8::1]:22', 'has a port or brackets'],
    ['a range with a dash', '192.0.2.1-192.0.2.9', 'is a range with a dash'],
    ['a range that begins within', '10.0.0.1/8', 'is not a range: its first address is 10.0.0.0/8'],
    ['a number', '3232235777', 'can be read in more than one way'],
    ['other digits', '１９２.0.2.1', 'is not an IP address'],
    ['one bad among good ones', '192.0.2.1 192.0.2.256 192.0.2.3', '192.0.2.256 is not an IP address'],
    ['a name', 'office.example', 'is not an IP address'],
    ['none', '', 'missing: addresses'],
    ['nothing', '""', 'missing: addresses'],
    ['nothing but separators', '",; ,"', 'I found no address in this.'],
  ])('%s is refused', async (_, words, why) => {
    for (const path of ['allowlist add', 'allowlist set']) {
      expect(refusedBy(await typed(`${path} ${S} ${words}`))).toContain(why);
    }
    expect(refusedBy(await typed(`allowlist remove ${S} ${words}`))).toMatch(/Nothing was (?:done|changed)\.|^missing/);
  });

  test('10,000 addresses are refused, typed or in a form', async () => {
    const many = Array.from({ length: 10_000 }, (_, at) => `10.${at >> 8}.${at & 255}.1`);
    expect(refusedBy(await typed(`allowlist add ${S} ${many.join(' ')}`))).toContain('a command has at most 4000');
    for (const path of ['allowlist add', 'allowlist set', 'allowlist remove']) {
      const result = await filled(path, { env: [S], addresses: [many.join('\n')] });
      expect(refusedBy(result)).toContain('These are 10000 addresses; at most 50');
    }
  });

  test('removing a range removes the range itself, not the addresses in it', async () => {
    const host = new InMemoryHost();
    host.world.environments()[1]?.allowlist.splice(0, 9, '10.0.0.1', '10.0.0.2', '0.0.0.0/0');
    expect(refusedBy(await typed(`allowlist remove ${S} 10.0.0.0/8`, host))).toContain('not on the SSH allowlist');
    expect(bodyOf(await typed(`allowlist remove ${S} 0.0.0.0/0`, host))).toEqual({
      ip_allowlist: ['10.0.0.1', '10.0.0.2'],
    });
  });
});

describe('paths', () => {
  const push = (only: string): Promise<Result> => typed(`push ${S} ${L} --files --only ${only}`);
  const many = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `wp-content/${at}`);

  test.each<[string, string, readonly string[]]>([
    ['both ways to write an umlaut', '"ä,a\u0308"', ['ä', 'a\u0308']],
    ['a folder with its slash', 'wp-content/uploads/', ['wp-content/uploads']],
    ['blanks within', '"my files/a b"', ['my files/a b']],
    ['text that looks like an option', '"--all"', ['--all']],
    ['a prototype', '__proto__', ['__proto__']],
    ['twice the option', 'a --only b', ['a', 'b']],
  ])('%s', async (_, only, paths) => {
    expect(bodyOf(await push(only))).toMatchObject({ push_files_option: 'SPECIFIC_FILES', file_list: paths });
  });

  test.each<[string, string]>([
    ['/etc/passwd', 'starts at the root'],
    ['..', 'is not a plain path'],
    ['wp-content/../../x', 'is not a plain path'],
    ['%2e%2e/x', 'is not a plain path'],
    ['..\\x', 'has a backslash'],
    ['*', 'looks like a pattern'],
    ['wp-content/*.php', 'looks like a pattern'],
    ['.', 'is not a plain path'],
    ['/', 'starts at the root'],
    ['""', '--only needs a value'],
    ['","', 'No path was given'],
    ['"a\tb"', 'has a character in it that cannot be seen (U+0009)'],
  ])('%s is refused', async (only, why) => {
    expect(refusedBy(await push(only))).toContain(why);
  });

  test('5,000 paths are taken, and not one more', async () => {
    const chosen = (count: number) => filled('push', { from: [S], onto: [L], files: ['yes'], only: many(count) });
    expect(bodyOf(await chosen(5_000))).toMatchObject({ push_files_option: 'SPECIFIC_FILES', file_list: many(5_000) });
    expect(refusedBy(await chosen(5_001))).toContain('at most 5000 can be named at once');
  });

  test('no input for paths ever means all files', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, async (text) => {
        const result = await typed(`push ${S} ${L} --files ${join([`--only=${text}`])}`);
        if ('call' in result) expect(result.call.body).toMatchObject({ push_files_option: 'SPECIFIC_FILES' });
        else expect(result.refused).toContain('Nothing was done.');
      }),
    );
  });
});

describe('redirects', () => {
  const rules = (count: number, of: (at: number) => readonly [from: string, to: string]): InMemoryHost => {
    const host = new InMemoryHost();
    const [, staging] = host.world.environments();
    const [usual] = host.world.environments()[0]?.redirects ?? [];
    if (staging === undefined || usual === undefined) throw new Error('the world is empty');
    staging.redirects = Array.from({ length: count }, (_, at) => {
      const [from, to] = of(at);
      return { ...usual, domain: '', from, to };
    });
    return host;
  };

  test.each<[string, string, string]>([
    ['a script', '/a javascript:alert(1)', 'is neither a path nor an address'],
    ['another host without saying how', '/a //evil', 'leads to another host without saying how'],
    ['another host with a backslash', '/a "/\\evil"', 'has a backslash'],
    ['a name before the host', '/a https://acme.com@evil.example/', 'has a name before its host'],
    ['data', '/a data:text/html,x', 'is neither a path nor an address'],
    ['itself', '/a /a', 'From and to are both /a.'],
    ['from another host', '//evil/a /b', ''],
    ['from no path', 'a /b', 'does not begin with /'],
    ['nowhere', '/a ""', 'missing: to'],
  ])('%s', async (_, words, why) => {
    const result = await typed(
      `redirects add ${S} ${words}`,
      rules(0, () => ['', '']),
    );
    if (why === '')
      expect(bodyOf(result)).toMatchObject({ action_type: 'NEW', new_value: { from: '//evil/a', to: '/b' } });
    else expect(refusedBy(result)).toContain(why);
  });

  test('a loop through 2,000 rules is found quickly', async () => {
    const host = rules(2_000, (at) => [`/r${at}`, `/r${at + 1}`]);
    const ms = await cpuTimeOf(async () => {
      const result = await typed(`redirects add ${S} /r2000 /r0`, host);
      expect(refusedBy(result)).toMatch(/round in circles[^]*Nothing was (?:done|changed)\./);
      expect(refusedBy(result).length).toBeLessThan(1_000);
    });
    expect(ms).toBeLessThan(1_500);
  });

  test('a search removes exactly the matching ones of 2,000 rules, and never all of them', async () => {
    const host = rules(2_000, (at) => [`/r${at}`, '/shop']);
    expect(bodyOf(await typed(`redirects clear ${S}`, host))).toMatchObject({ action_type: 'DELETE_ALL' });
    const some = await typed(`redirects clear ${S} /r199`, host);
    const named = ['/r199', ...Array.from({ length: 10 }, (_, at) => `/r199${at}`)].map((from) => ({ from }));
    expect(bodyOf(some)).toMatchObject({ action_type: 'DELETE', rules_to_update: named });
    for (const word of ['""', '" "', '"\u00A0"', '*', '.*', '%', '--', '"--"', '__proto__', '-dry-run', '"\\"']) {
      const result = await typed(
        `redirects clear ${S} ${word}`,
        rules(20, (at) => [`/r${at}`, '/shop']),
      );
      const isAll = word === '--';
      if (isAll) expect(bodyOf(result)).toMatchObject({ action_type: 'DELETE_ALL' });
      else expect([word, refusedBy(result)]).toEqual([word, expect.stringMatching(/Nothing was (?:done|changed)\./)]);
    }
  });
});

describe('DNS', () => {
  const set = (words: string): Promise<Result> => typed(`dns set acme.example ${words}`);

  test.each<[string, string, object]>([
    ['a TTL of 0', 'A status --ttl 0', { ttl: 0 }],
    ['the longest TTL', 'A status --ttl 2147483647', { ttl: 2_147_483_647 }],
    ['a text over 255', `TXT new --add=${'x'.repeat(1_000)}`, { new_resource_records: [{ value: 'x'.repeat(1_000) }] }],
    [
      'a text with everything in it',
      'TXT new --add="a, b; c=\\"d\\" &amp; `e`"',
      { new_resource_records: [{ value: 'a, b; c="d" & `e`' }] },
    ],
    [
      'the same value twice',
      'A new --add=192.0.2.7 --add=192.0.2.7',
      { new_resource_records: [{ value: '192.0.2.7' }] },
    ],
  ])('%s', async (_, words, body) => {
    expect(bodyOf(await set(words))).toMatchObject(body);
  });

  test.each<[string, string, string]>([
    ['a TTL of −1', 'A status --ttl -1', 'a whole number from 0'],
    ['a TTL of −1 with a minus sign', 'A status --ttl=−1', 'a whole number from 0'],
    ['a TTL of 2³¹', 'A status --ttl 2147483648', 'a whole number from 0'],
    ['a TTL in hours', 'A status --ttl 1h', 'a whole number from 0'],
    ['the same value added and removed', 'A status --add=192.0.2.7 --remove=192.0.2.7', 'both added and removed'],
    ['the same in another spelling', 'MX @ "--add=5 MX.example." --remove="5 mx.example"', 'what to do with'],
    ['the same text with quotes', `TXT @ --add='"x"' --remove=x`, 'both added and removed'],
    ['an alias at the apex', 'CNAME @ --add=b.example', "can't be a CNAME"],
    ['an alias at the apex by its name', 'CNAME acme.example. --add=b.example', "can't be a CNAME"],
    ['nothing to add', 'A status --add ""', '--add needs a value'],
    ['nothing to remove', 'A status --remove=" "', '--remove needs a value'],
    ['a text of 4,000', `TXT new --add=${'x'.repeat(3_900)}`, 'at most 1500 characters'],
    ['a name that leads out', 'A www.evil.example. --add=192.0.2.7', 'is not a name in acme.example'],
    ['up', 'A ../x --add=192.0.2.7', 'Nothing was done.'],
  ])('%s is refused', async (_, words, why) => {
    expect(refusedBy(await set(words))).toContain(why);
  });
});
