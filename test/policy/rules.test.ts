import { approvalBy } from '../../src/policy/approval-requirement.ts';
import { describe, expect, test } from 'vitest';
import {
  cardsChannel,
  channelRule,
  classes,
  isLive,
  isReadingAlone,
  namesCommand,
  type KnownEnvironment,
} from '../../src/policy/rules.ts';
import { policyOf, mistakesOf } from './fixtures.ts';

describe('the approval of a rule that does not say', () => {
  const [rule] = policyOf(`version: 1
groups: { developers: [U01ANA, U02BEN] }
rules: [{ allow: [read, routine, sensitive, destructive, pause], to: [developers] }]`).rules;
  test.each([...classes, 'named'] as const)('%s', (risk) => {
    const needsOne = (isCaller?: boolean) => rule && approvalBy(rule, { path: 'any', risk }, isCaller) !== 'none';
    expect([needsOne(), needsOne(true)]).toEqual([risk === 'destructive', !['read', 'named'].includes(risk)]);
  });
});

test('a rule that names a command means what it includes, and not the reverse', () => {
  const { rules } = policyOf(`version: 1
groups: { leads: [U01ANA] }
rules: [{ allow: [pause], to: [leads] }, { deny: [resume], to: [leads] }]`);
  const part = { path: 'pause callers', within: 'pause', risk: 'named' } as const;
  expect(rules.map((rule) => namesCommand(rule, part))).toEqual([true, false]);
  const named = rules.map((rule) => ({ ...rule, what: new Set([part.path]) }));
  expect(named.map((rule) => namesCommand(rule, { path: 'pause', risk: 'named' }))).toEqual([false, false]);
});

test('a report is nothing but reading, unless a rule names it', () => {
  const policy = policyOf(`version: 1
groups: { developers: [U01ANA, U02BEN] }
rules:
  - { allow: [read, logs], to: [developers] }
  - { allow: [files], to: [developers] }`);
  const alone = (path: string, risk: 'read' | 'routine') => isReadingAlone(policy, { path, risk });
  expect([alone('status', 'read'), alone('logs', 'read'), alone('status', 'routine')]).toEqual([true, false, false]);
});

describe('channels', () => {
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
});

describe('live environments', () => {
  const ID = (last: number) => `00000000-0000-4000-8000-00000000000${last}`;
  const policy = policyOf(`version: 1
live: ["*/live", "acme-shop/production"]
rules: []
environments:
  ${ID(1)}: { site: acme-shop, name: main, live: true }
  ${ID(2).toUpperCase()}: { site: acme-shop, name: preview, live: false }
  ${ID(3)}: { site: acme-shop, name: other }
`);

  describe('whether an environment is live', () => {
    const named = (site: string | undefined, name: string | undefined, kindKnown = true): KnownEnvironment => ({
      site,
      name,
      kindKnown,
    });
    test.each<[KnownEnvironment, boolean]>([
      [named('acme-shop', 'live'), true],
      [named('acme-shop', 'LIVE'), true],
      [named('acme-shop', 'l\u{34F}ive'), true],
      [named('acme-shop', 'Production'), true],
      [named('acme-blog', 'production'), false],
      [named('acme-shop', 'staging'), false],
      [named('acme-shop', 'live-copy'), false],
      [named('acme-shop', 'staging', false), true],
      [named(undefined, 'staging'), true],
      [named('acme-shop', undefined), true],
      [{ id: ID(1), ...named('acme-shop', 'staging') }, true],
      [{ id: ID(2), ...named(undefined, undefined, false) }, false],
      [{ id: ID(3), ...named('acme-shop', 'staging') }, false],
      [{ id: ID(3), ...named('acme-shop', 'live') }, true],
    ])('%j: %s', (environment, expected) => {
      expect(isLive(policy, environment)).toBe(expected);
    });

    test('an environment called live is live by default', () => {
      const silent = policyOf('version: 1\nrules: []');
      expect([isLive(silent, named('a', 'live')), isLive(silent, named('a', 'staging'))]).toEqual([true, false]);
    });

    test.each<[string, string[]]>([
      [
        `environments:\n  ${ID(1)}: { site: a, name: live, live: false }`,
        ['line 4: "a/live" is not live here, but "live" lists its name'],
      ],
      [
        `environments:\n  ${ID(1)}: { site: a, name: b }\n  ${ID(2)}: { site: A, name: B }`,
        ['line 5: "a/b" is listed twice'],
      ],
      [
        `sites:\n  ${ID(1)}: { name: a, environments: [${ID(3)}] }\n  ${ID(2)}: { name: b, environments: [${ID(3)}] }`,
        [`line 5: "${ID(3)}" is listed twice`],
      ],
      [`sites:\n  ${ID(1)}: { name: "a/b" }`, ['line 4: "a/b" cannot be a name']],
    ])('contradicting entries are mistakes: %s', (text, expected) => {
      expect(mistakesOf(`version: 1\nrules: []\n${text}`)).toEqual(expected);
    });
  });
});
