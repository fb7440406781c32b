import type { ListedMember } from '../../slack/client/workspace-list.ts';

/** The people and user groups that the first rules name. */
export type Roles = {
  /** At least one. They approve, and may pause, lock and read the audit trail. */
  readonly admins: readonly ListedMember[];
  readonly developers: readonly ListedMember[];
  /** The channel that gets faults and unknown outcomes. */
  readonly ops: string | undefined;
};

/** The text of a first policy file: cautious rules with the ids of these people and groups. */
export function firstPolicy({ admins, developers, ops }: Roles): string {
  const team = developers.length > 0 ? '[developers, admins]' : '[admins]';
  const approvers = canApprove([...admins, ...developers]);
  return `# Who may do what, where. What no rule allows is not allowed. Sitehand reads this file again when it changes.
# \`sitehand policy check\` names every mistake in it.
version: 1

# What counts as live.
live: ['*/live']

groups:
${groupOf('admins', admins)}${developers.length > 0 ? groupOf('developers', developers) : ''}
rules:
  - allow: [read]
    to: ${team}

  # Environments with other names than staging and live, domains and the company can only be read until a rule
  # names them.
  - allow: [routine, sensitive]
    to: ${team}
    where: ['*/staging']

${approvers ? approvedRules(team) : noApproversYet}
  # No class covers these, so they are allowed by name.
  - allow: [audit, use, watch, digest, lock, unlock, 'unlock --force', pause, resume, 'logs reveal']
    to: [admins]

  # Nobody may do this, whatever other rules allow.
  - deny: [delete]
    to: everyone
    where: ['*/live']
${ops === undefined ? '' : opsChannel(ops)}`;
}

/** Whether somebody can approve: nobody approves their own change, so one person is too few. A user group may have more. */
const canApprove = (all: readonly ListedMember[]): boolean =>
  new Set(all.map(({ id }) => id)).size > 1 || all.some(({ id }) => id.startsWith('S'));

const approvedRules = (
  team: string,
): string => `  # On live, an admin approves. Nobody approves their own change, so an admin needs a second one.
  - allow: [routine, sensitive]
    to: ${team}
    where: ['*/live']
    approval: { by: [admins], count: 1, expires: 4h }

  - allow: [destructive]
    to: ${team}
    where: ['*/staging', '*/live']
    approval: { by: [admins], count: 1, expires: 1h, reason: required }
`;

const noApproversYet = `  # Live environments can only be read: nobody approves their own change, and there is only one person here. Add
  # somebody above, then a rule such as:
  # - allow: [routine, sensitive]
  #   to: [admins]
  #   where: ['*/live']
  #   approval: { by: [admins], count: 1, expires: 4h }
`;

const opsChannel = (id: string): string => `
channels:
  ops: ${id} # Sitehand reports faults, unknown outcomes and changes to this file here
`;

const groupOf = (name: string, members: readonly ListedMember[]): string =>
  `  ${name}:\n${members.map(({ id, name }) => `    - ${id}${name && ` # ${name}`}\n`).join('')}`;
