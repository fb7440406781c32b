import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalAddress, mayBeLetIn, readAddresses } from '../../../../src/commands/kit/values/addresses.ts';
import { address, hostile, refusalOf, refusalText } from '../../../fixtures.ts';
import { Refusal } from '../../../../src/base/errors.ts';

const sameAddress = (one: string, other: string): boolean => canonicalAddress(one) === canonicalAddress(other);

describe('addresses as somebody types them', () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ['one', ['198.51.100.4'], ['198.51.100.4']],
    [
      'by comma, semicolon, space and line',
      ['1.1.1.1,2.2.2.2;3.3.3.3', '4.4.4.4\n5.5.5.5 6.6.6.6'],
      ['1.1.1.1', '2.2.2.2', '3.3.3.3', '4.4.4.4', '5.5.5.5', '6.6.6.6'],
    ],
    [
      'doubles in other spellings',
      ['1.1.1.1', '1.1.1.1/32', '2001:DB8:0::1', '2001:db8::1/128'],
      ['1.1.1.1', '2001:db8::1'],
    ],
    ['a /8', ['10.0.0.0/8'], ['10.0.0.0/8']],
    ['leading zeros of a width', ['10.0.0.0/08'], ['10.0.0.0/8']],
    ['IPv6 ranges', ['2001:DB8::/32'], ['2001:db8::/32']],
    ['embedded IPv4 in IPv6', ['64:ff9b::1.2.3.4'], ['64:ff9b::102:304']],
  ])('%s', (_, words, addresses) => {
    expect(readAddresses(words)).toEqual(addresses);
  });

  test.each<[string, string, string]>([
    ['octal', '010.0.0.1', 'more than one way'],
    ['one number', '3232235777', 'more than one way'],
    ['hexadecimal', '0x7f.1', 'more than one way'],
    ['three parts', '10.0.1', 'more than one way'],
    ['IPv4 in disguise', '::ffff:10.0.0.1', 'Write 10.0.0.1.'],
    ['a range of IPv4 in disguise', '::ffff:10.0.0.0/104', 'Write 10.0.0.0/8.'],
    ['everybody', '0.0.0.0/0', 'far too many'],
    ['everybody, IPv6', '::/0', 'far too many'],
    ['half of everybody', '128.0.0.0/1', 'far too many'],
    ['a seventh', '10.0.0.0/7', 'far too many'],
    ['2000::/3', '2000::/3', 'far too many'],
    ['the unspecified address', '0.0.0.0', 'every address, or for none'],
    ['the unspecified address, IPv6', '::', 'every address, or for none'],
    ['a zone id', 'fe80::1%eth0', '(%eth0): it names an interface of your own machine'],
    ['a port', '198.51.100.4:22', 'port'],
    ['brackets', '[2001:db8::1]:22', 'brackets'],
    ['a range with a dash', '198.51.100.4-9', 'range with a dash'],
    ['a range that does not begin there', '10.0.0.1/8', 'its first address is 10.0.0.0/8'],
    ['the same in IPv6', '2001:db8::1/48', 'its first address is 2001:db8::/48'],
    ['too wide a mask', '10.0.0.0/33', '0 to 32'],
    ['an invalid mask', '10.0.0.0/x', '0 to 32'],
    ['an empty mask', '10.0.0.0/', '0 to 32'],
    ['a netmask', '10.0.0.0/255.0.0.0', '0 to 32'],
    ['two masks', '10.0.0.0/8/8', 'not an IP address'],
    ['a name', 'example.com', 'not an IP address'],
    ['full-width digits', '１.1.1.1', 'not an IP address'],
    ['256', '1.1.1.256', 'not an IP address'],
    ['a dot at the end', '1.1.1.1.', 'not an IP address'],
    ['a single comma', ',', 'no address'],
    ['nothing', '', 'no address'],
    ['10,000 of them', '1.1.1.1 '.repeat(10_000), 'at most 50'],
    ['one good and one bad', '1.1.1.1,bad', 'bad'],
  ])('refuses %s', (_, word, why) => {
    const refusal = refusalOf(() => readAddresses([word]));
    expect(refusalText(refusal)).toContain(why);
    expect(refusalText(refusal)).toContain('Nothing was done.');
  });

  test('a range too wide to be added can be removed', () => {
    expect(readAddresses(['0.0.0.0/0', '::/0', '0.0.0.0', '128.0.0.0/1'], true)).toEqual([
      '0.0.0.0/0',
      '::/0',
      '0.0.0.0',
      '128.0.0.0/1',
    ]);
    expect(['0.0.0.0/0', '::', '10.0.0.0/7', '10.0.0.0/08', 'x'].map(mayBeLetIn)).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
  });

  test('a parsed address is canonical and parses to itself', () => {
    fc.assert(
      fc.property(fc.array(address, { minLength: 1, maxLength: 20 }), (words) => {
        const once = readAddresses(words);
        expect(readAddresses(once)).toEqual(once);
        expect(once.every(mayBeLetIn)).toBe(true);
      }),
    );
  });

  test('any other text is one refusal, but the host’s entries are compared in any spelling', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        try {
          readAddresses([text]);
        } catch (error) {
          expect(error).toBeInstanceOf(Refusal);
        }
        expect(sameAddress(text, text)).toBe(true);
        expect(canonicalAddress(text).length).toBeLessThanOrEqual(Math.max(text.length, 45));
      }),
    );
    expect(sameAddress('10.0.0.5/32', '10.0.0.5')).toBe(true);
    expect(sameAddress('2001:0DB8::0001', '2001:db8::1')).toBe(true);
    expect(sameAddress('0.0.0.0/0', '0.0.0.0/00')).toBe(true);
    expect(sameAddress('10.0.0.5', '10.0.0.0/24')).toBe(false);
  });
});
