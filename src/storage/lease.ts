import { sql, type RawBuilder } from 'kysely';
import { keepFree } from './differences.ts';
import type { Tx } from './tx.ts';

/** Who takes work, until when it is theirs (`now` + `leaseMs`, epoch ms), and how many rows at most. */
export type Claim = {
  readonly owner: string;
  readonly now: number;
  readonly leaseMs: number;
  readonly limit: number;
};

/** Columns that give a row back to whoever comes next. */
export const unowned = { owner: null, lease_until: null } as const;

/** The tables whose rows are worked on, and what counts their rows. */
const ids = { changes: 'number', messages: 'id', timers: 'id' } as const;

type Leased = { readonly due_at: number | null } & ({ readonly number: number } | { readonly id: number });

/**
 * Gives the caller up to `limit` rows that are due, that nobody works on (or whose worker's lease ran out), and that
 * fulfil `also`, which may call the table by its name: longest overdue first. Of two claims at once each row goes to one.
 */
export async function claim<Row extends Leased>(
  tx: Tx,
  table: keyof typeof ids,
  { owner, now, leaseMs, limit }: Claim,
  also: RawBuilder<unknown> = sql`true`,
): Promise<Row[]> {
  const [rows, id] = [sql.table(table), sql.ref(ids[table])];
  // Materialised, because a planner may otherwise run the inner select once a row, and take more than the limit.
  const claimed = await sql<Row>`
    with due as materialized (
      select ${id} from ${rows}
      where due_at <= ${now} and (owner is null or lease_until <= ${now}) and ${also}
      order by due_at, ${id} limit ${limit} ${keepFree(tx)}
    )
    update ${rows} set owner = ${owner}, lease_until = ${now + leaseMs}
    where ${id} in (select ${id} from due) returning *`.execute(tx);
  return claimed.rows.toSorted((one, other) => (one.due_at ?? 0) - (other.due_at ?? 0) || count(one) - count(other));
}

const count = (row: Leased): number => ('number' in row ? row.number : row.id);

/** Ends every lease: only where no other process can be at work. What was being sent is due at once, to be called unknown. */
export async function releaseAll(tx: Tx, now: number): Promise<void> {
  for (const table of ['changes', 'messages', 'timers'] as const) {
    await sql`update ${sql.table(table)} set owner = null, lease_until = null, due_at = ${now} where owner is not null`.execute(
      tx,
    );
  }
  await tx.updateTable('inbox').set({ lease_until: 0 }).where('closed_at', 'is', null).execute();
}
