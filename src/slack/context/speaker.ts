import { Refusal } from '../../errors.ts';
import { welcome, type Person } from '../../pipeline/access/authorise.ts';
import type { Wish } from '../../pipeline/language/parsed-command.ts';
import { groupsToAsk } from '../../pipeline/access/unknown-groups.ts';
import { mentionedGroups } from '../../policy/people.ts';
import type { Heard, Reception } from './context.ts';

/** Who speaks to us, with as much of their user groups as it takes. */

/**
 * Who speaks, as Slack tells, with what decides whether they may say this; throws `Refusal` where it does not tell, and
 * for whoever may do nothing here.
 */
export async function speaker(
  { people, front }: Reception,
  { person, team }: Pick<Heard, 'person' | 'team'>,
  wish?: Pick<Wish, 'path' | 'command'>,
): Promise<Person> {
  const isGlance = wish?.command.shape === 'desk' && wish.command.glances === true;
  const ask = isGlance ? people.glanced : people.known;
  return welcomed(await ask(person, groupsToAsk(front.policy(), wish), team));
}

/** The same, for what is only shown or suggested to them: of user groups, what was heard of them a while ago will do. */
export const onlooker = async (
  { people, front }: Reception,
  { person, team }: Pick<Heard, 'person' | 'team'>,
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
  welcome(known);
  return known;
}
