import * as fc from 'fast-check';
import type { Freeze } from '../../src/policy/rules.ts';
import { dayMs, hourMs } from '../../src/words/duration.ts';

/**
 * Weeks in which something is to be sent at a time, and a simple reference that says what comes of it. All that happens
 * does so at a whole quarter of an hour. Times are epoch ms; other numbers are quarters.
 */

export const quarter = 15 * 60_000;
const weekMs = 7 * dayMs;

/** From so many quarters after the hour (before it, if negative), for so many. */
type Span = { readonly from: number; readonly lasts: number };
const isIn = ({ from, lasts }: Span, at: number): boolean => from <= at && at < from + lasts;

export type Week = {
  readonly zone: string;
  /** When it is asked for. */
  readonly asked: number;
  /** How the hour is typed: so many days later, at this quarter of the day. */
  readonly typed: {
    readonly by: 'clock' | 'tomorrow' | 'weekday' | 'date';
    readonly days: number;
    readonly clock: number;
  };
  readonly within: '1m' | '30m' | '2h' | undefined;
  readonly needsApproval: boolean;
  /** When people press a button. */
  readonly presses: readonly { readonly kind: 'approve' | 'cancel' | 'decline'; readonly at: number }[];
  readonly freezes: readonly (Span & { readonly isWeekly: boolean; readonly isExcepted: boolean })[];
  readonly pauses: readonly Span[];
  readonly locks: readonly Span[];
  /** When no process runs. From its end on, the clock is off by these hours. */
  readonly asleep: (Span & { readonly hoursOff: number }) | undefined;
};

/** Mondays of weeks in which the clock is changed in some of the zones, and of one in which it is not. */
const mondays = ['2026-03-23', '2026-09-28', '2026-10-19', '2026-10-26', '2027-01-11', '2027-03-08', '2027-03-29'];
const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC'];
const spans = fc.record({ from: fc.integer({ min: -16, max: 8 }), lasts: fc.integer({ min: 1, max: 20 }) });
const few = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<readonly T[]> =>
  fc.oneof(fc.constant([]), fc.constant([]), fc.array(one, { minLength: 1, maxLength: 2 }));

export const weeks: fc.Arbitrary<Week> = fc.record({
  zone: fc.constantFrom(...zones),
  asked: fc
    .tuple(fc.constantFrom(...mondays), fc.oneof(fc.nat(671), fc.integer({ min: 560, max: 690 })))
    .map(([monday, at]) => Date.parse(monday) + at * quarter),
  typed: fc.record({
    by: fc.constantFrom('clock' as const, 'clock' as const, 'tomorrow' as const, 'weekday' as const, 'date' as const),
    days: fc.nat(6),
    // The clock is changed at night.
    clock: fc.oneof(fc.nat(95), fc.nat(14)),
  }),
  within: fc.constantFrom(undefined, '1m' as const, '30m' as const, '2h' as const, '2h' as const),
  needsApproval: fc.boolean(),
  presses: fc.oneof(
    fc.constant([{ kind: 'approve' as const, at: -8 }]),
    fc.array(
      fc.record({
        kind: fc.constantFrom('approve' as const, 'approve' as const, 'cancel' as const, 'decline' as const),
        at: fc.integer({ min: -20, max: 10 }),
      }),
      { maxLength: 3 },
    ),
  ),
  freezes: few(
    fc
      .tuple(spans, fc.boolean(), fc.nat(4))
      .map(([span, isWeekly, luck]) => ({ ...span, isWeekly, isExcepted: luck === 0 })),
  ),
  pauses: few(spans),
  locks: few(spans),
  asleep: fc
    .option(
      fc.tuple(spans, fc.constantFrom(0, 0, 0, 1, 2, 26, -1, -3)).map(([span, hoursOff]) => ({ ...span, hoursOff })),
    )
    .map((one) => one ?? undefined),
});

const formats = new Map<string, Intl.DateTimeFormat>();
const seen = new Map<string, number>();
/** What the clock there shows, as the moment at which one in UTC does. */
function shown(zone: string, at: number): number {
  const key = `${zone} ${at}`;
  const known = seen.get(key);
  if (known !== undefined) return known;
  const format =
    formats.get(zone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
  formats.set(zone, format);
  const local = Date.parse(`${format.format(at).replace(' ', 'T')}Z`);
  seen.set(key, local);
  return local;
}

/** The first moment at which the clock there shows this; undefined: it is put forward over it. */
function firstShowing(zone: string, local: number): number | undefined {
  for (let at = local - 15 * hourMs; at <= local + 15 * hourMs; at += quarter) if (shown(zone, at) === local) return at;
  return undefined;
}

const startOfDay = (local: number): number => Math.floor(local / dayMs) * dayMs;
function dayOf({ zone, asked, typed: { by, days } }: Week): number {
  const today = startOfDay(shown(zone, asked));
  return today + { clock: 0, tomorrow: dayMs, weekday: days * dayMs, date: days * dayMs }[by];
}

/** As it is typed after `--at`. */
export function typedText(week: Week): string {
  const { by, clock } = week.typed;
  const local = new Date(dayOf(week) + clock * quarter);
  const [day, time] = [local.toISOString().slice(0, 10), local.toISOString().slice(11, 16)];
  const name = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'][local.getUTCDay()] ?? '';
  return { clock: time, tomorrow: `tomorrow ${time}`, weekday: `${name} ${time}`, date: `${day} ${time}` }[by];
}

const lengths = { '1m': 60_000, '30m': 30 * 60_000, '2h': 2 * hourMs } as const;

/** The window that is meant; undefined: there is no such hour, or it is over. */
export function meant(week: Week): { readonly at: number; readonly until: number } | undefined {
  const { zone, asked, typed, within } = week;
  const local = dayOf(week) + typed.clock * quarter;
  const isAhead = local > shown(zone, asked) && (firstShowing(zone, local) ?? Infinity) > asked;
  const later = { clock: dayMs, weekday: weekMs, tomorrow: 0, date: 0 }[typed.by];
  const at = firstShowing(zone, isAhead ? local : local + later);
  if (at === undefined) return undefined;
  return at > asked ? { at, until: at + (within ? lengths[within] : quarter) } : undefined;
}

/** A moment of a week: the database's clock, and what is then. */
type Tick = {
  readonly now: number;
  readonly isAsleep: boolean;
  readonly isPaused: boolean;
  readonly isLocked: boolean;
  readonly pressed: readonly ('approve' | 'cancel' | 'decline')[];
};

/** From a quarter after it was asked for, until long after the hour; what is far before the hour is left out. */
export function* ticksOf({ asked, asleep, pauses, locks, presses }: Week, at: number): Generator<Tick> {
  const hour = Math.round((at - asked) / quarter);
  for (let after = Math.max(1 - hour, -24); after <= 48; after += 1)
    yield {
      now: at + after * quarter + (asleep && after >= asleep.from + asleep.lasts ? asleep.hoursOff * hourMs : 0),
      isAsleep: asleep !== undefined && isIn(asleep, after),
      isPaused: pauses.some((one) => isIn(one, after)),
      isLocked: locks.some((one) => isIn(one, after)),
      pressed: presses.filter((one) => one.at === after).map(({ kind }) => kind),
    };
}

/** Whether a freeze that excepts nobody is in force. */
export const isFrozen = ({ freezes }: Pick<Week, 'freezes'>, hour: number, now: number): boolean =>
  freezes.some(({ from, lasts, isWeekly, isExcepted }) => {
    const begins = hour + from * quarter;
    const since = isWeekly ? (((now - begins) % weekMs) + weekMs) % weekMs : now - begins;
    return !isExcepted && since >= 0 && since < lasts * quarter;
  });

/** The freezes as the policy has them. */
export const freezesOf = ({ freezes }: Week, hour: number): readonly Freeze[] =>
  freezes.map(({ from, lasts, isWeekly, isExcepted }, at) => {
    const begins = hour + from * quarter;
    // 1970 began on a Thursday.
    const sinceMonday = (begins + 3 * dayMs) % weekMs;
    const zone = { zone: 'UTC', text: 'then' };
    return {
      name: `f${at}`,
      line: 1,
      column: 1,
      reason: undefined,
      where: undefined,
      what: undefined,
      time: isWeekly
        ? { ...zone, kind: 'weekly', weekly: [{ from: sinceMonday, to: sinceMonday + lasts * quarter }] }
        : { ...zone, kind: 'once', span: { from: begins, until: begins + lasts * quarter } },
      except: isExcepted ? { to: ['askers'], approval: 'none' } : undefined,
    };
  });

/** What comes of it: when it is sent by the database's clock, or how it ends. */
export type End =
  | { readonly sent: number }
  | { readonly unsent: 'not asked' | 'frozen' | 'expired' | 'cancelled' | 'declined' };

/** The promise, in short: sent at the first moment of its window at which nothing is in the way, or ended. */
export function reference(week: Week): End {
  const window = meant(week);
  if (window === undefined) return { unsent: 'not asked' };
  const { at, until } = window;
  const frozenAt = (now: number): boolean => isFrozen(week, at, Math.max(now, at));
  if (frozenAt(week.asked)) return { unsent: 'frozen' };
  let isApproved = !week.needsApproval;
  const isDue = (now: number): boolean => isApproved && now >= at && !frozenAt(now);
  for (const { now, isAsleep, isPaused, isLocked, pressed } of ticksOf(week, at)) {
    if (isAsleep) continue;
    for (const kind of pressed) {
      if (kind === 'cancel') return { unsent: 'cancelled' };
      if (kind === 'decline' && !isApproved) return { unsent: 'declined' };
      if (kind === 'approve' && now < until && !frozenAt(now)) isApproved = true;
    }
    if (now >= until) return { unsent: 'expired' };
    if (isDue(now) && !isPaused && !isLocked) return { sent: now };
  }
  throw new Error('neither sent nor over');
}
