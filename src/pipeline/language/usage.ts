import type { Field, Fields } from '../../commands/kit/fields.ts';
import type { Command } from '../../commands/index.ts';
import type { Args } from '../../errors.ts';

/** Options that don't belong to the command's own fields. */
export type Extra = {
  readonly reason?: string | undefined;
  readonly dryRun?: boolean;
  readonly queue?: boolean;
  readonly canary?: string | undefined;
  readonly handOn?: boolean;
  readonly handedOn?: string | undefined;
};

/** A field's name as an option: `searchReplace` is `--search-replace`. */
export const optionName = (field: string): string => field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** What a field is called as an option, its own name first. Every field can be typed as one. */
export const optionNames = (name: string, { label, says = [] }: Field): readonly string[] => [
  ...new Set([optionName(name), ...says, ...(/^[a-z]+$/i.test(label) ? [label.toLowerCase()] : [])]),
];

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

/** The inverse of `parse`: the words for these fields. If a plain word looks like an option, `--` comes first. */
export function argsOf(
  path: string,
  fields: Fields,
  given: (field: string) => readonly string[],
  extra: Extra = {},
): Args {
  const words: string[] = [];
  const options: string[] = [];
  let isOrdered = true;
  for (const [name, field] of Object.entries(fields)) {
    const values = given(name);
    // Behind a word that is missing, a word would take its place.
    if (field.place === 'word' && values.length === 0 && !(field.kind !== 'plain' && field.after))
      isOrdered &&= takesRest({ fields });
    if (field.place === 'word' && (isOrdered || values.length === 0))
      words.push(...(field.kind !== 'plain' && field.after && values.length > 0 ? [field.after] : []), ...values);
    else options.push(...values.map((word) => optionOf(optionName(name), takesValue(field) ? word : unlessYes(word))));
  }
  if (extra.reason !== undefined) options.push(optionOf('reason', extra.reason));
  if (extra.dryRun) options.push('--dry-run');
  if (extra.queue) options.push('--queue');
  if (extra.canary !== undefined) options.push(optionOf('canary', extra.canary));
  if (extra.handOn) options.push('--hand-on');
  if (extra.handedOn !== undefined) options.push(optionOf('handed-on', extra.handedOn));
  const start = path.split(' ');
  return words.some((word) => word.startsWith('--')) && !takesRest({ fields })
    ? [...start, ...options, '--', ...words]
    : [...start, ...words, ...options];
}

const optionOf = (option: string, value: string | undefined): string =>
  value === undefined ? `--${option}` : `--${option}=${value}`;
const unlessYes = (word: string): string | undefined => (word === 'yes' ? undefined : word);
