import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { mask } from './masking/mask.ts';
import { base64, isPrivateKey, worded } from './masking/private-keys.ts';
import { without } from './masking/rule.ts';
import { holdsToken } from './masking/tokens.ts';

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

/** Letters, digits and what else nobody needs to escape in an address, escaped all the same, once or more often. */
const escaped = /%(?:25){0,3}(2[DE]|3\d|4[1-9A-F]|5[\dAF]|6[1-9A-F]|7[\dAE])/gi;

/** The text with escaped letters and digits as they are. */
const unescaped = (text: string): string =>
  text.includes('%')
    ? text.replace(escaped, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text;

const hinted = worded.map((rule) => ({ rule, hint: new RegExp(rule.hint, 'i') }));
const isWorded = (text: string): boolean =>
  hinted.some(({ rule, hint }) => hint.test(text) && without(text, rule) !== text);

/** A shorter password, as of a database, may be a word that anybody says. */
const shortestOwn = 12;
/** Whether there is a credential of ours in the text. */
export function holdsOwn(text: string): boolean {
  const plain = legible(text);
  return longestFirst.some((value) => value.length >= shortestOwn && (text.includes(value) || plain.includes(value)));
}

/** Any printable character, escaped for an address, once or more often. */
const anyEscaped = /%(?:25){0,3}([2-7][\da-f])/gi;
const legible = (text: string): string =>
  text.includes('%')
    ? text.replace(anyEscaped, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text;

/** Finds that value, whichever of its characters are escaped. */
function inAnySpelling(value: string): RegExp {
  const either = (character: string): string => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return `(?:${RegExp.escape(character)}|%(?:25){0,3}${code.replace(/[a-f]/, (one) => `[${one}${one.toUpperCase()}]`)})`;
  };
  return new RegExp(Array.from(value, either).join(''), 'g');
}

/** The text with every known Secret replaced by `***`. */
function withoutOwn(text: string): string {
  let clean = text;
  for (const value of longestFirst) clean = clean.replaceAll(value, '***');
  const plain = legible(clean);
  if (plain === clean) return clean;
  for (const value of longestFirst) if (plain.includes(value)) clean = clean.replaceAll(inAnySpelling(value), '***');
  return clean;
}

/** Whether there is a private key or a credential of ours in the text; a public key is none. */
export const holdsPrivateKey = (text: string): boolean =>
  isWorded(text) ||
  isWorded(unescaped(text)) ||
  [...text.matchAll(base64.shape)].some(([run]) => isPrivateKey(run)) ||
  holdsOwn(text);

/** Whether there is a token that a service issued, or what `holdsPrivateKey` finds. */
export const holdsKey = (text: string): boolean => holdsPrivateKey(text) || holdsToken(text);

/** The text with every known Secret, and everything shaped like a known kind of credential, replaced by `***`. */
export function scrub(text: string): string {
  const clean = withoutOwn(text);
  const masked = mask(clean);
  const plain = unescaped(clean);
  if (plain === clean) return masked;
  const cleaned = mask(plain);
  return cleaned === plain ? masked : cleaned;
}
