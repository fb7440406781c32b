import { builtin } from '../../kit/builtin.ts';
import { environment, moment, option } from '../../kit/fields.ts';

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
});
