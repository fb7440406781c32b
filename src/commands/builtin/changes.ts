import { code, inline, person, say, time } from '../../text.ts';
import { builtin } from '../kit/builtin.ts';
import { anyEnvironment, flag } from '../kit/fields.ts';
import { counted, tableOr } from '../kit/page.ts';

export const changes = builtin({
  summary: 'List changes, newest first',
  button: 'List changes',
  right: 'read',
  fields: { env: anyEnvironment(), mine: flag('Mine'), waiting: flag('Waiting') },
  answer: async ({ input: { env, mine, waiting }, queryService }) => {
    const { lines, more } = await queryService.changes({ env, mine, waiting });
    const whose = mine ? 'Your changes' : 'Changes';
    const title = `${whose}${env ? ` of ${env.name}` : ''}${waiting ? ' waiting for approval' : ''}`;
    return {
      title: say`**${title}** · ${more ? `the newest ${lines.length}` : counted(lines.length, 'change')}`,
      parts: tableOr(
        waiting ? say`None that you can see is waiting for approval.` : say`There are none yet that you can see.`,
        ['Change', 'State', 'What', 'Asked by', 'When'],
        lines.map((line) => [
          [code(`#${line.number}`)],
          inline(line.state),
          inline(line.title),
          [person(line.requester)],
          [time(line.at, 'date')],
        ]),
      ),
      source: say`${code('change')} and a number shows the whole story of one${more ? '; name an environment to find older ones' : ''}`,
    };
  },
});
