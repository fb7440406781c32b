import { uptime } from 'node:os';

/** One look at the clocks, in ms: what a clock says (epoch), and the ticks of this machine when it was asked. */
export type Reading = {
  readonly clock: number;
  /** Counts what time passes, and never jumps. */
  readonly ticks: number;
  /** This machine's own clock (epoch), where `clock` is another machine's. */
  readonly wall?: number;
};

/** A clock says something else than it should, in epoch ms. */
export type Jump = {
  /**
   * It *jumped* away from the time that was counted; at a start it is *behind* the newest time that is written down; or
   * that time is *far ahead* of it, and not believed.
   */
  readonly kind: 'jumped' | 'behind' | 'far ahead';
  readonly clock: number;
  /** The time that was counted, or is written down. */
  readonly other: number;
};

/** Time that passes as the ticks do, whatever the clock behind it does. */
export type Clock = {
  /** The time by this reading: epoch ms, whole, never less than before. */
  readonly at: (reading: Reading) => number;
  /** The time by the ticks alone, where the clock's answer is too old to be judged. */
  readonly after: (ticks: number) => number;
  /** By how much the clock behind it was ahead of it (behind: negative) at the last reading, in ms. */
  readonly ahead: () => number;
};

/** What a clock may be corrected by without having jumped. */
export const toleranceMs = 5_000;
/** What is followed of a correction at once: of the ten seconds in which a change can be stopped, nine are left. */
const atOnceMs = 1_000;
/** How much of the time that passes a further correction may take: an hour's jump is caught up with in four days. */
const pace = 0.01;

/**
 * Begins at `begin` (epoch ms) with this first reading, and follows the clock by one second at once and by one
 * hundredth of the time that passes: whichever way the clock jumps, an hour lasts between 59 and 61 minutes, so nothing
 * expires early and nothing waits for it. To take over every step forwards at once would be simpler, and keep replicas
 * together; but a clock that is an hour ahead for a moment would let every approval expire. So a jump is told to
 * `onJump`, once, and people decide: whoever starts where nobody has been alive for a minute believes the clock.
 *
 * A machine that was suspended counts that time as ticks. One that stood still unknowingly, as a virtual machine does,
 * believes another machine's clock where its own wall clock, put right since, agrees.
 */
export function createClock(first: Reading, begin: number, onJump: (jump: Jump) => void): Clock {
  let last = { ...first, now: begin, credit: 0 };
  const at = (reading: Reading): number => {
    // Asked earlier, and answered later.
    if (reading.ticks < last.ticks) return Math.floor(last.now);
    const passed = reading.ticks - last.ticks + stoodStill(last, reading);
    const counted = last.now + passed;
    const off = reading.clock - counted;
    const wasOff = last.clock - last.now;
    if (Math.abs(off - wasOff) > toleranceMs)
      onJump({ kind: 'jumped', clock: reading.clock, other: Math.floor(counted) });
    const credit = towardsZero(last.credit, passed * pace);
    const correction = Math.min(Math.max(off, -atOnceMs - credit), atOnceMs - credit);
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

/** Time that both clocks saw pass, and the ticks did not. */
function stoodStill(last: Reading, reading: Reading): number {
  if (last.wall === undefined || reading.wall === undefined) return 0;
  const passed = reading.ticks - last.ticks;
  const [byWall, byClock] = [reading.wall - last.wall - passed, reading.clock - last.clock - passed];
  return byClock > toleranceMs && Math.abs(byWall - byClock) <= toleranceMs ? byClock : 0;
}

const towardsZero = (value: number, by: number): number => Math.sign(value) * Math.max(0, Math.abs(value) - by);

const machine = { awake: () => performance.now(), uptime: () => uptime() * 1_000, wall: Date.now };

/**
 * Ticks of this machine, in ms: as exact as a short time needs, and with the time that it was suspended. That is looked
 * up only where the wall clock has left the ticks, as it does in every suspension: the system reads a file for it.
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

/** Less than this is no suspension, but how coarse the system counts. */
const suspendedMs = 1_000;

/** This machine's time for what is not kept in the database: caches, pauses, budgets. */
export function createSteadyNow(): () => number {
  const ticks = createTicks();
  const read = (): Reading => ({ clock: Date.now(), ticks: ticks() });
  const clock = createClock(read(), Date.now(), () => {});
  return () => clock.at(read());
}
