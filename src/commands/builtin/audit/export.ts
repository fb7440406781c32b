import { builtin } from '../../kit/builtin.ts';
import { choice, moment, option, withHint } from '../../kit/fields.ts';

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
});
