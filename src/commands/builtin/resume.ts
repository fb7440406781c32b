import { Refusal } from '../../base/errors.ts';
import { actor, bold, say, time, typed } from '../../words/text.ts';
import type { Pause } from '../kit/change-lines.ts';
import { builtin } from '../kit/builtin.ts';
import { count, optional } from '../kit/fields.ts';
import { counted, paragraph } from '../kit/page.ts';
import { listHeld } from './held.ts';

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
  /** When the pause began, in epoch ms, so that a button ends the pause that it showed. */
  examples: [''],
  fields: {
    pause: {
      ...optional(count('Pause', 1, Number.MAX_SAFE_INTEGER)),
      shown: 'pause',
      hint: 'Which one, if there are several.',
    },
  },
  answer: async ({ input, queryService }) => {
    const resumed = await queryService.resume(input.pause);
    const { ended, left, held } = resumed;
    const you = queryService.person.id;
    if (left)
      return {
        title: say`**Sending is still paused**`,
        parts: [
          paragraph(
            ended ? say`I ended ${pauseInWords(ended, you)}.` : say`I ended nothing.`,
            say`There is still ${pauseInWords(left, you)}. Nothing is sent yet. ${left.by === 'sitehand' ? "Please compare the last hours with the host's panel, then" : 'To end it,'} press ${bold('Resume')} or type ${typed(`resume ${left.at}`)}.`,
            listHeld(resumed),
          ),
        ],
        offers: [{ label: 'Resume', args: ['resume', String(left.at)] }],
      };
    if (!ended) throw new Refusal(say`**Sending isn't paused.** Nothing was done.`);
    return {
      title: say`**Sending is on again**`,
      parts: [
        paragraph(
          say`I ended ${pauseInWords(ended, you)}. ${held === 0 ? 'No approved change is waiting.' : `${counted(held, 'approved change')} ${held === 1 ? 'is' : 'are'} sent now, after I check rights and targets again.`}`,
          listHeld(resumed),
        ),
      ],
    };
  },
});

const pauseInWords = ({ by, at, why }: Pause, you: string) =>
  say`the pause that ${by === you ? 'you' : actor(by)} started ${time(at, 'date')}${why === undefined ? '' : say` (“${why}”)`}`;
