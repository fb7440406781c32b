import { createHash } from 'node:crypto';
import type { NewKind, NewKinds, NewKindsQuery } from '../kit/log-query.ts';
import { logEntriesOf } from './entries.ts';
import { kindsOf, matchesCut, withoutFolders, type MessageKind } from './groups.ts';
import { newestOf, readLines, type Line } from './lines.ts';
import { cutTo } from './section.ts';
import { placesIn } from './select-lines.ts';
import { dayMs } from '../../words/duration.ts';

/** How many kinds are returned. Nobody reads more kinds of errors than that. */
const maxKinds = 200;
const shownCharacters = 200;

/**
 * The kinds of errors that began after `since`: there is no entry in the 24 hours before the first one, by the times of
 * the lines. A line whose place is unknown counts as old as the first time.
 */
export async function findNewKinds(query: NewKindsQuery, alias: (address: string) => string): Promise<NewKinds> {
  const { text, wanted, since, match, now } = query;
  const raw = newestOf(text, wanted);
  const lines = await readLines(raw, { alias, now });
  const { oldest: reaches, places } = placesIn(lines, { from: since });
  const isZoneless = lines.some(({ stamp }) => stamp === 'zoneless');
  const read = { reaches, lines: lines.length, isCut: lines.length === wanted, isZoneless };
  if (reaches === undefined) return { ...read, kinds: [] };
  const kindsAt = (isBefore: boolean): readonly MessageKind[] => {
    const there = lines.filter((_, index) => (places[index] === 'before') === isBefore);
    return kindsOf(match === undefined ? there : entriesWith(there, match.toLowerCase())).filter(isError);
  };
  const before = kindsAt(true);
  const known = new Map(before.map((kind) => [kind.text, kind]));
  const cutBefore = before.filter(({ isCut }) => isCut);
  const isKnown = (kind: MessageKind, first: number): boolean => {
    const like = kind.isCut ? before : cutBefore;
    const same = known.get(kind.text) ?? like.find((other) => matchesCut(kind, other));
    return same !== undefined && (same.last ?? reaches) > first - dayMs;
  };
  const kinds: NewKind[] = [];
  for (const kind of kindsAt(false)) {
    const { first = reaches, last = first, count } = kind;
    if (kinds.length === maxKinds) break;
    if (isKnown(kind, first)) continue;
    const says = cutTo(withoutFolders(kind.oldest).trim(), shownCharacters);
    kinds.push({ key: keyOf(kind), count, says, first, last, reaches });
  }
  return { ...read, kinds };
}

const isError = ({ level }: MessageKind): boolean => level === 'error';

/** The lines of entries with these words in any of them. Only text that may be shown is searched. */
const entriesWith = (lines: readonly Line[], words: string): readonly Line[] =>
  logEntriesOf(lines)
    .filter((entry) => entry.lines.some(({ text }) => text.toLowerCase().includes(words)))
    .flatMap((entry) => entry.lines);

const keyOf = ({ text }: MessageKind): string => createHash('sha256').update(text).digest('hex').slice(0, 16);
