import { stampReader, type Stamp } from './timestamps.ts';
import { requestIn, type LoggedRequest } from './requests.ts';
import { mapInChunks } from './section.ts';
import { isJsonLine } from './json-line.ts';
import { beginsWithPhp, levelOf, needsLook } from './levels.ts';
import { masker } from './masking.ts';
import { causeIn, isFurtherMessage, isOneLine, isWrapped, unwrapped, type Unwrapped } from './nginx.ts';
import { dayMs, minuteMs } from '../../words/duration.ts';

export const withRequest = (line: Line): LineWithRequest => ({ line, request: requestIn(line.text) });

/** A line, and the request in it, if there is one. */
export type LineWithRequest = { readonly line: Line; readonly request: LoggedRequest | undefined };

/** A line of a log that may be shown. */
export type Line = Unwrapped & {
  /** The line, masked and limited in length. The messages are parts of it, without its time. */
  readonly text: string;
  /** Epoch milliseconds: the time of its entry. Undefined: it has none that can be believed. */
  readonly at: number | undefined;
  /** Whether it has a time of its own, believed or not. `zoneless`: without a zone, so it was read as UTC. */
  readonly stamp: 'zoned' | 'zoneless' | undefined;
  /** Whether it belongs to the entry before it, like a line of a stack trace. */
  readonly continues: boolean;
};

/** Times outside these bounds (epoch ms) are not believed: a clock was wrong, or a visitor wrote them. */
type Plausible = { readonly from: number; readonly to: number };

const oldestMs = 3_650 * dayMs;
/** How far the clocks of a host and of this machine may be apart. */
const aheadMs = 5 * minuteMs;
/** An entry has at most this many lines without a time: more of them are a log that has none there. */
const maxContinuing = 300;

/** The lines of one log, oldest first. Those before the first time are the rest of an entry that was cut off. */
export async function readLines(
  raw: readonly string[],
  { alias, now }: { readonly alias: (address: string) => string; readonly now: number },
): Promise<readonly Line[]> {
  const plausible = { from: now - oldestMs, to: now + aheadMs };
  return withoutBeginning(await mapInChunks(raw, lineReader(alias, plausible)));
}

/** Reads a log in chunks, in order. The result does not depend on where the chunks begin. */
export function lineReader(
  alias: (address: string) => string,
  plausible: Plausible,
): (raw: readonly string[]) => readonly Line[] {
  const mask = masker(alias);
  const stampOf = stampReader();
  let at: number | undefined;
  // From then on, a line with a time begins an entry.
  let isTimed = false;
  let untimed = 0;
  let isFirst = true;
  let isWhole = false;
  const read = (line: string): Line => {
    const text = mask(line);
    const stamp = ownTimeIn(text, stampOf(text));
    const body = text.slice(stamp?.end ?? 0);
    const said = unwrapped(body);
    untimed = stamp === undefined ? untimed + 1 : 0;
    const isOpen = isTimed && !isWhole && untimed <= maxContinuing;
    const continues = !isFirst && goesOn(said, { text, stamp, isOpen });
    isFirst = false;
    if (stamp !== undefined) isWhole = isOneLine(body);
    if (!continues) at = believed(stamp, plausible);
    isTimed ||= stamp !== undefined && !continues;
    const { messages, isCut, cause } = continues ? furtherOf(said, text) : said;
    return { text, at, stamp: stamp && (stamp.isZoneless ? 'zoneless' : 'zoned'), continues, messages, isCut, cause };
  };
  return (raw) => raw.map(read);
}

const believed = (stamp: Stamp | undefined, { from, to }: Plausible): number | undefined =>
  stamp !== undefined && stamp.at >= from && stamp.at <= to ? stamp.at : undefined;

/** A time behind PHP's own words, or behind those that begin a further message, belongs to what is said. */
const ownTimeIn = (text: string, stamp: Stamp | undefined): Stamp | undefined =>
  stamp?.end === 0 && (isFurtherMessage(text) || beginsWithPhp(text)) ? undefined : stamp;

/** What is only a part of something, such as a printed array of which each line has a time. */
const inside = /^(?:\[[^\]]{1,80}\] ){0,6}(?: {4}|\t|[^\p{L}\p{N}]+$)/u;

/**
 * Whether a line belongs to the entry before it. A line of a trace does, and of a printed array. Where entries have
 * times, so does every line without one, unless it says itself how grave it is. Elsewhere, and behind
 * an entry that is complete in one line, indented lines and those without words do.
 */
function goesOn(
  { messages }: Unwrapped,
  { text, stamp, isOpen }: { readonly text: string; readonly stamp: Stamp | undefined; readonly isOpen: boolean },
): boolean {
  if (messages.length === 0) return true;
  if (stamp !== undefined) return messages.every((message) => inside.test(message));
  if (!isOpen) return /^(?:\s|[^\p{L}\p{N}]*$)/u.test(text);
  return isFurtherMessage(text) || !beginsEntry(text);
}

const beginsEntry = (text: string): boolean =>
  isWrapped(text) || beginsWithPhp(text) || isJsonLine(text) || (/^\S/.test(text) && needsLook(levelOf(text)));

/** What a line adds to its entry. After a trace of several lines, nginx puts the request behind the last one. */
const furtherOf = (said: Unwrapped, text: string): Unwrapped =>
  isFurtherMessage(text) ? said : { messages: [], isCut: false, cause: causeIn(text) };

/** In a log with times, the lines before the first one are one entry. */
function withoutBeginning(lines: readonly Line[]): readonly Line[] {
  const first = lines.findIndex(({ stamp, continues }) => stamp !== undefined && !continues);
  if (first <= 1 || first > maxContinuing) return lines;
  return lines.map((line, index) =>
    index === 0 || index >= first || line.continues || beginsEntry(line.text)
      ? line
      : { ...line, messages: [], isCut: false, continues: true },
  );
}

/** The last `most` lines of a text, oldest first. If the host sends too many, the extra ones are the oldest. */
export function newestOf(text: string, most: number): readonly string[] {
  const end = text.endsWith('\n') ? text.length - 1 : text.length;
  if (end <= 0) return [];
  let start = end;
  for (let count = 0; count < most && start >= 0; count += 1)
    start = start === 0 ? -1 : text.lastIndexOf('\n', start - 1);
  return text.slice(start + 1, end).split('\n');
}
