type Format = Intl.DateTimeFormatOptions;

const FORMATS: Readonly<Record<string, Format>> = {
  date_num: { year: 'numeric', month: '2-digit', day: '2-digit' },
  date: { year: 'numeric', month: 'long', day: 'numeric' },
  date_short: { year: 'numeric', month: 'short', day: 'numeric' },
  date_long: { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' },
  time: { hour: '2-digit', minute: '2-digit' },
  time_secs: { hour: '2-digit', minute: '2-digit', second: '2-digit' },
};
const DAY_MS = 86_400_000;

/** Epoch seconds in Slack's date format, such as `{date_short_pretty} at {time}`, in the viewer's locale and zone. */
export function dated(seconds: number, format: string): string {
  const at = new Date(seconds * 1000);
  return format.replaceAll(/\{(\w+)\}/g, (token, name: string) => {
    if (name === 'ago') return ago(at.getTime() - Date.now());
    const near = name.endsWith('_pretty') ? dayNear(at) : undefined;
    const options = FORMATS[name.replace('_pretty', '')];
    return near ?? (options === undefined ? token : at.toLocaleString(undefined, options));
  });
}

function dayNear(at: Date): string | undefined {
  const midnight = (moment: Date): number => new Date(moment).setHours(0, 0, 0, 0);
  const days = Math.round((midnight(at) - midnight(new Date())) / DAY_MS);
  if (Math.abs(days) > 1) return undefined;
  return new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' }).format(days, 'day');
}

function ago(ms: number): string {
  const format = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
  if (Math.abs(ms) < 3_600_000) return format.format(Math.round(ms / 60_000), 'minute');
  if (Math.abs(ms) < DAY_MS) return format.format(Math.round(ms / 3_600_000), 'hour');
  return format.format(Math.round(ms / DAY_MS), 'day');
}

/** The time of day of epoch milliseconds, in the viewer's locale. */
export const timeOf = (ms: number, seconds = false): string =>
  new Date(ms).toLocaleString(undefined, seconds ? FORMATS['time_secs'] : FORMATS['time']);

/** The same on a 24-hour clock with seconds, always 8 characters: `17:05:09`. */
export const clockOf = (ms: number): string => new Date(ms).toTimeString().slice(0, 8);
