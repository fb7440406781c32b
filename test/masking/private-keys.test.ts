import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { cpuTime } from '../cpu-time.ts';
import { holdsKey, scrub } from '../../src/base/secret.ts';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const key = rsa.export({ format: 'der', type: 'pkcs8' }).toString('base64');

/** How settings, JSON, addresses and programs write the same key. */
const spelled: Readonly<Record<string, string>> = {
  'in JSON that escapes slashes': key.replaceAll('/', String.raw`\/`),
  'in JSON within JSON': key.replaceAll('/', String.raw`\\\/`),
  'with escaped line breaks': key.replaceAll(/.{64}/g, String.raw`$&\n`),
  'in base64 of addresses': key.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''),
  'percent-encoded': encodeURIComponent(key),
};
/** Any eight characters of the key in a row, apart from its beginning, which all keys have in common. */
const partsOf = (text: string): readonly string[] => text.slice(60).match(/[A-Za-z\d]{8,}/g) ?? [];

test.each(Object.entries(spelled))('of a private key %s nothing is shown', (_, text) => {
  for (const [before, after] of [
    ['', ''],
    ['private_key=', ''],
    ['private_key: ', ''],
    ['{"private_key":"', '","a":1}'],
    ['mysql --password=', ' shop'],
    ['https://acme.com/?token=', '&x=1'],
    ['Authorization: Bearer ', ''],
  ] as const) {
    const shown = scrub(`${before}${text}${after}`);
    expect(partsOf(text).filter((part) => shown.includes(part))).toEqual([]);
    expect(shown.endsWith(after)).toBe(true);
  }
});

test.each(['.', ':', ';', '~'])('a value that goes on with %s after a private key is masked as a whole', (sign) => {
  const rest = 'hunter2hunter9Xq';
  for (const text of [`secret=${key}${sign}${rest}`, `{"secret":"${key}${sign}${rest}"}`])
    expect(scrub(text)).not.toContain(rest);
});

test.each(['\n', '\r\n', ' ', '/'])(
  'a private key is masked after a public one, or other base64, and %j',
  (between) => {
    const open = createPublicKey(rsa).export({ format: 'der', type: 'spki' }).toString('base64');
    for (const before of [open, `M${'Iy'.repeat(50)}`]) {
      const text = `a ${before}${between}${key}${between}${open}`;
      expect(scrub(text)).not.toContain(key.slice(60, 90));
      expect(holdsKey(text)).toBe(true);
    }
  },
);

test('what follows a private key in one line stays', () => {
  const text = `-----BEGIN PRIVATE KEY-----${key}-----END PRIVATE KEY----- was in the file`;
  expect(scrub(text)).toBe('*** was in the file');
  expect(scrub(`${key} was in the file`)).toBe('*** was in the file');
});

test('an encrypted private key of PKCS #12 is one', () => {
  const algorithm = Buffer.from('301c060a2a864886f70d010c0103300e0408aabbccddeeff001102020800', 'hex');
  const octets = Buffer.concat([Buffer.from('04820280', 'hex'), Buffer.from(key, 'base64').subarray(100, 740)]);
  const length = Buffer.from([0x30, 0x82, 0, 0]);
  length.writeUInt16BE(algorithm.length + octets.length, 2);
  const encrypted = Buffer.concat([length, algorithm, octets]).toString('base64');
  for (const text of [encrypted, `p=${encrypted}`, `private_key=${encrypted}`]) {
    expect(scrub(text)).toBe(text.replace(encrypted, '***'));
    expect(holdsKey(text)).toBe(true);
  }
});

test('a text with many private keys, or many beginnings of one, takes linear time', () => {
  for (const piece of [
    key,
    `${key} `,
    String.raw`${'M'.repeat(40)}\n\/`,
    `${'M'.repeat(40)}-`,
    `${'M'.repeat(40)}%2F%2B`,
    `${'M'.repeat(40)}${'\\'.repeat(40)}`,
    `${'M'.repeat(40)}${' '.repeat(40)}`,
  ])
    expect(cpuTime(() => scrub(piece.repeat(200_000 / piece.length)))).toBeLessThan(500);
});
