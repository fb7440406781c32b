import { generateKeyPairSync, createPublicKey } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { holdsKey, scrub } from '../../../src/base/secret.ts';
import { cpuTime } from '../../cpu-time.ts';

/** An RSA public key of 2,048 bits in base64, whose modulus has this text in it. */
function publicKeyWith(text: string): string {
  const modulus = Buffer.from(text.padEnd(340, 'y'), 'base64');
  const start = Buffer.from('30820122300d06092a864886f70d01010105000382010f003082010a02820101', 'hex');
  const end = Buffer.from('000203010001', 'hex');
  return Buffer.concat([start, Buffer.from([0]), modulus, end]).toString('base64');
}

const loginLink = 'aD/SsoOu/XWgYuGgrz5mWy4KDKE9PU/CtxscmoS5GrUH5l+RR';
const webhook = `b7/AQEN7kYc15V0o96RMu9YD50MEymjtefMJe6Wy43bNWVCq34AqVshh8dZ9dDvi8ORAcn4EwHb9o2Q`;
const google = 'TK8/1//00VH2ohDjcmf061ZBCPdF2Eu9yuTZCfqFvVMz';

test.each([loginLink, webhook, google])('a public key in which %s occurs is not masked', (part) => {
  const key = publicKeyWith(part);
  expect(key).toContain(part);
  const lines = key.replaceAll(/.{64}/g, '$&\n');
  for (const text of [
    key,
    `v=DKIM1; k=rsa; p=${key}`,
    `"v=DKIM1; k=rsa; p=${key.slice(0, 200)}" "${key.slice(200)}"`,
    `-----BEGIN PUBLIC KEY-----\n${lines}\n-----END PUBLIC KEY-----\n`,
    `${key} ${publicKeyWith(google)}`,
  ]) {
    expect(scrub(text)).toBe(text);
    expect(holdsKey(text)).toBe(false);
  }
});

test('no public key is masked, and so none is refused', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 255, maxLength: 255 }), (bytes) => {
      const text = `v=DKIM1; k=rsa; p=${publicKeyWith(Buffer.from(bytes).toString('base64'))}`;
      expect(scrub(text)).toBe(text);
      expect(holdsKey(text)).toBe(false);
    }),
  );
});

test.each([
  ['a key with something after it', (key: string, token: string) => `${key}/${token}`],
  ['a key that is cut', (key: string, token: string) => `${key.slice(0, 90)}/${token}`],
  ['a key beside it', (key: string, token: string) => `${key} ${token}`],
  ['a key in the same JSON', (key: string, token: string) => `{"x5c":["${key}"],"password":"${token}"}`],
  ['characters that could stand for a key', (key: string, token: string) => `\uE000 ${key} \uE001 ${token}`],
])('a token is masked in spite of %s', (_, textOf) => {
  const token = `ghp_${'a1'.repeat(18)}`;
  expect(scrub(textOf(publicKeyWith(loginLink), token))).not.toContain(token);
  expect(holdsKey(textOf(publicKeyWith(loginLink), token))).toBe(true);
});

test.each([loginLink, webhook, google])('of a private key in which %s occurs nothing is shown', (part) => {
  const body = `MIICdwIBADANBgkqhkiG9w0BAQEFAASCAmEwggJdAgEAAoGBALx/${part}/${'aB3d'.repeat(100)}`;
  const lines = `-----BEGIN PRIVATE KEY-----\n${body.replaceAll(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----`;
  for (const text of [body, lines, Buffer.from(lines).toString('base64')]) {
    expect(scrub(`p=${text}`)).toBe('p=***');
    expect(holdsKey(text)).toBe(true);
  }
});

test('of an encrypted private key nothing is shown', () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const body = privateKey.export({ format: 'der', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'x' });
  expect(scrub(`p=${body.toString('base64')}`)).toBe('p=***');
});

test('a text with many beginnings of keys takes linear time', () => {
  for (const piece of [publicKeyWith(google), `${publicKeyWith(google)} `, `${'M'.repeat(64)}\n`, `"M" "`])
    expect(cpuTime(() => scrub(piece.repeat(200_000 / piece.length)))).toBeLessThan(500);
});

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
