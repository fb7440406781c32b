import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { inspect } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { holdsKey, scrub, Secret } from '../../src/base/secret.ts';
import { cpuTime } from '../cpu-time.ts';

const value = 'v"al\\ue-0123456789+/=';
const secret = new Secret(value);

/** What the log writes for one line. */
function logged(say: (log: ReturnType<typeof createLog>) => void): string {
  const lines: string[] = [];
  say(createLog('trace', { write: (line) => lines.push(line) }));
  for (const line of lines) expect(JSON.parse(line)).toBeTypeOf('object');
  return lines.join('');
}

describe('promise 9: a secret', () => {
  test.each<[string, string]>([
    ['a string', String(secret)],
    ['a template', `${String(secret)} ${[secret].join(' ')}`],
    ['JSON', JSON.stringify({ secret })],
    ['inspection', inspect({ secret }, { depth: 9, showHidden: true })],
    ['formatting', inspect(secret)],
    ['its keys', JSON.stringify(Object.entries(secret))],
    ['a copy', JSON.stringify(Object.assign({}, secret))],
    ['an error', String(new Error(`no ${String(secret)}`))],
    ['the log, as a field', logged((log) => log.info({ secret, deep: { a: [{ secret }] } }, 'x'))],
    ['the log, as text', logged((log) => log.error(`used ${value} here`))],
    [
      'the log, in an error and its cause',
      logged((log) => log.error({ err: new Error(`a ${value}`, { cause: new Error(`b ${value}`) }) }, 'x')),
    ],
    ['the log, as the name of a field', logged((log) => log.info({ a: [{ [value]: 1, [`x ${value}`]: value }] }, 'x'))],
    ['the log, in an address', logged((log) => log.info({ url: `https://x/?k=${encodeURIComponent(value)}` }))],
  ])('is not found in %s', (_, text) => {
    for (const spelling of [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)])
      expect(text).not.toContain(spelling);
  });

  test('can be revealed explicitly, and is identified by its digest', () => {
    expect(secret.reveal()).toBe(value);
    expect(new Secret('abc').digest()).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  test('that begins with another one is masked completely', () => {
    void new Secret('prefix-1234');
    void new Secret('prefix-1234-and-more');
    expect(scrub('a prefix-1234-and-more b')).toBe('a *** b');
  });

  test('of three characters is not masked, because it would occur in ordinary text', () => {
    void new Secret('the');
    expect(scrub('the end')).toBe('the end');
  });
});

test('a pasted credential of the bot is refused; a short one could be an ordinary word', () => {
  const own = ['hosting-key-7f3a91', 'brvk'].map((one) => new Secret(one));
  expect(own.map(String)).toEqual(['***', '***']);
  expect(holdsKey('cache clear acme-shop/live --reason hosting-key-7f3a91')).toBe(true);
  expect(holdsKey('cache clear acme-shop/brvk')).toBe(false);
  expect(scrub('no login with brvk')).toBe('no login with ***');
});

/** Every byte in hexadecimal digits, which is allowed but not required. */
const escapedWhole = (text: string): string => `%${Buffer.from(text).toString('hex').match(/../g)?.join('%')}`;

test('a credential of the bot is recognised in an address, with any of its characters escaped, any number of times', () => {
  const own = 'hosting-key+7f3a91/=zy';
  void new Secret(own);
  const address = encodeURIComponent(own);
  for (const spelling of [
    own.replaceAll('-', '%2D'),
    own.replaceAll('-', '%2d').replaceAll('h', '%68'),
    address.toLowerCase(),
    address.replaceAll('-', '%2D'),
    encodeURIComponent(address),
    encodeURIComponent(encodeURIComponent(address)).toLowerCase(),
    escapedWhole(own),
    encodeURIComponent(escapedWhole(own)),
  ]) {
    expect(scrub(`GET /?k=${spelling}&x=%41 y`)).toMatch(/^GET \/\?k=\*\*\*&x=(%41|A) y$/);
    expect(holdsKey(`cache clear acme-shop/live ${spelling}`)).toBe(true);
    expect(JSON.parse(logged((log) => log.info({ url: `/?k=${spelling}"%22,`, b: '%22' })))).toMatchObject({
      url: '/?k=***"%22,',
      b: '%22',
    });
  }
  expect(scrub('100% of hosting-key+7f3a91 %2D')).toContain('of hosting-key+7f3a91 ');
});

describe('text in the shape of a credential', () => {
  test.each([
    'xoxb-1234567890-abcdef',
    'xapp-1-A0123-456-abcdef',
    `ghp_${'a1'.repeat(18)}`,
    `github_pat_${'a1'.repeat(20)}`,
    'AKIAIOSFODNN7EXAMPLE',
    'sk_live_0123456789abcdef',
    'Bearer abcdefghijkl',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc-def',
    '-----BEGIN PRIVATE KEY-----\nMIIEvQ\n-----END PRIVATE KEY-----',
    '-----BEGIN EC PRIVATE KEY-----\nMIIEvQ and cut',
  ])('%s', (text) => {
    expect(scrub(`a ${text}`)).toBe('a ***');
  });

  test.each([
    'password: hunter2',
    "pwd='hunter2'",
    'api_key=abcd1234',
    'client-secret = abcd1234',
    '"accessToken":"abcd1234"',
    'X-Signature: abcd1234',
    'postgres://u:abcd1234@h/db',
  ])('%s', (text) => {
    expect(scrub(text)).toContain('***');
    expect(scrub(text)).not.toMatch(/hunter2|abcd1234/);
  });

  test.each([
    '/site cache clear acme-shop/live',
    'the token expired',
    'secret: no',
    'http://acme.com:8080/x',
    'a@b.com',
    'passwords = 3',
  ])('not %s', (text) => {
    expect(scrub(text)).toBe(text);
  });
});

describe('a key that was pasted', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 1_024 });
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ed = generateKeyPairSync('ed25519');
  const encrypted = { cipher: 'aes-256-cbc', passphrase: 'x' } as const;
  const pems = [
    rsa.privateKey.export({ type: 'pkcs1', format: 'pem' }),
    rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }),
    rsa.privateKey.export({ type: 'pkcs8', format: 'pem', ...encrypted }),
    ec.privateKey.export({ type: 'sec1', format: 'pem' }),
    ec.privateKey.export({ type: 'pkcs8', format: 'pem' }),
    ed.privateKey.export({ type: 'pkcs8', format: 'pem' }),
  ].map(String);
  const bodyOf = (pem: string): string => pem.replaceAll(/-----[^-]*-----|\n/g, '');

  test.each(pems)(
    '%s is recognised as a whole, on one line, with long dashes, without its first and last line, in other text',
    (pem) => {
      const body = bodyOf(pem);
      const spellings = [
        pem,
        pem.replaceAll('\n', ' '),
        pem.replaceAll('--', '—'),
        pem.replaceAll('-----', ''),
        body,
        `v=${body}.`,
        pem.split('\n').slice(1, -2).join('\n'),
      ];
      for (const text of spellings) {
        expect(holdsKey(`dns set ${text} x`)).toBe(true);
        expect(scrub(text)).not.toContain(body.slice(44, 64));
      }
    },
  );

  /** How a file appears in addresses, escaped by nginx and JSON, and in one-line settings. */
  const spellingsOf = (pem: string): readonly string[] => [
    encodeURIComponent(pem),
    encodeURIComponent(pem).replaceAll('%20', '+'),
    encodeURIComponent(pem).replaceAll('-', '%2D'),
    encodeURIComponent(encodeURIComponent(pem)),
    pem.replaceAll(' ', '\\x20').replaceAll('\n', '\\x0A'),
    pem.replaceAll(' ', '\\u0020').replaceAll('\n', '\\n'),
    ...['', '{"key":"', '{ "key":"'].map((before) => Buffer.from(`${before}${pem}`).toString('base64')),
  ];
  const derOf = (pem: string): string => Buffer.from(bodyOf(pem), 'base64').toString('hex');
  const hexOf = (pem: string): readonly string[] =>
    [/.+/g, /../g, /../g, /..../g].map((part, at) => derOf(pem).match(part)?.join([' ', ':', ' ', ' '][at]) ?? '');
  /** At most a third of the key, in which nothing is recognisable. */
  const isHidden = (text: string): boolean => !scrub(text).includes(text.slice(text.length / 3, text.length / 3 + 24));

  test.each(pems)('%s is recognised in addresses, escaped, in base64 and in hexadecimal digits', (pem) => {
    const addresses = [`/x?k=${encodeURIComponent(bodyOf(pem))}&y=1`, `/x/${bodyOf(pem)}`];
    for (const text of [...addresses, ...spellingsOf(pem), ...hexOf(pem), derOf(pem).toUpperCase()]) {
      expect(holdsKey(`dns set ${text} x`)).toBe(true);
      expect(isHidden(`read ${text} x`)).toBe(true);
      expect(scrub(`read ${text}&x=1 "y" done`)).toContain(' "y" done');
    }
  });

  const pairs = [rsa, ec, ed];
  // Not made anew for every run: escaped, some keys have the shape of a token.
  const open = [
    {
      kty: 'RSA',
      e: 'AQAB',
      n: 'thITZ1eajcGfFSaHcVpxfZd4zCPEp58RptsM5fJ1gttZfkXHSUOEcpD0lrpAw39fTza3VpJhf6jLKVwAzdE3xvVKEhfrQLY52Fw5OBN45N0QRa0z5LvMfwH6T4iG8FDIJuQzfAG7ruUgJEWbvrNVIhzUjI0wotiibYZzooxnjKs',
    },
    {
      kty: 'EC',
      crv: 'P-256',
      x: 'EDbWDwAg_r9Y3K9dO3McocyUefB_1us68i9YfbGnXPw',
      y: 'cICZL7GMZU87tEDzxDLzxw7FlI-JqHPSzw6i49ebuFE',
    },
    { kty: 'OKP', crv: 'Ed25519', x: '_cZlD9o9Zf23sMXQ86WE97hBDqUZ7BxVfRZgMbAc2zw' },
  ].map((key) => createPublicKey({ key, format: 'jwk' }));
  const certificate = `-----BEGIN CERTIFICATE-----
MIIBODCB36ADAgECAgEBMAoGCCqGSM49BAMCMBQxEjAQBgNVBAMMCWxvY2FsaG9z
dDAiGA8yMDI2MTEyNzE4NDQ1M1oYDzIwMjYxMTI5MTg0NDUzWjAUMRIwEAYDVQQD
DAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAR5p6KZdyGQK0/d
mkzxFJMcoabVmbHTPtdrc5xJUJGe/6drk3Ore84kcjcaG6Cidb8DEVJuxVf1sSnU
MvC+LTDqox4wHDAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZIzj0E
AwIDSAAwRQIgBz5gPacy0S5E/3Ygb66wS3O3My1FEczybVg8oknh8/ICIQCbuVhY
y4CIPxkAemdmQcejqd2zzi9BS7RUAP1syuJNFg==
-----END CERTIFICATE-----
`;
  test('is recognised as JSON, in any order, in other JSON and in an address; its public half is not', () => {
    const symmetric = [
      '{"kty":"oct","k":"GawgguFyGrWKav7AX4VKUg"}',
      '{“k”: “GawgguFyGrWKav7AX4VKUg”, “kty”: “oct”}',
      '{"k":"AyM1SysPpbyDfgZld3umj1qzKObw","kty":"oct"}',
    ];
    const spelt = (key: object): readonly string[] => {
      const turned = JSON.stringify(Object.fromEntries(Object.entries(key).toReversed()));
      return [JSON.stringify(key, null, 2), turned, JSON.stringify({ said: turned }), encodeURIComponent(turned)];
    };
    for (const text of [...pairs.flatMap((pair) => spelt(pair.privateKey.export({ format: 'jwk' }))), ...symmetric]) {
      expect(holdsKey(text)).toBe(true);
      expect(scrub(text)).toContain('***');
      expect(scrub(text)).not.toMatch(/(?:["“]|%22)(?:d|p|q|dp|dq|qi|k)(?:["”\\]|%22)(?:%3A|[\W\d]){1,12}[\w-]{16}/);
    }
    for (const text of open.flatMap((key) => spelt(key.export({ format: 'jwk' })))) {
      expect(holdsKey(text)).toBe(false);
      expect(scrub(text)).toBe(text);
    }
  });

  test('a public key is not a private key', () => {
    const files = open.map((key) => String(key.export({ type: 'spki', format: 'pem' })));
    const hash = createHash('sha512').update('x').digest('base64');
    for (const text of [
      ...files.flatMap((pem) => [pem, `v=DKIM1; k=rsa; p=${bodyOf(pem)}`, ...spellingsOf(pem), ...hexOf(pem)]),
      ...spellingsOf(certificate),
      ...hexOf(certificate),
      hash,
      `google-site-verification=${hash}`,
      'MX 10 mail.example.com',
    ]) {
      expect(holdsKey(text)).toBe(false);
      expect(scrub(text)).toBe(text);
    }
  });

  test('other texts are not private keys', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), (text) => {
        expect(holdsKey(text)).toBe(false);
      }),
    );
  });

  test('long text takes linear time', () => {
    for (const piece of [
      'MIIEvQIBADANBgkqhkiG9w0BAQ',
      'M',
      '-----BEGIN ',
      'BEGIN A ',
      'MA== ',
      'b3BlbnNzaC1rZXktdjE',
    ]) {
      expect(cpuTime(() => scrub(piece.repeat(200_000 / piece.length)))).toBeLessThan(500);
    }
  });
});

describe('the log', () => {
  test.each([
    'token',
    'authorization',
    'Authorization',
    'password',
    'signing_secret',
    'response_url',
    'trigger_id',
    'api_key',
    'botToken',
    'set-cookie',
  ])('does not write %s, however deep', (key) => {
    const line = logged((log) =>
      log.info({ [key]: 'plain', a: { [key]: 'pl"ain', b: [{ c: { [key]: 12_345 } }] }, kept: 'this' }, 'x'),
    );
    expect(line).not.toMatch(/plain|pl\\"ain|12345/);
    expect(line).toContain('this');
  });
  test.each(['token', 'tokens', 'password', 'Authorization', 'x-api-key', 'cookies'])(
    'does not write the content of %s, in any number of parts',
    (key) => {
      const parts = [['plain'], { v: 'plain' }, [{ deep: ['plain', 12_345] }], { a: { b: { c: 'plain' } } }];
      for (const value of parts) {
        const error = Object.assign(new Error('it broke'), { headers: { [key]: value } });
        const line = logged((log) => log.info({ [key]: value, err: error, a: [{ [key]: value }], kept: 'this' }, 'x'));
        expect(line).not.toMatch(/plain|12345/);
        expect(JSON.parse(line)).toMatchObject({ [key]: '***', kept: 'this', msg: 'x', err: { message: 'it broke' } });
      }
    },
  );
  test('is JSON with a level, a time and a message', () => {
    expect(JSON.parse(logged((log) => log.warn({ a: 1 }, 'said')))).toMatchObject({ level: 40, a: 1, msg: 'said' });
    expect(
      logged((log) => createLog('silent', { write: () => expect.unreachable() }).info('x') ?? log.trace('y')),
    ).toContain('y');
  });
});
