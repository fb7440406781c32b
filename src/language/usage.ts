import { near } from '../words/nearest-words.ts';
import type { Field, Fields } from '../commands/kit/fields.ts';
import type { Command } from '../commands/index.ts';
import type { Args } from '../base/errors.ts';

/** Options that don't belong to the command's own fields. */
export type Extra = {
  readonly reason?: string | undefined;
  readonly dryRun?: boolean;
  readonly queue?: boolean;
  readonly canary?: string | undefined;
  readonly handOn?: boolean;
  readonly handedOn?: string | undefined;
};

/** The options of every action that people type. */
export const actionOptions = ['reason', 'dry-run', 'queue', 'canary'] as const;

/** A field's name as an option: `searchReplace` is `--search-replace`. */
export const optionName = (field: string): string => field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** What a field is called as an option, its own name first. Every field can be typed as one. */
export const optionNames = (name: string, { label, also = [] }: Field): readonly string[] => [
  ...new Set([optionName(name), ...also, ...(/^[a-z]+$/i.test(label) ? [label.toLowerCase()] : [])]),
];

/** The option of this name, or that which it is nearest to, unless the name is short. */
export const nearestOption = (name: string, all: readonly string[]): string | undefined =>
  all.includes(name) || name.length < 4 ? all.find((one) => one === name) : near(name, all)[0];

/** Whether an option takes a value; if not, it is a flag. */
export const takesValue = (field: Field): boolean => field.kind !== 'plain' || typeof field.absent !== 'boolean';

/** Whether a command ends in the words of another command, whose options are not its own. */
export const takesRest = ({ fields }: { readonly fields: Fields }): boolean =>
  Object.values(fields).some((field) => field.kind === 'plain' && field.rest === true);

/** How a command is typed: `allowlist add <site/environment> <address…> [--for 2h] [--reason "…"] [--dry-run] [--queue]`. */
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
  return [path, ...words, ...(command.shape === 'action' ? ['[--reason "…"]', '[--dry-run]', '[--queue]'] : [])].join(
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

const optionsOf = ({ reason, dryRun, queue, canary, handOn, handedOn }: Extra): readonly string[] => [
  ...(reason === undefined ? [] : [optionOf('reason', reason)]),
  ...(dryRun ? ['--dry-run'] : []),
  ...(queue ? ['--queue'] : []),
  ...(canary === undefined ? [] : [optionOf('canary', canary)]),
  ...(handOn ? ['--hand-on'] : []),
  ...(handedOn === undefined ? [] : [optionOf('handed-on', handedOn)]),
];

const optionOf = (option: string, value: string | undefined): string =>
  value === undefined ? `--${option}` : `--${option}=${value}`;
const unlessYes = (word: string): string | undefined => (word === 'yes' ? undefined : word);
