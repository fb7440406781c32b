import { catalogue, type Command } from '../commands/index.ts';
import { commonOptions } from '../commands/kit/action.ts';
import type { Field } from '../commands/kit/fields.ts';
import type { Member, Policy } from '../policy/rules.ts';
import { mayRunSomewhere } from '../access/may-run.ts';
import { optionName, takesValue } from '../language/usage.ts';

/** A command, as help shows it to one person. */
export type CommandHelp = {
  readonly path: string;
  readonly summary: string;
  /** The title of its form, and the label of the button that opens it. */
  readonly button: string;
  readonly isAction: boolean;
  /** Whole lines. */
  readonly examples: readonly string[];
  /** What can follow its path: how it is typed, and what it means. */
  readonly words: readonly (readonly [typed: string, means: string])[];
  readonly mayRun: boolean;
  /** The Slack user groups that would decide that, if Slack doesn't say who is in them. */
  readonly unknown: readonly string[];
};

/** What help says of every command: how it is typed, what its words mean, and whether this person may run it. */
export const commandsFor = (policy: Policy, person: Member): readonly CommandHelp[] =>
  [...catalogue].map(([path, command]) => {
    const is = mayRunSomewhere(policy, person, path, command);
    return {
      path,
      summary: command.summary,
      button: command.button,
      isAction: command.shape === 'action',
      examples: (command.examples ?? ['']).map((words) => `${path} ${words}`.trim()),
      words: wordsOf(command),
      mayRun: is === 'yes',
      unknown: is === 'yes' || is === 'no' ? [] : is,
    };
  });

function wordsOf(command: Command): CommandHelp['words'] {
  const { reason, queue, canary, 'dry-run': dryRun } = commonOptions;
  const isBatch = command.shape === 'action' && command.batch !== undefined;
  const all = Object.entries<Field>(command.fields);
  const own = all.map(([name, field]) => {
    const isShared = field.place === 'word' && all.filter(([, { shown }]) => shown === field.shown).length > 1;
    const takesMany = (isBatch && name === command.target) || (field.kind === 'environment' && field.orMany);
    const means = [meaning(field), takesMany && field.hint === undefined && several].filter(Boolean).join(' ');
    return [
      typedAs(name, isShared ? { ...field, shown: `${field.label.toLowerCase()} ${field.shown}` } : field),
      means,
    ] as const;
  });
  return command.shape === 'action' ? [...own, reason, dryRun, queue, ...(isBatch ? [canary] : [])] : own;
}

const several = 'Or several: acme-*/live, a list with commas, or a set.';

function typedAs(name: string, field: Field): string {
  if (field.place === 'option')
    return takesValue(field) ? `--${optionName(name)} ${field.shown}` : `--${optionName(name)}`;
  return field.kind !== 'plain' && field.after !== undefined ? `${field.after} ${field.shown}` : field.shown;
}

/** A label that says it all needs no hint. */
const meaning = ({ label, hint, optional, place }: Field): string =>
  hint ?? (optional && place === 'word' ? `${label}; may be left out.` : `${label}.`);
