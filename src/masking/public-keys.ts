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
