import { masker } from '../commands/logs/masking.ts';
import { codeOf, inShort, unseen, type Text } from '../words/text.ts';

/** Text for a Markdown file. No part of it can become a link, an image, HTML, a list or a heading. */

const maxLength = 1_000;
const hidden = new RegExp(unseen, 'gv');

/** One line, with credentials and e-mail addresses masked and hidden characters shown as codes. */
function tidy(text: string): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\t\n\r\u2028\u2029]+/g, ' ')
    .replaceAll(hidden, (character) => `⟨${codeOf(character)}⟩`);
  return masker((address) => address)(line.slice(0, maxLength));
}

/** Our words, names and titles, unchanged but without a meaning in Markdown. */
export function escapeMarkdown(text: string): string {
  return (
    tidy(text)
      .replaceAll(/[\\`*_{}[\]<>#|~!&$()]/g, '\\$&')
      // Addresses that become links without markup.
      .replaceAll(/:(?=\/\/)|(?<=\bwww)\.|@/gi, '\\$&')
  );
}

/** Typed text or text from a log, as code: it has no meaning in Markdown and mentions nobody. */
export function codeSpan(text: string): string {
  const shown = tidy(text);
  const longest = Math.max(0, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const room = /^[` ]|[` ]$/.test(shown) || shown === '' ? ' ' : '';
  return `${fence}${room}${shown}${room}${fence}`;
}

/** A moment in epoch milliseconds: `2026-11-23 15:40:12 UTC`. */
export const utc = (at: number): string => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** A text of ours; `nameOf` gives the name for an id. */
export function textToMarkdown(text: Text, nameOf: (id: string) => string): string {
  return inShort(text)
    .map((span) => {
      if ('at' in span) return utc(span.at);
      if ('person' in span) return escapeMarkdown(nameOf(span.person));
      if ('userGroup' in span) return escapeMarkdown(span.userGroup);
      if ('channel' in span) return escapeMarkdown(span.channel);
      // Our text may begin or end with a space, which bold does not allow.
      return span.style === 'code' ? codeSpan(span.text) : escapeMarkdown(span.text);
    })
    .join('');
}
