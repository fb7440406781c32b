import { isPlaceholder, stateWords } from '../placeholders.ts';
import { isRandom } from '../randomness.ts';
import type { Groups, MaskingRule } from '../rule.ts';
import { isTelling } from '../credential-names.ts';

/** SQL statements that list the columns first and the values after them. */

const part =
  /\\{0,4}'(?:(?!\\{0,8}"\s{0,2}[,:}\]])[^'\\]|\\[^']|\\{1,4}'(?! {0,2}(?:,|\)(?! {0,2}\w)))|'')*(?:\\{0,4}'|$)|[(),]|[^'(),]+/g;
const namesOption = /^(?:option_name|meta_key|name|key|setting|variable|field|param|path)$/i;
const holdsOption = /^(?:option_value|meta_value|value|val|data|content)$/i;
const bareOf = (found: string): string => found.replaceAll(/^\s*\\*['"`]|\\*['"`]\s*$/g, '').trim();

/** Whether a value of a row is a credential, by its column or by the option name in the same row. */
function isMasked(columns: readonly string[], row: readonly string[], place: number): boolean {
  const column = columns[place];
  if (column === undefined) return columns.length === 0 && isTelling(row[place - 1] ?? '');
  const option = row[columns.findIndex((name) => namesOption.test(name))] ?? '';
  return isTelling(column) || (holdsOption.test(column) && isTelling(option));
}

/** A value without quotation marks is a number, an expression, or a random text that was printed without them. */
const unquoted = (value: string, columns: readonly string[], row: readonly string[]): string =>
  columns.length > 0 && isRandom(bareOf(value)) && isMasked(columns, row, row.length - 1)
    ? value.replace(/\S+/, '***')
    : value;

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
    if (quote === undefined) return unquoted(found, names, row);
    if (found.length <= 2 * quote.length) return found;
    // Serialised data is left to other rules, which mask only the credentials in it.
    if (/^\\*'(?:[aO]:\d|\{|\[)/.test(found)) return found;
    const value = bareOf(found);
    if (isPlaceholder(value) || state.test(value)) return found;
    return isMasked(names, row, row.length - 1) ? `${quote}***${found.endsWith(quote) ? quote : ''}` : found;
  });
  return before + left;
}

export const inserted: MaskingRule = {
  hint: 'values',
  shape:
    /(?<before>\b(?:insert|replace)\s(?:[^\n('"]{1,120}|into\s{1,4}(?:\\{0,4}"[\w.]{1,60}\\{0,4}"\.?){1,2}\s{0,4})(?:\((?<columns>[^()\n]{1,1000})\)\s{0,4})?values?\s{0,4})\([^\n]{1,4000}/gi,
  shown,
};

const state = new RegExp(`^(?:${stateWords})[.!]?$`, 'i');
