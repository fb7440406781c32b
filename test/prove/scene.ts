import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'pg';
import type { z } from 'zod';
import type { Bot } from '../stories/bot.ts';
import { ids, openScenario, patienceMs, type Scenario } from '../stories/scenario.ts';
import { orderIn, orderShape, passedFile } from './kill-at.ts';

type Rows = readonly Readonly<Record<string, unknown>>[];

/** Ana may ask for everything; a push waits for Chi or for Dee. */
const policy = `
version: 1
live: ['*/live']
groups:
  developers: [${ids.ana}]
  leads: [${ids.chi}, ${ids.dee}]
rules:
  - { allow: [read], to: everyone }
  - { allow: [routine], to: [developers] }
  - { allow: [push], to: [developers], approval: { by: [leads], count: 1, expires: 1h } }
`;
const hosting = { durations: { 'cache:clear': 0, 'environments:push': 0 } };
/** Ack times are not tested here, and a slow machine must not lose deliveries. */
const ackTimeoutMs = 10_000;

/** A scenario whose bots die or freeze on request, on either database. */
export type Scene = {
  readonly scenario: Scenario;
  readonly database: 'SQLite' | 'PostgreSQL';
  /** Starts a bot that obeys orders, with its clock off by these hours; resolves when ready or connected. */
  readonly start: (hoursWrong?: number, until?: 'ready' | 'connected') => Promise<Bot>;
  /** Sets the running bot's clock off by these hours; resolves when done. */
  readonly setClock: (hoursWrong: number) => Promise<void>;
  /** Makes the next flush of a database file fail, as on a broken disk. */
  readonly failFlush: () => void;
  /** Whether the bot's standard output takes nothing, as on a full disk. */
  readonly fillLog: (isFull: boolean) => void;
  /** Whether the newest bot has ended. */
  readonly hasEnded: () => boolean;
  /** Makes everything due now that waits for its time and is not being worked on. */
  readonly hurry: () => Promise<void>;
  /** Gives an order; the first bot that reaches its point takes it. */
  readonly order: (order: z.input<typeof orderShape>) => void;
  /** Like `eventually`, without waiting for periods in which a change can be stopped. */
  readonly soon: typeof eventually;
  /** Resolves when the order has been taken; rejects with `NotObeyed` if it is not. */
  readonly obeyed: (withinMs?: number) => Promise<void>;
  /** Whether the order has been taken. */
  readonly isObeyed: () => boolean;
  readonly rows: (sql: string) => Promise<Rows>;
  readonly write: (sql: string) => Promise<unknown>;
  /** Ends the leases of dead bots instead of waiting a minute. On SQLite the next start does that itself. */
  readonly endLeases: () => Promise<void>;
  /** Resolves when nothing is under way; rejects with `StillUnderWay` if that does not happen. */
  readonly atRest: () => Promise<void>;
};

/** Something neither ended nor waits for a person. */
export class StillUnderWay extends Error {}

/** No bot reached the order's point. Says which points were passed and what is still under way. */
export class NotObeyed extends Error {}

/** Opens an empty scenario for `story`, on the PostgreSQL at `url` or on SQLite, with these rules. */
export async function withScene<T>(
  url: string | undefined,
  story: (scene: Scene) => Promise<T>,
  rules: string = policy,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'sitehand-prove-'));
  const file = join(folder, 'order.json');
  const clock = join(folder, 'clock');
  const flush = join(folder, 'flush');
  const fullLog = join(folder, 'full-log');
  let hasEnded = false;
  let bot: Bot | undefined;
  // The compile cache comes first: the bot itself enables it too late for these modules.
  const imports = `--import ./src/node-version.js --import ./test/prove/kill-at.ts?order=${encodeURIComponent(file)} --import ./test/prove/failing-flush.ts?order=${encodeURIComponent(flush)} --import ./test/prove/full-log.ts?order=${encodeURIComponent(fullLog)}`;
  const defaults = { ownProcess: 'all', start: false, policy: rules, hosting, slack: { ackTimeoutMs } } as const;
  const scenario = await openScenario(
    url === undefined ? defaults : { ...defaults, environment: { DATABASE_URL: url } },
  );
  const book = url === undefined ? sqlite(scenario) : postgres(url);
  const { rows, write } = book;
  const soon: Scene['soon'] = (what, left, withinMs) =>
    eventually(
      what,
      async () => {
        await hurry(book);
        return left();
      },
      withinMs,
    );
  const inTheWay = async (): Promise<string> => (await rows(underWay)).map(inWords).join(', ');
  const scene: Scene = {
    scenario,
    database: url === undefined ? 'SQLite' : 'PostgreSQL',
    start: async (hoursWrong = 0, until = 'ready') => {
      bot = await startWithRetries(() =>
        scenario.start({ NODE_OPTIONS: `${imports} ${clockWrongBy(hoursWrong, clock)}` }, until),
      );
      hasEnded = false;
      const started = bot;
      void started.ended.then(() => {
        if (bot === started) hasEnded = true;
      });
      return bot;
    },
    failFlush: () => writeFileSync(flush, ''),
    fillLog: (isFull) => (isFull ? writeFileSync(fullLog, '') : rmSync(fullLog)),
    hasEnded: () => hasEnded,
    hurry: async () => {
      await hurry(book);
      await write(makeDueSql);
      await write(`update timers set due_at = 1 where owner is null and due_at > 1`);
    },
    setClock: async (hoursWrong) => {
      writeFileSync(clock, String(hoursWrong));
      if (bot) process.kill(bot.pid(), 'SIGUSR2');
      await eventually('set', () => (existsSync(clock) ? 'the clock is as it was' : ''));
    },
    order: (order) => {
      rmSync(passedFile(file), { force: true });
      // Renamed into place, because a bot could otherwise read a half-written order.
      writeFileSync(`${file}.new`, JSON.stringify(orderShape.parse(order)));
      renameSync(`${file}.new`, file);
    },
    soon,
    obeyed: async (withinMs) => {
      try {
        await soon('obeyed', () => orderIn(file) ?? '', withinMs);
      } catch (error) {
        const left = await inTheWay();
        const instead = left === '' ? 'all has ended without it' : `under way: ${left}`;
        throw new NotObeyed(`${String(error)}; ${instead}; passed: ${passedInWords(file)}`);
      }
    },
    isObeyed: () => !existsSync(file),
    rows,
    write,
    endLeases: async () => {
      if (url === undefined) return;
      await write(`update changes set lease_until = 1 where owner is not null`);
      await write(`update changes set due_at = 1 where state = 'sending'`);
      await write(`update messages set lease_until = 1 where owner is not null`);
      await write(`update inbox set lease_until = 1 where closed_at is null`);
    },
    atRest: () =>
      soon('all of it ended', inTheWay).catch((error: unknown) => {
        throw new StillUnderWay(String(error));
      }),
  };
  try {
    return await story(scene);
  } finally {
    await book.close();
    await scenario.close();
    rmSync(folder, { recursive: true });
  }
}

/** Starts a bot as a supervisor does: again, if it ended because Slack or the database timed out. */
async function startWithRetries(start: () => Promise<Bot>): Promise<Bot> {
  const until = performance.now() + patienceMs;
  for (;;) {
    try {
      return await start();
    } catch (error) {
      if (performance.now() > until || !/\bSitehand was not started: .*time-?out/.test(String(error))) throw error;
    }
  }
}

const clockWrongBy = (hours: number, file: string): string =>
  `--import ./test/prove/clock.ts?hours=${hours}&file=${encodeURIComponent(file)}`;

/** The newest points that bots passed while the order waited. */
const passedInWords = (order: string): string => {
  const passed = existsSync(passedFile(order)) ? readFileSync(passedFile(order), 'utf8').trim().split('\n') : [];
  return passed.length === 0 ? 'nothing' : passed.slice(-40).join(', ');
};

/** Everything that must end. Waiting changes wait for people, as do unknown ones whose evidence is told. */
export const underWay = `
  select 'change ' || number || ' ' || state as what from changes
    where settled_at is null and state <> 'waiting' and not (state = 'unknown' and reminders is not null)
  union all select 'delivery ' || key from inbox where closed_at is null
  union all select 'message ' || key from messages where due_at is not null`;
/** Work that is tried or asked again later. Periods to stop a change and first attempts keep their own time. */
const makeDueSql = `update changes set due_at = 1
  where owner is null and due_at > 1 and (state = 'accepted' or
    state = 'approved' and not exists (select 1 from messages where key like changes.number || ':stop%'))`;
/**
 * Makes an approved push due now instead of in ten seconds, once its *Stop* is posted and its card says it is approved:
 * a bot killed at either message has not sent anything.
 */
async function hurry({ rows, write }: Book): Promise<void> {
  const stands = `from messages where key like changes.number || ':stop%' and ts is not null`;
  const pending = `from messages where key = changes.number || ':card' and due_at is not null`;
  const late = `state = 'approved' and owner is null and due_at > 1 and exists (select 1 ${stands}) and not exists (select 1 ${pending})`;
  if ((await rows(`select number from changes where ${late}`)).length === 0) return;
  await write(`update changes set due_at = 1 where ${late}`);
}
const inWords = ({ what }: Rows[number]): string => String(what);

type Book = Pick<Scene, 'rows' | 'write'> & { readonly close: () => Promise<void> };

const sqlite = ({ rows, runSql: rewrite }: Scenario): Book => ({
  rows: async (sql) => rows(sql),
  write: async (sql) => rewrite(sql),
  close: async () => {},
});

function postgres(url: string): Book {
  // A pool, because the server may go and come back in between.
  const pool = new Pool({ connectionString: url, max: 1 });
  pool.on('error', () => undefined);
  return {
    rows: async (sql) => (await pool.query<Rows[number]>(sql)).rows,
    write: (sql) => pool.query(sql),
    close: () => pool.end(),
  };
}

/** Resolves when `left` says that nothing is missing any more; rejects with what is, when patience is over. */
export async function eventually(
  what: string,
  left: () => Promise<string> | string,
  withinMs = patienceMs,
): Promise<void> {
  const until = performance.now() + withinMs;
  for (;;) {
    const missing = await left();
    if (missing === '') return;
    if (performance.now() > until) throw new Error(`not ${what}: ${missing}`);
    await wait(100);
  }
}
