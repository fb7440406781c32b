import { Refusal } from '../../base/errors.ts';
import { say, time, typed } from '../../words/text.ts';
import { builtin } from '../kit/builtin.ts';
import { duration, environment, option, phrase, withHint } from '../kit/fields.ts';
import { paragraph } from '../kit/page.ts';
import { dayMs } from '../../words/duration.ts';

export const lock = builtin({
  summary: 'Keep changes away from an environment for a while, or until it is unlocked',
  button: 'Lock',
  also: `
    nobody deploy, nobody push, nobody change, nobody touch, no one touch, no one deploy, don't deploy, don't push,
    don't touch, dont deploy, dont push, dont touch, no deploy, no push, no change, stop deploy, hands off, keep
    off, lock down, hold, hold <environment>, lock <environment>, stop <environment>, halt <environment>, block
    <environment>, stop, halt`,
  right: 'named',
  changes: true,
  urgent: true,
  examples: ['acme-shop/live "the sale is on" --for 2h'],
  fields: {
    env: environment(),
    why: withHint('Everybody who asks for a change reads it.', phrase('Reason', 500)),
    for: withHint('How long; left out, until somebody unlocks it.', option(duration('For', 60_000, 30 * dayMs))),
  },
  answer: async ({ input, queryService }) => {
    const { env } = input;
    const locked = await queryService.lock(env, input.why, input.for);
    if (!locked.done) {
      throw new Refusal(say`${locked.says} So I didn't lock it. Nothing was done.`, {
        hint: say`${typed('pause')} stops everything that has not been sent yet.`,
      });
    }
    const { lock } = locked;
    const end = lock.until === undefined ? say`until it is unlocked` : say`until ${time(lock.until, 'date')}`;
    return {
      title: say`**${env.name} is locked by you** ${end}`,
      parts: [
        paragraph(
          say`I'll tell everybody who asks to change it, with your reason: “${lock.why}”. I told the ops channel too.`,
        ),
      ],
      offers: [{ label: 'Unlock', args: ['unlock', env.id] }],
    };
  },
});
