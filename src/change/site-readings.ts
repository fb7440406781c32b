import { parseStored } from '../storage/parse-json.ts';
import { code, say, type Text, time } from '../words/text.ts';
import { seconds, impressionWords } from '../commands/check.ts';
import {
  verdictOf,
  impressionIn,
  impressionOf,
  mostTellingOf,
  type Impression,
  type Look,
  type SiteReading,
  type Verdict,
} from '../site-check/reading.ts';
import type { Series } from '../site-check/site-check.ts';
import { readKv, readKvs, removeOldKv, replaceKv } from '../storage/kv.ts';
import { type ReadHandle, type Tx } from '../storage/schema.ts';
import type { Risk } from '../words/states.ts';
import { dayMs } from '../words/duration.ts';

/** Readings of a site around a change: what is stored, and what people are told. */

/** A look in short. `says` follows *was* or *is*: `200 in 0.4 s`. */
type ShortLook = Pick<Look, 'address' | 'as'> & { readonly impression: Impression; readonly says: string };

/** A reading in short: its impression, and its most telling look. `at`: when it began, in epoch milliseconds. */
type ShortReading = ShortLook & { readonly at: number };

/** A reading with every look, so that each page can be compared with itself. */
type ReadingBefore = ShortReading & { readonly looks: readonly ShortLook[] };

/** What several readings say together, and the most telling of them. */
type Findings = Pick<Series, 'cut'> & { readonly verdict: Verdict; readonly shown: ShortReading };

export type SiteReadings = {
  readonly before?: ReadingBefore;
  /** `begun`: readings began, and their result is not known. `notChecked`: why the site can't be read. */
  readonly after?: 'begun' | { readonly notChecked: Text } | Findings;
};

const prefix = 'site check:';
const keyOf = (change: number): string => `${prefix}${change}`;

/** How long readings are kept. */
export const readingsKeptMs = 30 * dayMs;
export const forgetReadings = (tx: Tx, now: number): Promise<void> => removeOldKv(tx, prefix, now - readingsKeptMs);

/** The readings of a change, and the stored value, with which a later `keepReadings` compares. */
export async function keptReadings(
  db: ReadHandle,
  change: number,
): Promise<{ readonly readings: SiteReadings; readonly stored: string | undefined }> {
  const stored = (await readKv(db, keyOf(change)))?.value;
  return { readings: stored === undefined ? {} : parseStored<SiteReadings>(stored), stored };
}

/** The readings of each of these changes, by number. */
export async function keptReadingsOf(
  db: ReadHandle,
  changes: readonly number[],
): Promise<ReadonlyMap<number, SiteReadings>> {
  const rows = await readKvs(db, changes.map(keyOf));
  return new Map(rows.map(({ key, value }) => [Number(key.slice(prefix.length)), parseStored<SiteReadings>(value)]));
}

/** Replaces `stored` with these readings. False, with nothing written, if the stored value is another one by now. */
export const keepReadings = (
  tx: Tx,
  change: number,
  readings: SiteReadings,
  { stored, at }: { readonly stored: string | undefined; readonly at: number },
): Promise<boolean> => replaceKv(tx, { key: keyOf(change), value: JSON.stringify(readings), at }, stored);

/** A reading in short; undefined: no page was requested. */
export function shortReading(reading: SiteReading): ReadingBefore | undefined {
  const looks = shortLooks(reading);
  const shown = mostTelling(looks);
  return shown && { ...shown, at: reading.at, impression: impressionIn(reading), looks };
}

/** The looks in short. A missing text counts for the first page. */
function shortLooks({ looks, missing }: SiteReading): readonly ShortLook[] {
  const shown = looks.map((look): ShortLook => {
    const { address, as } = look;
    return { address, as, impression: impressionOf(look), says: inWords(look) };
  });
  const lacking = missing.flatMap(({ text, as }): readonly ShortLook[] => {
    const first = shown.find((look) => look.as === as);
    return first ? [{ ...first, impression: 'bad', says: `without “${text}”` }] : [];
  });
  return [...shown, ...lacking];
}

const mostTelling = (looks: readonly ShortLook[]): ShortLook | undefined =>
  looks.find(({ impression }) => impression === 'bad') ??
  looks.find(({ impression }) => impression !== 'well') ??
  looks[0];

const isWell = (look: Look): boolean => impressionOf(look) === 'well';

function inWords(look: Look): string {
  if (look.kind === 'not checked') return `not asked, because ${look.why}`;
  if (look.kind === 'no answer') return `without an answer (it ${look.why})`;
  const { status, trouble, unread, ms } = look;
  const but = trouble ?? unread;
  if (but !== undefined) return status < 300 ? `${status}, but ${but}` : `${status} (${but})`;
  return isWell(look) ? `${status} in ${seconds(ms)}` : String(status);
}

/**
 * What these readings, oldest first, show; undefined: no page was requested. If the site is well, the page that was shown
 * `before` is shown again.
 */
export function findingsOf({ readings, cut }: Series, before?: ReadingBefore): Findings | undefined {
  const telling = mostTellingOf(readings);
  const found = telling && shortReading(telling);
  if (found === undefined) return undefined;
  const { looks, ...shown } = found;
  const verdict = verdictOf(readings);
  const again = before && looks.find((look) => isSamePage(look, before));
  return { verdict, shown: verdict.kind === 'well' ? { ...shown, ...again } : shown, cut };
}

/**
 * What the thread of a change says about its site. Undefined if there is nothing to say: it is as well as before, or
 * unknown. The thread of a routine change has one reply, so it doesn't mention a site that is unsteady.
 */
export function verdictInWords(name: string, risk: Risk, { before, after }: SiteReadings): Text | undefined {
  if (after === undefined || after === 'begun' || 'notChecked' in after) return undefined;
  const { verdict, shown, cut } = after;
  if (cut === 'busy' && shown.impression === 'bad')
    return say`⚠️ **${name} was ${shown.says} in one reading** (${placeOf(shown)}), and I was reading too many sites to look again. ${wasBefore(before, shown)}`;
  if (verdict.kind === 'bad') return badInWords(name, before, shown, `in ${verdict.bad} of ${verdict.of} readings`);
  if (verdict.kind === 'well' && before?.impression === 'bad' && isSamePage(before, shown))
    return say`✅ **${name} is well again**: ${shown.says}, in ${verdict.of} of ${verdict.of} readings (${placeOf(shown)}). Before, it was ${before.says}, in one reading.`;
  if (verdict.kind !== 'unsteady' || risk === 'routine') return undefined;
  return say`⚠️ **${name} is now unsteady**: bad in ${verdict.bad} of ${verdict.of} readings, last as ${shown.says} (${placeOf(shown)}). ${wasBefore(before, shown)}`;
}

function badInWords(name: string, before: ReadingBefore | undefined, shown: ShortReading, often: string): Text {
  const was = before?.impression === 'bad' ? undefined : sameBefore(before, shown);
  if (was?.impression === 'well')
    return say`⚠️ **${name} was ${was.says} before, and is now ${shown.says}**, ${often} (${placeOf(shown)}).`;
  return say`⚠️ **${name} is now ${shown.says}**, ${often} (${placeOf(shown)}). ${wasBefore(before, shown)}`;
}

function wasBefore(before: ReadingBefore | undefined, shown: ShortLook): Text {
  const was = sameBefore(before, shown);
  if (before?.impression === 'bad') {
    const bad = was?.impression === 'bad' ? say`${was.says}` : say`${before.says} (${placeOf(before)})`;
    return say`It was bad before too, in one reading: ${bad}.`;
  }
  if (was?.impression === 'well') return say`Before, it was ${was.says}, in one reading.`;
  return before && was === undefined ? say`I didn't read that page before.` : say`I don't know how it was before.`;
}

/** The look at the same page before the change, requested in the same way. */
const sameBefore = (before: ReadingBefore | undefined, after: ShortLook): ShortLook | undefined =>
  mostTelling(before?.looks.filter((look) => isSamePage(look, after)) ?? []);

const isSamePage = (one: ShortLook, other: ShortLook): boolean => one.address === other.address && one.as === other.as;

const placeOf = ({ address, as }: ShortLook): Text =>
  as === 'visitor' ? say`${code(address)}` : say`${code(address)} past the cache`;

/** The readings before and after a change, in half a sentence that follows *the site*. */
export function readingsInShort({ before, after }: SiteReadings): Text {
  const shown = typeof after === 'object' && 'shown' in after ? after.shown : undefined;
  const same = shown?.impression === 'bad' ? sameBefore(before, shown) : before;
  const was = same ? `was ${same.says}` : before ? `was ${before.says} on another page` : 'was not read before';
  return say`${was}, then ${afterInShort(after)}`;
}

function afterInShort(after: SiteReadings['after']): string {
  if (after === undefined || (after !== 'begun' && 'notChecked' in after)) return 'not read';
  if (after === 'begun') return 'not known';
  const { verdict, shown } = after;
  if (verdict.kind === 'one reading') return `${shown.says} in one reading`;
  const { kind, bad, of } = verdict;
  if (bad > 0) return `${shown.says} in ${bad} of ${of} readings`;
  return kind === 'well'
    ? `${shown.says}, well in ${of} of ${of} readings`
    : `${impressionWords.unknown}: ${shown.says}`;
}

/** The readings before and after a change, for its history. */
export const readingsInWords = ({ before, after }: SiteReadings): readonly (readonly [string, Text])[] => [
  ['Site before', before ? say`${impressionWords[before.impression]} in one reading: ${oneInWords(before)}` : notRead],
  ['Site after', afterInWords(after)],
];

const notRead = say`not read`;

function afterInWords(after: SiteReadings['after']): Text {
  if (after === undefined) return notRead;
  if (after === 'begun') return say`unknown: I started reading it, but have no result`;
  if ('notChecked' in after) return say`not read, because ${after.notChecked}`;
  const { verdict, shown } = after;
  if (verdict.kind === 'one reading')
    return say`${impressionWords[verdict.looks]} in one reading: ${oneInWords(shown)}`;
  const { kind, bad, of } = verdict;
  const how = kind === 'unsteady' ? kind : impressionWords[kind];
  const often = kind === 'bad' || kind === 'well' ? say`${how} in ${of} of ${of}` : say`${how}, bad in ${bad} of ${of}`;
  return say`${often} readings: ${oneInWords(shown)}`;
}

const oneInWords = (reading: ShortReading): Text =>
  say`${reading.says} (${placeOf(reading)}, ${time(reading.at, 'date')})`;
