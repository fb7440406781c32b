import { beginning, type Text } from '../../words/text.ts';

/** The part of a log page that is specific to the kind of log. */
export type Section = {
  /** If entries were grouped: how many kinds and messages there are. A line counts once for each kind in it. */
  readonly groups?: { readonly kinds: number; readonly messages: number };
  /** Each non-empty part is shown separately. */
  readonly parts: readonly Text[];
  /** Problems and when each was first seen, worst first. */
  readonly firsts: readonly First[];
};
export type First = { readonly says: string; readonly at: number };

/** At most `limit` characters, with an ellipsis if it was cut. */
export const cutTo = (text: string, limit: number): string =>
  text.length <= limit ? text : `${beginning(text, limit)}…`;
