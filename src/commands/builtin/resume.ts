import { builtin } from '../kit/builtin.ts';
import { count, optional } from '../kit/fields.ts';

export const resume = builtin({
  summary: 'End a pause and send what is approved and still valid',
  button: 'Resume',
  also: `
    pause can go, pause go, pause off, pause over, turn off pause, continue, continue again, go on, carry on, start
    again, send again, unpause, lift pause, stop pause, unhalt, unlock, unlock all, unlock everything, resume
    everything`,
  right: 'named',
  shows: ['changes'],
  changes: true,
  urgent: true,
  everywhere: true,
  examples: [''],
  fields: {
    /** When the pause began, in epoch ms, so that a button ends the pause that it showed. */
    pause: {
      ...optional(count('Pause', 1, Number.MAX_SAFE_INTEGER)),
      shown: 'pause',
      hint: 'Which one, if there are several.',
    },
  },
});
