import { parseStored } from './parse-json.ts';
import { writeKv } from './kv.ts';
import type { ReadHandle, Tx } from './tx.ts';

/** What a running process says about itself. */
export type SignOfLife = {
  /** The owner of its leases. */
  readonly owner: string;
  /** Its machine and process id, for people. */
  readonly name: string;
  readonly version: string;
  /** The hash of the policy it goes by. */
  readonly policy: string;
};

const prefix = 'replica:';
/** How many are read: far more than can use one Slack app. */
const maxReplicas = 100;
const dayMs = 86_400_000;

/** Saves or renews a sign of life, as of `at` (epoch ms). */
export const saveSignOfLife = (tx: Tx, sign: SignOfLife, at: number): Promise<void> =>
  writeKv(tx, { key: `${prefix}${sign.owner}`, value: JSON.stringify(sign), at });

/** The signs of life since `since` (epoch ms), in the order of their owners; 100 at most. */
export async function signsOfLife(db: ReadHandle, since: number): Promise<readonly SignOfLife[]> {
  const rows = await db
    .selectFrom('kv')
    .select('value')
    .where('key', 'like', `${prefix}%`)
    .where('at', '>=', since)
    .orderBy('key')
    .limit(maxReplicas)
    .execute();
  return rows.map(({ value }) => parseStored<SignOfLife>(value));
}

/** Removes the sign of life of a process that stops. */
export async function removeSignOfLife(tx: Tx, owner: string): Promise<void> {
  await tx.deleteFrom('kv').where('key', '=', `${prefix}${owner}`).execute();
}

/**
 * Removes those older than `before` (epoch ms): their processes were killed. Also those more than a day later, which are
 * left from a wrong clock.
 */
export async function sweepSignsOfLife(tx: Tx, before: number): Promise<void> {
  await tx
    .deleteFrom('kv')
    .where('key', 'like', `${prefix}%`)
    .where((is) => is.or([is('at', '<', before), is('at', '>', before + dayMs)]))
    .execute();
}
