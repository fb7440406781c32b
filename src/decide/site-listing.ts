import type { Database } from '../storage/database.ts';
import { readKv, writeKv } from '../storage/kv.ts';

/**
 * Whether the host has ever listed its sites. Stored, because during host trouble after a restart, a 404 must not mean
 * that the host has no such list.
 */
const key = 'lists_sites';

export const listsSites = async ({ db }: Pick<Database, 'db'>): Promise<boolean> =>
  (await readKv(db, key)) !== undefined;

/** Stores this for the next start. If that fails, the next start asks the host. */
export function noteListsSites(database: Database, onTrouble: (what: string, error: unknown) => void): void {
  database
    .transaction(async (tx) => writeKv(tx, { key, value: 'yes', at: await database.now(tx) }))
    .catch((error: unknown) => onTrouble('noting that the host lists its sites', error));
}
