import type { Secret } from '../secret.ts';
import type { Json, Query, Write } from './contract/call.ts';
import { secretReference } from './contract/fields.ts';

/** Where the host is and how it knows us. */
export type Wire = {
  /** Scheme, name and port. */
  readonly origin: string;
  /** The path of the base address, without a slash at its end: `/v2`. */
  readonly base: string;
  readonly key: Secret;
};

/** A credential that a call refers to is not there, or is not the one that was approved. Nothing was sent. */
export class SecretGone extends Error {
  override readonly name = 'SecretGone';
}

/** The base address, taken apart. Throws on anything but http and https. */
export function wireTo(url: string, key: Secret): Wire {
  const { origin, pathname, protocol } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:') throw new TypeError('the base address must be http or https');
  return { origin, base: pathname.replace(/\/+$/, ''), key };
}

/** The path and query of a request line. */
export function target(wire: Wire, path: string, query: Query = {}): string {
  const said = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) said.set(name, String(value));
  return `${wire.base}${path}${said.size > 0 ? `?${said.toString()}` : ''}`;
}

/** Headers of every request; the type of a body is said only where there is one. */
export function headersFor(wire: Wire, body: unknown, encoding: 'gzip' | 'identity'): Record<string, string> {
  return {
    authorization: `Bearer ${wire.key.reveal()}`,
    accept: 'application/json',
    'accept-encoding': encoding,
    'user-agent': 'sitehand',
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
}

/** The body of a write as it goes on the wire: byte for byte what was frozen, with its secrets in their places. */
export function bodyOf({ body }: Write, secrets: (name: string) => Secret | undefined): string | undefined {
  return body === undefined ? undefined : JSON.stringify(filled(body, secrets));
}

function filled(value: Json, secrets: (name: string) => Secret | undefined): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one: Json) => filled(one, secrets));
  const reference = secretReference.safeParse(value);
  if (!reference.success) {
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, one && filled(one, secrets)]));
  }
  const { $secret: name, sha256 } = reference.data;
  const secret = secrets(name);
  if (!secret) throw new SecretGone(`the secret ${name} is not there`);
  if (secret.digest() !== sha256) throw new SecretGone(`the secret ${name} is not the one that was approved`);
  return secret.reveal();
}
