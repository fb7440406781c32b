import { catalogue, commandAt } from '../commands/index.ts';
import { rightOf, rightsOf, unlocking } from '../commands/rights.ts';
import { Refusal } from '../base/errors.ts';
import { mentionedGroups } from '../policy/memberships.ts';
import { groupsAbout, groupsApproving } from '../policy/policy.ts';
import type { PolicyCommand as Right, Policy } from '../policy/rules.ts';
import type { Change } from '../storage/changes.ts';
import { code, joined, say, typed, userGroup, type Text } from '../words/text.ts';
import type { ParsedCommand } from '../language/bind-arguments.ts';
import { authorizationOf } from './authorization.ts';

/** The Slack user groups whose members matter, and what people are told if those are unknown. */

/**
 * The groups that decide whether somebody may run this command, and what of others it shows them; without a command,
 * what they may read.
 */
export function groupsToAsk(policy: Policy, asked?: Pick<ParsedCommand, 'path' | 'command'>): readonly string[] {
  if (asked === undefined) return groupsAbout(policy);
  const { path, command } = asked;
  if (command.shape === 'builtin' && command.glances) return mentionedGroups(policy);
  const rights = [...rightsOf(path, command), ...(command.shows ?? []).flatMap(rightsAt)];
  return distinct(rights.map((right) => groupsAbout(policy, right)));
}

const rightsAt = (path: string): readonly Right[] => rightsOf(path, commandAt(path));

const distinct = (groups: readonly (readonly string[])[]): readonly string[] => [...new Set(groups.flat())];

/** The groups that decide who may close a change whose outcome is unknown. */
export const groupsEnding = (...[policy, ...about]: Parameters<typeof groupsApproving>): readonly string[] =>
  distinct([groupsApproving(policy, ...about), ...Object.values(unlocking).map((right) => groupsAbout(policy, right))]);

/** The groups that decide whether the requester still may, whether an approval counts, or who may close the change. */
export function groupsOf(
  policy: Policy,
  change: Pick<Change, 'command' | 'authorization'>,
  role: 'requester' | 'approver' | 'ender',
): readonly string[] {
  const command = catalogue.get(change.command);
  if (command === undefined) return groupsAbout(policy);
  const right = rightOf(change.command, command);
  if (role === 'requester') return groupsAbout(policy, right);
  const { approval, calling } = authorizationOf(change);
  return (role === 'ender' ? groupsEnding : groupsApproving)(policy, right, approval, calling);
}

/** Says that Slack doesn't tell who is in these groups. Mentions the groups. */
export function membersUnknown(groups: readonly string[]): Text {
  const named = groups.map((id) => say`${userGroup(id)} (${code(id)})`);
  return say`Slack doesn't tell me who is in ${joined(named, ', ')}.`;
}

/** The same without mentions, so that a card notifies nobody. */
export const membersUnknownQuietly = (groups: readonly string[]): Text =>
  say`Slack doesn't tell me who is in the user group${groups.length === 1 ? '' : 's'} ${joined(groups.map(code), ', ')}.`;

/** Thrown if unknown memberships decide whether somebody may do it. They may be known in a moment. */
export class MembershipUnknown extends Refusal {
  readonly groups: readonly string[];

  /** `whether`: the words after *I can't tell whether*. `not`: what was not done. */
  constructor(whether: Text, groups: readonly string[], not: 'done' | 'sent' = 'done') {
    super(say`**I can't tell whether ${whether}.** ${membersUnknown(groups)} Nothing was ${not}.`, {
      hint: say`Try again in a minute; ${typed('doctor')} says what is wrong.`,
      isLater: true,
    });
    this.groups = groups;
  }
}
