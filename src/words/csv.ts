import { clipped, codeOf, unseen, type Text } from './text.ts';

/** Lines for spreadsheets. */

/** RFC 4180: every cell is quoted, lines end with CR LF. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(cell).join(',')}\r\n`;

/**
 * A sign that begins a formula: at the start of a cell, or after a character inside it that separates cells elsewhere
 * (`;` in half of Europe, where the quotes don't hold it together either). Blanks and quotes between don't count.
 */
const formula = /(?<=(?:^|[;,\t\r\n])[\s"']*)[=+\-@＝＋－＠]/g;

/** An apostrophe before each such sign keeps it text. `'=` gets another one, to differ from `=`. */
const cell = (value: string): string => `"${value.replaceAll(formula, "'$&").replaceAll('"', '""')}"`;

const maxLength = 2_000;
const hidden = new RegExp(unseen, 'gv');

/**
 * A text for one cell: on one line, with complete lists, times in UTC, and hidden characters as codes. `nameOf` gives
 * the name for an id.
 */
export function textForCell(text: Text, nameOf = (id: string): string => id): string {
  const words = text.map((span) => {
    if ('text' in span) return span.text;
    if ('list' in span) return span.list.join(span.apart);
    if ('at' in span) return `${utcTime(span.at)} UTC`;
    if ('person' in span) return nameOf(span.person);
    return 'userGroup' in span ? span.userGroup : span.channel;
  });
  return clipped(
    words
      .join('')
      .trim()
      .replaceAll(/\s*[\t\n\r\u2028\u2029]\s*/g, ' '),
    maxLength,
  ).replaceAll(hidden, (character) => `⟨${codeOf(character)}⟩`);
}

/** A time (epoch milliseconds) in UTC, in a form that spreadsheets read: `2026-11-23 15:40:12`. */
export const utcTime = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ');
