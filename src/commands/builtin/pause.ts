import { builtin } from '../kit/builtin.ts';
import { optional, phrase, withHint } from '../kit/fields.ts';

export const pause = builtin({
  summary: 'Stop everything that has not been sent yet, everywhere, until you resume',
  button: 'Pause',
  also: `
    stop everything, halt everything, lock everything, hold everything, pause everything, cancel everything, stop
    all, halt all, lock all, pause all, stop sending, nothing more send, nothing send, emergency, emergency stop,
    panic, red button, brake, kill switch, stop, halt, lock`,
  right: 'named',
  shows: ['changes'],
  changes: true,
  urgent: true,
  everywhere: true,
  brake: true,
  examples: ['"the host is in trouble"'],
  fields: { why: withHint('Whoever may see the whole company reads it.', optional(phrase('Reason', 500))) },
});
