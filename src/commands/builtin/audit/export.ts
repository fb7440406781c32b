import { say, time } from '../../../text.ts';
import { builtin } from '../../kit/builtin.ts';
import { choice, moment, option } from '../../kit/fields.ts';
import { counted } from '../../kit/page.ts';
import { momentAt } from '../../kit/values/times.ts';

export const auditExport = builtin({
  summary: 'Take the audit trail away as a file, for yourself alone',
  button: 'Export the trail',
  right: 'named',
  changes: true,
  fields: { format: choice('Format', ['csv', 'jsonl']), since: { ...option(moment('Since')), shown: '7d' } },
  answer: async ({ input: { format, since }, queryService }) => {
    const from = since && momentAt(since, queryService.now, queryService.person.zone);
    const { name, content, lines, more } = await queryService.takeAway(format, from);
    const whence = from === undefined ? '' : say` since ${time(from, 'date')}`;
    return {
      title: say`**Audit trail as a file** · ${more ? `the newest ${counted(lines, 'line')}` : counted(lines, 'line')}${whence}`,
      parts: [
        {
          kind: 'text',
          text: say`It holds what you may read, oldest line first.${more ? ' Older lines were left out: a file has its limit.' : ''} That you took it stands in the trail.`,
        },
      ],
      file: { name, content },
    };
  },
});
