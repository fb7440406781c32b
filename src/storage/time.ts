import { sql, type Kysely } from 'kysely';
import { createClock, createTicks, toleranceMs, type Jump, type Reading } from './clock.ts';
import { kindOf, postgresNow } from './sql-dialect.ts';
import type { Schema } from './schema.ts';
import { readSetting } from './kv.ts';
import type { Reader } from './tx.ts';

/** The clocks of this machine. */
export type Clocks = { readonly ticks: () => number; readonly wall: () => number };

/** The time of a database (epoch ms), and by how much its clock is ahead of that. */
export type Time = { readonly now: (tx?: Reader) => Promise<number>; readonly ahead: () => number };

/** What a bot notes of itself while it lives: when, and how far the clock was ahead of its time, in ms. */
export const aliveKey = 'last seen';
/** A bot that noted itself this lately is still there. */
const aliveMs = 60_000;
/** A stored time that is further ahead is no time to begin with, but a clock's mistake. */
const dayMs = 86_400_000;
/** An answer that took longer is about another moment. */
const promptMs = 1_000;

/** The clock of a database that is opened for reading alone, in epoch ms: it knows of no jump. */
export const clockOf = async (db: Reader): Promise<number> => (kindOf(db) === 'sqlite' ? Date.now() : postgresNow(db));

/** Begins the time of a database: by its clock, but no earlier than the newest time that is stored in it. */
export async function beginTime(
  db: Kysely<Schema>,
  clocks: Partial<Clocks>,
  onJump: (jump: Jump) => void,
): Promise<Time> {
  const { ticks = createTicks(), wall = Date.now } = clocks;
  const isFile = kindOf(db) === 'sqlite';
  const look = async (tx: Reader): Promise<Reading> =>
    isFile ? { clock: wall(), ticks: ticks() } : { ticks: ticks(), wall: wall(), clock: await postgresNow(tx) };
  const first = await look(db);
  const expected = first.clock - (isFile ? 0 : await otherReplicasAhead(db, first.clock));
  const { newest, beyond } = await storedTimes(db, expected);
  if (beyond !== undefined) onJump({ kind: 'far ahead', clock: expected, other: beyond });
  if (newest - expected > toleranceMs) onJump({ kind: 'behind', clock: expected, other: newest });
  const clock = createClock(first, Math.max(expected, newest), onJump);
  return {
    now: async (tx = db) => {
      const reading = await look(tx);
      const ticked = ticks();
      return ticked - reading.ticks > promptMs ? clock.after(ticked) : clock.at(reading);
    },
    ahead: clock.ahead,
  };
}

/** Replicas that run keep their time where the server's clock has jumped: whoever starts beside them takes theirs. */
async function otherReplicasAhead(db: Reader, clock: number): Promise<number> {
  const seen = await readSetting(db, aliveKey);
  const ahead = Number(seen?.value);
  return seen && Number.isSafeInteger(ahead) && Math.abs(clock - ahead - seen.at) < aliveMs ? ahead : 0;
}

/** The newest time that is stored and less than a day ahead of `now`, and one that is further ahead, if there is any. */
async function storedTimes(
  db: Reader,
  now: number,
): Promise<{ readonly newest: number; readonly beyond: number | undefined }> {
  // Every move of a change is a line of the trail; the settings have the times of whatever lived.
  const { rows } = await sql<{ at: number }>`
    select at from (select at from audit order by seq desc limit 1) as newest union all select at from settings`.execute(
    db,
  );
  const times = rows.map(({ at }) => at);
  const far = times.filter((at) => at >= now + dayMs);
  return {
    newest: Math.max(0, ...times.filter((at) => at < now + dayMs)),
    beyond: far.length === 0 ? undefined : Math.max(...far),
  };
}
