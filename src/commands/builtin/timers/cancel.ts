import { builtin } from '../../kit/builtin.ts';
import { count, withHint } from '../../kit/fields.ts';

export const timersCancel = builtin({
  summary: 'End timed access now and remove its addresses',
  button: 'Remove now',
  also: `
    stop access, stop access now, stop timer, stop temporary access, cancel access, cancel temporary access, remove
    timer`,
  right: 'read',
  shows: ['timers'],
  changes: true,
  urgent: true,
  examples: ['42'],
  fields: { number: withHint('The number of the change that let them in.', count('Change', 1, 999_999_999)) },
});
