import type { Database } from '../storage/database.ts';
import { exclusiveTransaction } from '../storage/transactions.ts';
import { readKv, removeKv, writeKv } from '../storage/kv.ts';
import { releaseOwned } from '../storage/lease.ts';
import {
  removeSignOfLife,
  saveSignOfLife,
  signsOfLife,
  sweepSignsOfLife,
  type LiveReplica,
  type SignOfLife,
} from '../storage/replicas.ts';
import { code, joined, say, type Text } from '../words/text.ts';
import { enqueueOps } from './ops-channel-health.ts';

/** The processes that share one PostgreSQL database: how many there are, and whether they use the same rules. */
export type Replicas = {
  /** How many are live as of the last look, this one included: never 0. */
  readonly count: () => number;
  /** Whether live replicas have gone by different rules for longer than a new file takes to reach all machines. */
  readonly rulesDiffer: () => boolean;
  /** Renews this replica's sign of life, reads the others', and tells the ops channel if their rules differ. */
  readonly look: () => Promise<void>;
  /** Called at a stop: releases unstarted work and removes this replica's sign of life. */
  readonly leave: () => Promise<void>;
};

/** How often a replica renews its sign of life and looks for the others. */
export const lookEveryMs = 5_000;
/** A replica that was not seen for this long counts as dead. */
const liveMs = 30_000;
/**
 * From then on no approval counts, and the ops channel is told: a new policy file reaches the machines one after
 * another.
 */
const holdMs = 30_000;
const tellMs = 60_000;
/** The key that exists while the ops channel has been told that the rules differ. */
const differKey = 'policies_differ';
const maxNames = 5;

/**
 * On SQLite there is one process, and nothing is read. Counts 1 until the first look. `onUnreadable` is called at each
 * look with the owners of live replicas whose sign of life cannot be read.
 */
export function createReplicas(
  database: Database,
  sign: () => SignOfLife,
  onUnreadable: (owners: readonly string[]) => void,
): Replicas {
  let count = 1;
  let differSince: number | undefined;
  let isHeld = false;
  const leave = (): Promise<void> =>
    database.transaction(async (tx) => {
      await releaseOwned(tx, sign().owner, await database.now(tx));
      await removeSignOfLife(tx, sign().owner);
    });
  if (database.kind === 'sqlite') return { count: () => 1, rulesDiffer: () => false, look: async () => {}, leave };
  const look = async (): Promise<void> => {
    const { signs, now, isTold } = await database.transactionWithoutFsync(async (tx) => {
      const now = await database.now(tx);
      await saveSignOfLife(tx, sign(), now);
      await sweepSignsOfLife(tx, now - liveMs);
      return { now, signs: await signsOfLife(tx, now - liveMs), isTold: (await readKv(tx, differKey)) !== undefined };
    });
    count = Math.max(1, signs.length);
    const unreadable = signs.filter(isUnreadable);
    if (unreadable.length > 0) onUnreadable(unreadable.map(({ owner }) => owner));
    differSince = policiesOf(signs).size > 1 ? (differSince ?? now) : undefined;
    const forMs = differSince === undefined ? -1 : now - differSince;
    // A replica that has just started believes those that have told the ops channel.
    isHeld = forMs >= holdMs || (forMs >= 0 && isTold);
    // Unreadable replicas may use other rules.
    const areSame = differSince === undefined && unreadable.length === 0;
    if (isTold ? areSame : forMs >= tellMs) await tellOfRules(database, signs);
  };
  return { count: () => count, rulesDiffer: () => isHeld, look, leave };
}

/** The live replicas, in the order of their owners. */
export const liveReplicas = async ({ db, now }: Pick<Database, 'db' | 'now'>): Promise<readonly LiveReplica[]> =>
  signsOfLife(db, (await now()) - liveMs);

/** How many replicas are live, and how they differ. */
export function liveInWords(signs: readonly LiveReplica[]): { readonly says: Text; readonly isSame: boolean } {
  const policies = policiesInWords(signs);
  const versions = inWords(
    groupsBy(signs, ({ version }) => version),
    (version) => say`version ${version}`,
  );
  const differ = [policies, versions].filter((one) => one !== undefined);
  const unreadable = signs.filter(isUnreadable).length;
  const says = say`${signs.length} live${unreadable === 0 ? '' : `, ${unreadable} of them unknown: I can't read what they say about themselves`}`;
  if (differ.length > 0) return { says: say`${says}, but they differ: ${joined(differ, '; ')}`, isSame: false };
  if (unreadable > 0) return { says, isSame: false };
  return { says: signs.length < 2 ? says : say`${says}, with the same rules and version`, isSame: true };
}

/** Which replicas use which rules; undefined if all use the same. */
const policiesInWords = (signs: readonly LiveReplica[]): Text | undefined =>
  inWords(policiesOf(signs), (hash) => say`rules ${code(hash.slice(0, 8))}`);

const policiesOf = (signs: readonly LiveReplica[]): Groups => groupsBy(signs, ({ policy }) => policy);

type Groups = ReadonlyMap<string, readonly LiveReplica[]>;

/** Drops replicas with an unknown value. */
function groupsBy(signs: readonly LiveReplica[], of: (sign: LiveReplica) => string | undefined): Groups {
  const groups = [...Map.groupBy(signs, of)];
  return new Map(groups.flatMap(([what, those]) => (what === undefined ? [] : [[what, those] as const])));
}

const isUnreadable = ({ version }: LiveReplica): boolean => version === undefined;

/** Which replicas have which value; undefined if all have the same. */
function inWords(groups: Groups, what: (of: string) => Text): Text | undefined {
  if (groups.size < 2) return undefined;
  const lines = [...groups].map(([of, signs]) => {
    const more = signs.length > maxNames ? ` and ${signs.length - maxNames} more` : '';
    const names = signs.slice(0, maxNames).map(({ name }) => code(name));
    return say`${joined(names, ', ')}${more}: ${what(of)}`;
  });
  return joined(lines, '; ');
}

/** Tells the ops channel once that the rules differ, and once that they are the same again. */
const tellOfRules = (database: Database, signs: readonly LiveReplica[]): Promise<void> =>
  exclusiveTransaction(database, async (tx, at) => {
    const policies = policiesInWords(signs);
    const isTold = (await readKv(tx, differKey)) !== undefined;
    // Another replica has told the channel already.
    if (isTold === (policies !== undefined)) return;
    if (policies) await writeKv(tx, { key: differKey, value: '', at });
    else await removeKv(tx, differKey);
    const says = policies
      ? say`⚠️ **My replicas use different rules.** ${policies}. Until that is over, I count no approvals and send nothing that needs one; which rules apply to the rest depends on the replica that happens to answer. Please put the same policy file on every machine.`
      : say`All replicas use the same rules again (${signs.length} live), so approvals count again.`;
    await enqueueOps(tx, `policies:${at}`, says, at);
  });
