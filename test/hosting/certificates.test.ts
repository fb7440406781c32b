import { X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openCertificates, type Certificates } from '../../src/hosting/certificates.ts';
import { addDomain } from '../../src/hosting/contract/domains.ts';
import { requestBody } from '../../src/hosting/wire.ts';
import { scrub } from '../../src/base/secret.ts';
import { plain, time } from '../../src/words/text.ts';
import { selfSigned } from './certificate.ts';
import { uuid } from './host.ts';

/** Certificates in a folder: which exist, which can be used, and that private keys are not disclosed. */

function folder(files: Readonly<Record<string, string>> = {}): string {
  const made = mkdtempSync(path.join(tmpdir(), 'certificates-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(made, name), content);
  return made;
}
const pair = (name: string, { cert, key }: ReturnType<typeof selfSigned>) => ({
  [`${name}.pem`]: cert,
  [`${name}.key`]: key,
});
const wrongOf = (found: ReturnType<Certificates['certificate']>): string =>
  'wrong' in found ? plain(found.wrong) : 'nothing is wrong';
const shop = selfSigned({ hosts: ['acme.com', '*.Acme.com'] });
const other = selfSigned();

test('a pair is described by its names and expiry, and referred to by name and digest', () => {
  const { certificate, secrets } = openCertificates(folder(pair('shop', shop)));
  const found = certificate('shop');
  if ('wrong' in found) throw new Error(wrongOf(found));
  expect(found).toEqual({
    key: { $secret: 'shop.key', sha256: secrets('shop.key')?.digest() },
    chain: { $secret: 'shop.pem', sha256: secrets('shop.pem')?.digest() },
    names: ['acme.com', '*.acme.com'],
    validUntil: Date.parse(new X509Certificate(shop.cert).validTo),
  });
  expect(secrets('shop.key')?.reveal()).toBe(shop.key);
  expect(secrets('shop.pem')?.reveal()).toBe(shop.cert);
});

test('no part of a key can be printed', () => {
  const { certificate, secrets } = openCertificates(folder(pair('shop', shop)));
  const [, line = ''] = shop.key.split('\n');
  for (const shown of [certificate('shop'), secrets('shop.key'), secrets('shop.pem')]) {
    expect(`${inspect(shown)} ${JSON.stringify(shown)}`).not.toContain(line);
  }
  expect(`${secrets('shop.key')?.toString()}`).toBe('***');
  expect(scrub(JSON.stringify({ body: shop.key }))).not.toContain(line);
});

test('a renewed pair is noticed, and a call approved with the old one is not filled in', () => {
  const place = folder(pair('shop', shop));
  const { certificate, secrets } = openCertificates(place);
  const found = certificate('shop');
  if ('wrong' in found) throw new Error(wrongOf(found));
  const call = addDomain({
    env_id: uuid(1),
    domain_name: 'acme.com',
    custom_ssl_key: found.key,
    custom_ssl_cert: found.chain,
  });
  expect(JSON.stringify(call)).not.toContain('PRIVATE');
  expect(JSON.parse(requestBody(call, secrets) ?? '')).toMatchObject({
    custom_ssl_key: shop.key,
    custom_ssl_cert: shop.cert,
  });
  const renewed = selfSigned({ hosts: ['acme.com'] });
  for (const [name, content] of Object.entries(pair('shop', renewed))) writeFileSync(path.join(place, name), content);
  expect(certificate('shop')).toMatchObject({ names: ['acme.com'] });
  expect(() => requestBody(call, secrets)).toThrow('not the one that was approved');
  rmSync(path.join(place, 'shop.key'));
  expect(() => requestBody(call, secrets)).toThrow('is missing');
});

test('a chain begins with its own certificate', () => {
  const chain = `${shop.cert}\n${other.cert}`;
  const place = folder({ 'shop.pem': chain, 'shop.key': shop.key, 'turned.pem': chain, 'turned.key': other.key });
  const { certificate, secrets } = openCertificates(place);
  expect(certificate('shop')).toMatchObject({ names: ['acme.com', '*.acme.com'] });
  expect(secrets('shop.pem')?.reveal()).toBe(chain);
  expect(wrongOf(certificate('turned'))).toContain('is not the key of the first');
});

describe('an unusable pair is refused in one sentence without a path', () => {
  const encrypted = '-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIB\n-----END ENCRYPTED PRIVATE KEY-----\n';
  test.each<[string, Readonly<Record<string, string>>, string]>([
    ['no file', {}, "shop.pem is missing or can't be read. I found none."],
    ['no key', { 'shop.pem': shop.cert }, "shop.key is missing or can't be read. I found none."],
    [
      'no certificate',
      { 'shop.key': shop.key, ...pair('b', other) },
      "shop.pem is missing or can't be read. I found: b.",
    ],
    ['the key of another', { 'shop.pem': shop.cert, 'shop.key': other.key }, 'shop.key is not the key of'],
    ['a key with a password', { 'shop.pem': shop.cert, 'shop.key': encrypted }, 'or it has a password'],
    ['a certificate for a key', { 'shop.pem': shop.cert, 'shop.key': shop.cert }, 'not a private key in PEM'],
    ['text', { 'shop.pem': 'no such thing as PEM', 'shop.key': shop.key }, 'is not a certificate in PEM'],
    [
      'half a chain',
      { 'shop.pem': `${shop.cert}-----BEGIN CERTIFICATE-----\nMIIB`, 'shop.key': shop.key },
      'not a certificate',
    ],
    [
      'a broken link of the chain',
      { 'shop.pem': shop.cert + shop.cert.replaceAll(/M/g, 'N'), 'shop.key': shop.key },
      'not a certificate',
    ],
    [
      'key and certificate in one file',
      { 'shop.pem': shop.cert + shop.key, 'shop.key': shop.key },
      'contains a private key',
    ],
    ['an empty file', { 'shop.pem': '', 'shop.key': shop.key }, "shop.pem is missing or can't be read"],
    ['a large file', { 'shop.pem': shop.cert + '\n'.repeat(65_536), 'shop.key': shop.key }, "can't be read"],
    ['an expired one', pair('shop', selfSigned({ from: -9, until: -1 })), 'The certificate shop expired on'],
    ['one of tomorrow', pair('shop', selfSigned({ from: 1, until: 9 })), 'is not valid before'],
  ])('%s', (_, files, why) => {
    const place = folder(files);
    const found = openCertificates(place).certificate('shop');
    expect(wrongOf(found)).toContain(why);
    expect(wrongOf(found)).toMatch(/^[^/]*Nothing was done\.$/);
  });

  test('says if no folder is set, or if it is missing', () => {
    expect(wrongOf(openCertificates(undefined).certificate('shop'))).toBe(
      'There are no certificates on this machine: CERTIFICATES_DIR is not set. Nothing was done.',
    );
    expect(openCertificates(undefined).secrets('shop.key')).toBeUndefined();
    expect(wrongOf(openCertificates(path.join(folder(), 'gone')).certificate('shop'))).toBe(
      "shop.pem is missing or can't be read. I found none. Nothing was done.",
    );
  });

  test('says when it expired, in each reader’s own time zone', () => {
    const old = selfSigned({ from: -9, until: -1 });
    const found = openCertificates(folder(pair('shop', old))).certificate('shop');
    const expired = time(Date.parse(new X509Certificate(old.cert).validTo), 'date');
    expect('wrong' in found && found.wrong).toContainEqual(expired);
  });

  test('lists at most ten existing names', () => {
    const many = Array.from({ length: 12 }, (_, at) => Object.entries(pair(`c${at + 10}`, other)));
    const { certificate } = openCertificates(folder({ 'half.pem': 'x', ...Object.fromEntries(many.flat()) }));
    expect(wrongOf(certificate('shop'))).toContain(
      'I found: c10, c11, c12, c13, c14, c15, c16, c17, c18, c19 and 2 more.',
    );
  });
});

describe('nothing outside the folder is read', () => {
  test.each(['', '.', '..', '../shop', 'a/b', '/etc/passwd', 'shop\0', 'x'.repeat(101), 'ä', '__proto__/'])(
    'by the name %j',
    (name) => {
      const inside = folder();
      mkdirSync(path.join(inside, 'in'));
      for (const [file, content] of Object.entries(pair('shop', shop))) writeFileSync(path.join(inside, file), content);
      const { certificate, secrets } = openCertificates(path.join(inside, 'in'));
      const found = certificate(name);
      expect(wrongOf(found)).toMatch(/Nothing was done\.$/);
      expect(secrets(`${name}.key`)).toBeUndefined();
      expect(secrets(name)).toBeUndefined();
    },
  );

  test('by a link; one that stays inside is followed', () => {
    const elsewhere = folder(pair('shop', shop));
    const place = folder();
    const inner = path.join(place, 'inner');
    mkdirSync(inner);
    for (const [file, content] of Object.entries(pair('own', shop))) writeFileSync(path.join(inner, file), content);
    for (const end of ['key', 'pem']) {
      symlinkSync(path.join(elsewhere, `shop.${end}`), path.join(place, `out.${end}`));
      symlinkSync(path.join('inner', `own.${end}`), path.join(place, `own.${end}`));
    }
    const { certificate, secrets } = openCertificates(place);
    expect(wrongOf(certificate('out'))).toContain('out.pem is missing');
    expect(secrets('out.key')).toBeUndefined();
    expect(certificate('own')).toMatchObject({ names: ['acme.com', '*.acme.com'] });
  });

  test('nothing inside it that is not a plain file, or not part of a pair', () => {
    const place = folder({ 'notes.txt': 'x', ...pair('shop', shop) });
    mkdirSync(path.join(place, 'dir.key'));
    const { secrets } = openCertificates(place);
    for (const name of ['dir.key', 'notes.txt', 'shop', 'shop.crt', 'shop.key.key', 'constructor'])
      expect(secrets(name)).toBeUndefined();
  });
});

test('a quoted name is not a name, whatever is in it', () => {
  const place = folder(pair('odd', selfSigned({ hosts: ['x", DNS:evil.com', 'a.b, DNS:evil.com', 'acme.com'] })));
  const found = openCertificates(place).certificate('odd');
  expect(found).toMatchObject({ names: ['acme.com'] });
});
