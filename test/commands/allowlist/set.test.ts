import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allowlistAdd } from '../../../src/commands/allowlist/add.ts';
import { allowlistRemove } from '../../../src/commands/allowlist/remove.ts';
import { allowlistSet } from '../../../src/commands/allowlist/set.ts';
import type { AllowlistSnapshot } from '../../../src/commands/allowlist/listing.ts';
import { canonicalAddress } from '../../../src/commands/kit/values/addresses.ts';
import { catalogue } from '../../../src/commands/index.ts';
import { parseArgs } from '../../../src/language/parse.ts';
import { canonicalArgs, resolve } from '../../../src/language/resolve.ts';
import { inline, plain } from '../../../src/words/text.ts';
import { address, live, names } from '../../fixtures.ts';

/** A list without timed access. */
const seen = (list: readonly string[]): AllowlistSnapshot => ({ list, timed: [] });
const input = (...addresses: readonly string[]) => ({ env: live, addresses });
const factsOf = (snapshot: readonly string[], ...wanted: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    Object.entries(allowlistSet.card({ input: input(...wanted), snapshot: seen(snapshot), now: 0 }).facts ?? {}).map(
      ([label, value]) => [label, plain(inline(value))],
    ),
  );

test('shows what it adds, what it removes, and the resulting list', () => {
  const snapshot = ['1.1.1.1', '2.2.2.2/32', 'office'];
  expect(factsOf(snapshot, '2.2.2.2', '3.3.3.0/24')).toEqual({
    Adds: '3.3.3.0/24',
    Removes: '1.1.1.1, office',
    'List after': '2.2.2.2, 3.3.3.0/24',
  });
  expect(factsOf(['1.1.1.1'], '1.1.1.1', '2.2.2.2')).toMatchObject({ Adds: '2.2.2.2', Removes: 'nothing' });
  const warning = (list: readonly string[], ...wanted: readonly string[]): string =>
    plain(inline(allowlistSet.card({ input: input(...wanted), snapshot: seen(list), now: 0 }).warning));
  expect(warning(snapshot, '2.2.2.2')).toBe('No longer let in: 1.1.1.1, office');
  expect(warning(['1.1.1.1'], '1.1.1.1', '2.2.2.2')).toBe('');
  expect(warning([], '1.1.1.1')).toContain('The list is empty now');
});

describe('the same list', () => {
  test.each([
    [['1.1.1.1', '2.2.2.2'], ['2.2.2.2', '1.1.1.1'], true],
    [['2001:DB8:0::7', '10.0.0.5/32'], ['2001:db8::7', '10.0.0.5'], true],
    [['1.1.1.1', '1.1.1.1'], ['1.1.1.1'], true],
    [['1.1.1.1'], ['1.1.1.1', '2.2.2.2'], false],
    [['1.1.1.1', '2.2.2.2'], ['1.1.1.1'], false],
    [[], ['1.1.1.1'], false],
  ])('%j beside %j: %s', (snapshot, wanted, isSame) => {
    const wrong = allowlistSet.impossible?.({ input: input(...wanted), snapshot: seen(snapshot) });
    expect(wrong === undefined).toBe(!isSame);
    if (wrong) expect(plain(inline(wrong.says))).toMatch(/already has exactly these\. Nothing was changed\.$/);
  });
});

describe('undo', () => {
  const undo = (snapshot: readonly string[], ...wanted: readonly string[]) =>
    allowlistSet.undo?.({ input: input(...wanted), snapshot: seen(snapshot) });
  const many = Array.from({ length: 51 }, (_, at) => `10.0.0.${at + 1}`);
  test.each<[string, readonly string[], readonly string[] | undefined]>([
    ['the previous list', ['1.1.1.1', '2.2.2.2'], ['allowlist', 'set', live.id, '1.1.1.1', '2.2.2.2']],
    ['an empty list', [], ['allowlist', 'remove', live.id, '9.9.9.9', '--empty']],
    ['one that lets everybody in', ['0.0.0.0/0', '1.1.1.1'], undefined],
    ['a word', ['office'], undefined],
    ['more addresses than a line holds', many, undefined],
    ['as many addresses as a line holds', many.slice(0, 50), ['allowlist', 'set', live.id, ...many.slice(0, 50)]],
  ])('restores %s, or is not offered', (_, snapshot, words) => {
    expect(undo(snapshot, '9.9.9.9')).toEqual(words);
  });

  test('always restores the list, and is proven neither too early nor too late', () => {
    const lists = fc.uniqueArray(address, { maxLength: 10 });
    fc.assert(
      fc.property(lists, fc.uniqueArray(address, { minLength: 1, maxLength: 10 }), (snapshot, wanted) => {
        const of = { input: input(...wanted), snapshot: seen(snapshot) };
        if (allowlistSet.impossible?.(of)) return;
        const after = bodyOf(allowlistSet.call(of));
        expect(allowlistSet.proof?.({ ...of, current: seen(snapshot) }).verdict).toBe('not yet');
        expect(allowlistSet.proof?.({ ...of, current: seen(after.toReversed()) }).verdict).toBe('yes');
        const words = allowlistSet.undo?.(of) ?? [];
        const { parsed, input: back, problems } = resolve(parseArgs(words, catalogue), names);
        expect(problems).toEqual([]);
        expect(canonicalArgs({ parsed, input: back })).toEqual(words);
        const { command } = parsed;
        if (command !== allowlistSet && command !== allowlistRemove) throw new Error('another command');
        if (command.shape !== 'action') throw new Error('no action');
        expect(command.impossible?.({ input: back, snapshot: seen(after) })).toBeUndefined();
        expect(sameAs(bodyOf(command.call({ input: back, snapshot: seen(after) })))).toEqual(sameAs(snapshot));
      }),
    );
  });
});

const sameAs = (list: readonly string[]): readonly string[] => list.map(canonicalAddress).sort();
function bodyOf({ body }: ReturnType<typeof allowlistSet.call>): readonly string[] {
  if (typeof body !== 'object' || body === null || !('ip_allowlist' in body)) throw new Error('no list');
  return Array.isArray(body.ip_allowlist) ? body.ip_allowlist.map(String) : [];
}

test('a list with an entry that can not be sent back is neither added to nor taken from', () => {
  const odd = seen(['203.0.113.1', '']);
  const says = (wrong: { readonly says: Parameters<typeof inline>[0] } | undefined): string =>
    plain(inline(wrong?.says));
  const adding = { env: live, addresses: ['192.0.2.1'], for: undefined };
  const refused = /has an entry that I can't send back as it is, so I can't change the list\. Nothing was changed\./;
  expect(says(allowlistAdd.impossible?.({ input: adding, snapshot: odd }))).toMatch(refused);
  const removing = { env: live, addresses: ['203.0.113.1'], empty: false };
  expect(says(allowlistRemove.impossible?.({ input: removing, snapshot: odd }))).toMatch(refused);
  expect(
    allowlistRemove.impossible?.({ input: removing, snapshot: seen(['203.0.113.1', '192.0.2.2']) }),
  ).toBeUndefined();
});

test('access gets more time, or stays for good, beside an entry that can not be sent back: the list is not sent', () => {
  const snapshot = { list: ['203.0.113.1', ''], timed: [{ address: '203.0.113.1', until: 5_000 }] };
  for (const forMs of [3_600_000, undefined]) {
    const input = { env: live, addresses: ['203.0.113.1'], for: forMs };
    expect(allowlistAdd.impossible?.({ input, snapshot })).toBeUndefined();
    expect(allowlistAdd.unwritten?.({ input, snapshot })).toBe(true);
  }
});
