import type { Word } from './tokenize.ts';

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
