import { Refusal } from '../../../errors.ts';
import { code, say } from '../../../text.ts';
import { builtin } from '../../kit/builtin.ts';
import { count } from '../../kit/fields.ts';

export const timersCancel = builtin({
  summary: 'End access that ends by itself now: take its addresses off',
  button: 'Remove now',
  right: 'read',
  changes: true,
  urgent: true,
  fields: { number: count('Change', 1, 999_999_999) },
  answer: async ({ input: { number }, queryService }) => {
    const timer = await queryService.timer(number);
    const hint = say`${code('timers')} lists those that are open.`;
    if (timer === undefined) {
      throw new Refusal(say`#${number} has no timer that you may read. Nothing was done.`, { hint });
    }
    if (timer.over !== undefined) {
      throw new Refusal(say`**The timer of #${number} is over:** ${timer.over}. Nothing was done.`, { hint });
    }
    if (timer.removal !== undefined) {
      throw new Refusal(say`**#${timer.removal} is taking its addresses off already.** Nothing was done.`, {
        hint: say`${code(`change ${timer.removal}`)} shows how it stands.`,
      });
    }
    return { instead: timer.remove };
  },
});
