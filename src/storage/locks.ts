import { sql, type RawBuilder, type Selectable } from 'kysely';
import { acquireGlobalLock } from './sql-dialect.ts';
import type { LockTable } from './schema.ts';
import type { ReadHandle, Tx } from './tx.ts';

/** One row of `locks`, held by a change or a person. */
export type Lock = Selectable<LockTable>;

/** Who takes a lock, why, and until when (epoch ms; left out: until freed). */
export type Holder = ({ readonly change: number } | { readonly person: string }) & {
  readonly reason: string;
  readonly until?: number;
};

const inForce = (now: number): RawBuilder<boolean> => sql<boolean>`(until is null or until > ${now})`;

/**
 * Locks all targets or none. Resolves with a conflicting lock of somebody else, or undefined if it took them. Expired
 * locks count as free; locks that the holder already has get the new reason and end.
 */
export async function takeLocks(
  tx: Tx,
  targets: readonly string[],
  holder: Holder,
  now: number,
): Promise<Lock | undefined> {
  if (targets.length === 0) return undefined;
  await acquireGlobalLock(tx);
  const change = 'change' in holder ? holder.change : null;
  const person = 'person' in holder ? holder.person : null;
  const held = await tx
    .selectFrom('locks')
    .selectAll()
    .where('target', 'in', targets)
    .where(inForce(now))
    .where(
      change === null
        ? sql<boolean>`person is distinct from ${person}`
        : sql<boolean>`change is distinct from ${change}`,
    )
    .orderBy('target')
    .limit(1)
    .executeTakeFirst();
  if (held !== undefined) return held;
  const terms = { change, person, reason: holder.reason, until: holder.until ?? null };
  const rows = [...new Set(targets)].map((target) => ({ target, ...terms, taken_at: now }));
  await tx
    .insertInto('locks')
    .values(rows)
    .onConflict((on) => on.column('target').doUpdateSet(terms))
    .execute();
  return undefined;
}

/** The lock in force on a target, or undefined. */
export function heldLock(db: ReadHandle, target: string, now: number): Promise<Lock | undefined> {
  return db.selectFrom('locks').selectAll().where('target', '=', target).where(inForce(now)).executeTakeFirst();
}

/** Sets the end of all locks of a change (epoch ms; null: until freed). */
export async function limitLocks(tx: Tx, change: number, until: number | null): Promise<void> {
  await tx.updateTable('locks').set({ until }).where('change', '=', change).execute();
}

/** Frees all locks of a change; resolves with them. */
export function freeLocks(tx: Tx, change: number): Promise<Lock[]> {
  return tx.deleteFrom('locks').where('change', '=', change).returningAll().execute();
}

/** The locks of a change, in force or expired. */
export function locksOf(db: ReadHandle, change: number): Promise<Lock[]> {
  return db.selectFrom('locks').selectAll().where('change', '=', change).orderBy('target').execute();
}

/** Frees this one lock of a change. */
export async function freeLock(tx: Tx, { target, change }: Lock): Promise<void> {
  await tx.deleteFrom('locks').where('target', '=', target).where('change', '=', change).execute();
}

/** Frees the lock that a person holds on a target; undefined if there is none or a change holds it. */
export function unlock(tx: Tx, target: string): Promise<Lock | undefined> {
  return tx
    .deleteFrom('locks')
    .where('target', '=', target)
    .where('person', 'is not', null)
    .returningAll()
    .executeTakeFirst();
}

export async function sweepLocks(tx: Tx, now: number): Promise<void> {
  await tx.deleteFrom('locks').where('until', '<=', now).execute();
}
