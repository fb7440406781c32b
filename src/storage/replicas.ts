import { z } from 'zod';
import { attempt } from '../base/errors.ts';
import { removeKv, writeKv } from './kv.ts';
import type { ReadHandle, Tx } from './schema.ts';
import { dayMs } from '../words/duration.ts';

/** What a running process says about itself. */
export type SignOfLife = {
  /** The owner of its leases. */
  readonly owner: string;
  /** Its machine and process id, for people. */
  readonly name: string;
  readonly version: string;
  /** The hash of the policy it uses. */
  readonly policy: string;
};

/** A live process. Its version and policy are undefined if its sign of life can't be read. */
export type LiveReplica = Pick<SignOfLife, 'owner' | 'name'> & {
  readonly [K in 'version' | 'policy']: SignOfLife[K] | undefined;
};

const prefix = 'replica:';
/** How many are read: far more than one Slack app can serve. */
const maxReplicas = 100;

/** Saves or renews a sign of life, as of `at` (epoch ms). */
export const saveSignOfLife = (tx: Tx, sign: SignOfLife, at: number): Promise<void> =>
  writeKv(tx, { key: `${prefix}${sign.owner}`, value: JSON.stringify(sign), at });

/** The replicas with a sign of life since `since` (epoch ms), in the order of their owners; 100 at most. */
export async function signsOfLife(db: ReadHandle, since: number): Promise<readonly LiveReplica[]> {
  const rows = await db
    .selectFrom('kv')
    .select(['key', 'value'])
    .where('key', 'like', `${prefix}%`)
    .where('at', '>=', since)
    .orderBy('key')
    .limit(maxReplicas)
    .execute();
  return rows.map(({ key, value }) => readSign(key.slice(prefix.length), value));
}

const signShape = z.object({ name: z.string(), version: z.string(), policy: z.string() });

/** Another version, or a person, may have written what this version can't read. */
function readSign(owner: string, value: string): LiveReplica {
  const said = attempt(() => signShape.parse(JSON.parse(value)));
  return { owner, ...(said ?? { name: owner, version: undefined, policy: undefined }) };
}

/** Removes the sign of life of a process that stops. */
export const removeSignOfLife = (tx: Tx, owner: string): Promise<boolean> => removeKv(tx, `${prefix}${owner}`);

/**
 * Removes signs of life older than `before` (epoch ms): their processes were killed. Also removes those more than a day
 * later, which a wrong clock left behind.
 */
export async function sweepSignsOfLife(tx: Tx, before: number): Promise<void> {
  await tx
    .deleteFrom('kv')
    .where('key', 'like', `${prefix}%`)
    .where((is) => is.or([is('at', '<', before), is('at', '>', before + dayMs)]))
    .execute();
}
