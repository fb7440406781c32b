import { isPrivateDer } from './rules/private-keys.ts';

/**
 * Public keys and certificates. Their base64 is random, and one in some five thousand has the shape of a credential, as
 * `/ssO…/…` of a login link: without an exception, nobody could set that DKIM record.
 */

/** Base64 that begins like a DER sequence, in lines or, as zone files write it, in strings. */
const shape = /(?<![\w+/])M[A-Za-z\d+/]{39,}(?:(?:\r?\n|"\s{1,8}")[A-Za-z\d+/]+)*={0,2}(?![\w+/=])/g;
/** A public key begins with the sequence that names its algorithm, a certificate with a version and a serial number. */
const beginning = /^30(?:[0-7].|81..|82....)30(?:(?:[0-7].|81..|82....)a003020102|[0-7].06)/;

/** Whether it is one whole DER sequence, with nothing after it, that holds a public key or a certificate. */
function isPublic(text: string): boolean {
  const der = Buffer.from(text.replaceAll(/[^A-Za-z\d+/]/g, ''), 'base64');
  const hex = der.toString('hex', 0, 20);
  if (!beginning.test(hex) || isPrivateDer(hex)) return false;
  const sizes = Math.max(0, der.readUInt8(1) - 0x80);
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
