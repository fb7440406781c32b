import { goesOn } from '../../commands/kit/values/times.ts';
import type { Word } from './tokenize.ts';

/** How an option is said. */
export type Option = { readonly takesValue: boolean; readonly many: boolean; readonly isTime?: boolean };

/** The value of the option that stands at `at`, where `said` stood after its `=`; `last` is the word that it ends with. */
export function valueAt(
  words: readonly Word[],
  at: number,
  said: string | undefined,
  { takesValue, isTime = false }: Option,
): { readonly value: string | undefined; readonly last: number } {
  const first = said === undefined && takesValue ? at + 1 : at;
  const value = first === at ? said : wordAt(words, first);
  return isTime && value !== undefined ? timeAt(words, first, value) : { value, last: first };
}

/** A time is said in two words as well: `--since 7 days`. */
function timeAt(words: readonly Word[], at: number, said: string): { readonly value: string; readonly last: number } {
  const next = words[at + 1];
  const isMore = next !== undefined && !next.quoted && goesOn(said, next.text);
  return isMore ? timeAt(words, at + 1, `${said} ${next.text}`) : { value: said, last: at };
}

/** What follows an option, unless it is an option itself: `--reason --dry-run` must not lose the dry run. */
function wordAt(words: readonly Word[], at: number): string | undefined {
  const word = words[at];
  return word === undefined || (!word.quoted && word.text.startsWith('--')) ? undefined : word.text;
}
