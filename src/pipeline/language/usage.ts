import type { Field, Fields } from '../../commands/kit/fields.ts';
import type { Command } from '../../commands/index.ts';
import type { Words } from '../../errors.ts';

/** What is said beside a command's own fields. */
export type Aside = { readonly reason?: string | undefined; readonly dryRun?: boolean };

/** A field's name as an option: `searchReplace` is `--search-replace`. */
export const optionName = (field: string): string => field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Whether an option is followed by a value, or is said by itself. */
export const takesValue = (field: Field): boolean => field.kind !== 'plain' || typeof field.absent !== 'boolean';

/** Whether a command ends in the words of another one, whose options are not its own. */
export const takesRest = ({ fields }: { readonly fields: Fields }): boolean =>
  Object.values(fields).some((field) => field.kind === 'plain' && field.rest === true);

/** How a command is typed: `allowlist add <site/environment> <address…> [--for 2h] [--reason "…"] [--dry-run]`. */
export function usage(path: string, command: Command): string {
  const words = Object.entries(command.fields).map(([name, field]) => usageOf(name, field));
  return [path, ...words, ...(command.shape === 'action' ? ['[--reason "…"]', '[--dry-run]'] : [])].join(' ');
}

function usageOf(name: string, field: Field): string {
  if (field.place === 'word') return field.optional ? `[${field.shown}]` : `<${field.shown}>`;
  const typed = takesValue(field) ? `--${optionName(name)} ${field.shown}` : `--${optionName(name)}`;
  return field.optional || !takesValue(field) ? `[${typed}]` : typed;
}

/** The inverse of `parse`: the words that say this of each field; after a `--` where one of them looks like an option. */
export function wordsOf(path: string, fields: Fields, given: (field: string) => Words, aside: Aside = {}): Words {
  const words: string[] = [];
  const options: string[] = [];
  for (const [name, field] of Object.entries(fields)) {
    const said = given(name);
    if (field.place === 'word') words.push(...said);
    else options.push(...said.map((word) => saidAs(optionName(name), takesValue(field) ? word : flagged(word))));
  }
  if (aside.reason !== undefined) options.push(saidAs('reason', aside.reason));
  if (aside.dryRun) options.push('--dry-run');
  const start = path.split(' ');
  return words.some((word) => word.startsWith('--')) && !takesRest({ fields })
    ? [...start, ...options, '--', ...words]
    : [...start, ...words, ...options];
}

const saidAs = (option: string, value: string | undefined): string =>
  value === undefined ? `--${option}` : `--${option}=${value}`;
const flagged = (word: string): string | undefined => (word === 'yes' ? undefined : word);
