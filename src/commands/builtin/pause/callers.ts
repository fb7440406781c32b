import { builtin } from '../../kit/builtin.ts';
import { optional, phrase, withHint } from '../../kit/fields.ts';

export const pauseCallers = builtin({
  summary: 'Take and send nothing that programs ask for, until you resume them',
  button: 'Pause programs',
  also: `
    pause all program, stop program, stop all program, halt program, halt all program, hold program,
    hold all program, lock program, lock all program`,
  right: 'named',
  within: 'pause',
  shows: ['changes'],
  changes: true,
  urgent: true,
  everywhere: true,
  brake: true,
  examples: ['"an agent runs wild"'],
  fields: {
    why: withHint('Whoever may see the whole company reads it, programs too.', optional(phrase('Reason', 500))),
  },
});
