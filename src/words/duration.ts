/** Durations, as people write and read them. */

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** A moment rounded up to the minute, epoch ms: from then on it is certainly over, also for who reads hours and minutes. */
export const wholeMinute = (at: number): number => Math.ceil(at / minuteMs) * minuteMs;

const units: Readonly<Record<string, number>> = { s: 1_000, m: minuteMs, h: hourMs, d: dayMs };
const maxLength = 200;

const unit = 's(?:ec(?:ond)?s?)?|m(?:in(?:ute)?s?)?|h(?:(?:ou)?rs?)?|d(?:ays?)?';
/** A number and its unit, short or long, with an optional space between them. */
const amounts = new RegExp(`(\\d{1,8}) ?(${unit})(?![a-z])`, 'gi');
const unitAlone = new RegExp(`^(?:${unit})$`, 'i');

/** `90s`, `30m`, `2h`, `7d`, `1h30m`, `7days`, `2 hours` in milliseconds; undefined if the text isn't a duration. */
export function parseDuration(text: string): number | undefined {
  const all = [...text.slice(0, maxLength).matchAll(amounts)];
  if (all.length === 0 || all.map(([whole]) => whole).join('') !== text) return undefined;
  return all.reduce(
    (sum, [, amount, unit = '']) => sum + Number(amount) * (units[unit.charAt(0).toLowerCase()] ?? 0),
    0,
  );
}

/** Whether two words form a duration only together: `7` `days`. */
export const isAmountAndUnit = (amount: string, unit: string): boolean =>
  /^\d{1,8}$/.test(amount) && unitAlone.test(unit);

/** Whole seconds (in milliseconds) in the largest exact units: `5400000` is `1h30m`. */
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

/** Milliseconds in words, to the second; from an hour on, to the minute: `2 s`, `2 min 14 s`, `1 h`, `1 h 5 min`. */
export function spokenDuration(milliseconds: number): string {
  const seconds = Math.max(1, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min${seconds % 60 ? ` ${seconds % 60} s` : ''}`;
  const minutes = Math.floor((seconds % 3600) / 60);
  return `${Math.floor(seconds / 3600)} h${minutes ? ` ${minutes} min` : ''}`;
}
