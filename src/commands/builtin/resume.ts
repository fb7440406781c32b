import { Refusal } from '../../errors.ts';
import { actor, code, say, time } from '../../text.ts';
import { builtin } from '../kit/builtin.ts';
import { counted, paragraph } from '../kit/page.ts';
import { listHeld } from './held.ts';

export const resume = builtin({
  summary: 'End a pause and send what is approved and still valid',
  button: 'Resume',
  right: 'named',
  changes: true,
  urgent: true,
  everywhere: true,
  fields: {},
  answer: async ({ queryService }) => {
    const resumed = await queryService.resume();
    if (resumed === undefined) throw new Refusal(say`**Sending isn't paused.** Nothing was done.`);
    const { pause, left, held } = resumed;
    const why = pause.why === undefined ? '' : say` (“${pause.why}”)`;
    if (left)
      return {
        title: say`**Sending is still paused**`,
        parts: [
          paragraph(
            say`I ended the pause that ${actor(pause.by)} started ${time(pause.at, 'date')}${why}. I had paused it too, ${time(left.at, 'date')}: ${left.why ?? ''} Nothing is sent yet. Please compare the last hours with the host's panel, then type ${code('resume')} again.`,
            listHeld(resumed),
          ),
        ],
      };
    return {
      title: say`**Sending is on again**`,
      parts: [
        paragraph(
          say`I ended the pause that ${actor(pause.by)} started ${time(pause.at, 'date')}${why}. ${held === 0 ? 'No approved change is waiting.' : `${counted(held, 'approved change')} ${held === 1 ? 'is' : 'are'} sent now, after I check rights and targets again.`}`,
          listHeld(resumed),
        ),
      ],
    };
  },
});
