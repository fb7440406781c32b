import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import type { z } from 'zod';
import type { Bot } from '../stories/bot.ts';
import { ids, openHouse, patienceMs, type House } from '../stories/house.ts';
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
/** Here it is not shown how fast Slack is answered: a slow machine makes nothing unheard. */
const ackTimeoutMs = 10_000;

/** A house whose bots die or stand still on order, on either database. */
export type Scene = {
  readonly house: House;
  readonly database: 'SQLite' | 'PostgreSQL';
  /** Starts a bot that obeys orders, with its clock right or so many hours wrong; ready, or connected only. */
  readonly start: (hoursWrong?: number, until?: 'ready' | 'connected') => Promise<Bot>;
  /** Sets the clock of the running bot so many hours wrong; resolves when it is. */
  readonly setClock: (hoursWrong: number) => Promise<void>;
  /** Has the next flush of a file of the database fail, as on a broken disk. */
  readonly failFlush: () => void;
  /** Whether the bot that was started last has ended. */
  readonly hasEnded: () => boolean;
  /** What waits for its time, without anybody working on it, is due now. */
  readonly hurry: () => Promise<void>;
  /** Lays down an order; the first bot that comes to its point takes it. */
  readonly order: (order: z.input<typeof orderShape>) => void;
  /** As `eventually`, and whatever could still be stopped is not waited for. */
  readonly soon: typeof eventually;
  /** Resolves when the order has been taken; rejects with `NotObeyed` if that does not come. */
  readonly obeyed: (withinMs?: number) => Promise<void>;
  /** Whether it has been taken by now. */
  readonly isObeyed: () => boolean;
  readonly rows: (sql: string) => Promise<Rows>;
  readonly write: (sql: string) => Promise<unknown>;
  /** Ends the leases of whoever is gone, instead of waiting a minute; on SQLite the next start does that by itself. */
  readonly endLeases: () => Promise<void>;
  /** Resolves when nothing is under way any more; rejects with `StillUnderWay` if that does not come. */
  readonly atRest: () => Promise<void>;
};

/** Something neither came to its end nor waits for a person. */
export class StillUnderWay extends Error {}

/** No bot came to the point of the order: what it passed instead, and whether anything is under way that may still come to it. */
export class NotObeyed extends Error {}

/** Opens an empty house, on the PostgreSQL at `url` or on SQLite, for as long as `tale` takes; other rules may hold there. */
export async function onScene<T>(
  url: string | undefined,
  tale: (scene: Scene) => Promise<T>,
  rules: string = policy,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'sitehand-prove-'));
  const file = join(folder, 'order.json');
  const clock = join(folder, 'clock');
  const flush = join(folder, 'flush');
  let hasEnded = false;
  let bot: Bot | undefined;
  // First of all what keeps compiled code: the bot itself loads it too late for these.
  const obedient = `--import ./src/node-version.js --import ./test/prove/kill-at.ts?order=${encodeURIComponent(file)} --import ./test/prove/failing-flush.ts?order=${encodeURIComponent(flush)}`;
  const usual = { ownProcess: 'all', start: false, policy: rules, hosting, slack: { ackTimeoutMs } } as const;
  const house = await openHouse(url === undefined ? usual : { ...usual, environment: { DATABASE_URL: url } });
  const book = url === undefined ? sqlite(house) : await postgres(url);
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
    house,
    database: url === undefined ? 'SQLite' : 'PostgreSQL',
    start: async (hoursWrong = 0, until = 'ready') => {
      bot = await untilItStarts(() =>
        house.start({ NODE_OPTIONS: `${obedient} ${clockWrongBy(hoursWrong, clock)}` }, until),
      );
      hasEnded = false;
      const started = bot;
      void started.ended.then(() => {
        if (bot === started) hasEnded = true;
      });
      return bot;
    },
    failFlush: () => writeFileSync(flush, ''),
    hasEnded: () => hasEnded,
    hurry: async () => {
      await hurry(book);
      await write(hastened);
      await write(`update timers set due_at = 1 where owner is null and due_at > 1`);
    },
    setClock: async (hoursWrong) => {
      writeFileSync(clock, String(hoursWrong));
      if (bot) process.kill(bot.pid(), 'SIGUSR2');
      await eventually('set', () => (existsSync(clock) ? 'the clock is as it was' : ''));
    },
    order: (order) => {
      rmSync(passedFile(file), { force: true });
      // Whole at once: a bot that passes a point while it is written would read half of it.
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
    return await tale(scene);
  } finally {
    await book.close();
    await house.close();
    rmSync(folder, { recursive: true });
  }
}

/** Starts a bot as whoever keeps it running does: again, where it ended because its Slack or its database was too slow. */
async function untilItStarts(start: () => Promise<Bot>): Promise<Bot> {
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

/** The newest of what the bots passed while the order lay there. */
const passedInWords = (order: string): string => {
  const passed = existsSync(passedFile(order)) ? readFileSync(passedFile(order), 'utf8').trim().split('\n') : [];
  return passed.length === 0 ? 'nothing' : passed.slice(-40).join(', ');
};

/** Whatever has to end: neither lost nor owed. A waiting change waits for people, an unknown one once its evidence is told. */
const underWay = `
  select 'change ' || number || ' ' || state as what from changes
    where settled_at is null and state <> 'waiting' and not (state = 'unknown' and reminders is not null)
  union all select 'delivery ' || key from inbox where closed_at is null
  union all select 'message ' || key from messages where due_at is not null`;
/** What is tried or asked again later. What cools down, and what was not tried yet, has its own time. */
const hastened = `update changes set due_at = 1
  where owner is null and due_at > 1 and (state = 'accepted' or
    state = 'approved' and not exists (select 1 from messages where key = changes.number || ':stop'))`;
/**
 * An approved push that can be stopped is due now rather than in ten seconds; not before its *Stop* stands, and its card
 * says that it is approved: whoever dies at one of them dies before anything is sent.
 */
async function hurry({ rows, write }: Book): Promise<void> {
  const stands = `from messages where key = changes.number || ':stop' and ts is not null`;
  const owed = `from messages where key = changes.number || ':card' and due_at is not null`;
  const late = `state = 'approved' and owner is null and due_at > 1 and exists (select 1 ${stands}) and not exists (select 1 ${owed})`;
  if ((await rows(`select number from changes where ${late}`)).length === 0) return;
  await write(`update changes set due_at = 1 where ${late}`);
}
const inWords = ({ what }: Rows[number]): string => String(what);

type Book = Pick<Scene, 'rows' | 'write'> & { readonly close: () => Promise<void> };

const sqlite = ({ rows, rewrite }: House): Book => ({
  rows: async (sql) => rows(sql),
  write: async (sql) => rewrite(sql),
  close: async () => {},
});

async function postgres(url: string): Promise<Book> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return {
    rows: async (sql) => (await client.query<Rows[number]>(sql)).rows,
    write: (sql) => client.query(sql),
    close: () => client.end(),
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
