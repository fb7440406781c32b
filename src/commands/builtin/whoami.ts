import { code, joined, say } from '../../text.ts';
import { desk } from '../kit/builtin.ts';

export const whoami = desk({
  summary: 'Show your id, your groups and what policy knows of you',
  button: 'Who am I',
  right: 'anyone',
  glances: true,
  fields: {},
  answer: ({ office }) => {
    const { groups, known, unknown } = office.standing();
    const slackGroups = office.person.groups;
    return {
      title: say`**${office.person.name}** · ${code(office.person.id)}`,
      parts: [
        {
          kind: 'text',
          text: known
            ? say`Policy knows you as ${groups.length > 0 ? joined(groups.map(code), ', ') : 'yourself'}.`
            : say`No rule of the policy names you: you may not do anything yet. Give your id to whoever keeps the policy file.`,
        },
        {
          kind: 'text',
          text: joined([
            slackGroups.length > 0
              ? say`Slack user groups: ${joined(slackGroups.map(code), ', ')}.`
              : say`No Slack user group that the policy names${unknown.length > 0 ? ', as far as I know' : ''}.`,
            unknown.length > 0 ? say`Slack doesn't tell me who is in ${joined(unknown.map(code), ', ')}.` : undefined,
          ]),
        },
        { kind: 'text', text: say`Your times are shown in ${office.person.zone}.` },
      ],
    };
  },
});
