import type { PlainTextElement, RichTextElement, RichTextSection } from '@slack/types';
import {
  codeOf,
  inShort,
  plain,
  time,
  unseen,
  type Drawable,
  type Text,
  amount,
  beginning,
  clipped,
} from '../words/text.ts';

/**
 * The only place that turns text into Slack's formats: rich text has no markup, plain lines are escaped, and what is too
 * long is cut.
 */

const everyUnseen = new RegExp(unseen, 'gv');

/** Replaces invisible characters with their codes. */
export const visible = (text: string): string => text.replace(everyUnseen, (character) => `⟨${codeOf(character)}⟩`);

/** Text for Slack fields that parse markup: the result has no mention, link or broadcast. */
const escaped = (text: string): string =>
  visible(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Text as one line of mrkdwn, for notifications and surfaces without blocks. Mentions in the text still work. */
export const mrkdwnLine = (text: Text): string => inShort(text).map(markup).join('');

function markup(span: Drawable): string {
  if ('person' in span) return `<@${span.person}>`;
  if ('userGroup' in span) return `<!subteam^${span.userGroup}>`;
  if ('channel' in span) return `<#${span.channel}>`;
  if ('at' in span) return `<!date^${seconds(span.at)}^${dateFormat(span.as)}|${fallback(span.at)}>`;
  return span.url === undefined ? escaped(span.text) : `<${escaped(span.url)}|${escaped(span.text)}>`;
}

/** Text as a rich text section. An empty text becomes a space, because Slack refuses empty texts. */
export const sectionOf = (text: Text): RichTextSection => {
  const elements = inShort(text)
    .filter((span) => !('text' in span && span.text === ''))
    .map(elementOf);
  return { type: 'rich_text_section', elements: elements.length > 0 ? elements : [{ type: 'text', text: ' ' }] };
};

function elementOf(span: Drawable): RichTextElement {
  if ('person' in span) return { type: 'user', user_id: span.person };
  if ('userGroup' in span) return { type: 'usergroup', usergroup_id: span.userGroup };
  if ('channel' in span) return { type: 'channel', channel_id: span.channel };
  if ('at' in span)
    return { type: 'date', timestamp: seconds(span.at), format: dateFormat(span.as), fallback: fallback(span.at) };
  const words = { text: visible(span.text), ...(span.style && { style: { [span.style]: true } }) };
  return span.url === undefined ? { type: 'text', ...words } : { type: 'link', url: span.url, ...words };
}

const seconds = (at: number): number => Math.floor(at / 1000);
const dateFormat = (as: 'time' | 'date'): string => (as === 'time' ? '{time}' : '{date_short_pretty} at {time}');
const fallback = (at: number): string => plain([time(at, 'date')]);

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

/** A text without any markup, such as a label. */
export const plainText = (text: string, limit: number): PlainTextElement => ({
  type: 'plain_text',
  text: cut(visible(text), limit) || ' ',
  emoji: false,
});
