import type { Offer } from '../../errors.ts';
import { say, time, type Inline, type Text } from '../../text.ts';

/** A part of an answer, as plain data. */
export type Part =
  | { readonly kind: 'text'; readonly text: Text }
  /** Lines kept as they are, in a fixed-width face. */
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'table'; readonly columns: readonly string[]; readonly rows: readonly (readonly Text[])[] };

/** What a report or a desk command answers: drawn privately, in pages if it is long. */
export type Page = {
  readonly title: Text;
  readonly parts: readonly Part[];
  /** Where it came from and how old it is. */
  readonly source?: Inline;
  readonly offers?: readonly Offer[];
  /** Too long for a message: given to the person alone, as a file. */
  readonly file?: { readonly name: string; readonly content: string };
};

/** How long ago, in the one unit that says enough: `3 h ago`, `2 days ago`. */
export function age(milliseconds: number): string {
  const minutes = Math.max(0, milliseconds) / 60_000;
  if (minutes < 1) return 'just now';
  if (minutes < 90) return `${Math.round(minutes)} min ago`;
  if (minutes < 36 * 60) return `${Math.round(minutes / 60)} h ago`;
  return `${Math.round(minutes / 1440)} days ago`;
}

/** Where a page came from, and when: shared, it stands there for others to read later. */
export const readAt = (now: number): Text => say`read from the host ${time(now, 'date')}`;

/** A number with its noun: `1 rule`, `3 rules`. */
export const counted = (amount: number, noun: string, plural = `${noun}s`): string =>
  `${amount.toLocaleString('en-US')} ${amount === 1 ? noun : plural}`;
