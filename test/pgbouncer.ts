import { delimiter, join } from 'node:path';
import { includes, partNote } from './parts.ts';
import { canRun, startServer } from './postgres-server.ts';

const program = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin']
  .map((folder) => join(folder, 'pgbouncer'))
  .find(canRun);

/** Whether tests through PgBouncer run. */
export const pgbouncerRuns = includes('pgbouncer');

/** Appended to their names; empty if they run. */
export const noPgbouncer = partNote('pgbouncer', 'through PgBouncer');

/**
 * Starts PgBouncer in transaction mode before the server of this database, with at most `size` connections to it.
 * `url`: the same database through it.
 */
export async function startPgbouncer(
  database: URL,
  size: number,
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  if (program === undefined) throw new Error('no PgBouncer is installed');
  const server = database.searchParams.get('host') ?? '';
  const { folder, stop } = await startServer('pgbouncer', pgbouncer, [program, server, String(size)], 'process up');
  const url = new URL(database);
  url.searchParams.set('host', folder);
  url.port = '6432';
  return { url: url.href, stop };
}

const pgbouncer = {
  prepare: `
  printf '"sitehand" ""\\n' > "$folder/users"
  printf '%s\\n' '[databases]' "* = host=$3" '[pgbouncer]' 'pool_mode = transaction' "default_pool_size = $4" \\
    "unix_socket_dir = $folder" 'listen_port = 6432' 'auth_type = trust' "auth_file = $folder/users" \\
    > "$folder/pgbouncer.ini"`,
  run: '"$2" "$folder/pgbouncer.ini"',
};
