import type { Database } from '../../storage/database.ts';
import { readSetting, writeSetting } from '../../storage/kv.ts';

/**
 * Whether the host has ever listed its sites. Kept in the database, because a restart while the host is in trouble must
 * not take a 404 in place of that list for a host that has none.
 */
const key = 'lists_sites';

export const listsSites = async ({ db }: Database): Promise<boolean> => (await readSetting(db, key)) !== undefined;

/** Notes it for the next start; where that fails, the next start asks the host. */
export function noteListsSites(database: Database, onTrouble: (what: string, error: unknown) => void): void {
  database
    .transaction(async (tx) => writeSetting(tx, { key, value: 'yes', at: await database.now(tx) }))
    .catch((error: unknown) => onTrouble('noting that the host lists its sites', error));
}
