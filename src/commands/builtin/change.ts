import { spokenDuration } from '../../words/duration.ts';
import { Refusal } from '../../base/errors.ts';
import { actor, say, time } from '../../words/text.ts';
import { builtin } from '../kit/builtin.ts';
import { count, withHint } from '../kit/fields.ts';
import { paragraph } from '../kit/page.ts';

export const change = builtin({
  summary: 'Show a change and everything that happened to it',
  button: 'Show change',
  also: `
    change <change>, change <number>, show <change>, show change <number>, what <change>, what about <change>, what
    happened <change>, happened to <change>, where <change>, how <change>, look <change>, detail <change>, detail
    change <number>, status <change>, status change <number>, request <change>, request <number>, number <number>,
    <change>, <number>, who approve change <number>, who approve <number>`,
  right: 'read',
  examples: ['42'],
  fields: { number: withHint('As its card shows it, such as #42.', count('Number', 1, 999_999_999)) },
  answer: async ({ input, queryService }) => {
    const story = await queryService.change(input.number);
    if (story === undefined)
      throw new Refusal(`I can't find #${input.number} among the changes you can see. Nothing was done.`);
    return {
      title: story.title,
      parts: [
        paragraph(...story.facts.map(([label, value]) => say`**${label}:** ${value}`)),
        ...(story.items ? [{ kind: 'list', entries: story.items } as const] : []),
        {
          kind: 'list',
          entries: story.events.map(({ at, actor: who, says }, index) => {
            const before = story.events[index - 1]?.at;
            const later = before === undefined || at - before < 500 ? '' : `, ${spokenDuration(at - before)} later`;
            return say`${time(at, 'date')}${later} · ${actor(who)} · ${says}`;
          }),
        },
      ],
    };
  },
});
