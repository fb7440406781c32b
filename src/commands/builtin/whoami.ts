import { code, joined, say } from '../../words/text.ts';
import { builtin } from '../kit/builtin.ts';
import { paragraph } from '../kit/page.ts';

export const whoami = builtin({
  summary: 'Show your id, your groups and how the policy knows you',
  button: 'Who am I',
  also: `
    who am i, who i am, what am i, what may i, what am i allowed, which group am i, my group, my role, my
    permission, which permission i, permission i have, group i, my id, my account`,
  right: 'anyone',
  glances: true,
  fields: {},
  answer: ({ queryService }) => {
    const { groups, known, unknown } = queryService.standing();
    const slackGroups = queryService.person.groups;
    return {
      title: say`**${queryService.person.name}** · ${code(queryService.person.id)}`,
      parts: [
        paragraph(
          known
            ? say`The policy knows you as ${groups.length > 0 ? joined(groups.map(code), ', ') : 'yourself'}.`
            : say`No rule of the policy names you, so you can't do anything yet. Send your id to the person who looks after the policy file.`,
        ),
        paragraph(
          joined([
            slackGroups.length > 0
              ? say`Slack user groups: ${joined(slackGroups.map(code), ', ')}.`
              : say`You're in no Slack user group that the policy names${unknown.length > 0 ? ', as far as I know' : ''}.`,
            unknown.length > 0 ? say`Slack doesn't tell me who is in ${joined(unknown.map(code), ', ')}.` : undefined,
          ]),
        ),
        paragraph(say`Your time zone in Slack is ${queryService.person.zone}: I read the times you type in it.`),
      ],
    };
  },
});
