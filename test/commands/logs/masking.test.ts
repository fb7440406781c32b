import { createHmac } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { masker } from '../../../src/commands/logs/masking.ts';
import { Secret } from '../../../src/base/secret.ts';
import { hostile } from '../../fixtures.ts';
import { cpuTime } from '../../cpu-time.ts';

const alias = (address: string): string =>
  `client-${createHmac('sha256', 'k').update(address).digest('hex').slice(0, 4)}`;
const known = new Secret('kept-0f9e8d7c6b5a4f3e2d1c');
const mask = (line: string): string => masker(alias)(line);

describe('what a log line must not show', () => {
  test.each<[string, string, string]>([
    ['an e-mail address', 'mail to bob.s+x@mail.example.com failed', 'mail to ***@*** failed'],
    ['one in a query', 'GET /?e=bob%40example.com', 'GET /?e=***@***'],
    ['one escaped twice', 'GET /?e=bob%2Bx%2540example.com&x', 'GET /?e=***@***&x'],
    ['one with letters of elsewhere', 'to jürgen@bücher.example failed', 'to ***@*** failed'],
    ['one with escaped letters', 'e=j%C3%BCrgen%40b%C3%BCcher.example&x', 'e=***@***&x'],
    ['a password', 'password=hunter2x&x=1', 'password=***&x=1'],
    ['a token in JSON', '{"token": "abcdef"}', '{"token": "***"}'],
    [
      'a token in JSON within JSON',
      String.raw`"{\"access_token\":\"abcdef\"}"`,
      String.raw`"{\"access_token\":\"***\"}"`,
    ],
    ['a variable', 'DB_PASSWORD=s3cretpw', 'DB_PASSWORD=***'],
    ['a session', 'PHPSESSID=0123456789abcdef;', 'PHPSESSID=***;'],
    ['a bearer token', 'Authorization: Bearer abc.def-ghi', 'Authorization: ***'],
    ['basic credentials', 'Authorization: Basic dXNlcjpwYXNz', 'Authorization: ***'],
    ['an address with a password', 'mysql://user:pa55w0rd@db:3306/x', 'mysql://user:***@db:3306/x'],
    ['a known secret', `key ${known.reveal()} used`, 'key *** used'],
    ['a JSON web token', 'x eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx.sig y', 'x *** y'],
    ['a private key', '-----BEGIN RSA PRIVATE KEY-----\\nMIIE', '***'],
    ['terminal escapes', '\u001B[31mred\u001B[0m \u001B]0;title\u0007x\u0007', 'red x'],
    ['an unterminated escape sequence hides nothing', '\u001B]0;and then this', '0;and then this'],
    ['control characters', 'a\u0000b\rc\u0085d\te', 'abcd\te'],
  ])('%s', (_, line, shown) => {
    expect(mask(line)).toBe(shown);
  });

  test.each<[string, string, string]>([
    ['198.51.100.4', '198.51.100.4 - - GET', '@ - - GET'],
    ['at the end of a sentence', 'denied to 198.51.100.4.', 'denied to @.'],
    ['with a port', '198.51.100.4:8080', '@:8080'],
    ['twice', '198.51.100.4,198.51.100.4', '@,@'],
  ])('IPv4 %s', (_, line, shown) => {
    expect(mask(line)).toBe(shown.replaceAll('@', alias('198.51.100.4')));
  });

  test.each<[string, string, string]>([
    ['alone', '2001:db8::1 - GET', '@ - GET'],
    ['in brackets with a port', '[2001:db8::1]:443', '[@]:443'],
    ['after a name', 'client:2001:db8::1, x', 'client:@, x'],
    ['quoted', '"ip":"2001:db8::1"', '"ip":"@"'],
    ['with a zone', '2001:db8::1%eth0', '@%eth0'],
    ['at the end of a sentence', 'from 2001:db8::1.', 'from @.'],
  ])('IPv6 %s', (_, line, shown) => {
    expect(mask(line)).toBe(shown.replaceAll('@', alias('2001:db8::1')));
  });
  test.each(['2001:0db8:0000:0000:0000:0000:0000:0001', 'FE80::ABCD:1', '::1', '1:2:3:4:5:6:7::'])(
    'IPv6 %s is an address',
    (address) => {
      expect(mask(`a ${address} b`)).toBe(`a ${alias(address)} b`);
    },
  );
  test('an internal address that makes a request is a visitor', () => {
    expect(mask('10.0.0.7 - - GET, client: 127.0.0.1, server: x')).not.toMatch(/10\.0\.0\.7|127\.0/);
    expect(mask('server: 203.0.113.4')).toBe(`server: ${alias('203.0.113.4')}`);
  });
  test('an IPv4 address within IPv6 is masked whole', () => {
    expect(mask('::ffff:198.51.100.4')).not.toContain('198');
  });

  test.each([
    'PHP 8.3.4 and 1.2.3.4.5 and 1.2.3',
    'at 12:34:56 on 2026-03-01T14:05:00Z',
    'Mozilla/5.0 Chrome/120.0.0.0 Safari/537.36',
    'Class::method Cafe::add() std::vector<int> ::',
    '00:1A:2B:3C:4D:5E',
    '999.1.1.1 and 300.300.300.300',
    'tokenizer: on; keyboard: de; the password was wrong',
    'user@localhost @channel a@b',
    'logo@2x.png and react@18.2.0, @scope/package@1.2.3, php8.2-fpm@www.service',
    'upstream: "fastcgi://127.0.0.1:9000", server: 0.0.0.0:443, listen [::1]:8080, redis://10.0.0.8:6379',
  ])('leaves alone: %s', (line) => {
    expect(mask(line)).toBe(line);
  });
});

describe('long lines', () => {
  test('are cut, and say by how much', () => {
    expect(mask('x'.repeat(2_020))).toBe(`${'x'.repeat(2_000)}… (20 more characters)`);
  });

  test('a secret at the cut is not shown in part', () => {
    for (let at = 1_950; at <= 2_010; at += 1) {
      const shown = mask(`${'x '.repeat(at / 2)}${known.reveal()}${' y'.repeat(3_000)}`);
      expect(shown).not.toMatch(/kept-0/);
    }
  });

  test('take linear time', () => {
    const pieces = [
      'x',
      ' ',
      '1.',
      ':',
      '2001:',
      'a@',
      'eyJ',
      '-eyJ',
      '\u001B[',
      '\u001B]',
      '://a:',
      'password',
      '-----BEGIN ',
      'a.b',
      'Bearer ',
      '=',
      '%40',
    ];
    const taken = (length: number): number => {
      const lines = pieces.map((piece) => piece.repeat(length / piece.length));
      return cpuTime(() => {
        for (const line of lines) mask(line);
      });
    };
    taken(4_000);
    // Sixteen times the length; quadratic time would be 256 times as long.
    const short = Math.max(taken(8_000), taken(8_000), 2);
    expect(taken(128_000) / short).toBeLessThan(100);
    expect(mask('x'.repeat(5_000_000))).toHaveLength(2_000 + '… (4998000 more characters)'.length);
  });
});

test('for any line, the output has no control characters and is not much longer', () => {
  fc.assert(
    fc.property(hostile, (line) => {
      const shown = mask(line);
      expect(shown).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/);
      expect(mask(line)).toBe(shown);
    }),
  );
});
