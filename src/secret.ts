import { createHash } from 'node:crypto';
import { inspect } from 'node:util';

/** Values of every Secret made in this process; they are credentials of the configuration, a handful. */
const known = new Set<string>();

/** A credential that prints as `***` wherever it is written, and that `scrub` finds in any text. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
    if (value.length >= 4) known.add(value);
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

/** Things that look like credentials, whoever pasted them: Slack, GitHub, AWS, Stripe and bearer tokens, private keys. */
const shapes: readonly RegExp[] = [
  /\bxox[a-z]-[\w-]{8,}|\bxapp-[\w-]{8,}/g,
  /\b(?:gh[pousr]|github_pat)_\w{16,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\b[sr]k_(?:live|test)_\w{8,}/g,
  /\bBearer\s+[\w.~+/=-]{8,}/gi,
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /(?<=\b(?:password|passwd|pwd|secret|token|api[_-]?key)["']?\s*[=:]\s*["']?)[^\s"'&,;]{4,}/gi,
];

/** The text with every known Secret, and everything shaped like a credential, replaced by `***`. */
export function scrub(text: string): string {
  let clean = text;
  for (const value of known) clean = clean.replaceAll(value, '***');
  for (const shape of shapes) clean = clean.replace(shape, '***');
  return clean;
}
