import { createHash, randomBytes } from 'node:crypto';
import { callerByKey } from '../policy/callers.ts';
import type { Caller, Calling, Policy } from '../policy/rules.ts';
import { keyPrefix } from './schemas.ts';

/** Whose key a request carries. */

/** A new key of 256 bits, and its hash for the policy file. */
export function newKey(): { readonly key: string; readonly hash: string } {
  const key = `${keyPrefix}${randomBytes(32).toString('base64url')}`;
  return { key, hash: `sha256:${hashOfKey(key)}` };
}

const hashOfKey = (key: string): string => createHash('sha256').update(key).digest('hex');

/** A caller that has proved itself. */
export type Authenticated = { readonly caller: Caller; readonly calling: Calling };

/**
 * The caller of `Authorization: Bearer …`; undefined: no key, an unknown one, or one that has expired by `now` (epoch
 * ms), which is only asked for a known key.
 */
export async function authenticate(
  policy: Policy,
  header: string | undefined,
  now: () => Promise<number>,
): Promise<Authenticated | undefined> {
  const key = /^Bearer +(\S{20,200})$/i.exec(header ?? '')?.[1];
  if (!key?.startsWith(keyPrefix)) return undefined;
  const hash = hashOfKey(key);
  // Looking up a hash tells nothing about a key by how long it takes.
  const caller = callerByKey(policy, hash);
  return caller && (await now()) < caller.expires ? { caller, calling: { name: caller.name, key: hash } } : undefined;
}
