import type { Command } from '../commands/index.ts';
import { rightsOf } from '../commands/rights.ts';
import { Refusal } from '../errors.ts';
import { anywhere, decide, unknownIn } from '../policy/policy.ts';
import type { Person, Policy } from '../policy/rules.ts';
import { code, say, type Text } from '../text.ts';
import type { Wish } from './parse.ts';
import { NotKnown } from './unknown-groups.ts';

/** Who may run a command somewhere: what help shows, forms offer, and nobody begins in vain. */

/** Whether the person may run the command on anything at all; else the Slack user groups on which alone it depends. */
export function standingTo(
  policy: Policy,
  person: Person,
  path: string,
  command: Command,
): 'yes' | 'no' | readonly string[] {
  if (command.shape === 'desk' && !command.everywhere && command.right === 'anyone') return 'yes';
  const all = rightsOf(path, command).map((right) => standingAs(policy, person, right, command));
  const unknown = all.flatMap((is) => (is === 'yes' || is === 'no' ? [] : is));
  return all.includes('yes') ? 'yes' : unknown.length > 0 ? [...new Set(unknown)] : 'no';
}

function standingAs(
  policy: Policy,
  person: Person,
  right: ReturnType<typeof rightsOf>[number],
  command: Command,
): ReturnType<typeof standingTo> {
  if (command.shape !== 'desk' || !command.everywhere) return anywhere(policy, person, right);
  const decision = decide(policy, person, { command: right, aims: [] });
  const groups = unknownIn(decision);
  return decision.kind === 'allowed' ? 'yes' : groups.length > 0 ? groups : 'no';
}

/** Whether the person may run the command on anything at all: what forms offer. */
export const mayRun = (policy: Policy, person: Person, path: string, command: Command): boolean =>
  standingTo(policy, person, path, command) === 'yes';

/** Throws `Refusal` for whom no rule allows the command anywhere: nobody fills in a form in vain. */
export function mayTry(policy: Policy, person: Person, { path, command }: Pick<Wish, 'path' | 'command'>): void {
  const is = standingTo(policy, person, path, command);
  if (is === 'no') throw new Refusal(notYou(path));
  if (is !== 'yes') throw new NotKnown(say`you may use ${code(path)}`, is);
}

export const notYou = (path: string): Text => say`**You may not use ${code(path)}.** Nothing was done.`;
