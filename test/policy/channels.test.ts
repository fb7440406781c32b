import { describe, expect, test } from 'vitest';
import { cardsChannel, channelRule } from '../../src/policy/channels.ts';
import { policyOf } from './fixtures.ts';

const policy = policyOf(`version: 1
rules: []
channels:
  C0ACME: { sites: ["acme-*", blog], cards: C0ACMEINT }
  C0CARDS: { cards: C0ACMEINT }
  deny: [C0GENERAL]
  ops: C0OPS
`);

describe('which sites may be discussed in a channel', () => {
  test.each<[string, (string | undefined)[], 'ok' | 'denied' | 'outside']>([
    ['C0ACME', ['acme-shop'], 'ok'],
    ['C0ACME', ['ACME-Shop', 'Blog'], 'ok'],
    ['C0ACME', ['acme-shop', 'other'], 'outside'],
    ['C0ACME', ['blog2'], 'outside'],
    ['C0ACME', [undefined], 'outside'],
    ['C0ACME', [], 'ok'],
    ['C0CARDS', ['other', undefined], 'ok'],
    ['C0OTHER', ['other', undefined], 'ok'],
    ['C0GENERAL', [], 'denied'],
    ['C0GENERAL', ['acme-shop'], 'denied'],
  ])('%s, %j: %s', (channel, sites, expected) => {
    expect(channelRule(policy, channel, sites)).toBe(expected);
  });

  test('cards go to the channel that the file names', () => {
    expect(['C0ACME', 'C0CARDS', 'C0OTHER'].map((id) => cardsChannel(policy, id))).toEqual([
      'C0ACMEINT',
      'C0ACMEINT',
      'C0OTHER',
    ]);
    expect(policy.channels.ops).toBe('C0OPS');
  });
});
