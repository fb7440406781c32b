import { sql, type RawBuilder } from 'kysely';
import { forUpdateSkipLocked, listed } from './sql-dialect.ts';
import type { Tx } from './tx.ts';

/** Who takes work, until when it is theirs (`now` + `leaseMs`, epoch ms), and how many rows at most. */
export type Claim = {
  readonly owner: string;
  readonly now: number;
  readonly leaseMs: number;
  readonly limit: number;
};

/** Every id of the person behind one; the first stands for all of them. */
export type IdsOf = (id: string) => readonly string[];
export const onlyThat: IdsOf = (id) => [id];
export const personBy = (idsOf: IdsOf, id: string): string => idsOf(id)[0] ?? id;

/** Columns that give a row back to whoever comes next. */
export const unowned = { owner: null, lease_until: null } as const;

/** The tables whose rows are worked on, and what counts their rows. */
const ids = { changes: 'number', messages: 'id', timers: 'id' } as const;

type Leased = { readonly due_at: number | null } & ({ readonly number: number } | { readonly id: number });

/** Whose turn it is among the rows that are due, longest overdue first. */
export type Turns<Row> = {
  /** Columns that these look at, beside the id. */
  readonly columns: readonly string[];
  /** Everybody's first row goes before anybody's second. */
  readonly whose: (row: Row) => string;
  /** Goes before all that is not. */
  readonly isFirst?: (row: Row) => boolean;
  /** Which of one's own goes first; where it does not tell, the longest overdue. */
  readonly own?: (one: Row, other: Row) => number;
  /** When somebody had their last turn: of two whose turns are the same, whoever waits longer goes first. */
  readonly served?: ReadonlyMap<string, number>;
  /** How much of somebody's is worked on already; it counts as turns that they have had. */
  readonly underWay?: ReadonlyMap<string, number>;
  /** So much of one and the same at most. */
  readonly maxEach?: number;
};

/** The longest overdue rows among which turns are given: a claim costs the same however much is due. */
const seen = 24;

/**
 * Gives the caller up to `limit` rows that are due, that nobody works on (or whose worker's lease ran out), and that
 * fulfil one of the conditions, no row two of them, in the order of their turns. A condition may call the table by its
 * name; of each the longest overdue are looked at. Of two claims at once each row goes to one.
 */
export async function claim<Row extends Leased>(
  tx: Tx,
  table: keyof typeof ids,
  { owner, now, leaseMs, limit }: Claim,
  order: Turns<Row>,
  conditions: readonly RawBuilder<unknown>[] = [sql`true`],
): Promise<Row[]> {
  const [rows, id] = [sql.table(table), sql.ref(`${table}.${ids[table]}`)];
  const columns = sql.join([ids[table], ...order.columns].map((name) => sql.ref(name)));
  const isFree = sql`due_at <= ${now} and (owner is null or lease_until <= ${now})`;
  const due = conditions.map(
    (condition) => sql`select * from (
      select ${columns} from ${rows} where ${isFree} and ${condition}
      order by due_at, ${id} limit ${Math.max(seen, limit)}
    ) as longest`,
  );
  const found = await sql<Row>`${sql.join(due, sql` union all `)}`.execute(tx);
  const turns = inTurn(found.rows, order).map(idOf);
  if (turns.length === 0 || limit <= 0) return [];
  // Another claim may be at the same rows: the next ones are taken then. Materialised, because a planner may otherwise
  // run the inner select once a row, and take more than the limit.
  const claimed = await sql<Row>`
    with free as materialized (
      select ${id} from ${rows} join ${listed(tx, turns)} as turns on turns.value = ${id} where ${isFree}
      order by turns.at limit ${limit} ${forUpdateSkipLocked(tx, table)}
    )
    update ${rows} set owner = ${owner}, lease_until = ${now + leaseMs}
    where ${id} in (select ${sql.ref(`free.${ids[table]}`)} from free) returning *`.execute(tx);
  return claimed.rows.toSorted((one, other) => turns.indexOf(idOf(one)) - turns.indexOf(idOf(other)));
}

/** What of each one's is worked on already, how much of one person's may be at most, and who is one person. */
export type Shares = {
  readonly underWay?: ReadonlyMap<string, number>;
  readonly maxEach?: number;
  readonly idsOf?: IdsOf;
};

/** What `claim` wants for shares of those whose id stands in this column: turns, and conditions. */
export function inShares(
  column: string,
  { underWay: ofEach = new Map(), maxEach = Infinity, idsOf = onlyThat }: Shares,
): Pick<Turns<never>, 'underWay' | 'maxEach'> & { readonly conditions: readonly RawBuilder<unknown>[] } {
  const underWay = new Map<string, number>();
  for (const [id, count] of ofEach) {
    const person = personBy(idsOf, id);
    underWay.set(person, (underWay.get(person) ?? 0) + count);
  }
  // The longest overdue may all be of those who have much already: whoever has nothing under way is looked for apart.
  const busy = [...underWay.keys()];
  const id = sql.ref(column);
  const idle = busy.length === 0 ? sql`true` : sql`${id} not in (${sql.join(busy.flatMap(idsOf))})`;
  const hungry = busy.filter((person) => (underWay.get(person) ?? 0) < maxEach).flatMap(idsOf);
  return { underWay, maxEach, conditions: [idle, ...hungry.map((one) => sql`${id} = ${one}`)] };
}

const idOf = (row: Leased): number => ('number' in row ? row.number : row.id);

/** A row, which turn it is of whom it belongs to, when they had their last one, and how much they have here. */
type Turn<Row> = { readonly row: Row; readonly turn: number; readonly last: number; readonly crowd: number };

/**
 * The rows by turns: what is first, then everybody's first row, then everybody's second. At the same turn whoever has
 * waited longest for one goes first, then whoever has least, and then the longest overdue, in whose order the rows come.
 */
export function inTurn<Row>(
  rows: readonly Row[],
  { whose, isFirst = () => false, own = () => 0, served, underWay, maxEach = Infinity }: Omit<Turns<Row>, 'columns'>,
): readonly Row[] {
  const firstOnes = (one: Row, other: Row): number => Number(isFirst(other)) - Number(isFirst(one));
  const turns = [...Map.groupBy(rows, whose)].flatMap(([who, theirs]): Turn<Row>[] => {
    const [had, last, crowd] = [underWay?.get(who) ?? 0, served?.get(who) ?? 0, theirs.length];
    const ordered = theirs.toSorted((one, other) => firstOnes(one, other) || own(one, other));
    return ordered.slice(0, Math.max(0, maxEach - had)).map((row, at) => ({ row, turn: had + at, last, crowd }));
  });
  const byTurn = (one: Turn<Row>, other: Turn<Row>): number =>
    firstOnes(one.row, other.row) || one.turn - other.turn || one.last - other.last || one.crowd - other.crowd;
  return turns.toSorted(byTurn).map(({ row }) => row);
}

/** Ends every lease: only where no other process can be at work. What was being sent is due at once, to be called unknown. */
export async function releaseAll(tx: Tx, now: number): Promise<void> {
  for (const table of ['changes', 'messages', 'timers'] as const) {
    await sql`update ${sql.table(table)} set owner = null, lease_until = null, due_at = ${now} where owner is not null`.execute(
      tx,
    );
  }
  await tx.updateTable('inbox').set({ lease_until: 0 }).where('closed_at', 'is', null).execute();
}
