import { describe, expect, test } from 'vitest';
import { allowlistAdd } from '../../../src/commands/allowlist/add.ts';
import { allowlistSet } from '../../../src/commands/allowlist/set.ts';
import { networksWith, entriesFor, letInBy, remarksOn } from '../../../src/commands/allowlist/listing.ts';
import { allowlistRemove } from '../../../src/commands/allowlist/remove.ts';
import { joined, plain } from '../../../src/words/text.ts';
import { live } from '../../fixtures.ts';

const list = ['203.0.113.10', '198.51.100.0/24', '198.51.0.0/16', '2001:db8::/48', 'not an address'];

test.each([
  ['198.51.100.7', ['198.51.100.0/24', '198.51.0.0/16']],
  ['198.51.100.0/24', ['198.51.0.0/16']],
  ['198.51.100.0/25', ['198.51.100.0/24', '198.51.0.0/16']],
  ['198.51.0.0/15', []],
  ['203.0.113.10', []],
  ['2001:db8::1', ['2001:db8::/48']],
  ['2001:db9::1', []],
])('%s is let in by the entries that contain it, and by nothing else', (address, networks) => {
  expect(networksWith(list, [address])).toEqual(networks);
});

test('the networks are named that let an address in', () => {
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
  ['11.0.0.0/8', '11.0.0.0/8 lets in 16,777,216 addresses.'],
  ['2001:db8::/32', '2001:db8::/32 lets in 65,536 networks of /48.'],
  ['not an address', undefined],
  ['0.0.0.0/0', '0.0.0.0/0 lets everybody in over IPv4.'],
  ['::/0', '::/0 lets everybody in over IPv6.'],
  ...[
    ['10.0.0.5', 'is private'],
    ['192.168.1.4', 'is private'],
    ['172.16.0.0/12', 'is private'],
    ['fd00::5', 'is private'],
    ['100.64.1.5', 'is inside a provider’s network'],
    ['127.0.0.1', 'is the machine itself (loopback)'],
    ['::1', 'is the machine itself (loopback)'],
    ['169.254.3.4', 'holds only within one local network (link-local)'],
    ['fe80::1', 'holds only within one local network (link-local)'],
    ['224.0.0.1', 'is for groups of machines (multicast)'],
    ['ff02::1', 'is for groups of machines (multicast)'],
    ['255.255.255.255', 'is for a whole local network (broadcast)'],
  ].map(([address = '', is]): [string, unknown] => [
    address,
    expect.stringContaining(
      `${address} ${is}. Nobody connects from such an address over the internet. The one to let in is the public address`,
    ),
  ]),
  // Partly public.
  ['192.168.0.0/15', '192.168.0.0/15 lets in 131,072 addresses.'],
])('%s as a doubtful address', (address, says) => {
  expect(remarksOn([address]) && plain(remarksOn([address]) ?? [])).toEqual(says);
});

test('of many ranges the widest are named first, the others counted', () => {
  const many = [...Array.from({ length: 8 }, (_, at) => `198.51.${at * 2}.0/23`), '11.0.0.0/8'];
  expect(plain(remarksOn(many) ?? [])).toMatch(
    /^11\.0\.0\.0\/8 lets in 16,777,216 addresses\. .* So do 4 more wide ranges\.$/,
  );
});

describe('a card warns of wide ranges, and says when they end', () => {
  const env = {
    kind: 'environment',
    id: '3f2b1c9d-0000-4000-8000-000000000001',
    name: 'acme-shop/live',
    live: true,
    site: undefined,
  } as const;
  const wide = '10.0.0.0/8';
  const timed = [{ address: wide, until: 5_000 }];
  const addCard = (forMs: number | undefined, snapshot = { list: ['203.0.113.10'], timed: [] as typeof timed }) =>
    allowlistAdd.card({ input: { env, addresses: [wide], for: forMs }, snapshot, now: 0 });
  const says = /10\.0\.0\.0\/8 lets in 16,777,216 addresses/;

  test('that the change adds', () => {
    expect(plain(addCard(undefined).warning ?? [])).toMatch(says);
    expect(addCard(undefined).facts).toMatchObject({ Ends: 'only when somebody removes it' });
    expect(plain(addCard(3_600_000).warning ?? [])).toMatch(says);
    expect(addCard(3_600_000).facts).toMatchObject({ Ends: '1h after it is done' });
  });

  test('that were timed access and stay for good', () => {
    const snapshot = { list: [wide], timed };
    expect(plain(addCard(undefined, snapshot).warning ?? [])).toMatch(says);
    const set = allowlistSet.card({ input: { env, addresses: [wide] }, snapshot, now: 0 });
    expect(plain(set.warning ?? [])).toMatch(says);
  });

  test('and shows no warning without wide ranges', () => {
    const card = allowlistAdd.card({
      input: { env, addresses: ['198.51.100.7'], for: undefined },
      snapshot: { list: ['203.0.113.10'], timed: [] },
      now: 0,
    });
    expect(plain(card.warning ?? [])).toBe('');
  });
});

test.each<[string, readonly string[], string]>([
  ['nothing', [], 'on the SSH allowlist of acme-shop/live. Nothing was changed.'],
  [
    'a range',
    [' 198.51.100.0/24 '],
    'acme-shop/live, but 198.51.100.0/24 on the same list lets 198.51.100.7 in all the same. Nothing was changed.',
  ],
  ['everybody', ['0.0.0.0/0'], '0.0.0.0/0 on the same list lets 198.51.100.7 in all the same.'],
  ['a range written as IPv6', ['::ffff:198.51.100.0/120'], 'lets 198.51.100.7 in all the same.'],
  ['what cannot be read', ['office'], "I can't read its entry office, so I can't tell whom that lets in."],
])('removing an address that is not on the list, which has %s', (_, list, says) => {
  const input = { env: live, addresses: ['198.51.100.7'], empty: false };
  const refused = allowlistRemove.impossible?.({ input, snapshot: { list, timed: [] } });
  expect(plain(joined([refused?.says, refused?.hint]))).toContain(says);
});

test.each<[string, readonly string[], readonly string[], readonly string[]]>([
  ['itself', ['203.0.113.7', '203.0.113.8'], ['203.0.113.7'], []],
  ['itself in another spelling', ['203.0.113.7/32', ' 203.0.113.7 '], ['203.0.113.7/32', '203.0.113.7'], []],
  ['ranges', ['203.0.113.0/24', '0.0.0.0/0', '203.0.112.0/24'], ['203.0.113.0/24', '0.0.0.0/0'], []],
  ['a range that begins within', [' 203.0.113.9/24 '], ['203.0.113.9/24'], []],
  ['another kind of address', ['::/0', '2001:db8::/32'], [], []],
  [
    'several in one entry',
    ['203.0.113.7,203.0.113.8', '203.0.113.7 # office'],
    [],
    ['203.0.113.7,203.0.113.8', '203.0.113.7 # office'],
  ],
  [
    'what is no address',
    ['*', 'office', '203.0.113.1-203.0.113.9', '::ffff:203.0.113.7', ''],
    [],
    ['*', 'office', '203.0.113.1-203.0.113.9', '::ffff:203.0.113.7', ''],
  ],
])('who lets 203.0.113.7 in: %s', (_, list, lets, unreadable) => {
  expect(entriesFor(list, '203.0.113.7')).toEqual({ lets, unreadable });
});
