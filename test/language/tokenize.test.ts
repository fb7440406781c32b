import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { catalogue } from '../../src/commands/index.ts';
import { Refusal } from '../../src/base/errors.ts';
import { parse } from '../../src/language/parse.ts';
import { join, split } from '../../src/language/tokenize.ts';
import { hostile, printable, refusalOf, refusalText } from '../fixtures.ts';

const texts = (line: string): readonly string[] => split(line).map((word) => word.text);

describe('a line as Slack delivers it', () => {
  test.each<[string, string, readonly string[]]>([
    ['nothing', '', []],
    ['spaces and non-breaking spaces', ' \u00A0 \t ', []],
    ['words', '  cache   clear\u00A0acme-shop/live ', ['cache', 'clear', 'acme-shop/live']],
    ['line breaks', 'a\r\nb\nc', ['a', 'b', 'c']],
    ['straight quotes', 'a "b c" d', ['a', 'b c', 'd']],
    ['curly quotes', 'a “b c” d', ['a', 'b c', 'd']],
    ['low quotes', 'a „b c“ d', ['a', 'b c', 'd']],
    ['angle quotes', 'a «b c» d', ['a', 'b c', 'd']],
    ['curly single quotes', 'a ‘b c’ d', ['a', 'b c', 'd']],
    ['straight single quotes', "--reason 'release 42'", ['--reason', 'release 42']],
    ['a curly quote closed by a straight one', '“a b" c', ['a b', 'c']],
    ['quotes within others', `'a "b"' "it's"`, ['a "b"', "it's"]],
    ['an apostrophe within a word', "it's don't", ["it's", "don't"]],
    ['an empty quotation', 'a "" b', ['a', '', 'b']],
    ['an escaped quote', String.raw`"a \" b \\ c \n"`, [String.raw`a " b \ c \n`]],
    ['an option with a quoted value', '--reason="release 42" x', ['--reason=release 42', 'x']],
    ['an option with a curly quoted value', '--reason=“release 42”', ['--reason=release 42']],
    ['an em dash for two hyphens', '—force –dry-run ——a', ['--force', '--dry-run', '--a']],
    ['a long dash alone ends the options', '— x', ['--', 'x']],
    ['a long dash with a value', '—reason="a b"', ['--reason=a b']],
    ['long dashes that start no option', 'a–b 5—6 —5', ['a–b', '5—6', '—5']],
    ['a mention', '<@U123|bob> <@U9> <#C1|x> <#C2|>', ['@U123', '@U9', '#C1', '#C2']],
    ['a broadcast is only a word', '<!channel> <!here|here>', ['!channel', '!here']],
    ['a link that Slack made', '<http://acme.com|acme.com> <http://acme.com>', ['acme.com', 'http://acme.com']],
    ['an address that Slack made a link of', '<mailto:a@b.com|a@b.com> <mailto:a@b.com>', ['a@b.com', 'a@b.com']],
    ['entities', '&lt;!here&gt; a&amp;b &amp;lt;', ['<!here>', 'a&b', '&lt;']],
    ['markup is text', '*_~` ```x```', ['*_~`', '```x```']],
    ['emoji', '👩‍👩‍👧 ❤️ :tada:', ['👩‍👩‍👧', '❤️', ':tada:']],
    ['SQL and JSON', `'; DROP' {"a":1}`, ['; DROP', '{"a":1}']],
    ['paths', '../ %2e%2e ..\\..', ['../', '%2e%2e', '..\\..']],
  ])('%s', (_, line, words) => {
    expect(texts(line)).toEqual(words);
  });

  test.each<[string, string, string]>([
    ['NUL', 'a\u0000b', 'U+0000'],
    ['a terminal escape', 'a\u001B[31m', 'U+001B'],
    ['a soft hyphen', 'li\u00ADve', 'U+00AD'],
    ['a zero-width space in a name', 'acme/li\u200Bve', 'U+200B'],
    ['a zero-width joiner between letters', 'li\u200Dve', 'U+200D'],
    ['a byte order mark', '\uFEFFlive', 'U+FEFF'],
    ['right-to-left override', '\u202Eevil', 'U+202E'],
    ['an isolate', 'a\u2066b', 'U+2066'],
    ['a Hangul filler', 'a\u3164', 'U+3164'],
    ['a variation selector after a letter', 'live\uFE0F', 'U+FE0F'],
    ['tag characters', 'live\u{E0061}', 'U+E0061'],
    ['a lone surrogate', 'a\uD83D', 'U+D83D'],
    ['a lone surrogate after a whole pair', '😀\uDE00', 'U+DE00'],
  ])('refuses %s and names it', (_, line, code) => {
    expect(refusalText(refusalOf(() => split(line)))).toContain(code);
  });

  test.each([
    ['an open quotation', 'a "b c', 'never closed'],
    ['an open curly one', '“a', 'never closed'],
    ['an open value', '--reason="a', 'never closed'],
    ['too long', 'x '.repeat(20_000), '40000 characters'],
  ])('refuses %s', (_, line, why) => {
    expect(refusalText(refusalOf(() => split(line)))).toContain(why);
  });

  test('any text gives words, or one refusal that says that nothing was done', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          hostile,
          fc.array(hostile).map((parts) => parts.join(' ')),
        ),
        (line) => {
          try {
            for (const word of split(line)) expect(word.text).not.toMatch(/[\u0000\u200B\u202E]/);
          } catch (error) {
            if (!(error instanceof Refusal)) throw error;
            expect(refusalText(error)).toContain('Nothing was done.');
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('words joined to a line, and split again', () => {
  test('any words come back as they were', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(printable, fc.constant(''))), (words) => {
        expect(texts(join(words))).toEqual(words);
      }),
      { numRuns: 1_000 },
    );
  });

  test('an option stays an option, whatever its value', () => {
    fc.assert(
      fc.property(printable, (value) => {
        expect(split(join([`--reason=${value}`]))).toEqual([{ text: `--reason=${value}`, quoted: false }]);
      }),
      { numRuns: 500 },
    );
  });

  test('the line is escaped as Slack does it, so text like a mention stays text', () => {
    expect(join(['<@U1>', 'a&b'])).toBe('"&lt;@U1&gt;" "a&amp;b"');
  });
});

test('a private key is refused whole, and nothing of it is repeated', () => {
  const key = `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC'.repeat(4)}\n-----END PRIVATE KEY-----`;
  for (const line of [
    `dns set acme.com TXT @ --add "${key}"`,
    key,
    key.replaceAll('-', '—'),
    key.split('\n')[1] ?? '',
  ]) {
    const refused = refusalText(refusalOf(() => split(line)));
    expect(refused).toContain("That contains a private key. I didn't keep it. Nothing was done.");
    expect(refused).toContain('It may have been kept on its way here, so please revoke it and make a new one.');
    expect(refused).not.toContain('MIIE');
  }
});

describe('a token of a service', () => {
  const token = `ghp_${'a1'.repeat(18)}`;

  test.each([
    `cache clear acme-shop/live --reason "use ${token}"`,
    token,
    `cache ${token}`,
    `redirects add acme-shop/live /a /b --reason ${token}`,
    `redirects add acme-shop/live /a /b --city ${token}`,
    `dns set acme.com TXT @ --add x --reason=${token}`,
    `redirects add acme-shop/live /a /b ${token}`,
    `redirects add acme-shop/live /a /b --${token}`,
    `dns set acme.com ${token} @ --add x ${token}`,
  ])('is refused: %s', (line) => {
    expect(() => parse(line, catalogue)).toThrow("That contains a service's token.");
  });

  test.each([
    `dns set acme.com TXT @ --add ${token}`,
    `dns set acme.com TXT @ --add "v=DKIM1; p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQ" --remove google-site-verification=${'a1B-'.repeat(11)}`,
    `redirects add acme-shop/live /${token} https://acme.com/sk-${'a1'.repeat(20)}`,
    `redirects remove acme-shop/live /${token}`,
  ])('is allowed in a DNS value and in a redirect: %s', (line) => {
    expect(parse(line, catalogue)).toBeDefined();
  });
});
