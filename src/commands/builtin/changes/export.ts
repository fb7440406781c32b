import { say, time } from '../../../words/text.ts';
import { builtin } from '../../kit/builtin.ts';
import { environment, moment, option } from '../../kit/fields.ts';
import { counted, paragraph } from '../../kit/page.ts';
import { startOf } from '../../kit/values/times.ts';
import { leftOut, logInWords } from '../time-line.ts';
import { dayMs } from '../../../words/duration.ts';

const defaultSince = { ago: 2 * dayMs };

export const changesExport = builtin({
  summary: 'Export what happened to an environment as a Markdown file that only you get',
  button: 'Export the time line',
  also: `
    download history, download time line, change file, history file, postmortem, change as file, happened file`,
  right: 'read',
  shows: ['changes', 'logs'],
  changes: true,
  examples: ['acme-shop/live --since 2d'],
  fields: {
    env: environment(),
    since: { ...option(moment('Since')), shown: '2d', hint: 'From when on; left out, 2 days.' },
  },
  answer: async ({ input: { env, since = defaultSince }, queryService }) => {
    const from = startOf(since, queryService.now, queryService.person.zone, '2d');
    const { file, line } = await queryService.exportTimeLine(env, from);
    return {
      title: say`**Time line of ${env.name} as a file** · ${counted(line.entries.length, 'entry', 'entries')} since ${time(from, 'date')}`,
      parts: [
        paragraph(
          say`It has what you can see, oldest first, in Markdown and with times in UTC. The audit trail records this export.`,
          line.withoutChanges && say`**Changes:** ${line.withoutChanges}`,
          logInWords(line),
          line.more ? leftOut : undefined,
        ),
      ],
      file,
    };
  },
});
