import { code, joined, say } from '../../text.ts';
import { desk } from '../desk.ts';

export const whoami = desk({
  summary: 'Show your id, your groups and what policy knows of you',
  button: 'Who am I',
  right: 'anyone',
  fields: {},
  answer: ({ office }) => {
    const { groups, known } = office.standing();
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
          text:
            slackGroups.length > 0
              ? say`Slack user groups: ${joined(slackGroups.map(code), ', ')}.`
              : say`No Slack user group that the policy names.`,
        },
        { kind: 'text', text: say`Your times are shown in ${office.person.zone}.` },
      ],
    };
  },
});
