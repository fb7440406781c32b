import { Refusal } from '../base/errors.ts';
import { mentionedGroups } from '../policy/memberships.ts';
import { assertMember, type Person } from '../access/access-check.ts';
import { groupsToAsk } from '../access/unknown-groups.ts';
import type { ParsedCommand } from '../language/bind-arguments.ts';
import type { Calling } from '../policy/rules.ts';
import { askedBy } from '../storage/lease.ts';
import type { PipelineContext } from './context.ts';

/** Who sent a request, and the user groups that matter for it. */

/** The id of a person, the team or enterprise named in the request, and the program through which they ask. */
export type Sender = {
  readonly person: string;
  readonly team: string | undefined;
  readonly caller?: Calling | undefined;
};

/** Whose share a report takes: the person's or, if a program asks for them, that of the program. */
export const accountOf = ({ id, caller }: Person): string => askedBy({ requester: id, caller: caller?.name ?? null });

/**
 * The sender, with the groups that decide whether they may run this. Throws `Refusal` if Slack doesn't say who they
 * are, or if they may do nothing here.
 */
export async function identifySender(
  context: PipelineContext,
  { person, team, caller }: Sender,
  parsed?: Pick<ParsedCommand, 'path' | 'command'>,
): Promise<Person> {
  const isGlance = parsed?.command.shape === 'builtin' && parsed.command.glances === true;
  const ask = isGlance ? context.glanceAt : context.personOf;
  const known = requireMember(await ask(person, groupsToAsk(context.policy(), parsed), team));
  return caller ? { ...known, caller } : known;
}

/** As `identifySender`, for things that are only shown or suggested: older answers about user groups are good enough. */
export async function identifyViewer(
  context: PipelineContext,
  { person, team }: Sender,
  shows: 'names' | 'everything' = 'names',
): Promise<Person> {
  const policy = context.policy();
  const groups = shows === 'names' ? groupsToAsk(policy) : mentionedGroups(policy);
  return requireMember(await context.glanceAt(person, groups, team));
}

function requireMember(known: Person | undefined): Person {
  if (known === undefined) {
    throw new Refusal("Slack isn't telling me who you are right now. Nothing was done.", {
      hint: 'Try again in a minute.',
      isLater: true,
    });
  }
  assertMember(known);
  return known;
}
