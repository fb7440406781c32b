import { Refusal } from '../../errors.ts';
import { actor, say, time, joined } from '../../text.ts';
import { builtin } from '../kit/builtin.ts';
import { counted } from '../kit/page.ts';
import { listHeld } from './held.ts';

export const resume = builtin({
  summary: 'End a pause: what is approved and still valid is sent',
  button: 'Resume',
  right: 'named',
  changes: true,
  urgent: true,
  everywhere: true,
  fields: {},
  answer: async ({ queryService }) => {
    const resumed = await queryService.resume();
    if (resumed === undefined) throw new Refusal(say`**Nothing is paused.** Nothing was done.`);
    const { pause, held } = resumed;
    const why = pause.why === undefined ? '' : say` (“${pause.why}”)`;
    return {
      title: say`**Sending goes on**`,
      parts: [
        {
          kind: 'text',
          text: joined(
            [
              say`The pause of ${actor(pause.by)} since ${time(pause.at, 'date')}${why} is over. ${held === 0 ? 'Nothing waits to be sent.' : `${counted(held, 'approved change')} ${held === 1 ? 'is' : 'are'} sent now: rights and targets are checked again before.`}`,
              listHeld(resumed),
            ],
            '\n',
          ),
        },
      ],
    };
  },
});
