import type { MaskingRule } from '../rule.ts';
import { nameEnd, quote } from '../syntax.ts';

/** Keys and certificates in PEM, DER and base64: private ones are masked, public ones are left as they are. */

/** A space, as URLs, JSON and nginx encode it. */
const blank = '(?:\\+|%(?:25){0,3}(?:20|09)|\\\\{1,8}(?:x|u00)(?:20|09))';
const dash = '(?:[-–—]|%(?:25){0,3}2D|\\\\{1,8}(?:x|u00)2D)';
const begins = '(?<!\\w(?<!2D))';

/** "PRIVATE KEY" in base64 at any offset; no other kind of block has it in its heading. */
const heading = 'PRIVATE KEY';
const inBase64 = ['', '-', '--'].map((before) => {
  const bits = 8 * before.length;
  const whole = Buffer.from(before + heading).toString('base64');
  return whole.slice(Math.ceil(bits / 6), Math.floor((bits + 8 * heading.length) / 6));
});

const assigned = '[ \\t]{0,8}(?:=>|[:=]|%(?:25){0,3}3[AD])[ \\t]{0,8}';
/** Keyed values; a DKIM tag with the same name holds a public key. */
const keyed = (names: string, least: number): string =>
  `(?<![\\w-](?<!%22|%27|22)|; ?)(?:${names})${nameEnd}[“”]?${assigned}(?:${quote}|[“”])?)[\\w-]{${least},}(?![\\w-])`;

/** A byte of an OpenSSL dump, and the separator. */
const byte = '[\\da-f]{2}(?![g-z])';
const bytes = `${byte}(?:[\\s:]{0,8}${byte})`;

/** A file with a key is masked as a whole, even if a part of it already is. */
const wholly = { shown: () => '***' };

/** Private keys by the words around them, in any case. */
export const worded: readonly MaskingRule[] = [
  {
    hint: 'PRIVATE',
    shape:
      /[-–—]{0,10}\bBEGIN\s(?:[A-Z0-9]+\s){0,3}PRIVATE\s+KEY\b[\s\S]*?(?:\bEND\s(?:[A-Z0-9]+\s){0,3}PRIVATE\s+KEY\b[-–—]{0,10}|$)/gi,
    ...wholly,
  },
  {
    // In a URL, the key ends at a real space.
    hint: 'PRIVATE',
    shape: new RegExp(
      `${dash}{0,10}${begins}BEGIN${blank}{1,4}(?:[A-Z0-9]+${blank}{1,4}){0,3}PRIVATE${blank}{1,4}KEY[^\\s"'<>&]*`,
      'gi',
    ),
    ...wholly,
  },
  { hint: 'PuTTY', shape: /\bPuTTY-User-Key-File-[\s\S]*?(?:Private-MAC: [\da-f]{32,}|$)/g, ...wholly },
  {
    // A base64-encoded file, as one-line settings contain it.
    hint: inBase64.join('|'),
    shape: new RegExp(
      `(?<!\\\\|[\\w+/](?<!\\\\[nrt]))(?=[\\w+/]{0,4000}(?:${inBase64.join('|')}))[\\w+/]+={0,2}(?:(?:\\n\\s{0,20}|(?:\\\\[nr])+)[\\w+/]{16,}={0,2})*`,
      'g',
    ),
    ...wholly,
  },
  {
    // JSON Web Keys; their public parts have other names.
    hint: 'kty',
    shape: new RegExp(`(?<before>${keyed('d|p|q|dp|dq|qi', 32)}`, 'g'),
  },
  {
    hint: 'kty',
    shape: new RegExp(`(?<before>${keyed('k', 16)}`, 'g'),
    isSecret: (value) => !/^[a-z]+(?:[_-][a-z]+)*$/.test(value),
  },
  {
    // A key printed over many lines has its type on another line.
    hint: '"d"|"p"|"q"|"dp"|"dq"|"qi"',
    shape: /(?<before>^[ \t]{0,40}"(?:d|p|q|dp|dq|qi)" ?: ?")[\w-]{40,}(?=",?\s*$)/gm,
  },
  {
    // A key in hexadecimal digits, with or without separators: recognised by its beginning or its algorithm id.
    hint: '00282|00281|1010420|1010430|1010442|0002 8|0282 0|0281 8|02:82|02:81|02 82|02 81|2a86|2a:8|2a 8|2b65|2b:65|2b 65|2b81|2b:81|2b 81',
    shape: new RegExp(`(?<before>)(?<![\\da-f])30(?![g-z])(?:[\\s:]{0,8}${byte}){28,}`, 'gi'),
    isSecret: (value) => isPrivateDer(value.replaceAll(/[\s:]/g, '').toLowerCase()),
  },
  {
    // OpenSSL's dump of a key; its public parts have other names.
    hint: 'privateExponent|prime1|prime2|exponent1|exponent2|coefficient|priv:',
    shape: new RegExp(
      `(?<before>(?<![\\w.-])(?:privateExponent|prime\\d|exponent\\d|coefficient|priv):\\s{1,8})${bytes}{7,}`,
      'gi',
    ),
  },
];

/** A character of base64 as it is, as addresses have it, percent-encoded, or escaped in JSON; not the dashes of an end. */
const digit = '(?:[\\w+/]|-(?!----)|%(?:25){0,3}2[BbFf]|\\\\{1,8}/)';
const padding = '(?:=|%(?:25){0,3}3[Dd]){0,2}';

/** Base64 that begins like a DER sequence or an OpenSSH key, also as a part of an address. */
export const base64: MaskingRule = {
  hint: 'M[A-I][\\w+/%\\\\-]{38}|b3BlbnNzaC1rZXktdjE',
  shape: new RegExp(
    `(?<![\\w+])(?:M[A-I]${digit}{38}|b3BlbnNzaC1rZXktdjE)${digit}*${padding}(?:\\s+[\\w+/]{16,}={0,2}|(?:\\\\{1,8}[nr])+${digit}{16,}${padding})*`,
    'g',
  ),
};

/**
 * Whether bytes are a private key, without words around it. PKCS #1, PKCS #8 and SEC 1 begin with a small version
 * number, which public keys and certificates do not; encrypted PKCS #8 names its scheme of PKCS #5 or PKCS #12 there.
 */
const isPrivateDer = (hex: string): boolean =>
  /^30(?:[0-7].|81..|82....)(?:02010[0-3]|30[0-7].06(?:092a864886f70d0105|0a2a864886f70d010c01))/.test(hex);

/** Where in a run of base64 a private key begins: at its start, or after a space or a slash. -1: nowhere. */
export function privateKeyAt(run: string): number {
  if (isPrivateKey(run)) return 0;
  return [...run.matchAll(laterBeginning)].find(({ index }) => isPrivateKey(run.slice(index)))?.index ?? -1;
}
const laterBeginning = /(?<=[\s/])(?:M[A-I]|b3Blb)/g;

/** Only the beginning matters. */
const isPrivateKey = (text: string): boolean =>
  text.startsWith('b3') || isPrivateDer(Buffer.from(unescaped(text.slice(0, 240)), 'base64').toString('hex', 0, 45));

const unescaped = (text: string): string =>
  text.replaceAll(/%(?:25){0,3}2b/gi, '+').replaceAll(/%(?:25){0,3}2f/gi, '/');

/**
 * Public keys and certificates. Their base64 is random, and one in some five thousand has the shape of a credential, as
 * `/ssO…/…` of a login link: without an exception, nobody could set that DKIM record.
 */

/** Base64 that begins like a DER sequence, in lines or, as zone files write it, in strings. */
const shape = /(?<![\w+/])M[A-Za-z\d+/]{39,}(?:(?:\r?\n|"\s{1,8}")[A-Za-z\d+/]+)*={0,2}(?![\w+/=])/g;
/** A certificate begins with a version and a serial number, a public key with the sequence that names its algorithm. */
const certificate = /^30(?:[0-7].|81..|82....)30(?:[0-7].|81..|82....)a003020102/;
const algorithm = /^30(?:[0-7].|81..|82....)30[0-7].06/;
/** What follows the name of the algorithm in a public key: a bit string. An encrypted private key has an octet string. */
const bitString = 0x03;

/** Whether it is one whole DER sequence, with nothing after it, that holds a public key or a certificate. */
function isPublic(text: string): boolean {
  const der = Buffer.from(text.replaceAll(/[^A-Za-z\d+/]/g, ''), 'base64');
  const hex = der.toString('hex', 0, 20);
  const isCertificate = certificate.test(hex);
  if (!isCertificate && !algorithm.test(hex)) return false;
  const sizes = Math.max(0, der.readUInt8(1) - 0x80);
  if (!isCertificate && der[4 + sizes + der.readUInt8(3 + sizes)] !== bitString) return false;
  const length = sizes === 0 ? der.readUInt8(1) : der.readUIntBE(2, sizes);
  return der.length === 2 + sizes + length;
}

/** Characters that no text of a site has: one stands for each public key. */
const firstStandIn = 0xe000;
const maxStandIns = 100;
const standIns = /[\uE000-\uE063]/g;

/** A text in which one character stands for each public key and certificate, and a function that puts them back. */
export function publicKeysAside(text: string): { readonly rest: string; readonly restored: (rest: string) => string } {
  const keys: string[] = [];
  if (text.search(standIns) !== -1) return { rest: text, restored: (rest) => rest };
  const rest = text.replace(shape, (found) =>
    keys.length < maxStandIns && isPublic(found) ? String.fromCharCode(firstStandIn + keys.push(found) - 1) : found,
  );
  const keyOf = (standIn: string): string => keys[standIn.charCodeAt(0) - firstStandIn] ?? '';
  return { rest, restored: (masked) => (keys.length === 0 ? masked : masked.replace(standIns, keyOf)) };
}
