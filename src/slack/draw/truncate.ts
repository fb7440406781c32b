import { amount, beginning, clipped, inShort, type Drawable, type Text } from '../../text.ts';
import { visible } from './mrkdwn.ts';

/** What does not fit is left out, and how much of it is said. */

/** For the words at the end of a text that say how much of it is left out. */
const roomToSay = 40;

/** How much text somebody would read in this. */
export const charactersIn = (value: unknown): number =>
  typeof value !== 'object' || value === null
    ? 0
    : Object.entries(value).reduce(
        (sum, [key, one]) => sum + (key === 'text' && typeof one === 'string' ? one.length : charactersIn(one)),
        0,
      );

/** A text as it is drawn, and how many of its characters are not. */
export type Short = { readonly text: readonly Drawable[]; readonly left: number };

/** Text of at most so many characters as they are drawn, times and mentions apart; it ends with how many more there are. */
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
  return { text: [...kept, { text: `… (${amount(left)} characters more)` }], left };
}

export const widthOf = (text: readonly Drawable[]): number =>
  text.reduce((sum, span) => sum + ('text' in span ? span.text.length : 1), 0);

/** At most so many characters; where there is room for it, the end says how many more there are. */
export const cut = (text: string, limit: number): string => {
  if (text.length <= limit) return text;
  return limit < 4 * roomToSay ? `${beginning(text, limit - 1)}…` : clipped(text, limit - roomToSay);
};
