import { meansBreakGlass } from '../commands/cannot.ts';
import { near } from '../words/similar-names.ts';
import type { Field, Fields } from '../commands/kit/fields.ts';
import type { Command } from '../commands/index.ts';
import { type Args, Refusal } from '../base/errors.ts';
import { code, say } from '../words/text.ts';
import { continuesTime } from '../commands/kit/values/times.ts';
import { timeOptions, type Timing } from './schedule.ts';
import type { Word } from './tokenize.ts';

/** How a command is typed: what may follow its path, its options, and their values. */

/** Options that don't belong to the command's own fields. */
export type Extra = Timing & {
  readonly reason?: string | undefined;
  readonly dryRun?: boolean;
  readonly queue?: boolean;
  readonly canary?: string | undefined;
  readonly breakGlass?: boolean | undefined;
  readonly handOn?: boolean;
  readonly handedOn?: string | undefined;
};

/** The options of every action that people type. */
export const actionOptions = ['reason', 'dry-run', 'queue', 'at', 'within', 'canary', 'break-glass'] as const;

/** A field's name as an option: `searchReplace` is `--search-replace`. */
export const optionName = (field: string): string => field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** What a field is called as an option, its own name first. Every field can be typed as one. */
export const optionNames = (name: string, { label, also = [] }: Field): readonly string[] => [
  ...new Set([optionName(name), ...also, ...(/^[a-z]+$/i.test(label) ? [label.toLowerCase()] : [])]),
];

/** The option of this name, or that which it means or is nearest to, unless the name is short. */
export function nearestOption(name: string, all: readonly string[]): string | undefined {
  if (all.includes(name) || name.length < 4) return all.find((one) => one === name);
  return meansBreakGlass(name) && all.includes('break-glass') ? 'break-glass' : near(name, all)[0];
}

/** Whether an option takes a value; if not, it is a flag. */
export const takesValue = (field: Field): boolean => field.kind !== 'plain' || typeof field.absent !== 'boolean';

/** Whether a command ends in the words of another command, whose options are not its own. */
export const takesRest = ({ fields }: { readonly fields: Fields }): boolean =>
  Object.values(fields).some((field) => field.kind === 'plain' && field.rest === true);

/**
 * How a command is typed, by anybody (`--queue` is for people alone, and offered where it is of use): `allowlist add <site/environment> <address…> [--for 2h] [--reason "…"] [--dry-run] [--at "…"]`.
 */
export function usage(path: string, command: Command): string {
  const shown = Object.values<Field>(command.fields).map((field) => field.shown);
  const isShared = (field: Field): boolean => shown.filter((one) => one === field.shown).length > 1;
  const words = Object.entries<Field>(command.fields).map(([name, field]) =>
    // Which of two environments is overwritten must be clear, so show the labels of both.
    usageOf(
      name,
      field.place === 'word' && isShared(field)
        ? { ...field, shown: `${field.label.toLowerCase()} ${field.shown}` }
        : field,
    ),
  );
  return [path, ...words, ...(command.shape === 'action' ? ['[--reason "…"]', '[--dry-run]', '[--at "…"]'] : [])].join(
    ' ',
  );
}

function usageOf(name: string, field: Field): string {
  if (field.kind !== 'plain' && field.after !== undefined) return `[${field.after} ${field.shown}]`;
  if (field.place === 'word') return field.optional ? `[${field.shown}]` : `<${field.shown}>`;
  const typed = takesValue(field) ? `--${optionName(name)} ${field.shown}` : `--${optionName(name)}`;
  return field.optional || !takesValue(field) ? `[${typed}]` : typed;
}

/**
 * The inverse of `parse`: the words for these fields. If a plain word looks like an option, `--` comes first. Behind a
 * field that is missing, a field is an option: as a word it would take the other's place.
 */
export function argsOf(
  path: string,
  fields: Fields,
  given: (field: string) => readonly string[],
  extra: Extra = {},
): Args {
  const isRest = takesRest({ fields });
  const entries = Object.entries(fields).map(([name, field]) => ({ name, field, values: given(name) }));
  const gap = isRest ? -1 : entries.findIndex(({ field, values }) => isPlaced(field) && values.length === 0);
  const isWord = ({ field }: { readonly field: Field }, at: number): boolean =>
    field.place === 'word' && (gap === -1 || at < gap || !isPlaced(field));
  const words = entries
    .filter(isWord)
    .flatMap(({ field, values }) => [
      ...(field.kind !== 'plain' && field.after !== undefined && values.length > 0 ? [field.after] : []),
      ...values,
    ]);
  const options = [
    ...entries
      .filter((entry, at) => !isWord(entry, at))
      .flatMap(({ name, field, values }) =>
        values.map((word) => optionOf(optionName(name), takesValue(field) ? word : unlessYes(word))),
      ),
    ...optionsOf(extra),
  ];
  const start = path.split(' ');
  return words.some((word) => word.startsWith('--')) && !isRest
    ? [...start, ...options, '--', ...words]
    : [...start, ...words, ...options];
}

/** Whether a field is known by its place among the words, not by a word before it. */
const isPlaced = (field: Field): boolean =>
  field.place === 'word' && (field.kind === 'plain' || field.after === undefined);

const optionsOf = ({ reason, dryRun, queue, canary, ...more }: Extra): readonly string[] => [
  ...(reason === undefined ? [] : [optionOf('reason', reason)]),
  ...(dryRun ? ['--dry-run'] : []),
  ...(queue ? ['--queue'] : []),
  ...(more.when ? timeOptions(more.when) : []),
  ...(canary === undefined ? [] : [optionOf('canary', canary)]),
  ...(more.breakGlass ? ['--break-glass'] : []),
  ...(more.handOn ? ['--hand-on'] : []),
  ...(more.handedOn === undefined ? [] : [optionOf('handed-on', more.handedOn)]),
];

const optionOf = (option: string, value: string | undefined): string =>
  value === undefined ? `--${option}` : `--${option}=${value}`;
const unlessYes = (word: string): string | undefined => (word === 'yes' ? undefined : word);

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
