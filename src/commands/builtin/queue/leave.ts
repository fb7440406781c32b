import { builtin } from '../../kit/builtin.ts';
import { count, withHint } from '../../kit/fields.ts';

export const queueLeave = builtin({
  summary: 'Give up your place in a queue',
  button: 'Leave the queue',
  also: `
    leave line, unqueue, dequeue, get out of queue, remove from queue, cancel queue, give up place, drop out queue,
    queue remove <number>, queue remove <change>`,
  right: 'anyone',
  changes: true,
  urgent: true,
  examples: ['3'],
  fields: { number: withHint('Its number, as the queue shows it.', count('Place', 1, 999_999_999)) },
});
