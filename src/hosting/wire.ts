import type { Secret } from '../base/secret.ts';
import type { Json, Query, Write } from './contract/call.ts';
import { secretReference } from './contract/fields.ts';

/** The host's address and our key. */
export type HostConnection = {
  /** Scheme, name and port. */
  readonly origin: string;
  /** The path of the base address without a final slash: `/v2`. */
  readonly base: string;
  readonly key: Secret;
};

/** A credential that a call refers to is missing, or differs from the one that was approved. Nothing was sent. */
export class SecretGone extends Error {
  override readonly name = 'SecretGone';
}

/** Splits the base address. Throws `TypeError` unless it is http or https. */
export function wireTo(url: string, key: Secret): HostConnection {
  const { origin, pathname, protocol } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:') throw new TypeError('the base address must be http or https');
  return { origin, base: pathname.replace(/\/+$/, ''), key };
}

/** The path and query of a request line. */
export function requestTarget(wire: HostConnection, path: string, query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
  return `${wire.base}${path}${parameters.size > 0 ? `?${parameters.toString()}` : ''}`;
}

/**
 * Headers of every request; a content type only if there is a body. `request` is our own id of the request, for the
 * host's log. It is not part of the approved call and has no typed text.
 */
export function headersFor(
  wire: HostConnection,
  body: unknown,
  encoding: 'gzip' | 'identity',
  request?: string,
): Record<string, string> {
  return {
    authorization: `Bearer ${wire.key.reveal()}`,
    accept: 'application/json',
    'accept-encoding': encoding,
    'user-agent': 'sitehand',
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(request !== undefined && { 'x-request-id': request }),
  };
}

/** The body of a write as it is sent: exactly what was pinned, with the secrets filled in. Throws `SecretGone`. */
export function requestBody({ body }: Write, secrets: (name: string) => Secret | undefined): string | undefined {
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
  if (!secret) throw new SecretGone(`the secret ${name} is missing`);
  if (secret.digest() !== sha256) throw new SecretGone(`the secret ${name} is not the one that was approved`);
  return secret.reveal();
}
