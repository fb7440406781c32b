import { createHash } from 'node:crypto';
import { inspect } from 'node:util';

/** Every Secret made in this process, as it may stand in a text; they are credentials of the configuration, a handful. */
const known = new Set<string>();

/** A credential that prints as `***` wherever it is written, and that `scrub` finds in any text. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
    if (value.length < 4) return;
    const inJson = JSON.stringify(value).slice(1, -1);
    for (const spelling of [value, inJson, encodeURIComponent(value.toWellFormed())]) known.add(spelling);
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

/**
 * Things that look like credentials, whoever pasted them: tokens of Slack, GitHub, AWS and Stripe, bearer tokens, JSON
 * web tokens, private keys, and whatever stands behind a telling name or in an address. Each takes linear time.
 */
const shapes: readonly RegExp[] = [
  /\bxox[a-z]-[\w-]{8,}|\bxapp-[\w-]{8,}/g,
  /\b(?:gh[pousr]|github_pat)_\w{16,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\b[sr]k_(?:live|test)_\w{8,}/g,
  /\bBearer\s+[\w.~+/=-]{8,}/gi,
  /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /(?<=(?:password|passwd|pwd|secret|token|signature|api[_-]?key|phpsessid)["'\\]{0,4}\s{0,4}[=:]\s{0,4}["'\\]{0,4})[^\s"'&,;\\]{4,}/gi,
  /(?<=\bauthorization["'\\]{0,4}\s{0,4}[=:]\s{0,4}["'\\]{0,4}(?:basic|digest|token)\s)[^\s"'\\]+/gi,
  /(?<=:\/\/[^\s/:@"']{0,64}:)[^\s/@"']+(?=@)/g,
];

/** The text with every known Secret, and everything shaped like a credential, replaced by `***`. */
export function scrub(text: string): string {
  let clean = text;
  // The longest first: one secret may begin with another.
  for (const value of [...known].sort((one, other) => other.length - one.length))
    clean = clean.replaceAll(value, '***');
  for (const shape of shapes) clean = clean.replace(shape, '***');
  return clean;
}
