import { Refusal } from '../errors.ts';
import { code, say } from '../text.ts';

/** A point in time as somebody said it: so long ago, or a reading of their own clock. */
export type Moment = { readonly ago: number } | { readonly clock: string };

const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90s`, `30m`, `2h`, `7d`, `1h30m` in milliseconds; throws `Refusal` outside the bounds. */
export function readDuration(label: string, text: string, from: number, to: number): number {
  const value = durationOf(text);
  if (value === undefined) {
    throw new Refusal(
      say`${label} is a length of time like ${code('30m')} or ${code('2h')}, not “${text.slice(0, 40)}”. Nothing was done.`,
    );
  }
  if (value < from || value > to) {
    throw new Refusal(`${label} can be ${showDuration(from)} to ${showDuration(to)}, not ${text}. Nothing was done.`);
  }
  return value;
}

/** Milliseconds in the largest units that say it exactly: `5400000` is `1h30m`. */
export function showDuration(milliseconds: number): string {
  let rest = milliseconds;
  let shown = '';
  for (const [unit, size] of Object.entries(units).toReversed()) {
    const whole = Math.floor(rest / size);
    if (whole > 0) shown += `${whole}${unit}`;
    rest -= whole * size;
  }
  return shown || '0s';
}

/** Reads `1h` (ago), `now`, `14:05`, `yesterday`, `2026-03-01`, `2026-03-01 14:05`; throws `Refusal`. */
export function readMoment(label: string, text: string): Moment {
  if (/^now$/i.test(text)) return { ago: 0 };
  if (/^yesterday$/i.test(text)) return { ago: 86_400_000 };
  const ago = durationOf(text.replace(/\s+ago$/i, ''));
  if (ago !== undefined) return { ago };
  const clock = /^(?:(\d{4}-\d{2}-\d{2})(?:[T ](\d{1,2}:\d{2}(?::\d{2})?)(Z)?)?|(\d{1,2}:\d{2}(?::\d{2})?))$/.exec(
    text,
  );
  if (clock) return { clock: text };
  throw new Refusal(
    say`${label} is like ${code('1h')}, ${code('14:05')} or ${code('2026-03-01 14:05')}, not “${text.slice(0, 40)}”. Nothing was done.`,
  );
}

/**
 * A moment in epoch milliseconds, read on the clock of `zone` (IANA name); a bare time of day is the last one that has
 * passed. Throws `Refusal` for a date that does not exist.
 */
export function momentAt(moment: Moment, now: number, zone: string): number {
  if ('ago' in moment) return now - moment.ago;
  const [, date, hours, utc] = /^(\d{4}-\d{2}-\d{2})?[T ]?([\d:]+)?(Z)?$/.exec(moment.clock) ?? [];
  const offset = utc ? 0 : offsetOf(zone, now);
  const day = date ?? new Date(now + offset).toISOString().slice(0, 10);
  const [hour = '00', minute = '00', second = '00'] = (hours ?? '').split(':').filter((part) => part !== '');
  const local = Date.parse(`${day}T${hour.padStart(2, '0')}:${minute}:${second}Z`);
  if (Number.isNaN(local)) throw new Refusal(`${moment.clock} is no point in time. Nothing was done.`);
  const at = local - (utc ? 0 : offsetOf(zone, local - offset));
  return date === undefined && at > now ? at - 86_400_000 : at;
}

/** How far the clocks of `zone` are ahead of UTC at that time, in milliseconds; 0 for a zone nobody knows. */
function offsetOf(zone: string, at: number): number {
  try {
    const shown = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
      .formatToParts(at)
      .find((part) => part.type === 'timeZoneName')?.value;
    const [, sign, hours = '0', minutes = '0'] = /GMT([+-])(\d{2}):(\d{2})/.exec(shown ?? '') ?? [];
    return sign === undefined ? 0 : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  } catch {
    return 0;
  }
}

function durationOf(text: string): number | undefined {
  if (!/^(?:\d{1,6}[smhd])+$/i.test(text)) return undefined;
  return [...text.toLowerCase().matchAll(/(\d+)([smhd])/g)].reduce(
    (sum, [, amount, unit = '']) => sum + Number(amount) * (units[unit] ?? 0),
    0,
  );
}
