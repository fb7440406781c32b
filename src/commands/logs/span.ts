import type { Line } from './lines.ts';
import type { Span } from '../kit/log-query.ts';

/** The lines that were asked for, out of all that the host sent; how many lines it sent besides, and why they are not here. */
export type Kept = {
  readonly lines: readonly Line[];
  /** Lines from another time than was asked for. */
  readonly outside: number;
  /** Lines without the words that were searched for. */
  readonly unlike: number;
  /** How many of the first lines are here although nothing tells when they were written. */
  readonly timeless: number;
  /** When the oldest line that tells a time was written, here or not; undefined where none does. */
  readonly oldest: number | undefined;
};

/** Times in logs are whole seconds: a line of this second may be from before or after the moment. */
const second = 1_000;
/** Where the span begins, as lines tell it. */
export const beginningOf = ({ from = -Infinity }: Span): number => Math.floor(from / second) * second;

/**
 * Some hosts send their newest lines, whatever span and words were asked for. Lines without a time go with the line
 * before them; those before the first time go with the first line that has one.
 */
export function keptOf(
  sent: readonly Line[],
  raw: readonly string[],
  { span, search }: { readonly span: Span; readonly search: string | undefined },
): Kept {
  const oldest = sent.find(({ at }) => at !== undefined)?.at;
  const begin = beginningOf(span);
  const end = span.to ?? Infinity;
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
  return { lines, outside, unlike, timeless, oldest };
}

/** Whether each line has these words, or another line of its entry: what is masked can be searched for as well. */
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
