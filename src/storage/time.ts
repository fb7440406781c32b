import { sql, type Kysely } from 'kysely';
import { createClock, createTicks, toleranceMs, type Jump, type ClockReading } from './clock.ts';
import { databaseKind, postgresNow } from './sql-dialect.ts';
import type { Schema } from './schema.ts';
import { readKv } from './kv.ts';
import type { ReadHandle } from './tx.ts';
import { dayMs } from '../words/duration.ts';

/** `now`: the time of a database (epoch ms). `ahead`: how far its clock is ahead of that, in ms. */
export type Time = { readonly now: (tx?: ReadHandle) => Promise<number>; readonly ahead: () => number };

/** The key that a running bot refreshes: the time, and how far the clock was ahead of it, in ms. */
export const aliveKey = 'last_seen';
/** A bot counts as running if it refreshed its key this recently. */
const aliveMs = 60_000;
/** A clock's answer that took longer than this is too old. */
const promptMs = 1_000;

/** The plain clock of a database that is opened read-only, in epoch ms, without correction of jumps. */
export const clockOf = async (db: ReadHandle): Promise<number> =>
  databaseKind(db) === 'sqlite' ? Date.now() : postgresNow(db);

/** Starts the time of a database by its clock, but not before the newest time stored in it. */
export async function beginTime(db: Kysely<Schema>, onJump: (jump: Jump) => void): Promise<Time> {
  const ticks = createTicks();
  const isFile = databaseKind(db) === 'sqlite';
  const read = async (tx: ReadHandle): Promise<ClockReading> =>
    isFile ? { clock: Date.now(), ticks: ticks() } : { ticks: ticks(), wall: Date.now(), clock: await postgresNow(tx) };
  const first = await read(db);
  const expected = first.clock - (isFile ? 0 : await otherReplicasAhead(db, first.clock));
  const { newest, beyond } = await storedTimes(db, expected);
  if (beyond !== undefined) onJump({ kind: 'far ahead', clock: expected, other: beyond });
  if (newest - expected > toleranceMs) onJump({ kind: 'behind', clock: expected, other: newest });
  const clock = createClock(first, Math.max(expected, newest), onJump);
  return {
    now: async (tx = db) => {
      const reading = await read(tx);
      const ticked = ticks();
      return ticked - reading.ticks > promptMs ? clock.after(ticked) : clock.at(reading);
    },
    ahead: clock.ahead,
  };
}

/** How far the clock is ahead of the running replicas' time, in ms: after a jump, a new replica joins their time. */
async function otherReplicasAhead(db: ReadHandle, clock: number): Promise<number> {
  const seen = await lastSeen(db, clock);
  return seen?.isRunning ? seen.ahead : 0;
}

/** The last sign of life of a bot on this database, and whether one counts as running; undefined: none ever was. */
export async function lastSeen(
  db: ReadHandle,
  clock: number,
): Promise<{ readonly at: number; readonly ahead: number; readonly isRunning: boolean } | undefined> {
  const seen = await readKv(db, aliveKey);
  if (seen === undefined) return undefined;
  const ahead = Number(seen.value);
  return { at: seen.at, ahead, isRunning: Number.isSafeInteger(ahead) && Math.abs(clock - ahead - seen.at) < aliveMs };
}

/** `newest`: the newest stored time less than a day ahead of `now`. Also the newest of those further ahead, if any. */
export async function storedTimes(
  db: ReadHandle,
  now: number,
): Promise<{ readonly newest: number; readonly beyond: number | undefined }> {
  // These two suffice: every move of a change writes an audit line, and running bots refresh a key.
  const { rows } = await sql<{ at: number }>`
    select at from (select at from audit order by seq desc limit 1) as newest union all select at from kv`.execute(db);
  const times = rows.map(({ at }) => at);
  const far = times.filter((at) => at >= now + dayMs);
  return {
    newest: Math.max(0, ...times.filter((at) => at < now + dayMs)),
    beyond: far.length === 0 ? undefined : Math.max(...far),
  };
}
