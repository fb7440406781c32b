import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadPolicy } from '../../src/policy/load.ts';
import { inForceAt, nextFrom, weekMs, type FreezeTime } from '../../src/policy/freeze-time.ts';
import { dayMs, hourMs } from '../../src/words/duration.ts';
import { catalogue } from './fixtures.ts';

/**
 * When freezes are in force, against what Intl shows at every quarter of an hour of five weeks: a freeze is in force from
 * the first quarter that shows its beginning or a later time until the last that shows its end or an earlier one.
 */

const quarter = 15 * 60_000;
const perWeek = weekMs / quarter;
const zones = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Sydney',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'America/Sao_Paulo',
  'Pacific/Apia',
  'Africa/Casablanca',
  'UTC',
];
/** A Monday. */
const start = Date.UTC(2026, 0, 5);

/** What the clock shows, as if it were in UTC, at the quarters of a week that begins then in UTC. */
const clockOf = memoized((zone: string, week: number): readonly number[] => {
  const shown = shownIn(zone);
  return Array.from({ length: perWeek / 4 }, (_, hour) => {
    const at = start + week * weekMs + hour * hourMs;
    const [first, next] = [shown(at), shown(at + hourMs)];
    const isEven = next - first === hourMs;
    return [0, 1, 2, 3].map((nth) => (isEven ? first + nth * quarter : shown(at + nth * quarter)));
  }).flat();
});

const shownIn = memoized((zone: string) => {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
  return (at: number): number => Date.parse(`${format.format(at).replace(' ', 'T')}Z`);
});

function memoized<A extends readonly (string | number)[], T>(make: (...key: A) => T): (...key: A) => T {
  const made = new Map<string, T>();
  return (...key) => {
    const name = key.join(' ');
    const value = made.get(name) ?? make(...key);
    made.set(name, value);
    return value;
  };
}

/** The weeks from 2018 to 2027 in which the clock is changed, and the one in which Apia left out a day. */
const changes = memoized((zone: string): readonly number[] => {
  const shown = shownIn(zone);
  const offset = (week: number): number => shown(start + week * weekMs) - (start + week * weekMs);
  return [-732, ...Array.from({ length: 510 }, (_, at) => at - 410)].filter(
    (week) => offset(week) !== offset(week + 1),
  );
});

/** Two weeks before a week to two weeks after it. */
const clockAround = memoized((zone: string, week: number) =>
  [-2, -1, 0, 1, 2].flatMap((shift) => clockOf(zone, week + shift)),
);

/** Local times of one occurrence, as if in UTC. */
type Written = readonly [from: number, to: number];

/** For each quarter of the five weeks that begin then: whether one of these is in force. */
function paint(clock: readonly number[], origin: number, written: readonly Written[]): readonly boolean[] {
  const isIn = clock.map(() => false);
  for (const [from, to] of written) {
    let first = nearby(origin, from);
    while (first < clock.length && (clock[first] ?? 0) < from) first += 1;
    let last = Math.min(clock.length, nearby(origin, to) + 2 * nearest) - 1;
    while (last >= 0 && (clock[last] ?? 0) > to) last -= 1;
    const end = clock[last] === to ? last : last + 1;
    if (end > first) isIn.fill(true, first, end);
  }
  return isIn;
}

/** No clock is further from UTC than this many quarters, also when it leaves out a day. */
const nearest = 160;
const nearby = (origin: number, local: number): number => Math.max(0, (local - origin) / quarter - nearest);

/** What is true at this quarter, in quarters; -1: not within the five weeks. */
function expected(isIn: readonly boolean[], at: number) {
  if (isIn[at] !== true) return { from: -1, until: -1, next: isIn.indexOf(true, at) };
  const until = isIn.indexOf(false, at);
  return { from: isIn.lastIndexOf(false, at) + 1, until, next: until < 0 ? -1 : isIn.indexOf(true, until) };
}

const names = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const clockText = (local: number): string => new Date(local).toISOString().slice(11, 16);
const weekText = (at: number): string => `${names[Math.floor(at / dayMs) % 7]} ${clockText(at)}`;

/** As the file reads it. */
function timeOf(zone: string, time: Readonly<Record<string, unknown>>): FreezeTime {
  const text = JSON.stringify({ version: 1, rules: [], freezes: [{ name: 'f', zone, ...time }] });
  const loaded = loadPolicy(text, catalogue);
  if (loaded.kind === 'mistakes') throw new Error(JSON.stringify(loaded.mistakes));
  const [freeze] = loaded.policy.freezes;
  if (freeze === undefined) throw new Error('no freeze was read');
  return freeze.time;
}

/** Times of the week, also in the night to Sunday, when clocks are changed; two for each part of it. */
const nights = fc.integer({ min: 5 * 96 + 84, max: 6 * 96 + 16 });
const parts = fc
  .uniqueArray(fc.oneof(fc.nat(perWeek - 1), nights), { minLength: 2, maxLength: 6 })
  .map((all) => (all.length % 2 === 0 ? all : all.slice(1)).toSorted((a, b) => a - b));
const wanted = fc.record({
  zone: fc.constantFrom(...zones),
  isChange: fc.boolean(),
  nth: fc.nat(),
  parts,
  /** Whether the first part goes on over Sunday night; whether parts touch. */
  isOver: fc.boolean(),
  isTouching: fc.boolean(),
  isOnce: fc.boolean(),
  ats: fc.array(fc.oneof(fc.nat(perWeek - 1), nights), { minLength: 3, maxLength: 3 }),
});

/** The parts of every week, each with its end after its beginning. */
function weeklyOf(times: readonly number[], isOver: boolean, isTouching: boolean): readonly Written[] {
  const pairs = times.flatMap((from, at): readonly Written[] => {
    const to = times[at + 1];
    return at % 2 === 0 && to !== undefined ? [[from * quarter, to * quarter]] : [];
  });
  const [[first, second] = [0, 0], ...others] = pairs;
  if (isOver) {
    const last = others.at(-1)?.[1] ?? second;
    return [...others, [last, first + weekMs]];
  }
  const [[, end] = [0, 0]] = others;
  return isTouching && others.length > 0 ? [[first, others[0]?.[0] ?? end], ...others] : pairs;
}

test('5,000 weeks in zones of both hemispheres are as the clock shows them', () => {
  let weeks = 0;
  fc.assert(
    fc.property(wanted, ({ zone, isChange, nth, parts: times, isOver, isTouching, isOnce, ats }) => {
      const changed = changes(zone);
      const week = isChange && changed.length > 0 ? (changed[nth % changed.length] ?? 0) : nth % 52;
      const monday = start + week * weekMs;
      const weekly = weeklyOf(times, isOver, isTouching);
      const once = weekly.slice(0, 1).map(([from, to]): Written => [monday + from, monday + to]);
      const text = (local: number): string => new Date(local).toISOString().slice(0, 16).replace('T', ' ');
      const origin = monday - 2 * weekMs;
      const every = [-3, -2, -1, 0, 1, 2, 3].flatMap((shift) =>
        weekly.map(([from, to]): Written => [monday + shift * weekMs + from, monday + shift * weekMs + to]),
      );
      const isIn = paint(clockAround(zone, week), origin, isOnce ? once : every);
      const [[from, to] = [0, 0]] = once;
      // A freeze that the clock skips whole is refused.
      if (isOnce && !isIn.includes(true)) return;
      const time = isOnce
        ? timeOf(zone, { from: text(from), to: text(to) })
        : timeOf(zone, { weekly: weekly.map(([a, b]) => `${weekText(a)} - ${weekText(b)}`) });
      /** In quarters; -1 if it is not within the five weeks. */
      const inside = (one = -1): number => {
        const found = (one - origin) / quarter;
        return found > 0 && found < isIn.length ? found : -1;
      };
      for (const at of ats) {
        const moment = monday + at * quarter;
        const span = inForceAt(time, moment);
        const wanted = expected(isIn, 2 * perWeek + at);
        expect([inside(span?.from), inside(span?.until), inside(nextFrom(time, moment))]).toEqual([
          wanted.from === 0 ? -1 : wanted.from,
          wanted.until,
          wanted.next,
        ]);
        expect([span !== undefined, inForceAt(time, moment - 1) !== undefined]).toEqual([
          isIn[2 * perWeek + at],
          isIn[2 * perWeek + at - 1],
        ]);
      }
      weeks += 1;
    }),
    { numRuns: 5_200 },
  );
  expect(weeks).toBeGreaterThan(5_000);
});

test('parts of the week that leave nothing out are one span, of more than 400 days on either side', () => {
  const time = timeOf('Europe/Berlin', { weekly: ['mon 00:00 - fri 00:00', 'fri 00:00 - mon 00:00'] });
  const { from, until } = inForceAt(time, start) ?? { from: start, until: start };
  expect(Math.min(start - from, until - start)).toBeGreaterThan(400 * dayMs);
  expect(nextFrom(time, start)).toBeUndefined();
});
