import type { Rule } from './rule.ts';

/** Private keys by the words around them, which are looked for in any case. */
export const worded: readonly Rule[] = [
  {
    hint: 'PRIVATE',
    shape:
      /[-–—]{0,10}\bBEGIN\s(?:[A-Z0-9]+\s){0,3}PRIVATE\s+KEY\b[\s\S]*?(?:\bEND\s(?:[A-Z0-9]+\s){0,3}PRIVATE\s+KEY\b[-–—]{0,10}|$)/gi,
  },
  { hint: 'PuTTY', shape: /\bPuTTY-User-Key-File-[\s\S]*?(?:Private-MAC: [\da-f]{32,}|$)/g },
];

/** Lines of base64 that begin as a DER sequence does, or as a key of OpenSSH. */
export const base64: Rule = {
  hint: 'M[\\w+/]{39}|b3BlbnNzaC1rZXktdjE',
  shape: /(?<![\w+/])(?:M[\w+/]{39,}|b3BlbnNzaC1rZXktdjE[\w+/]*)={0,2}(?:\s+[\w+/]{16,}={0,2})*/g,
};

/**
 * Whether base64 is a private key without the words around it: PKCS #1 and #8 and SEC 1 begin with a small version
 * number, which public keys and certificates do not; encrypted PKCS #8 names its scheme there.
 */
export function isPrivateKey(text: string): boolean {
  if (text.startsWith('b3')) return true;
  const hex = Buffer.from(text.slice(0, 60), 'base64').toString('hex');
  return /^30(?:[0-7].|81..|82....)(?:02010[0-3]|30[0-7].06092a864886f70d0105)/.test(hex);
}
