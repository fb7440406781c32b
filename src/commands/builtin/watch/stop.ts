import { Refusal } from '../../../base/errors.ts';
import { code, list, say, typed } from '../../../words/text.ts';
import { builtin } from '../../kit/builtin.ts';
import { count, withHint } from '../../kit/fields.ts';
import { counted, paragraph } from '../../kit/page.ts';

export const watchStop = builtin({
  summary: 'End a watch or a digest now',
  button: 'Stop a watch',
  also: `
    unwatch, silence, silence watch, cancel watch, remove watch, disable watch, stop watch <number>, stop watch
    <change>, silence watch <number>, stop digest, cancel digest`,
  right: 'read',
  shows: ['watches'],
  changes: true,
  examples: ['3'],
  fields: { number: withHint('Its number, as the list of watches shows it.', count('Watch', 1, 999_999_999)) },
  answer: async ({ input: { number }, queryService }) => {
    const stopped = await queryService.stopWatch(number);
    if (stopped === undefined) {
      throw new Refusal(
        say`I can't find a watch #${number} among those you can see that is still on. Nothing was done.`,
        {
          hint: say`${typed('watches')} lists them.`,
        },
      );
    }
    const { watch, untold } = stopped;
    return {
      title: say`**${watch.env ? 'Watch' : 'Digest'} ${code(`#${number}`)} of ${list(watch.names, 5)} is over**`,
      parts:
        untold === 0
          ? []
          : [paragraph(say`It held back ${counted(untold, 'new kind')} of errors that nobody is told about now.`)],
      offers: watch.env
        ? [{ label: 'Error log', args: ['logs', watch.env.id, 'error', '--errors', '--since=24h'] }]
        : [],
    };
  },
});
