/** Runs one or several statements on a PostgreSQL. */
type Run = (statement: string) => Promise<unknown>;

const tables = ['changes', 'audit', 'messages', 'votes', 'locks', 'shared_locks', 'waiting', 'timers'];

/** Remembers all tables of a PostgreSQL. The returned function restores them, as a backup would. */
export async function remember(run: Run): Promise<() => Promise<void>> {
  for (const table of tables) await run(`create table kept_${table} as select * from ${table}`);
  return async () => {
    const statements = tables.map(
      (table) => `delete from ${table}; insert into ${table} overriding system value select * from kept_${table};`,
    );
    // In one transaction, after any current writer.
    await run(`begin; select pg_advisory_xact_lock(7401001); set local session_replication_role = replica;
      ${statements.join('\n')} commit`);
  };
}
