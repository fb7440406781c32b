import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { noteAlive } from '../../src/program/notices.ts';
import { createClock, createTicks, type Jump, type ClockReading } from '../../src/storage/clock.ts';
import { openDatabase, type Database, type DatabaseOptions } from '../../src/storage/database.ts';
import { readKv, writeKv } from '../../src/storage/kv.ts';
import { freshPostgres, noPostgres, postgresRuns } from '../postgres.ts';

const hour = 3_600_000;
const start = 1_800_000_000_000;

/** A clock and its readings. Each entry is the time since the previous one, by each source of time. */
function clockThat(
  steps: readonly { readonly ticks: number; readonly clock?: number; readonly wall?: number }[],
  isRemote = false,
): { readonly times: readonly number[]; readonly jumps: readonly Jump[] } {
  const jumps: Jump[] = [];
  let reading: ClockReading = { clock: start, ticks: 500, ...(isRemote && { wall: start + 7 }) };
  const clock = createClock(reading, start, (jump) => jumps.push(jump));
  const times = steps.map(({ ticks, clock: by = ticks, wall = ticks }) => {
    reading = {
      clock: reading.clock + by,
      ticks: reading.ticks + ticks,
      ...(isRemote && { wall: (reading.wall ?? 0) + wall }),
    };
    return clock.at(reading) - start;
  });
  return { times, jumps };
}

describe('time', () => {
  it.each([
    { name: 'goes as the clock goes', steps: [{ ticks: 1_000 }, { ticks: 10 }], times: [1_000, 1_010], jumps: 0 },
    { name: 'follows a small correction at once', steps: [{ ticks: 10, clock: 810 }], times: [810], jumps: 0 },
    {
      name: 'leaves nine of the ten seconds in which a change can be stopped',
      steps: [{ ticks: 10, clock: hour }, { ticks: 8_900 }],
      times: [1_010, 9_999],
      jumps: 1,
    },
    {
      name: 'stands still where it is corrected back',
      steps: [{ ticks: 10 }, { ticks: 10, clock: -90 }, { ticks: 100 }],
      times: [10, 10, 20],
      jumps: 0,
    },
    {
      name: 'follows no hour ahead',
      steps: [{ ticks: 10, clock: hour }, { ticks: 1_000 }],
      times: [1_010, 2_020],
      jumps: 1,
    },
    {
      name: 'waits for no hour back',
      steps: [{ ticks: 10_000, clock: -hour }, { ticks: 10_000 }],
      times: [9_000, 18_900],
      jumps: 1,
    },
    {
      name: 'is told of both ways of a jump that is taken back',
      steps: [
        { ticks: 10, clock: hour },
        { ticks: 10, clock: 10 - hour },
      ],
      times: [1_010, 1_010],
      jumps: 2,
    },
    { name: 'goes with a machine that slept', steps: [{ ticks: hour, clock: hour }], times: [hour], jumps: 0 },
  ])('$name', ({ steps, times, jumps }) => {
    const seen = clockThat(steps);
    expect(seen.times).toEqual(times);
    expect(seen.jumps).toHaveLength(jumps);
  });

  it('reports both times of a jump', () => {
    expect(clockThat([{ ticks: 10, clock: hour }]).jumps).toEqual([
      { kind: 'jumped', clock: start + hour, other: start + 10 },
    ]);
  });

  it('after a suspension, believes another machine’s clock if its own corrected clock agrees', () => {
    const paused = clockThat([{ ticks: 10, clock: hour, wall: hour - 300 }, { ticks: 10 }], true);
    expect(paused).toEqual({ times: [hour, hour + 10], jumps: [] });
    const jumped = clockThat([{ ticks: 10, clock: hour, wall: 10 }], true);
    expect(jumped.times).toEqual([1_010]);
    expect(jumped.jumps).toHaveLength(1);
  });

  it('never goes back, and an hour is an hour, whatever the wall clock does', () => {
    const step = fc.record({
      ticks: fc.oneof(fc.nat(2_000), fc.nat(hour)),
      clock: fc.oneof(fc.nat(2_000), fc.integer({ min: -48 * hour, max: 48 * hour })),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 100 }), (steps) => {
        const { times } = clockThat(steps);
        let passed = 0;
        for (const [at, time] of times.entries()) {
          passed += steps[at]?.ticks ?? 0;
          expect(time).toBeGreaterThanOrEqual(times[at - 1] ?? 0);
          expect(Math.abs(time - passed)).toBeLessThanOrEqual(1_001 + passed * 0.01);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('uses the monotonic clock if an answer is late, and does not go back if two answers arrive in reverse order', () => {
    const jumps: Jump[] = [];
    const clock = createClock({ clock: start, ticks: 0, wall: start }, start, (jump) => jumps.push(jump));
    expect(clock.after(hour)).toBe(start + hour);
    expect(clock.at({ clock: start + hour + 20, ticks: hour + 20, wall: start + hour + 20 })).toBe(start + hour + 20);
    expect(clock.at({ clock: start + hour + 10, ticks: hour + 10, wall: start + hour + 10 })).toBe(start + hour + 20);
    expect(clock.at({ clock: start + hour + 30, ticks: hour + 30, wall: start + hour + 30 })).toBe(start + hour + 30);
    expect(jumps).toEqual([]);
  });

  it('returns to the wall clock in the end', () => {
    const { times } = clockThat([
      { ticks: 10, clock: hour },
      ...Array.from({ length: 10_000 }, () => ({ ticks: 60_000 })),
    ]);
    expect(times.at(-1)).toBe(hour + 10_000 * 60_000);
  });

  it('counts the time of a suspension, but not the system’s coarse timer', () => {
    const [awake, uptime, wall] = [vi.fn<() => number>(), vi.fn<() => number>(), vi.fn<() => number>()];
    awake.mockReturnValue(100);
    uptime.mockReturnValue(5_000);
    wall.mockReturnValue(9_000);
    const ticks = createTicks({ awake, uptime, wall });
    awake.mockReturnValue(200);
    uptime.mockReturnValue(5_190);
    wall.mockReturnValue(9_100);
    expect(ticks()).toBe(200);
    awake.mockReturnValue(300);
    uptime.mockReturnValue(5_200 + hour);
    wall.mockReturnValue(9_200 + hour);
    expect(ticks()).toBe(300 + hour);
    expect(ticks()).toBe(300 + hour);
    // Setting the wall clock is not a suspension.
    wall.mockReturnValue(9_200 - hour);
    expect(ticks()).toBe(300 + hour);
  });
});

/** Opens the same database repeatedly, with a fake clock for its machine or server. */
type Reopen = (options?: DatabaseOptions) => Promise<Database>;

function onEither(name: string, suite: (fresh: () => Promise<Reopen>) => void): void {
  const opened: Database[] = [];
  const closeAll = async (): Promise<void> => {
    await Promise.all(opened.splice(0).map((database) => database.close()));
  };
  const keeping =
    (url: string): Reopen =>
    async (options) => {
      const database = await openDatabase(url, options);
      opened.push(database);
      return database;
    };
  describe(`${name}, on SQLite`, () => {
    let folder: string;
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'sitehand-time-'));
    });
    afterEach(async () => {
      await closeAll();
      rmSync(folder, { recursive: true });
    });
    suite(async () => {
      const again = keeping(`sqlite:${folder}/a.db`);
      return async (options) => {
        await closeAll();
        return again(options);
      };
    });
  });
  describe.runIf(postgresRuns)(`${name}, on PostgreSQL${noPostgres}`, () => {
    afterEach(closeAll);
    suite(async () => keeping(await freshPostgres()));
  });
}

onEither('a start', (fresh) => {
  const write = (database: Database, at: number): Promise<void> =>
    database.transaction((tx) => writeKv(tx, { key: `at ${at}`, value: '', at }));

  it('starts no earlier than the newest saved time, and says so', async () => {
    const open = await fresh();
    const before = await open();
    const newest = (await before.now()) + 20 * hour;
    await write(before, newest);
    const jumpSeen = Promise.withResolvers<Jump>();
    const after = await open({ onJump: jumpSeen.resolve });
    const now = await after.now();
    expect(now).toBeGreaterThanOrEqual(newest);
    expect(now).toBeLessThan(newest + 60_000);
    expect(await jumpSeen.promise).toMatchObject({ kind: 'behind', other: newest });
    expect(after.clockAhead()).toBeLessThan(-19 * hour);
  });

  it('ignores a saved time that is a day ahead, and says so', async () => {
    const open = await fresh();
    const before = await open();
    const now = await before.now();
    await write(before, now + 25 * hour);
    await write(before, now + hour);
    const jumps: Jump[] = [];
    const jumpSeen = Promise.withResolvers<void>();
    const after = await open({ onJump: (jump) => jumps.push(jump) === 2 && jumpSeen.resolve() });
    expect(await after.now()).toBeLessThan(now + hour + 60_000);
    await jumpSeen.promise;
    expect(jumps).toMatchObject([
      { kind: 'far ahead', other: now + 25 * hour },
      { kind: 'behind', other: now + hour },
    ]);
  });

  it('is silent and fast if all is well', async () => {
    const open = await fresh();
    const before = await open();
    await write(before, await before.now());
    const jumps: Jump[] = [];
    const after = await open({ onJump: (jump) => jumps.push(jump) });
    expect(Math.abs((await after.now()) - (await before.now().catch(Date.now)))).toBeLessThan(60_000);
    expect(jumps).toEqual([]);
  });
});

describe.runIf(postgresRuns)(`replicas whose server’s clock has jumped${noPostgres}`, () => {
  it('keep one time: a replica that starts beside them takes theirs, but not hours later', async () => {
    const url = await freshPostgres();
    const [one, jumps] = [await openDatabase(url), [] as Jump[]];
    try {
      const now = await one.now();
      // A time written by a replica whose server's clock has jumped an hour ahead.
      const noted = { key: 'last_seen', value: String(hour), at: now - hour };
      await one.transaction((tx) => writeKv(tx, noted));
      const beside = await openDatabase(url, { onJump: (jump) => jumps.push(jump) });
      expect(Math.abs((await beside.now()) - (now - hour))).toBeLessThan(60_000);
      await noteAlive(beside);
      expect(Number((await readKv(one.db, 'last_seen'))?.value)).toBeGreaterThan(hour - 60_000);
      await beside.close();
      await one.transaction((tx) => writeKv(tx, { ...noted, at: now - 2 * hour }));
      const later = await openDatabase(url);
      expect(Math.abs((await later.now()) - now)).toBeLessThan(60_000);
      await later.close();
      expect(jumps).toEqual([]);
    } finally {
      await one.close();
    }
  });
});
