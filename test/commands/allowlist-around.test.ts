import { expect, test } from 'vitest';
import { around, letInBy, wideRanges } from '../../src/commands/allowlist/listing.ts';
import { plain } from '../../src/text.ts';

const list = ['203.0.113.10', '198.51.100.0/24', '198.51.0.0/16', '2001:db8::/48', 'not an address'];

test.each([
  ['198.51.100.7', ['198.51.100.0/24', '198.51.0.0/16']],
  ['198.51.100.0/24', ['198.51.0.0/16']],
  ['198.51.100.0/25', ['198.51.100.0/24', '198.51.0.0/16']],
  ['198.51.0.0/15', []],
  ['203.0.113.10', []],
  ['2001:db8::1', ['2001:db8::/48']],
  ['2001:db9::1', []],
])('%s is let in by what is around it, and by nothing else', (address, networks) => {
  expect(around(list, [address])).toEqual(networks);
});

test('it is said which network lets which address in', () => {
  expect(plain(letInBy(list, ['198.51.100.7', '203.0.113.9']) ?? [])).toBe(
    '198.51.100.0/24, 198.51.0.0/16 on the same list let 198.51.100.7 in all the same',
  );
  expect(letInBy(list, ['203.0.113.9'])).toBeUndefined();
});

test.each([
  ['198.51.100.0/24', undefined],
  ['198.51.100.7', undefined],
  ['2001:db8::/48', undefined],
  ['198.51.0.0/16', '198.51.0.0/16 lets in 65,536 addresses.'],
  ['10.0.0.0/8', '10.0.0.0/8 lets in 16,777,216 addresses.'],
  ['2001:db8::/32', '2001:db8::/32 lets in a whole network.'],
])('%s as a wide range', (address, says) => {
  expect(wideRanges([address]) && plain(wideRanges([address]) ?? [])).toBe(says);
});
