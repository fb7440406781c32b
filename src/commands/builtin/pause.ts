import { actor, code, say, time, joined } from '../../text.ts';
import { builtin } from '../kit/builtin.ts';
import { counted } from '../kit/page.ts';
import { optional, phrase } from '../kit/fields.ts';
import { listHeld } from './held.ts';

export const pause = builtin({
  summary: 'Stop everything that is not sent yet, everywhere, until it is resumed',
  button: 'Pause',
  right: 'named',
  changes: true,
  urgent: true,
  everywhere: true,
  emergency: true,
  fields: { why: optional(phrase('Reason', 500)) },
  answer: async ({ input, queryService }) => {
    const paused = await queryService.pause(input.why);
    const { done, pause, held, atHost } = paused;
    const why = pause.why === undefined ? '' : say` (“${pause.why}”)`;
    const since = done
      ? say`**Nothing is sent from now on**${why}`
      : say`**Sending is paused already**, by ${actor(pause.by)} at ${time(pause.at, 'date')}${why}. Nothing was changed.`;
    return {
      title: since,
      parts: [
        {
          kind: 'text',
          text: joined(
            [
              say`Held back: ${counted(held, 'approved change')}; each expires when its time is over.`,
              listHeld(paused),
              say`With the host already, and not stopped: ${counted(atHost, 'change')}. ${code('resume')} sends what is held back.`,
            ],
            '\n',
          ),
        },
      ],
      offers: [{ label: 'Resume', words: ['resume'] }],
    };
  },
});
