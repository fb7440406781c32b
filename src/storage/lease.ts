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

/** Which rows go first, in SQL that may call the table by its name. */
export type Order = {
  /** Rows with a lower number go before all others. */
  readonly rank?: RawBuilder<unknown>;
  /** Whose a row is: everybody's first one goes before anybody's second, and among those whoever has least that is due. */
  readonly whose: RawBuilder<unknown>;
  /** Which of one's own goes first. */
  readonly own?: RawBuilder<unknown>;
};

/**
 * Gives the caller up to `limit` rows that are due, that nobody works on (or whose worker's lease ran out), and that
 * fulfil `also`, which may call the table by its name; in this order, and then the longest overdue first. Of two claims at
 * once each row goes to one.
 */
export async function claim<Row extends Leased>(
  tx: Tx,
  table: keyof typeof ids,
  { owner, now, leaseMs, limit }: Claim,
  { rank = sql`0`, whose, own = sql`0` }: Order,
  also: RawBuilder<unknown> = sql`true`,
): Promise<Row[]> {
  const [rows, id] = [sql.table(table), sql.ref(ids[table])];
  const isFree = sql`due_at <= ${now} and (owner is null or lease_until <= ${now})`;
  const due = await sql<{ readonly id: number }>`
    with due as (
      select ${id} as id, ${rank} as rank, row_number() over (partition by ${whose} order by ${rank}, ${own}, due_at, ${id}) as turn,
        count(*) over (partition by ${whose}) as crowd
      from ${rows} where ${isFree} and ${also}
    )
    select due.id from due join ${rows} on ${sql.ref(`${table}.${ids[table]}`)} = due.id where ${isFree}
    order by rank, turn, crowd, due_at, due.id limit ${limit} ${keepFree(tx, table)}`.execute(tx);
  const order = due.rows.map((row) => row.id);
  if (order.length === 0) return [];
  const claimed = await sql<Row>`
    update ${rows} set owner = ${owner}, lease_until = ${now + leaseMs}
    where ${id} in (${sql.join(order)}) returning *`.execute(tx);
  return claimed.rows.toSorted((one, other) => order.indexOf(idOf(one)) - order.indexOf(idOf(other)));
}

const idOf = (row: Leased): number => ('number' in row ? row.number : row.id);

/** Ends every lease: only where no other process can be at work. What was being sent is due at once, to be called unknown. */
export async function releaseAll(tx: Tx, now: number): Promise<void> {
  for (const table of ['changes', 'messages', 'timers'] as const) {
    await sql`update ${sql.table(table)} set owner = null, lease_until = null, due_at = ${now} where owner is not null`.execute(
      tx,
    );
  }
  await tx.updateTable('inbox').set({ lease_until: 0 }).where('closed_at', 'is', null).execute();
}
