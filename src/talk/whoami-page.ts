import { paragraph, type Page } from '../commands/kit/page.ts';
import { membershipsOf, unknownGroups } from '../policy/memberships.ts';
import type { Policy } from '../policy/rules.ts';
import type { Person } from '../access/access-check.ts';
import { code, joined, say } from '../words/text.ts';

/** Whom the policy takes this person for: their groups, also those that Slack doesn't say. */
export function whoamiPage(policy: Policy, person: Person): Page {
  const { own } = membershipsOf(policy, person);
  const groups = [...policy.groups.keys()].filter((name) => own.has(name));
  const everyone = policy.rules.some((rule) => rule.effect === 'allow' && rule.to === 'everyone');
  const unknown = unknownGroups(policy, person);
  return {
    title: say`**${person.name}** · ${code(person.id)}`,
    parts: [
      paragraph(
        everyone || groups.length > 0
          ? say`The policy knows you as ${groups.length > 0 ? joined(groups.map(code), ', ') : 'yourself'}.`
          : say`No rule of the policy names you, so you can't do anything yet. Send your id to the person who looks after the policy file.`,
      ),
      paragraph(
        joined([
          person.groups.length > 0
            ? say`Slack user groups: ${joined(person.groups.map(code), ', ')}.`
            : say`You're in no Slack user group that the policy names${unknown.length > 0 ? ', as far as I know' : ''}.`,
          unknown.length > 0 ? say`Slack doesn't tell me who is in ${joined(unknown.map(code), ', ')}.` : undefined,
        ]),
      ),
      paragraph(say`Your time zone in Slack is ${person.zone}: I read the times you type in it.`),
    ],
  };
}
