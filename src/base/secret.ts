import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { mask } from '../masking/mask.ts';
import { base64, privateKeyAt, worded } from '../masking/rules/keys.ts';
import { maskWith } from '../masking/rule.ts';
import { holdsToken } from '../masking/rules/tokens.ts';

/** The Secrets of this process, in every spelling in which a text can have them. Only a few credentials are configured. */
const known = new Set<string>();
/** Longest first, because one secret may begin with another. */
let longestFirst: readonly string[] = [];

/** A credential that prints as `***` everywhere and that `scrub` finds in any text. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
    if (value.length < 4) return;
    const inJson = JSON.stringify(value).slice(1, -1);
    for (const spelling of [value, inJson, encodeURIComponent(value.toWellFormed())]) known.add(spelling);
    longestFirst = [...known].sort((one, other) => other.length - one.length);
  }

  /** The value itself. Use it only at the moment of sending. */
  reveal(): string {
    return this.#value;
  }

  /** SHA-256 in hex, by which stored calls refer to the secret. */
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

/** All known spellings, for another thread of this process. */
export const spellings = (): readonly string[] => longestFirst;
/** Adds the spellings from another thread, given longest first. */
export function addSpellings(sorted: readonly string[]): void {
  for (const spelling of sorted) known.add(spelling);
  longestFirst = sorted;
}

/** Percent-encoded letters, digits and other unreserved characters, encoded once or several times. */
const escaped = /%(?:25){0,3}(2[DE]|3\d|4[1-9A-F]|5[\dAF]|6[1-9A-F]|7[\dAE])/gi;

/** Decodes the characters that match `characters`. */
const decoded = (text: string, characters: RegExp): string =>
  text.includes('%')
    ? text.replace(characters, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text;

const hinted = worded.map((rule) => ({ rule, hint: new RegExp(rule.hint, 'i') }));
const isWorded = (text: string): boolean =>
  hinted.some(({ rule, hint }) => hint.test(text) && maskWith(text, rule) !== text);

/** The least length of a recognised password: a shorter one may be an ordinary word. */
const minOwnLength = 12;
/** Whether the text contains one of our own credentials. */
export function holdsOwn(text: string): boolean {
  const plain = decoded(text, anyEscaped);
  return longestFirst.some((value) => value.length >= minOwnLength && (text.includes(value) || plain.includes(value)));
}

/** Any percent-encoded printable character, encoded once or several times. */
const anyEscaped = /%(?:25){0,3}([2-7][\da-f])/gi;

/** Matches the value with any of its characters percent-encoded. */
function inAnySpelling(value: string): RegExp {
  const either = (character: string): string => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return `(?:${RegExp.escape(character)}|%(?:25){0,3}${code.replace(/[a-f]/, (one) => `[${one}${one.toUpperCase()}]`)})`;
  };
  return new RegExp(Array.from(value, either).join(''), 'g');
}

/** Replaces every known Secret with `***`. */
function withoutOwn(text: string): string {
  let clean = text;
  for (const value of longestFirst) clean = clean.replaceAll(value, '***');
  const plain = decoded(clean, anyEscaped);
  if (plain === clean) return clean;
  for (const value of longestFirst) if (plain.includes(value)) clean = clean.replaceAll(inAnySpelling(value), '***');
  return clean;
}

/** Whether the text contains a private key or one of our own credentials. Public keys don't count. */
export const holdsPrivateKey = (text: string): boolean =>
  isWorded(text) ||
  isWorded(decoded(text, escaped)) ||
  [...text.matchAll(base64.shape)].some(([run]) => privateKeyAt(run) !== -1) ||
  holdsOwn(text);

/** Whether the text contains a service's token, or anything `holdsPrivateKey` finds. */
export const holdsKey = (text: string): boolean => holdsPrivateKey(text) || holdsToken(text);

/** Replaces every known Secret, and everything shaped like a known kind of credential, with `***`. */
export function scrub(text: string): string {
  const clean = withoutOwn(text);
  const masked = mask(clean);
  const plain = decoded(clean, escaped);
  if (plain === clean) return masked;
  const cleaned = mask(plain);
  return cleaned === plain ? masked : cleaned;
}
