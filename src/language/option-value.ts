import { Refusal } from '../base/errors.ts';
import { code, say } from '../words/text.ts';
import { continuesTime } from '../commands/kit/values/times.ts';
import type { Word } from './tokenize.ts';

/** How an option is typed. */
export type Option = { readonly takesValue: boolean; readonly many: boolean; readonly isTime?: boolean };

/** The value of the option at index `at`; `inline` is the text after its `=`. `last`: the index at which the value ends. */
export function valueAt(
  words: readonly Word[],
  at: number,
  inline: string | undefined,
  { takesValue, isTime = false }: Option,
): { readonly value: string | undefined; readonly last: number } {
  const first = inline === undefined && takesValue ? at + 1 : at;
  const value = first === at ? inline : wordAt(words, first);
  return isTime && value !== undefined ? timeAt(words, first, value) : { value, last: first };
}

/** The final value of an option that has had `before` values already. Throws `Refusal`. */
export function checked(name: string, value: string | undefined, { takesValue, many }: Option, before: number): string {
  // An empty value is not a missing option: `--only=""` must not mean everything.
  const isEmpty = value === undefined ? takesValue : value.trim() === '' && name !== 'reason';
  if (isEmpty) throw new Refusal(say`${code(`--${name}`)} needs a value. Nothing was done.`);
  if (before > 0 && !many) throw new Refusal(say`${code(`--${name}`)} appears twice. Nothing was done.`);
  return value ?? 'yes';
}

/** Times may take several words: `--since 7 days`. */
function timeAt(words: readonly Word[], at: number, text: string): { readonly value: string; readonly last: number } {
  const next = words[at + 1];
  const isMore = next !== undefined && !next.quoted && continuesTime(text, next.text);
  return isMore ? timeAt(words, at + 1, `${text} ${next.text}`) : { value: text, last: at };
}

/** The word after an option, unless it is an option too: `--reason --dry-run` must stay a dry run. */
function wordAt(words: readonly Word[], at: number): string | undefined {
  const word = words[at];
  return word === undefined || (!word.quoted && word.text.startsWith('--')) ? undefined : word.text;
}

/** Where the value of an option stands in a line: the index of the option, and that of the value's last word. */
export type ValueAt = { readonly option: number; readonly last: number };

/**
 * The line with quotes around a value that was typed as several words; undefined if that is not what happened. `left`:
 * the words that no field takes.
 */
export function withQuotes(
  words: readonly Word[],
  values: readonly ValueAt[],
  left: readonly Word[],
): string | undefined {
  const cut = values.find(({ last }) => words[last + 1] === left[0] && words[last]?.quoted === false);
  if (cut === undefined) return undefined;
  const end = words.findIndex((word, at) => at > cut.last && !left.includes(word));
  const whole = words.slice(cut.option, end === -1 ? undefined : end).map(({ text }) => text);
  const [, name = '', value = ''] = /^(--[^\s=]+)[\s=]([^]*)$/.exec(whole.join(' ')) ?? [];
  const before = words.slice(0, cut.option).map(shown);
  const after = end === -1 ? [] : words.slice(end).map(shown);
  return [...before, name, `"${value.replaceAll('"', '')}"`, ...after].join(' ');
}

const shown = ({ text, quoted }: Word): string => (quoted ? `"${text}"` : text);
