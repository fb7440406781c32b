import { Refusal } from '../../../base/errors.ts';
import { say, typed } from '../../../words/text.ts';
import { builtin } from '../../kit/builtin.ts';
import { count, withHint } from '../../kit/fields.ts';
import { paragraph } from '../../kit/page.ts';

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
  answer: async ({ input: { number }, queryService }) => {
    const left = await queryService.leaveQueue(number);
    if (left === undefined)
      throw new Refusal(say`**You have no place ${number} in a queue.** Nothing was done.`, {
        hint: say`It may have been used or ended already. ${typed('queue')} shows who waits.`,
      });
    return {
      title: say`**You've left the queue for ${left.target}**`,
      parts: [paragraph(say`${left.what} was not sent.`)],
    };
  },
});
