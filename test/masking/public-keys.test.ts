import { generateKeyPairSync } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { holdsKey, scrub } from '../../src/base/secret.ts';
import { cpuTime } from '../cpu-time.ts';

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
