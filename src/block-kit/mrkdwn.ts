import type { RichTextElement, RichTextSection } from '@slack/types';
import { codeOf, inShort, plain, time, unseen, type Drawable, type Text } from '../words/text.ts';

/** The only place that turns text into Slack's formats. Rich text has no markup; plain lines are escaped. */

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
  return escaped(span.text);
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
  return { type: 'text', text: visible(span.text), ...(span.style && { style: { [span.style]: true } }) };
}

const seconds = (at: number): number => Math.floor(at / 1000);
const dateFormat = (as: 'time' | 'date'): string => (as === 'time' ? '{time}' : '{date_short_pretty} at {time}');
const fallback = (at: number): string => plain([time(at, 'date')]);
