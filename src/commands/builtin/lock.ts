import { builtin } from '../kit/builtin.ts';
import { duration, environments, option, phrase, withHint } from '../kit/fields.ts';
import { dayMs } from '../../words/duration.ts';

export const lock = builtin({
  summary: 'Keep changes away from environments for a while, or until they are unlocked',
  button: 'Lock',
  also: `
    nobody deploy, nobody push, nobody change, nobody touch, no one touch, no one deploy, don't deploy, don't push,
    don't touch, dont deploy, dont push, dont touch, no deploy, no push, no change, stop deploy, hands off, keep
    off, lock down, hold, hold <environment>, lock <environment>, stop <environment>, halt <environment>, block
    <environment>, stop, halt`,
  right: 'named',
  changes: true,
  urgent: true,
  examples: ['acme-shop/live "the sale is on" --for 2h', 'acme-*/live the checkout is broken'],
  fields: {
    env: environments(),
    why: withHint('Everybody who asks for a change reads it.', phrase('Reason', 500)),
    for: withHint('How long; left out, until somebody unlocks it.', option(duration('For', 60_000, 30 * dayMs))),
  },
});
