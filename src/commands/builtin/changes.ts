import { builtin } from '../kit/builtin.ts';
import { anyEnvironment, flag, moment, option, withHint } from '../kit/fields.ts';

export const changes = builtin({
  summary: 'List changes, or what happened since a time',
  button: 'List changes',
  also: `
    history, activity, recent, recent change, last change, latest change, change today, my change, open change, who
    changed, what changed, when changed, what happened, what going on, what done, who did, what did, who deployed,
    when deployed, deploy history, deploy log, deployment, last deploy, last push, last release, who pushed, when
    pushed, who released, who cleared, who touched, events, what wait, waiting for approval, wait approval, open
    request, scheduled, upcoming, planned, what coming, my request, request, approval, what approve, what can approve, changelog, git log, time line, who
    broke <environment>`,
  right: 'read',
  shows: ['logs'],
  examples: ['acme-shop/live --since 2d', '--waiting', '--scheduled', '--unreviewed'],
  fields: {
    env: anyEnvironment(),
    mine: withHint('Only those that you asked for.', flag('Mine', ['my changes', 'my requests'])),
    waiting: withHint('Only those that wait for approval.', flag('Waiting', ['pending'])),
    scheduled: withHint('Only those that are to be sent later.', flag('Scheduled', ['upcoming', 'planned'])),
    unreviewed: withHint(
      'Only those sent by break-glass that nobody has reviewed.',
      flag('Unreviewed', ['to review', 'break-glass']),
    ),
    since: { ...option(moment('Since')), shown: '2d', hint: 'What happened to one environment from then on.' },
  },
});
