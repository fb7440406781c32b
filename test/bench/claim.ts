import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { claimDue } from '../../src/storage/changes.ts';
import { openDatabase, type Database, type Tx } from '../../src/storage/database.ts';
import { claimMessages } from '../../src/storage/messages.ts';
import { claimTimers } from '../../src/storage/timers.ts';
import { findPostgres, startPostgres } from '../postgres-server.ts';
import { median, spreadOf, tableOf, timed, type Figure, type Scale } from './figures.ts';

/** Whether claiming due work costs more if much is pending. */

const [few, many] = [10, 10_000];
const rounds = 5;
/** Rows that are due before all others. */
const free = 5;
const now = 1_000_000_000;

/** When the other pending rows are due, and who owns them until when. */
const pendings = {
  'not due yet': sql`${now} + n, null, null`,
  'due as well': sql`${now} - 20000 + n, null, null`,
};
type Pending = keyof typeof pendings;

/** The queries of each poll, as the worker and the delivery make them. */
const beats = {
  'changes and timers': async (tx: Tx): Promise<unknown> => {
    const claim = { owner: 'bench', now, leaseMs: 60_000, limit: 8 };
    return [await claimDue(tx, claim), await claimTimers(tx, { ...claim, limit: 2 })];
  },
  messages: (tx: Tx): Promise<unknown> => claimMessages(tx, { owner: 'bench', now, leaseMs: 20_000, limit: 20 }),
};

const lease = sql.raw('due_at, owner, lease_until');

/** Inserts this many rows into each table of waiting work; `when` gives due time and owner for row `n`. */
async function add({ db }: Database, count: number, name: string, when: ReturnType<typeof sql>): Promise<void> {
  const series = sql`with recursive series (n) as (
    select cast(1 as bigint) union all select n + 1 from series where n < ${count}
  )`;
  await sql`
    insert into changes (command, risk, args, target, target_name, cools_down, targets, snapshot, preconditions, call, card,
      fingerprint, requester, requester_name, requester_team, channel, "authorization", state, version, created_at, expires_at,
      attempts, throttle_count, ${lease})
    ${series}
    select 'cache clear', 'routine', '[]', 'environment:' || n, 'site/live', 0, '[]', 'null', 'null', '{}', '{}',
      'f00d', 'U1', 'Somebody', 'T1', 'C1', '{}', 'approved', 1, 1, 1, 0, 0, ${when} from series`.execute(db);
  await sql`
    insert into timers (change, target_key, target, addresses, may_empty, requester, requester_name, requester_team,
      channel, ends_at, attempts, ${lease})
    with fresh as (
      select number, row_number() over (order by number) as n from changes
      where number > coalesce((select max(change) from timers), 0)
    )
    select number, 'environment:' || n, '{}', '[]', 0, 'U1', 'Somebody', 'T1', 'C1', 1, 0, ${when} from fresh`.execute(
    db,
  );
  await sql`
    insert into messages (key, kind, recipient, body, requester, version, delivered_version, attempts, created_at, owed_at, ${lease})
    ${series} select ${name} || n, 'direct', 'U1', '{}', 'U1', 1, 0, 0, 1, 1, ${when} from series`.execute(db);
}

async function fill(database: Database, count: number, pending: Pending): Promise<void> {
  await add(database, count, 'pending', pendings[pending]);
  await add(database, free, 'free', sql`${now} - 30000 - n, null, null`);
  // PostgreSQL does this by itself after a while. SQLite never does, and the bot does not request it.
  if (database.kind === 'postgres') await sql`vacuum analyze changes, timers, messages`.execute(database.db);
}

const undone = new Error('nothing of this is to stay');

/** Milliseconds of one claim, which is rolled back so that each finds the same rows. */
async function timeOf(database: Database, poller: (tx: Tx) => Promise<unknown>): Promise<number> {
  let took = Number.NaN;
  const work = database.transaction(async (tx) => {
    took = await timed(() => poller(tx));
    throw undone;
  });
  await work.catch((error: unknown) => {
    if (error !== undone) throw error;
  });
  return took;
}

type Pair = readonly [little: Database, much: Database];

/** The median with many pending rows divided by the median with few; the two alternate. */
async function roundOf(pair: Pair, poller: (tx: Tx) => Promise<unknown>, count: number): Promise<readonly number[]> {
  const times: readonly [number[], number[]] = [[], []];
  while (times[0].length < count)
    for (const [which, database] of pair.entries()) times[which]?.push(await timeOf(database, poller));
  return times.map(median);
}

/** The note of a figure without a peer. */
const alone = findPostgres() === undefined ? ' (PostgreSQL is not installed)' : '';

async function figuresOf(brand: string, pending: Pending, pair: Pair, { quick }: Scale): Promise<readonly Figure[]> {
  await fill(pair[0], few, pending);
  await fill(pair[1], many, pending);
  const figures: Figure[] = [];
  for (const [what, poller] of Object.entries(beats)) {
    await roundOf(pair, poller, 50);
    const medians: (readonly number[])[] = [];
    while (medians.length < rounds) medians.push(await roundOf(pair, poller, quick ? 30 : 200));
    const ratios = medians.map(([little = Number.NaN, much = Number.NaN]) => much / little);
    figures.push({
      what: `claiming ${what} on ${brand}${alone}, ${many.toLocaleString('en')} rows ${pending} against ${few}, median`,
      measured: median(ratios),
      unit: '×',
      limit: 1.2,
      spread: spreadOf(ratios),
      raw: { few: medians.map(([little = Number.NaN]) => little), many: medians.map(([, much = Number.NaN]) => much) },
    });
  }
  return figures;
}

/** Opens both databases for the time of the measurement. */
async function measured(brand: string, pending: Pending, urls: readonly [string, string], scale: Scale) {
  const pair: Pair = [await openDatabase(urls[0]), await openDatabase(urls[1])];
  const figures = await figuresOf(brand, pending, pair, scale);
  for (const database of pair) await database.close();
  return figures;
}

async function onSqlite(pending: Pending, scale: Scale): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sitehand-bench-'));
  const [little, much] = ['few.db', 'many.db'].map((name) => `sqlite:${join(folder, name)}`);
  try {
    return await measured('SQLite', pending, [little ?? '', much ?? ''], scale);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function onPostgres(pending: Pending, scale: Scale): Promise<readonly Figure[]> {
  const binaries = findPostgres();
  if (binaries === undefined) return [];
  const server = await startPostgres(binaries);
  const urlOf = (database: string): string => Object.assign(new URL(server.url), { pathname: `/${database}` }).href;
  try {
    return await measured('PostgreSQL', pending, [urlOf('postgres'), urlOf('template1')], scale);
  } finally {
    await server.stop();
  }
}

/** Claims with 10,000 pending rows against claims with 10, on SQLite and, if installed, on PostgreSQL. */
export async function measureClaim(scale: Scale): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const pending of scale.quick ? (['due as well'] as const) : (['not due yet', 'due as well'] as const))
    figures.push(...(await onSqlite(pending, scale)), ...(await onPostgres(pending, scale)));
  return figures;
}

if (import.meta.main)
  process.stdout.write(`${tableOf(await measureClaim({ quick: process.argv.includes('--quick') }))}\n`);
