import { actor, code, say, time } from '../../text.ts';
import { desk } from '../desk.ts';
import { counted } from '../page.ts';
import { optional, phrase } from '../fields.ts';

export const pause = desk({
  summary: 'Stop everything that is not sent yet, everywhere, until it is resumed',
  button: 'Pause',
  right: 'named',
  changes: true,
  urgent: true,
  everywhere: true,
  emergency: true,
  fields: { why: optional(phrase('Reason', 500)) },
  answer: async ({ input, office }) => {
    const { done, pause, held, atHost } = await office.pause(input.why);
    const why = pause.why === undefined ? '' : say` (“${pause.why}”)`;
    const since = done
      ? say`**Nothing is sent from now on**${why}`
      : say`**Nothing is sent already**: ${actor(pause.by)} paused it at ${time(pause.at, 'date')}${why}. Nothing was changed.`;
    return {
      title: since,
      parts: [
        {
          kind: 'text',
          text: say`${counted(held, 'approved change')} ${held === 1 ? 'is' : 'are'} held back, and each expires when its time is over. ${counted(atHost, 'change')} the host has already, and goes on with. ${code('resume')} lets the rest go.`,
        },
      ],
      offers: [{ label: 'Resume', words: ['resume'] }],
    };
  },
});
