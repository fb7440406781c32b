import type { Line } from './lines.ts';
import type { TimeSpan } from '../kit/log-query.ts';

/** The requested lines among those that the host sent, and how many were left out. */
export type SelectedLines = {
  /** The newest `most`. */
  readonly lines: readonly Line[];
  /** Lines outside the requested span. */
  readonly outside: number;
  /** Lines that do not match the search. */
  readonly unlike: number;
  /** How many lines at the beginning are kept although their time is unknown. */
  readonly timeless: number;
  /** The oldest time of any line, kept or not (epoch ms); undefined if no line has a time. */
  readonly oldest: number | undefined;
  /** Whether they are only the newest: the host may have older ones, or more were found than are shown. */
  readonly isCut: boolean;
};

type Selection = {
  readonly span: TimeSpan;
  readonly search?: string | undefined;
  /** Whether the host sent as much as it was asked for, so that it may have more. */
  readonly isFull: boolean;
  /** How many lines are shown at most. */
  readonly most?: number;
};

/** Log times are whole seconds: a line of this second may be from before or after the moment. */
const second = 1_000;

/**
 * Filters the lines, because some hosts ignore the requested span and search. A line without a time gets the time of
 * the line before it; lines before the first time get the first time.
 */
export function selectLines(
  sent: readonly Line[],
  raw: readonly string[],
  { span, search, isFull, most = Infinity }: Selection,
): SelectedLines {
  const oldest = sent.find(({ at }) => at !== undefined)?.at;
  const { begin, end } = boundsOf(span);
  const isInside = ({ at = oldest }: Line): boolean => at === undefined || (at >= begin && at <= end);
  const isAsked = span.from !== undefined || span.to !== undefined;
  const inside = isAsked ? sent.map(isInside) : undefined;
  const found = search === undefined ? undefined : foundIn(sent, raw, search.toLowerCase());
  const lines: Line[] = [];
  let [outside, unlike, timeless] = [0, 0, 0];
  for (const [index, line] of sent.entries()) {
    if (inside?.[index] === false) outside += 1;
    else if (found?.[index] === false) unlike += 1;
    else {
      lines.push(line);
      if (isAsked && line.at === undefined) timeless += 1;
    }
  }
  const lacksOlder = isFull && (oldest === undefined || oldest >= begin);
  return { ...newest(lines, most, lacksOlder), outside, unlike, timeless, oldest };
}

const boundsOf = ({ from = -Infinity, to = Infinity }: TimeSpan) => ({
  begin: Math.floor(from / second) * second,
  end: to,
});

const newest = (lines: readonly Line[], most: number, lacksOlder: boolean) => ({
  lines: lines.slice(Math.max(0, lines.length - most)),
  isCut: lacksOlder || lines.length > most,
});

/** Whether each line, or its entry, contains these words. Searches the unmasked lines, so masked text is found too. */
function foundIn(lines: readonly Line[], raw: readonly string[], words: string): readonly boolean[] {
  const found: boolean[] = [];
  let head = 0;
  for (const [index, line] of lines.entries()) {
    if (!line.continues) head = index;
    found.push(found[head] === true);
    if (found[index] !== true && raw[index]?.toLowerCase().includes(words)) found.fill(true, head);
  }
  return found;
}
