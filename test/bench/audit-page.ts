import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Environment } from '../../src/hosting/contract/target.ts';
import { readerOf } from '../../src/access/visibility.ts';
import type { KnownNames } from '../../src/language/resolve.ts';
import { trailFor } from '../../src/audit/audit-query.ts';
import { listAudit } from '../../src/storage/audit.ts';
import { openDatabase, type Database } from '../../src/storage/database.ts';
import { chi, company, environment, policyOf, contextWith } from '../fixtures.ts';
import { findPostgres, startPostgres } from '../postgres-server.ts';
import { median, quantile, spreadOf, tableOf, timed, type Figure, type Scale } from './figures.ts';

/** A page of a long audit trail, from the tables to the shown lines, without Slack and network. */

const limits = { SQLite: 25, PostgreSQL: 10 } as const;
type Brand = keyof typeof limits;

/** Rows per statement, which must end within the time limit of statements. */
const piece = 50_000;
const rounds = 5;
const sites = 1_000;
/** Every tenth change is about `busy`, a single one about `rare`, none about `idle`; the rest are spread. */
const environments = Array.from({ length: sites * 2 }, (_, at) =>
  environment(`site-${at >> 1}/${at % 2 === 0 ? 'live' : 'staging'}`, at),
);
const [busy, rare, idle] = [at(1), at(2), at(3)];
const names: KnownNames = { environments, domains: [] };

/** A line's time is its position in seconds. */
const second = 1_000;

function at(index: number): Environment {
  const [found] = environments.slice(index);
  if (found === undefined) throw new Error('there are fewer environments');
  return found;
}

/** Produces this many numbers, one row each, on both databases. */
const series = (from: number, to: number) =>
  sql`with recursive series (n) as (
    select cast(${from} as bigint) union all select n + 1 from series where n < ${to}
  )`;

/** The target of the change or action with this number. */
const keyOf = (number: string) => sql`'environment:00000000-0000-4000-8000-' || substr(cast(1000000000000 +
  case when ${sql.raw(number)} % 10 = 0 then 1 when ${sql.raw(number)} = 77 then 2
    else 4 + ${sql.raw(number)} % ${sites * 2 - 4} end as text), 2)`;
const card = JSON.stringify({ title: 'x'.repeat(120), done: 'x'.repeat(120), facts: [['Clears', 'the page cache']] });

const changes = (from: number, to: number) => sql`
  insert into changes (command, risk, args, target, target_name, cools_down, targets, snapshot, preconditions, call, card,
    fingerprint, requester, requester_name, requester_team, channel, "authorization", state, version, created_at, expires_at, settled_at,
    attempts, throttle_count)
  ${series(from, to)}
  select 'cache clear', 'routine', '[]', ${keyOf('n')}, 'site/live', 0,
    '[{"kind":"environment","name":"site/live","live":true,"id":"' || substr(${keyOf('n')}, 13) || '"}]', 'null', 'null', '{}',
    cast(${card} as text),
    'f00d', 'U' || (n % 300), 'Somebody', 'T1', 'C1', '{}', 'done', 1, n, n, n, 0, 0 from series`;

const authorization = JSON.stringify({ approval: 'one', rules: [7, 9], policy: 'c0ffee00'.repeat(8) });
const requestDetails = JSON.stringify({
  target: 'site/live',
  name: 'Ana',
  reason: 'release',
  fingerprint: 'f00d'.repeat(16),
  authorization,
});
const otherDetails = JSON.stringify({
  target: 'site/live',
  version: 3,
  name: 'Ana',
  receipt: { kind: 'accepted', status: 202 },
});

/** Seven lines per change; every twentieth line is an action beside changes. `URARE` did three, long ago. */
const lines = (from: number, to: number) => sql`
  insert into audit (seq, at, change, event, actor, details, previous, hash, target)
  ${series(from, to)}
  select n, n * ${second}, case when n % 20 = 0 then null else 1 + n / 7 end,
    case when n % 20 = 0 then 'lock' when n % 7 = 0 then 'asked' when n % 7 = 2 then 'vote' when n % 7 = 3 then 'approve'
      when n % 7 = 4 then 'send' when n % 7 = 5 then 'accept' else 'finish' end,
    case when n in (2000, 3000, 4000) then 'URARE' when n % 7 > 3 then 'sitehand' else 'U' || (n / 7 % 300) end,
    case when n % 20 = 0 then '{"target":"site/live","target_key":"' || ${keyOf('(n / 20)')} || '"}'
      when n % 7 = 0 then cast(${requestDetails} as text) else cast(${otherDetails} as text) end,
    ${'0'.repeat(55)} || (100000000 + n - 1), ${'0'.repeat(55)} || (100000000 + n),
    ${keyOf('(case when n % 20 = 0 then n / 20 else 1 + n / 7 end)')} from series`;

async function fill({ db, kind }: Database, rows: number): Promise<void> {
  for (const [make, count] of [
    [changes, 1 + Math.floor(rows / 7)],
    [lines, rows],
  ] as const)
    for (let from = 1; from <= count; from += piece) await make(from, Math.min(from + piece - 1, count)).execute(db);
  // PostgreSQL does this by itself, after minutes. SQLite never does, and the bot does not request it.
  if (kind === 'postgres')
    for (const statement of ['vacuum analyze changes, audit', 'checkpoint']) await sql.raw(statement).execute(db);
}

/** Reported but not judged: lines that the person may not read are skipped one by one, at most 5,000. */
const fewReadable = 'the newest lines, for somebody who may read few';

/** Every kind of page. */
function pagesOf({ db }: Database, rows: number): Readonly<Record<string, () => Promise<unknown>>> {
  const contextFor = (policy: ReturnType<typeof policyOf>) =>
    contextWith({
      policy: () => policy,
      company: () => company,
      names: () => names,
    });
  const all = contextFor(policyOf('{ allow: [read, audit], to: [leads] }'));
  const little = contextFor(policyOf('{ allow: [read, audit], to: [leads], where: ["site-7/*"] }'));
  const page =
    (filter: { env?: Environment; since?: number; by?: string }, context = all) =>
    (): Promise<unknown> =>
      trailFor(db, readerOf(context, chi, 'audit'), { env: undefined, since: undefined, by: undefined, ...filter });
  return {
    'the newest lines': page({}),
    [fewReadable]: page({}, little),
    'since a while ago': page({ since: (rows / 2) * second }),
    'since a minute ago': page({ since: (rows - 60) * second }),
    'since just now: nothing': page({ since: (rows + 1) * second }),
    'by a person of many lines': page({ by: 'U7' }),
    'by a person of three old lines': page({ by: 'URARE' }),
    'by a person of no line': page({ by: 'UNOBODY' }),
    'by a person since just now: nothing': page({ by: 'U7', since: (rows + 1) * second }),
    'of a busy environment': page({ env: busy }),
    'of an environment of one old change': page({ env: rare }),
    'of an environment of no change': page({ env: idle }),
    'of a busy environment, by a person of many lines': page({ env: busy, by: 'U10' }),
    'of a busy environment, by a person of no line': page({ env: busy, by: 'UNOBODY' }),
    'of a busy environment since just now: nothing': page({ env: busy, since: (rows + 1) * second }),
    'of a change': () => listAudit(db, { change: 1_000, limit: 100 }),
    'of a change that is not there': () => listAudit(db, { change: rows, limit: 100 }),
  };
}

async function timesOf(page: () => Promise<unknown>, count: number): Promise<readonly number[]> {
  const times: number[] = [];
  while (times.length < count) times.push(await timed(page));
  return times;
}

/** What `--quick` measures. */
const quickly = new Set(['the newest lines', 'of a busy environment']);

/** The note of a figure without a peer. */
const alone = findPostgres() === undefined ? ' (PostgreSQL is not installed)' : '';

async function figuresOn(brand: Brand, database: Database, { quick }: Scale): Promise<readonly Figure[]> {
  const rows = quick ? 20_000 : 1_000_000;
  await fill(database, rows);
  const figures: Figure[] = [];
  for (const [kind, page] of Object.entries(pagesOf(database, rows))) {
    if (quick && !quickly.has(kind)) continue;
    for (let warm = 0; warm < 20; warm += 1) await page();
    const times: (readonly number[])[] = [];
    for (let round = 0; round < rounds; round += 1)
      times.push(await timesOf(page, quick || kind === fewReadable ? 20 : 60));
    const p99 = times.map((some) => quantile(some, 0.99));
    figures.push({
      what: `page of ${rows.toLocaleString('en')} audit lines on ${brand}${alone}, ${kind}, p99`,
      measured: median(p99),
      unit: 'ms',
      limit: kind === fewReadable ? undefined : limits[brand],
      spread: spreadOf(p99),
      raw: { p50: median(times.flat()), p99 },
    });
  }
  return figures;
}

async function onSqlite(scale: Scale): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sitehand-bench-'));
  try {
    const database = await openDatabase(`sqlite:${join(folder, 'sitehand.db')}`);
    const figures = await figuresOn('SQLite', database, scale);
    await database.close();
    return figures;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function onPostgres(scale: Scale): Promise<readonly Figure[]> {
  const binaries = findPostgres();
  if (binaries === undefined) return [];
  const server = await startPostgres(binaries);
  try {
    const url = new URL(server.url);
    url.pathname = '/postgres';
    const database = await openDatabase(url.href);
    const figures = await figuresOn('PostgreSQL', database, scale);
    await database.close();
    return figures;
  } finally {
    await server.stop();
  }
}

/** p99 of each kind of page, on SQLite and, if installed, on PostgreSQL. */
export async function measureAuditPage(scale: Scale): Promise<readonly Figure[]> {
  return [...(await onSqlite(scale)), ...(await onPostgres(scale))];
}

if (import.meta.main)
  process.stdout.write(`${tableOf(await measureAuditPage({ quick: process.argv.includes('--quick') }))}\n`);
