import { say, time } from '../../../words/text.ts';
import { builtin } from '../../kit/builtin.ts';
import { choice, moment, option, withHint } from '../../kit/fields.ts';
import { counted, paragraph } from '../../kit/page.ts';
import { momentAt } from '../../kit/values/times.ts';

export const auditExport = builtin({
  summary: 'Export the audit trail as a file that only you get',
  button: 'Export the trail',
  also: `
    download trail, audit csv, download audit log`,
  right: 'named',
  shows: ['audit'],
  changes: true,
  examples: ['csv --since 30d'],
  fields: {
    format: withHint('csv for a spreadsheet, jsonl for a program.', choice('Format', ['csv', 'jsonl'])),
    since: { ...option(moment('Since')), shown: '7d', hint: 'From when on.' },
  },
  answer: async ({ input: { format, since }, queryService }) => {
    const from = since && momentAt(since, queryService.now, queryService.person.zone);
    const { name, content, lines, more } = await queryService.exportTrail(format, from);
    const sinceWhen = from === undefined ? '' : say` since ${time(from, 'date')}`;
    return {
      title: say`**Audit trail as a file** · ${more ? `the newest ${counted(lines, 'line')}` : counted(lines, 'line')}${sinceWhen}`,
      parts: [
        paragraph(
          say`${lines === 0 ? none : `It has every line you can see, oldest first.${more ? cut : ''}`} ${noted}`,
        ),
      ],
      // Slack takes no empty file.
      ...(lines > 0 && { file: { name, content } }),
    };
  },
});

const none = 'I found no line among those you can see, so there is no file.';
const cut = ' Older lines were left out, because a file has a size limit.';
const noted = 'The trail records this export.';
