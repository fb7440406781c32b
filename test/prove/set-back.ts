/** What runs a statement on a PostgreSQL, or several at once. */
type Run = (statement: string) => Promise<unknown>;

const tables = ['changes', 'audit', 'messages', 'votes', 'locks', 'timers'];

/** Remembers all tables of a PostgreSQL as they are; what it resolves with sets them back to that, as a restored backup does. */
export async function remember(run: Run): Promise<() => Promise<void>> {
  for (const table of tables) await run(`create table kept_${table} as select * from ${table}`);
  return async () => {
    const statements = tables.map(
      (table) => `delete from ${table}; insert into ${table} overriding system value select * from kept_${table};`,
    );
    // In one transaction, behind whoever is just writing.
    await run(`begin; select pg_advisory_xact_lock(7401001); set local session_replication_role = replica;
      ${statements.join('\n')} commit`);
  };
}
