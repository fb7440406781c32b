import { Refusal } from '../../errors.ts';
import { mentionedGroups } from '../../policy/people.ts';
import type { Policy } from '../../policy/rules.ts';
import { assertMember, type Person } from '../access/access-check.ts';
import { groupsToAsk } from '../access/unknown-groups.ts';
import type { ParsedCommand } from '../language/parsed-command.ts';

/** Who sent a request, with the user groups that matter for it. */

/**
 * Asks who a person is and in which of these user groups. `team`: where the request came from, which can only make them
 * a stranger. Undefined if there was no answer in time.
 */
type WhoIs = (id: string, groups: readonly string[], team?: string) => Promise<Person | undefined>;

export type SpeakerContext = {
  readonly policy: () => Policy;
  readonly personOf: WhoIs;
  /** As `personOf`, but groups may be some minutes old. */
  readonly glanceAt: WhoIs;
};

/** The id of a person, and the team or enterprise that the request names. */
export type Sender = { readonly person: string; readonly team: string | undefined };

/**
 * The sender, with the groups that decide whether they may run this. Throws `Refusal` if nobody says who they are, or
 * if they may do nothing here.
 */
export async function speaker(
  context: SpeakerContext,
  { person, team }: Sender,
  parsed?: Pick<ParsedCommand, 'path' | 'command'>,
): Promise<Person> {
  const isGlance = parsed?.command.shape === 'builtin' && parsed.command.glances === true;
  const ask = isGlance ? context.glanceAt : context.personOf;
  return admitted(await ask(person, groupsToAsk(context.policy(), parsed), team));
}

/** As `speaker`, for things that are only shown or suggested: older answers about user groups are good enough. */
export async function onlooker(
  context: SpeakerContext,
  { person, team }: Sender,
  shows: 'names' | 'everything' = 'names',
): Promise<Person> {
  const policy = context.policy();
  const groups = shows === 'names' ? groupsToAsk(policy) : mentionedGroups(policy);
  return admitted(await context.glanceAt(person, groups, team));
}

function admitted(known: Person | undefined): Person {
  if (known === undefined) {
    throw new Refusal("Slack isn't telling me who you are right now. Nothing was done.", {
      hint: 'Try again in a minute.',
    });
  }
  assertMember(known);
  return known;
}
