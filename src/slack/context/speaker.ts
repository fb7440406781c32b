import { Refusal } from '../../errors.ts';
import { assertMember, type Person } from '../../pipeline/access/access-check.ts';
import type { ParsedCommand } from '../../pipeline/language/parsed-command.ts';
import { groupsToAsk } from '../../pipeline/access/unknown-groups.ts';
import { mentionedGroups } from '../../policy/people.ts';
import type { Interaction, SlackContext } from './context.ts';

/** Who sent a request, with the user groups that matter for it. */

/**
 * The sender according to Slack, with the groups that decide whether they may run this. Throws `Refusal` if Slack does
 * not say, or if the person may do nothing here.
 */
export async function speaker(
  { people, front }: SlackContext,
  { person, team }: Pick<Interaction, 'person' | 'team'>,
  parsed?: Pick<ParsedCommand, 'path' | 'command'>,
): Promise<Person> {
  const isGlance = parsed?.command.shape === 'builtin' && parsed.command.glances === true;
  const ask = isGlance ? people.glanced : people.known;
  return admitted(await ask(person, groupsToAsk(front.policy(), parsed), team));
}

/** As `speaker`, for things that are only shown or suggested: older answers about user groups are good enough. */
export const onlooker = async (
  { people, front }: SlackContext,
  { person, team }: Pick<Interaction, 'person' | 'team'>,
  shows: 'names' | 'everything' = 'names',
): Promise<Person> => {
  const policy = front.policy();
  return admitted(
    await people.glanced(person, shows === 'names' ? groupsToAsk(policy) : mentionedGroups(policy), team),
  );
};

function admitted(known: Person | undefined): Person {
  if (known === undefined) {
    throw new Refusal("Slack isn't telling me who you are right now. Nothing was done.", {
      hint: 'Try again in a minute.',
    });
  }
  assertMember(known);
  return known;
}
