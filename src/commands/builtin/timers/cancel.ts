import { Refusal } from '../../../base/errors.ts';
import { say, typed } from '../../../words/text.ts';
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
  answer: async ({ input: { number }, queryService }) => {
    const timer = await queryService.timer(number);
    const hint = say`${typed('timers')} lists the open ones.`;
    if (timer === undefined) {
      throw new Refusal(say`I can't find a timer of #${number} among those you can see. Nothing was done.`, { hint });
    }
    if (timer.over !== undefined) {
      throw new Refusal(say`**The timed access of #${number} has already ended:** ${timer.over}. Nothing was done.`, {
        hint,
      });
    }
    if (timer.removal !== undefined) {
      throw new Refusal(say`**#${timer.removal} is already removing its addresses.** Nothing was done.`, {
        hint: say`${typed(`change ${timer.removal}`)} shows its progress.`,
      });
    }
    return { instead: timer.remove };
  },
});
