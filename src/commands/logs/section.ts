import type { Text } from '../../text.ts';

/** What one way of reading a log has found in it. */
export type Section = {
  /** What kinds of entries there are, where they were told apart. */
  readonly kinds?: number;
  /** Each part is drawn by itself. */
  readonly parts: readonly Text[];
  /** What went wrong, and when it was first seen; the worst first. */
  readonly firsts: readonly First[];
};
export type First = { readonly says: string; readonly at: number };

/** At most so many characters, cut where it can be seen. */
export const cut = (text: string, limit: number): string => (text.length <= limit ? text : `${text.slice(0, limit)}…`);

/** A number as it is read: `18,240`. */
export const grouped = (amount: number): string => amount.toLocaleString('en-US');
