import { sql, type RawBuilder, type Selectable } from 'kysely';
import { acquireGlobalLock } from './sql-dialect.ts';
import type { LockTable, ReadHandle, Tx } from './schema.ts';

/**
 * A lock on a target. An exclusive one is held by a change or a person and keeps all other changes away. Shared ones
 * are held by changes that read the target; they coexist, and keep exclusive ones away.
 */
export type Lock = Selectable<LockTable>;

/** Who takes an exclusive lock, why, and until when (epoch ms; left out: until freed). */
export type Holder = ({ readonly change: number } | { readonly person: string }) & {
  readonly reason: string;
  readonly until?: number;
};

/** SQL that works for both tables. */
const inForce = (now: number): RawBuilder<boolean> => sql<boolean>`(until is null or until > ${now})`;
const isOf = ({ change, person }: Pick<Lock, 'change' | 'person'>, holder: Pick<Lock, 'change' | 'person'>): boolean =>
  change === null ? person === holder.person : change === holder.change;

/**
 * Takes an exclusive lock on all targets or none. Resolves with a lock of somebody else that is in the way, or undefined
 * if it took them. Expired locks count as free; locks that the holder already has get the new reason and end.
 */
export async function takeLocks(
  tx: Tx,
  targets: readonly string[],
  holder: Holder,
  now: number,
): Promise<Lock | undefined> {
  const terms = {
    change: 'change' in holder ? holder.change : null,
    person: 'person' in holder ? holder.person : null,
    reason: holder.reason,
    until: holder.until ?? null,
  };
  const wanted = [...new Set(targets)].toSorted();
  if (wanted.length === 0) return undefined;
  await acquireGlobalLock(tx);
  const held = (await locksOn(tx, wanted, now)).find((lock) => !isOf(lock, terms));
  if (held !== undefined) return held;
  // Delete expired rows, or the new lock would keep their age.
  await tx.deleteFrom('locks').where('target', 'in', wanted).where('until', '<=', now).execute();
  await tx
    .insertInto('locks')
    .values(wanted.map((target) => ({ target, ...terms, taken_at: now })))
    .onConflict((on) => on.column('target').doUpdateSet(terms))
    .execute();
  return undefined;
}

/**
 * Takes a shared lock on all targets or none, for a change, until it is freed. Resolves with an exclusive lock of
 * somebody else, or undefined if it took them.
 */
export async function shareLocks(
  tx: Tx,
  targets: readonly string[],
  change: number,
  now: number,
): Promise<Lock | undefined> {
  const wanted = [...new Set(targets)].toSorted();
  if (wanted.length === 0) return undefined;
  await acquireGlobalLock(tx);
  for (const target of wanted) {
    const held = await exclusiveLock(tx, target, now);
    if (held !== undefined && held.change !== change) return held;
  }
  await tx
    .insertInto('shared_locks')
    .values(wanted.map((target) => ({ target, change, taken_at: now, until: null })))
    .onConflict((on) => on.columns(['target', 'change']).doUpdateSet({ until: null }))
    .execute();
  return undefined;
}

/** The exclusive lock in force on a target, or undefined. */
export function exclusiveLock(db: ReadHandle, target: string, now: number): Promise<Lock | undefined> {
  return db.selectFrom('locks').selectAll().where('target', '=', target).where(inForce(now)).executeTakeFirst();
}

/** All locks in force on these targets: the exclusive ones, then the shared ones by the number of their change. */
export async function locksOn(db: ReadHandle, targets: readonly string[], now: number): Promise<Lock[]> {
  if (targets.length === 0) return [];
  const exclusive = db.selectFrom('locks').selectAll().where('target', 'in', targets).where(inForce(now));
  const shared = db.selectFrom('shared_locks').selectAll().where('target', 'in', targets).where(inForce(now));
  const rows = [await exclusive.orderBy('target').execute(), await shared.orderBy('change').execute()] as const;
  return [...rows[0], ...rows[1].map(asLock)];
}

/** The first lock in force on a target, or undefined. */
export const heldLock = async (db: ReadHandle, target: string, now: number): Promise<Lock | undefined> =>
  (await locksOn(db, [target], now))[0];

const asLock = (row: Pick<Lock, 'target' | 'taken_at' | 'until'> & { readonly change: number }): Lock => ({
  ...row,
  person: null,
  reason: `#${row.change}`,
});

/** Sets the end of all locks of a change (epoch ms). */
export async function limitLocks(tx: Tx, change: number, until: number): Promise<void> {
  await tx.updateTable('locks').set({ until }).where('change', '=', change).execute();
  await limitShared(tx, change, until);
}

/** Sets the end of the shared locks of a change (epoch ms). */
export async function limitShared(tx: Tx, change: number, until: number): Promise<void> {
  await tx.updateTable('shared_locks').set({ until }).where('change', '=', change).execute();
}

/** Extends the shared locks of a change that are still in force, until they are freed. */
export async function extendShared(tx: Tx, change: number, now: number): Promise<void> {
  const rows = tx.updateTable('shared_locks').set({ until: null }).where('change', '=', change);
  await rows.where(inForce(now)).execute();
}

/** Frees all locks of a change; resolves with them. */
export async function freeLocks(tx: Tx, change: number): Promise<Lock[]> {
  const exclusive = await tx.deleteFrom('locks').where('change', '=', change).returningAll().execute();
  const shared = await tx.deleteFrom('shared_locks').where('change', '=', change).returningAll().execute();
  return [...exclusive, ...shared.map(asLock)];
}

/** The locks of a change that are in force, exclusive ones first. */
export async function locksOf(db: ReadHandle, change: number, now: number): Promise<Lock[]> {
  const exclusive = db.selectFrom('locks').selectAll().where('change', '=', change).where(inForce(now));
  const shared = db.selectFrom('shared_locks').selectAll().where('change', '=', change).where(inForce(now));
  const rows = [await exclusive.orderBy('target').execute(), await shared.orderBy('target').execute()] as const;
  return [...rows[0], ...rows[1].map(asLock)];
}

/** Frees one lock of a change. */
export async function freeLock(tx: Tx, { target, change }: Pick<Lock, 'target' | 'change'>): Promise<void> {
  await tx.deleteFrom('locks').where('target', '=', target).where('change', '=', change).execute();
  await tx.deleteFrom('shared_locks').where('target', '=', target).where('change', '=', change).execute();
}

/** Frees the locks that people hold on these targets; resolves with them. Those of changes stay. */
export async function deletePersonLocks(tx: Tx, targets: readonly string[]): Promise<Lock[]> {
  if (targets.length === 0) return [];
  return tx.deleteFrom('locks').where('target', 'in', targets).where('person', 'is not', null).returningAll().execute();
}

export async function sweepLocks(tx: Tx, now: number): Promise<void> {
  await tx.deleteFrom('locks').where('until', '<=', now).execute();
  await tx.deleteFrom('shared_locks').where('until', '<=', now).execute();
}
