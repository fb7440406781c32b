import { catalogue, type Command } from '../../commands/index.ts';
import { rightOf, rightsOf, unlocking } from '../../commands/rights.ts';
import { Refusal } from '../../errors.ts';
import { mentionedGroups } from '../../policy/people.ts';
import { groupsAbout, groupsApproving } from '../../policy/policy.ts';
import type { Needed } from '../../policy/approval-requirement.ts';
import type { Command as Right, Policy } from '../../policy/rules.ts';
import type { Change } from '../../storage/changes.ts';
import { code, joined, say, userGroup, type Text } from '../../text.ts';
import { permitOf } from './permit.ts';

/** Slack user groups of which it has to be known who is in them, and how it is said that it is not. */

type Said = { readonly path: string; readonly command: Command };

/** Those that decide whether somebody may say this; of nothing in particular: what they may read. */
export function groupsToAsk(policy: Policy, said?: Said): readonly string[] {
  if (said === undefined) return groupsAbout(policy);
  if (said.command.shape === 'builtin' && said.command.glances) return mentionedGroups(policy);
  return together(rightsOf(said.path, said.command).map((right) => groupsAbout(policy, right)));
}

const together = (groups: readonly (readonly string[])[]): readonly string[] => [...new Set(groups.flat())];

/** Those that decide who may end a change that nobody moves on any more. */
export const groupsEnding = (policy: Policy, command: Right, needed: 'none' | Needed): readonly string[] =>
  together([
    groupsApproving(policy, command, needed),
    ...Object.values(unlocking).map((right) => groupsAbout(policy, right)),
  ]);

/** Those that decide whether a change may still be asked for, whether somebody's approval of it counts, or who may end it. */
export function groupsOf(
  policy: Policy,
  change: Pick<Change, 'command' | 'permit'>,
  role: 'asker' | 'approver' | 'ender',
): readonly string[] {
  const command = catalogue.get(change.command);
  if (command === undefined) return groupsAbout(policy);
  const right = rightOf(change.command, command);
  if (role === 'ender') return groupsEnding(policy, right, permitOf(change).approval);
  return role === 'asker' ? groupsAbout(policy, right) : groupsApproving(policy, right, permitOf(change).approval);
}

/** That Slack does not tell who is in these: a sentence, which mentions them. */
export const notTold = (groups: readonly string[]): Text =>
  say`Slack doesn't tell me who is in ${joined(
    groups.map((id) => say`${userGroup(id)} (${code(id)})`),
    ', ',
  )}.`;

/** The same for a card, which nobody is to be called to. */
export const notToldQuietly = (groups: readonly string[]): Text =>
  say`Slack doesn't tell me who is in the user ${groups.length === 1 ? 'group' : 'groups'} ${joined(groups.map(code), ', ')}.`;

/** Whether somebody may do it is not known: nothing is decided, and it may be known in a moment. */
export class NotKnown extends Refusal {
  readonly groups: readonly string[];

  /** `whether`: what cannot be told, to stand after *whether*; `not`: what was not done. */
  constructor(whether: Text, groups: readonly string[], not: 'done' | 'sent' = 'done') {
    super(say`**I can't tell whether ${whether}.** ${notTold(groups)} Nothing was ${not}.`, {
      hint: say`Try again in a minute; ${code('doctor')} says what is wrong.`,
    });
    this.groups = groups;
  }
}
