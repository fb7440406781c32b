import { momentAt, aheadOf } from '../kit/values/times.ts';
import { hourMs } from '../../duration.ts';

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/**
 * `2026-11-21T13:48:00Z`, `2026/11/21 13:48:00`, `21/Nov/2026:13:48:00 +0000`, `21-Nov-2026 13:48:00 UTC`: at the start
 * of a line, or after its first bracket. A time anywhere else belongs to the message.
 */
const stamp =
  /^(?:[^[]{0,200}\[)?(?:(\d{4})[-/](\d\d)[-/](\d\d)[T ]|(\d\d?)[-/]([A-Z][a-z]{2})[-/](\d{4})[ :])(\d\d):(\d\d):(\d\d)(?:[.,]\d{1,9})?(?: ?(Z\b|[+-]\d\d:?\d\d)| (UTC|GMT|[A-Z][A-Za-z_]+\/[A-Za-z_/+-]{2,40}))?\]?\s*/;

/**
 * Reads the times of one log's lines (epoch ms). `end`: where the time ends if the line starts with it, otherwise 0. A
 * time without a zone is read as UTC and is `isZoneless`; a time outside `from` and `to` is ignored.
 */
export function stampReader(from: number, to: number) {
  const offsets = new Map<string, number>();
  const offsetAt = (zone: string, shown: number): number => {
    const key = `${Math.floor(shown / hourMs)} ${zone}`;
    const known = offsets.get(key) ?? offsetOf(zone, shown);
    offsets.set(key, known);
    return known;
  };
  return (line: string) => {
    const found = stamp.exec(line.slice(0, 300));
    if (found === null) return undefined;
    const [whole, y1, mo1, d1, d2, mo2 = '', y2, hours, minutes, seconds, ahead, zone] = found;
    const month = mo1 === undefined ? months.indexOf(mo2) : Number(mo1) - 1;
    const shown = Date.UTC(Number(y1 ?? y2), month, Number(d1 ?? d2), Number(hours), Number(minutes), Number(seconds));
    const at = shown - (zone === undefined ? aheadOf(ahead) : offsetAt(zone, shown));
    if (month < 0 || !(at >= from && at <= to)) return undefined;
    const isZoneless = zone === undefined && ahead === undefined;
    return { at, end: /^\[?\d/.test(whole) ? whole.length : 0, isZoneless };
  };
}

/** The offset of a named zone from UTC at a local time, in milliseconds. */
const offsetOf = (zone: string, shown: number): number =>
  zone === 'UTC' || zone === 'GMT'
    ? 0
    : shown - momentAt({ clock: new Date(shown).toISOString().slice(0, 19) }, shown, zone);
