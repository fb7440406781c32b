import { actor, code, say, time } from '../../text.ts';
import { desk } from '../desk.ts';
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
    const { done, pause } = await office.pause(input.why);
    const why = pause.why === undefined ? '' : say` (“${pause.why}”)`;
    const since = done
      ? say`**Nothing is sent from now on**${why}`
      : say`**Nothing is sent already**: ${actor(pause.by)} paused it at ${time(pause.at, 'date')}${why}. Nothing was changed.`;
    return {
      title: since,
      parts: [
        {
          kind: 'text',
          text: say`What the host has already goes on there. What is approved waits, and expires when its time is over. ${code('resume')} lets the rest go.`,
        },
      ],
      offers: [{ label: 'Resume', words: ['resume'] }],
    };
  },
});
