import { uptime } from 'node:os';

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
export const toleranceMs = 5_000;
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
