import { uptime } from 'node:os';
import { sql, type Kysely } from 'kysely';
import { databaseKind, postgresNow } from './sql-dialect.ts';
import type { Schema, ReadHandle } from './schema.ts';
import { readKv } from './kv.ts';
import { dayMs } from '../words/duration.ts';

/** The time: this machine's clocks, and the database's, which counts. */

/** One reading of the clocks, in ms. */
export type ClockReading = {
  /** The reference clock (epoch): this machine's, or PostgreSQL's. */
  readonly clock: number;
  /** This machine's monotonic ticks at that moment. */
  readonly ticks: number;
  /** This machine's own clock (epoch), if `clock` is another machine's. */
  readonly wall?: number;
};

/** A jump: the clock disagrees with our time. Times in epoch ms. */
export type Jump = {
  /**
   * `jumped`: the clock differs from the time that we counted. `behind`: at start it is behind the newest stored time.
   * `far ahead`: at start a stored time is more than a day ahead of it, and is ignored.
   */
  readonly kind: 'jumped' | 'behind' | 'far ahead';
  readonly clock: number;
  /** The counted or stored time. */
  readonly other: number;
};

/** Time that passes at the rate of the ticks, whatever the reference clock does. */
type Clock = {
  /** The time by this reading: epoch ms, an integer, never less than before. */
  readonly at: (reading: ClockReading) => number;
  /** The time by the ticks alone, for when the clock's answer is too old. */
  readonly after: (ticks: number) => number;
  /** How far the reference clock was ahead of this time at the last reading, in ms; negative: behind. */
  readonly ahead: () => number;
};

/** Corrections up to this size are not reported as jumps. */
const toleranceMs = 5_000;
/** The part of a correction applied at once. People can stop a change for ten seconds; this leaves nine of them. */
const immediateMs = 1_000;
/** The rate of further correction, per time that passes: an hour's jump is corrected within about four days. */
const correctionRate = 0.01;

/**
 * A clock that starts at `begin` (epoch ms) and follows its reference by one second at once, then by one percent of the
 * time that passes. However the reference jumps, an hour lasts between 59 and 61 minutes, so nothing expires early or
 * late. Following forward jumps at once would be simpler, but a clock that is an hour ahead for a moment would expire
 * every approval. So `onJump` is called once for a jump, and people decide. If no process has run for a minute, the
 * next one to start believes the clock.
 *
 * The ticks include the time of a suspended machine. A paused virtual machine may not see the pause in its ticks: then
 * another machine's clock is believed if this machine's corrected wall clock agrees.
 */
export function createClock(first: ClockReading, begin: number, onJump: (jump: Jump) => void): Clock {
  let last = { ...first, now: begin, credit: 0 };
  const at = (reading: ClockReading): number => {
    // Readings of concurrent calls may arrive out of order.
    if (reading.ticks < last.ticks) return Math.floor(last.now);
    const passed = reading.ticks - last.ticks + pausedTime(last, reading);
    const counted = last.now + passed;
    const off = reading.clock - counted;
    const wasOff = last.clock - last.now;
    if (Math.abs(off - wasOff) > toleranceMs)
      onJump({ kind: 'jumped', clock: reading.clock, other: Math.floor(counted) });
    const credit = towardsZero(last.credit, passed * correctionRate);
    const correction = Math.min(Math.max(off, -immediateMs - credit), immediateMs - credit);
    const now = Math.max(last.now, counted + correction);
    last = { ...reading, now, credit: credit + now - counted };
    return Math.floor(last.now);
  };
  return {
    at,
    after: (ticks) => {
      const passed = ticks - last.ticks;
      return at({ ...last, ticks, clock: last.clock + passed, ...(last.wall && { wall: last.wall + passed }) });
    },
    ahead: () => Math.round(last.clock - last.now),
  };
}

/** Time that passed on both clocks but not in the ticks. */
function pausedTime(last: ClockReading, reading: ClockReading): number {
  if (last.wall === undefined || reading.wall === undefined) return 0;
  const passed = reading.ticks - last.ticks;
  const [byWall, byClock] = [reading.wall - last.wall - passed, reading.clock - last.clock - passed];
  return byClock > toleranceMs && Math.abs(byWall - byClock) <= toleranceMs ? byClock : 0;
}

const towardsZero = (value: number, by: number): number => Math.sign(value) * Math.max(0, Math.abs(value) - by);

const machine = { awake: () => performance.now(), uptime: () => uptime() * 1_000, wall: Date.now };

/**
 * This machine's ticks in ms, precise, and including time in which it was suspended. The uptime is read only when the
 * wall clock and the ticks drift apart, as they do after a suspension, because that costs a file read.
 */
export function createTicks({ awake, uptime, wall } = machine): () => number {
  let suspended = 0;
  let known = uptime() - awake();
  let wallKnown = wall() - awake();
  return () => {
    const now = awake();
    const wallGap = wall() - now;
    if (Math.abs(wallGap - wallKnown) > suspendedMs / 2) {
      wallKnown = wallGap;
      const gap = uptime() - now;
      if (gap - known > suspendedMs) {
        suspended += gap - known;
        known = gap;
      }
    }
    return now + suspended;
  };
}

/** Smaller gaps are just the low resolution of the uptime. */
const suspendedMs = 1_000;

/** This machine's time (epoch ms), for things outside the database: caches, pauses, budgets. */
export function createSteadyNow(): () => number {
  const ticks = createTicks();
  const read = (): ClockReading => ({ clock: Date.now(), ticks: ticks() });
  const clock = createClock(read(), Date.now(), () => {});
  return () => clock.at(read());
}

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
