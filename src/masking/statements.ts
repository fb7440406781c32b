import type { Groups, Rule } from './rule.ts';
import { isTelling } from './words.ts';

/** Statements of SQL that list columns first and their values behind. */

const part =
  /\\{0,4}'(?:(?!\\{0,8}"\s{0,2}[,:}\]])[^'\\]|\\[^']|\\{1,4}'(?! {0,2}(?:,|\)(?! {0,2}\w)))|'')*(?:\\{0,4}'|$)|[(),]|[^'(),]+/g;
const namesOption = /^(?:option_name|meta_key|name|key|setting|variable|field|param|path)$/i;
const holdsOption = /^(?:option_value|meta_value|value|val|data|content)$/i;
const bareOf = (found: string): string => found.replaceAll(/^\s*\\*['"`]|\\*['"`]\s*$/g, '').trim();

/** Which of the values of a row are credentials: by their columns, else by the value before that names an option. */
function isMasked(columns: readonly string[], row: readonly string[], place: number): boolean {
  const column = columns[place];
  if (column === undefined) return columns.length === 0 && isTelling(row[place - 1] ?? '');
  const option = row[columns.findIndex((name) => namesOption.test(name))] ?? '';
  return isTelling(column) || (holdsOption.test(column) && isTelling(option));
}

function shown(match: string, { before = '', columns = '' }: Groups): string {
  const names = columns === '' ? [] : columns.split(',').map(bareOf);
  let depth = 0;
  let row: string[] = [];
  const left = match.slice(before.length).replace(part, (found) => {
    if (found === '(') depth += 1;
    if (found === ')') depth -= 1;
    if (depth === 0) row = [];
    if (depth !== 1 || /^[(),]$|^\s*$/.test(found)) return found;
    row.push(bareOf(found));
    const quote = /^\\{0,4}'/.exec(found)?.[0];
    if (quote === undefined || found.length <= 2 * quote.length) return found;
    // What a plugin has serialised is looked through by the other rules, and only its credentials are masked.
    if (/^\\*'(?:[aO]:\d|\{|\[)/.test(found)) return found;
    return isMasked(names, row, row.length - 1) ? `${quote}***${found.endsWith(quote) ? quote : ''}` : found;
  });
  return before + left;
}

export const inserted: Rule = {
  hint: 'values',
  shape:
    /(?<before>\b(?:insert|replace)\s[^\n('"]{1,120}(?:\((?<columns>[^()\n]{1,1000})\)\s{0,4})?values?\s{0,4})\([^\n]{1,4000}/gi,
  shown,
};
