import { Refusal, type Args } from '../../base/errors.ts';
import { code, joined, mention, sample, say, time, typed, type Text } from '../../words/text.ts';
import { builtin } from '../kit/builtin.ts';
import { anyEnvironment, flag, moment, option, withHint } from '../kit/fields.ts';
import { counted, listOr } from '../kit/page.ts';
import { startOf } from '../kit/values/times.ts';
import { timeLinePage } from './time-line.ts';

const sinceField = option(moment('Since'));

export const changes = builtin({
  summary: 'List changes, or what happened since a time',
  button: 'List changes',
  also: `
    history, activity, recent, recent change, last change, latest change, change today, my change, open change, who
    changed, what changed, when changed, what happened, what going on, what done, who did, what did, who deployed,
    when deployed, deploy history, deploy log, deployment, last deploy, last push, last release, who pushed, when
    pushed, who released, who cleared, who touched, events, what wait, waiting for approval, wait approval, open
    request, my request, request, approval, what approve, what can approve, changelog, git log, time line, who
    broke <environment>`,
  right: 'read',
  shows: ['logs'],
  examples: ['acme-shop/live --since 2d', '--waiting', '--mine'],
  fields: {
    env: anyEnvironment(),
    mine: withHint('Only those that you asked for.', flag('Mine', ['my changes', 'my requests'])),
    waiting: withHint('Only those that wait for approval.', flag('Waiting', ['pending'])),
    since: { ...sinceField, shown: '2d', hint: 'What happened to one environment from then on.' },
  },
  answer: async ({ input: { env, mine, waiting, since }, queryService }) => {
    if (since !== undefined) {
      if (mine || waiting)
        throw new Refusal("A time line has everybody's changes in every state. Nothing was done.", {
          hint: 'Leave out --mine and --waiting, or --since.',
          field: 'since',
        });
      if (env === undefined) throw unnamed(sinceField.show(since));
      const from = startOf(since, queryService.now, queryService.person.zone, '2d');
      return timeLinePage(env, await queryService.timeLine(env, from));
    }
    const { lines, more } = await queryService.changes({ env, mine, waiting });
    const [first] = lines;
    const whose = mine ? 'Your changes' : 'Changes';
    const count = !more
      ? counted(lines.length, 'change')
      : first
        ? `the newest ${lines.length}`
        : 'none among the newest';
    const title = `${whose}${env ? ` of ${env.name}` : ''}${waiting ? ' waiting for approval' : ''}`;
    return {
      title: say`**${title}** · ${count}`,
      parts: listOr(
        noneText({ waiting, more }),
        lines.map(({ state, number, title: what, requester, handedOnBy: by, cancelled, at }) => {
          const handed = by === undefined ? '' : say`, handed on by ${mention(by)}`;
          const asked = say`asked by ${mention(requester)}${handed} ${time(at, 'date')}`;
          return joined([say`${state} · ${code(`#${number}`)} ${what}`, asked, cancelled], ' · ');
        }),
      ),
      ...(first && {
        source: say`${typed(`change ${first.number}`)} shows the whole story of #${first.number}${more ? '; name an environment to find older ones' : ''}`,
      }),
      ...(env && { offers: [{ label: 'Time line of two days', args: ['changes', env.id, '--since=2d'] }] }),
    };
  },
});

/** The refusal of a time line without an environment, with the form that asks for one. */
const unnamed = (since: Args): Refusal =>
  new Refusal('A time line needs an environment. Nothing was done.', {
    hint: say`Name one, as in ${sample('changes acme-shop/live --since 2d')}.`,
    field: 'env',
    offers: [{ label: 'Choose an environment', opens: 'form', args: ['changes', `--since=${since.join(' ')}`] }],
  });

function noneText({ waiting, more }: { readonly waiting: boolean; readonly more: boolean }): Text {
  if (more) return say`I read only the newest ones, and found none that you can see.`;
  return waiting ? say`None that you can see is waiting for approval.` : say`There are none yet that you can see.`;
}
