import { actor, say, time, typed } from '../../words/text.ts';
import { builtin } from '../kit/builtin.ts';
import { counted, paragraph } from '../kit/page.ts';
import { optional, phrase, withHint } from '../kit/fields.ts';
import { listHeld } from './held.ts';

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
  emergency: true,
  examples: ['"the host is in trouble"'],
  fields: { why: withHint('Everybody who asks why nothing is sent reads it.', optional(phrase('Reason', 500))) },
  answer: async ({ input, queryService }) => {
    const paused = await queryService.pause(input.why);
    const { done, pause, held, atHost } = paused;
    const why = pause.why === undefined ? '' : say` (“${pause.why}”)`;
    const since = done
      ? say`**Sending is paused: I send nothing from now on**${why}`
      : say`**Sending is already paused**, by ${actor(pause.by)} since ${time(pause.at, 'date')}${why}. Nothing was changed.`;
    return {
      title: since,
      parts: [
        paragraph(
          say`Held back: ${counted(held, 'approved change')}. Each one still expires when its time is over.`,
          listHeld(paused),
          say`Already at the host and not stopped: ${counted(atHost, 'change')}. Use ${typed('resume')} to send what is held back.`,
        ),
      ],
      offers: [{ label: 'Resume', args: ['resume', String(pause.at)] }],
    };
  },
});
