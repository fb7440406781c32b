import { Refusal } from '../../errors.ts';
import { assertMember, type Person } from '../../pipeline/access/authorise.ts';
import type { ParsedCommand } from '../../pipeline/language/parsed-command.ts';
import { groupsToAsk } from '../../pipeline/access/unknown-groups.ts';
import { mentionedGroups } from '../../policy/people.ts';
import type { Interaction, SlackContext } from './context.ts';

/** Who speaks to us, with as much of their user groups as it takes. */

/**
 * Who speaks, as Slack tells, with what decides whether they may say this; throws `Refusal` where it does not tell, and
 * for whoever may do nothing here.
 */
export async function speaker(
  { people, front }: SlackContext,
  { person, team }: Pick<Interaction, 'person' | 'team'>,
  parsed?: Pick<ParsedCommand, 'path' | 'command'>,
): Promise<Person> {
  const isGlance = parsed?.command.shape === 'builtin' && parsed.command.glances === true;
  const ask = isGlance ? people.glanced : people.known;
  return welcomed(await ask(person, groupsToAsk(front.policy(), parsed), team));
}

/** The same, for what is only shown or suggested to them: of user groups, what was heard of them a while ago will do. */
export const onlooker = async (
  { people, front }: SlackContext,
  { person, team }: Pick<Interaction, 'person' | 'team'>,
  shows: 'names' | 'everything' = 'names',
): Promise<Person> => {
  const policy = front.policy();
  return welcomed(
    await people.glanced(person, shows === 'names' ? groupsToAsk(policy) : mentionedGroups(policy), team),
  );
};

function welcomed(known: Person | undefined): Person {
  if (known === undefined) {
    throw new Refusal('Slack does not tell me right now who you are. Nothing was done.', {
      hint: 'Try again in a minute.',
    });
  }
  assertMember(known);
  return known;
}
