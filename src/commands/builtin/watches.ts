import { code, inline, joined, list, mention, say, time, typed, type Text } from '../../words/text.ts';
import { builtin } from '../kit/builtin.ts';
import { counted, listOr } from '../kit/page.ts';
import { showHours } from '../kit/values/hours.ts';
import type { WatchLine } from '../kit/watch.ts';

export const watches = builtin({
  summary: 'List the watches and digests of this channel, and yours elsewhere',
  button: 'List watches',
  also: `
    which watch, what watch, show watch, list watch, running watch, active watch, all watch, our watch, my watch,
    current watch, who watch`,
  right: 'read',
  fields: {},
  answer: async ({ queryService }) => {
    const lines = await queryService.watches();
    return {
      title: say`**Watches** · ${counted(lines.length, 'watch', 'watches')}`,
      parts: listOr(say`No watches here that you can see, and none of yours elsewhere.`, lines.map(inWords)),
      ...(lines[0] && { source: say`${typed(`watch stop ${lines[0].number}`)} ends #${lines[0].number}` }),
      offers: lines.map(({ number }) => ({ label: `Stop #${number}`, args: ['watch', 'stop', String(number)] })),
    };
  },
});

function inWords(line: WatchLine): Text {
  const of = joined([line.env ? undefined : 'Digest of', list(line.names, 5), line.match && say`with “${line.match}”`]);
  const until = time(line.until, 'date');
  return say`${code(`#${line.number}`)} ${of} · tells ${line.told} · ${mention(line.owner)} · until ${until} · ${statusOf(line)}`;
}

const statusOf = ({ standing, quiet, zone }: WatchLine) =>
  joined([standing ?? inline('on'), quiet && say`quiet ${showHours(quiet)} (${zone})`], '; ');
