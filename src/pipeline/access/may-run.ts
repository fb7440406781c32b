import type { Fields } from '../../commands/kit/fields.ts';
import type { Command } from '../../commands/index.ts';
import { rightsOf } from '../../commands/rights.ts';
import { Refusal } from '../../errors.ts';
import type { Target } from '../../hosting/contract/target.ts';
import { anywhere } from '../../policy/policy.ts';
import type { Person, Policy, RuleRef } from '../../policy/rules.ts';
import { code, say, type Text } from '../../text.ts';
import type { ParsedCommand } from '../language/parsed-command.ts';
import { NotKnown } from './unknown-groups.ts';

/** Who may run a command somewhere: what help shows, forms offer, and nobody begins in vain. */

/** Whether the person may run the command on anything at all; else the Slack user groups on which alone it depends. */
export function standingTo(
  policy: Policy,
  person: Person,
  path: string,
  command: Command,
): 'yes' | 'no' | readonly string[] {
  if (command.shape === 'builtin' && !command.everywhere && command.right === 'anyone') return 'yes';
  const kind = kindOf(command);
  const all = rightsOf(path, command).map((right) => anywhere(policy, person, right, kind));
  const unknown = all.flatMap((is) => (is === 'yes' || is === 'no' ? [] : is));
  return all.includes('yes') ? 'yes' : unknown.length > 0 ? [...new Set(unknown)] : 'no';
}

/** The kind of what the rules are asked about; undefined: any that they speak of. */
function kindOf(command: Command): Target['kind'] | undefined {
  if (command.shape === 'builtin') return command.everywhere ? 'company' : undefined;
  if (command.target === 'company') return 'company';
  const fields: Fields = command.fields;
  const kind = fields[command.target]?.kind;
  return kind === 'environment' || kind === 'domain' ? kind : undefined;
}

/** Whether the person may run the command on anything at all: what forms offer. */
export const mayRun = (policy: Policy, person: Person, path: string, command: Command): boolean =>
  standingTo(policy, person, path, command) === 'yes';

/** Throws `Refusal` for whom no rule allows the command anywhere: nobody fills in a form in vain. */
export function mayTry(
  policy: Policy,
  person: Person,
  { path, command }: Pick<ParsedCommand, 'path' | 'command'>,
): void {
  const is = standingTo(policy, person, path, command);
  if (is === 'no') throw new Refusal(notYou(path));
  if (is !== 'yes') throw new NotKnown(say`you may use ${code(path)}`, is);
}

export const notYou = (path: string): Text => say`**You may not use ${code(path)}.** Nothing was done.`;

/** Of the rules that let others, so many are named by their line; the rest are counted. */
const maxLines = 4;

/** Every rule has a part in whom they let, so none may stand for all of them. */
export function letting(rules: readonly RuleRef[]): string {
  const lines = rules.slice(0, maxLines).map(({ line }) => String(line));
  if (rules.length > maxLines) lines.push(`${rules.length - maxLines} more`);
  if (rules.length === 1) return `The rule in line ${lines[0]} lets`;
  return `The rules in lines ${lines.slice(0, -1).join(', ')} and ${lines.at(-1)} let`;
}
