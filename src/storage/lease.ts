import { sql, type RawBuilder } from 'kysely';
import { forUpdateSkipLocked, numberRows } from './sql-dialect.ts';
import type { Database } from './database.ts';
import type { ReadHandle, Tx } from './schema.ts';

/** A request for up to `limit` rows, leased to `owner` until `now` + `leaseMs` (epoch ms). */
export type Claim = {
  readonly owner: string;
  readonly now: number;
  readonly leaseMs: number;
  readonly limit: number;
};

/** All ids of the person with this id; the first one represents the person. */
export type IdsOf = (id: string) => readonly string[];
export const sameId: IdsOf = (id) => [id];
export const personKey = (idsOf: IdsOf, id: string): string => idsOf(id)[0] ?? id;

/** Column values that end a lease. */
export const unowned = { owner: null, lease_until: null } as const;

/** The tables with leases, and their id columns. */
const idColumns = { changes: 'number', messages: 'id', timers: 'id', waiting: 'id' } as const;

type Leased = { readonly number: number } | { readonly id: number };

/** The order in which due rows are claimed. */
export type Turns<Row> = {
  /** The columns that the functions below read, without the id. */
  readonly columns: readonly string[];
  /** The person a row belongs to: everybody's first row goes before anybody's second. */
  readonly whose: (row: Row) => string;
  /** These rows go before all others. */
  readonly isFirst?: (row: Row) => boolean;
  /** Orders the rows of one person; equal ones by how long they are overdue. */
  readonly own?: (one: Row, other: Row) => number;
  /** When each person had their last turn (epoch ms): within a turn, people who waited longer go first. */
  readonly served?: ReadonlyMap<string, number>;
  /** How many rows of each person are leased already; they count as turns. */
  readonly underWay?: ReadonlyMap<string, number>;
  /** How many rows of one person may be leased at the same time. */
  readonly maxEach?: number;
};

/** Which rows a claim may get: those that meet `condition`. Each group has its own candidates, so none hides another. */
type Candidates = {
  readonly condition?: RawBuilder<unknown>;
  readonly groups?: readonly RawBuilder<unknown>[];
};

/** SQL: due, and leased by nobody. */
const isFree = (now: number) => sql`due_at <= ${now} and (owner is null or lease_until <= ${now})`;

/** How many of the longest overdue rows are considered, so that the cost of a claim does not grow with the backlog. */
const minConsidered = 24;

/**
 * Whether anything in these tables may be due and this version may take it. Most polls find nothing, and a claim costs
 * several statements.
 */
export async function isAnyDue(
  { db, noteNeeded, isOutdated }: Pick<Database, 'db' | 'noteNeeded' | 'isOutdated'>,
  tables: readonly (keyof typeof idColumns)[],
  now: number,
): Promise<boolean> {
  const due = tables.map((table) => sql`exists (select 1 from ${sql.table(table)} where ${isFree(now)})`);
  const { rows } = await sql<{ needed: number; due: unknown }>`
    select (select max(oldest) from migrations) as needed, ${sql.join(due, sql` or `)} as due`.execute(db);
  const [row] = rows;
  if (row !== undefined) noteNeeded(row.needed);
  return Boolean(row?.due) && !isOutdated();
}

/** The due time (epoch ms) of the longest overdue row that meets `condition`, or undefined. */
export async function oldestDueIn(
  db: ReadHandle,
  table: keyof typeof idColumns,
  now: number,
  condition = sql<boolean>`true`,
): Promise<number | undefined> {
  const due = db.selectFrom(table).select('due_at').where('due_at', '<=', now).where(condition);
  return (await due.orderBy('due_at').limit(1).executeTakeFirst())?.due_at ?? undefined;
}

/**
 * Leases up to `limit` due rows that meet `condition` to the caller and resolves with them, in the order of `order`. Rows
 * with a running lease are skipped; concurrent claims never get the same row. The longest overdue rows of each group are
 * considered. Conditions and groups are SQL that may refer to the table by its name; no row may be in two groups.
 */
export async function claim<Row extends Leased>(
  tx: Tx,
  table: keyof typeof idColumns,
  { owner, now, leaseMs, limit }: Claim,
  order: Turns<Row>,
  { condition = sql`true`, groups = [sql`true`] }: Candidates,
): Promise<Row[]> {
  const [rows, id] = [sql.table(table), sql.ref(`${table}.${idColumns[table]}`)];
  const columns = sql.join([idColumns[table], ...order.columns].map((name) => sql.ref(name)));
  const due = groups.map(
    (group) => sql`select * from (
      select ${columns} from ${rows} where ${isFree(now)} and ${condition} and ${group}
      order by due_at, ${id} limit ${Math.max(minConsidered, limit)}
    ) as longest`,
  );
  const found = await sql<Row>`${sql.join(due, sql` union all `)}`.execute(tx);
  const turns = inTurn(found.rows, order).map(idOf);
  if (turns.length === 0 || limit <= 0) return [];
  // Rows locked by another claim are skipped and the next ones taken. Materialised, because a planner might otherwise
  // run the inner select once for each row and exceed the limit.
  const claimed = await sql<Row>`
    with free as materialized (
      select ${id} from ${rows} join ${numberRows(tx, turns)} as turns on turns.value = ${id} where ${isFree(now)}
      order by turns.at limit ${limit} ${forUpdateSkipLocked(tx, table)}
    )
    update ${rows} set owner = ${owner}, lease_until = ${now + leaseMs}
    where ${id} in (select ${sql.ref(`free.${idColumns[table]}`)} from free) returning *`.execute(tx);
  return claimed.rows.toSorted((one, other) => turns.indexOf(idOf(one)) - turns.indexOf(idOf(other)));
}

/** Leased rows by id, the most that one person may have, and which ids belong to one person. */
export type Shares = {
  readonly underWay?: ReadonlyMap<string, number>;
  readonly maxEach?: number;
  readonly idsOf?: IdsOf;
};

type Asked = { readonly requester: string; readonly caller?: string | null };

/** Whose turn a row takes: that of its requester or, if a program asked for them, of that. */
export const askedBy = ({ requester, caller }: Asked): string => (caller ? `caller:${caller}` : requester);
/** The same in SQL, for rows that a program may have asked for. */
export const askedByColumn = sql<string>`coalesce('caller:' || caller, requester)`;

/** Turns and groups for `claim` that keep everybody within their share. `column`: whose turn a row takes, in SQL. */
export function inShares(
  { underWay: ofEach = new Map(), maxEach = Infinity, idsOf = sameId }: Shares,
  column?: RawBuilder<string>,
) {
  const underWay = new Map<string, number>();
  for (const [id, count] of ofEach) {
    const person = personKey(idsOf, id);
    underWay.set(person, (underWay.get(person) ?? 0) + count);
  }
  // The longest overdue rows may all belong to busy people, so idle people are a group of their own.
  const busy = [...underWay.keys()];
  const belowShare = busy.filter((person) => (underWay.get(person) ?? 0) < maxEach);
  const groups = requesterGroups(belowShare.flatMap(idsOf), busy.flatMap(idsOf), column);
  const whose = (row: Asked): string => personKey(idsOf, askedBy(row));
  return { whose, underWay, maxEach, groups };
}

/** One SQL condition per id, and one for everybody else. */
export const requesterGroups = (
  ids: readonly string[],
  known = ids,
  column = sql`requester`,
): readonly RawBuilder<unknown>[] => [
  known.length === 0 ? sql`true` : sql`${column} not in (${sql.join(known)})`,
  ...ids.map((id) => sql`${column} = ${id}`),
];

const idOf = (row: Leased): number => ('number' in row ? row.number : row.id);

/** A row, its turn among its person's rows, the time of the person's last turn, and how many rows the person has. */
type Turn<Row> = { readonly row: Row; readonly turn: number; readonly last: number; readonly total: number };

/**
 * Orders rows, given longest overdue first: `isFirst` rows, then everybody's first row, then everybody's second, and so
 * on. Within a turn: people who waited longest, then people with the fewest rows, then the longest overdue.
 */
export function inTurn<Row>(
  rows: readonly Row[],
  { whose, isFirst = () => false, own = () => 0, served, underWay, maxEach = Infinity }: Omit<Turns<Row>, 'columns'>,
): readonly Row[] {
  const byPriority = (one: Row, other: Row): number => Number(isFirst(other)) - Number(isFirst(one));
  const turns = [...Map.groupBy(rows, whose)].flatMap(([who, theirs]): Turn<Row>[] => {
    const [had, last, total] = [underWay?.get(who) ?? 0, served?.get(who) ?? 0, theirs.length];
    const ordered = theirs.toSorted((one, other) => byPriority(one, other) || own(one, other));
    return ordered.slice(0, Math.max(0, maxEach - had)).map((row, at) => ({ row, turn: had + at, last, total }));
  });
  const byTurn = (one: Turn<Row>, other: Turn<Row>): number =>
    byPriority(one.row, other.row) || one.turn - other.turn || one.last - other.last || one.total - other.total;
  return turns.toSorted(byTurn).map(({ row }) => row);
}

/**
 * Ends the leases of an owner that stops, so that others go on at once. A change that it is sending keeps its lease,
 * because an answer may still come. Its running steps can no longer save what others may have taken over.
 */
export async function releaseOwned(tx: Tx, owner: string, now: number): Promise<void> {
  for (const table of Object.keys(idColumns)) {
    const mayAnswer = table === 'changes' ? sql`and state <> 'sending'` : sql``;
    const ended = sql`owner = null, lease_until = null, due_at = ${now}`;
    await sql`update ${sql.table(table)} set ${ended} where owner = ${owner} ${mayAnswer}`.execute(tx);
  }
  await tx
    .updateTable('inbox')
    .set({ lease_until: now })
    .where('owner', '=', owner)
    .where('closed_at', 'is', null)
    .execute();
}

/** Ends all leases; only safe if no other process can be at work. Rows are due at once: cut-off sends become unknown. */
export async function releaseAll(tx: Tx, now: number): Promise<void> {
  for (const table of Object.keys(idColumns)) {
    const ended = sql`owner = null, lease_until = null, due_at = ${now}`;
    await sql`update ${sql.table(table)} set ${ended} where owner is not null`.execute(tx);
  }
  await tx.updateTable('inbox').set({ lease_until: 0 }).where('closed_at', 'is', null).execute();
}
