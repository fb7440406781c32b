import { amount, beginning, clipped, inShort, type Drawable, type Text } from '../words/text.ts';
import { visible } from './mrkdwn.ts';

/** Shortens text, and says how much is missing. */

/** Room for the words that say how much is missing. */
const roomToSay = 40;

/** The number of characters of text in a block. */
export const charactersIn = (value: unknown): number =>
  typeof value !== 'object' || value === null
    ? 0
    : Object.entries(value).reduce(
        (sum, [key, one]) => sum + (key === 'text' && typeof one === 'string' ? one.length : charactersIn(one)),
        0,
      );

/** A drawn text, and how many of its characters are missing. */
export type Short = { readonly text: readonly Drawable[]; readonly left: number };

/** Cuts a text to `limit` drawn characters, not counting times and mentions; the end says how many are missing. */
export function shortened(text: Text, limit: number): Short {
  const all = inShort(text).map((span) => ('text' in span ? { ...span, text: visible(span.text) } : span));
  const width = widthOf(all);
  if (width <= limit) return { text: all, left: 0 };
  const kept: Drawable[] = [];
  let room = limit - roomToSay;
  for (const span of all) {
    if (room <= 0) break;
    kept.push('text' in span ? { ...span, text: beginning(span.text, room) } : span);
    room -= widthOf([span]);
  }
  const left = width - widthOf(kept);
  return { text: [...kept, { text: `… (${amount(left)} more characters)` }], left };
}

export const widthOf = (text: readonly Drawable[]): number =>
  text.reduce((sum, span) => sum + ('text' in span ? span.text.length : 1), 0);

/** The first items whose sizes together are at most `limit`. */
export function fitting<T>(items: readonly T[], limit: number, sizeOf: (item: T) => number): readonly T[] {
  let size = 0;
  const end = items.findIndex((item) => (size += sizeOf(item)) > limit);
  return end === -1 ? items : items.slice(0, end);
}

/** The characters of a value as JSON, as Slack counts. */
export const jsonLength = (value: unknown): number => JSON.stringify(value).length;

/** At most `limit` characters; if there is room, the end says how many are missing. */
export const cut = (text: string, limit: number): string => {
  if (text.length <= limit) return text;
  return limit < 4 * roomToSay ? `${beginning(text, limit - 1)}…` : clipped(text, limit - roomToSay);
};
