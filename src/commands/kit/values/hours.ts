import { Refusal } from '../../../base/errors.ts';
import { code, say } from '../../../words/text.ts';
import { plainField, type PlainField } from '../fields.ts';
import { momentAt } from './times.ts';
import { dayMs } from '../../../words/duration.ts';

/** Hours of every day, as `HH:MM`; they may include midnight. */
export type Hours = { readonly from: string; readonly to: string };

/** A field for such hours, in the person's time zone: `22:00-07:00`. */
export const hours = (label: string): PlainField<Hours, false> =>
  plainField(label, {
    shown: '22:00-07:00',
    example: '22:00-07:00',
    read: ([first = '']) => readHours(label, first),
    show: (value) => [showHours(value)],
  });

const shape = /^((?:[01]?\d|2[0-3]):[0-5]\d)[-–—]((?:[01]?\d|2[0-3]):[0-5]\d)$/;

/** Reads `22:00-07:00`; throws `Refusal`. */
export function readHours(label: string, text: string): Hours {
  const [, from = '', to = ''] = shape.exec(text) ?? [];
  const hours = { from: from.padStart(5, '0'), to: to.padStart(5, '0') };
  if (to !== '' && hours.from !== hours.to) return hours;
  throw new Refusal(say`${label} are like ${code('22:00-07:00')}, not “${text.slice(0, 40)}”. Nothing was done.`);
}

export const showHours = ({ from, to }: Hours): string => `${from}-${to}`;

/** When the current quiet hours end (epoch ms), in `zone` (IANA name); undefined if it is outside of them. */
export function hoursEnd({ from, to }: Hours, now: number, zone: string): number | undefined {
  const [began, ended] = [momentAt({ clock: from }, now, zone), momentAt({ clock: to }, now, zone)];
  // The two are equal if the clocks skip all of these hours; then there are none that day.
  if (began < ended || (began === ended && from < to)) return undefined;
  const next = momentAt({ clock: to }, now + dayMs, zone);
  // On a day of 25 hours, this may be an end that is already over.
  return next > now ? next : next + dayMs;
}
