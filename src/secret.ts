import { createHash } from 'node:crypto';
import { inspect } from 'node:util';

/** Every Secret made in this process, as it may stand in a text; they are credentials of the configuration, a handful. */
const known = new Set<string>();
/** The longest first: one secret may begin with another. */
let longestFirst: readonly string[] = [];

/** A credential that prints as `***` wherever it is written, and that `scrub` finds in any text. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
    if (value.length < 4) return;
    const inJson = JSON.stringify(value).slice(1, -1);
    for (const spelling of [value, inJson, encodeURIComponent(value.toWellFormed())]) known.add(spelling);
    longestFirst = [...known].sort((one, other) => other.length - one.length);
  }

  /** The value itself: for the wire, at the last moment, and nowhere else. */
  reveal(): string {
    return this.#value;
  }

  /** SHA-256 in hex, by which a stored call refers to the secret. */
  digest(): string {
    return createHash('sha256').update(this.#value).digest('hex');
  }

  toString(): string {
    return '***';
  }

  toJSON(): string {
    return '***';
  }

  [inspect.custom](): string {
    return '***';
  }
}

/** All that is known, for another thread of this process. */
export const spellings = (): readonly string[] => longestFirst;
/** Knows in this thread what is known in the one that says so. */
export function knowSpellings(said: readonly string[]): void {
  for (const spelling of said) known.add(spelling);
  longestFirst = said;
}

/** What a credential looks like. `hint` is in every text that it is in, and is looked for faster. */
type Shape = { readonly hint: string; readonly shape: RegExp };

/** Tokens that services issue, and private keys by the words around them: whoever sees one knows it for what it is. */
const tokens: readonly Shape[] = [
  { hint: 'xox|xapp-', shape: /\bxox[a-z]-[\w-]{8,}|\bxapp-[\w-]{8,}/g },
  { hint: 'gh[pousr]_|github_pat_', shape: /\b(?:gh[pousr]|github_pat)_\w{16,}/g },
  { hint: 'AKIA|ASIA', shape: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g },
  { hint: 'k_(?:live|test)_', shape: /\b[sr]k_(?:live|test)_\w{8,}/g },
  {
    hint: 'BEGIN\\s',
    shape:
      /[-–—]{0,10}\bBEGIN\s(?:[A-Z0-9]+\s){0,3}PRIVATE\s+KEY\b[\s\S]*?(?:\bEND\s(?:[A-Z0-9]+\s){0,3}PRIVATE\s+KEY\b[-–—]{0,10}|$)/gi,
  },
  { hint: 'PuTTY-User', shape: /\bPuTTY-User-Key-File-[\s\S]*/g },
];

/**
 * Things that look like credentials, whoever pasted them: bearer tokens, JSON web tokens, and whatever stands behind a
 * telling name or in an address. Each takes linear time.
 */
const shapes: readonly Shape[] = [
  ...tokens,
  { hint: 'Bearer\\s', shape: /\bBearer\s+[\w.~+/=-]{8,}/gi },
  { hint: 'eyJ', shape: /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g },
  {
    hint: 'passw|pwd|secret|token|signature|api[_-]?key|phpsessid',
    shape:
      /(?<=(?:password|passwd|pwd|secret|token|signature|api[_-]?key|phpsessid)["'\\]{0,4}\s{0,4}[=:]\s{0,4}["'\\]{0,4})[^\s"'&,;\\]{4,}/gi,
  },
  {
    hint: 'authorization',
    shape: /(?<=\bauthorization["'\\]{0,4}\s{0,4}[=:]\s{0,4}["'\\]{0,4}(?:basic|digest|token)\s)[^\s"'\\]+/gi,
  },
  { hint: '://[^\\s/@"\']*@', shape: /(?<=:\/\/[^\s/:@"']{0,64}:)[^\s/@"']+(?=@)/g },
];

/** Lines of base64 that begin as a DER sequence does, or as a key of OpenSSH. */
const base64 = /(?<![\w+/])(?:M[\w+/]{39,}|b3BlbnNzaC1rZXktdjE[\w+/]*)={0,2}(?:\s+[\w+/]{16,}={0,2})*/g;

/** Most texts have nothing of any of them, and are known for that at one look. */
const telling = new RegExp([...shapes.map(({ hint }) => hint), 'M[\\w+/]{39}', 'b3BlbnNzaC1rZXktdjE'].join('|'), 'i');

/**
 * Whether base64 is a private key without the words around it: PKCS #1 and #8 and SEC 1 begin with a small version
 * number, which public keys and certificates do not; encrypted PKCS #8 names its scheme there.
 */
function isPrivateKey(text: string): boolean {
  if (text.startsWith('b3')) return true;
  const hex = Buffer.from(text.slice(0, 60), 'base64').toString('hex');
  return /^30(?:[0-7].|81..|82....)(?:02010[0-3]|30[0-7].06092a864886f70d0105)/.test(hex);
}

/** Whether there is a private key, a service's token or a credential of ours in the text; a public key is none. */
export const holdsKey = (text: string): boolean =>
  tokens.some(({ shape }) => text.search(shape) !== -1) ||
  [...text.matchAll(base64)].some(([run]) => isPrivateKey(run)) ||
  [...known].some((value) => text.includes(value));

/** The text with every known Secret, and everything shaped like a credential, replaced by `***`. */
export function scrub(text: string): string {
  let clean = text;
  for (const value of longestFirst) clean = clean.replaceAll(value, '***');
  if (!telling.test(clean)) return clean;
  for (const { shape } of shapes) clean = clean.replace(shape, '***');
  return clean.replace(base64, (run) => (isPrivateKey(run) ? '***' : run));
}
