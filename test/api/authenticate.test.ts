import { expect, test } from 'vitest';
import { authenticate, newKey } from '../../src/api/authenticate.ts';
import { policyFrom } from '../fixtures.ts';

const { key, hash } = newKey();
const policy = policyFrom(`version: 1
callers: { bot: { keys: ["${hash}"], for: U01ANA, operators: [U02BEN], channel: C0ACME, expires: 2027-03-01 } }
rules: []
`);
const ends = Date.UTC(2027, 2, 1);

test.each<[string, string | undefined, number | 'not asked', string | undefined]>([
  ['no key', undefined, 'not asked', undefined],
  ['an unknown key', `Bearer ${newKey().key}`, 'not asked', undefined],
  ['something else', `Basic ${key}`, 'not asked', undefined],
  ['its key', `Bearer ${key}`, ends - 1, 'bot'],
  ['its key, at its end', `Bearer ${key}`, ends, undefined],
])('%s: the clock, which is the database’s, is asked only for a known key', async (_, header, now, name) => {
  const clock = async (): Promise<number> => (now === 'not asked' ? expect.fail('asked') : now);
  expect((await authenticate(policy, header, clock))?.caller.name).toBe(name);
});
