import { builtin } from '../kit/builtin.ts';
import { anyEnvironment, moment, option, member, withHint } from '../kit/fields.ts';

export const audit = builtin({
  summary: 'Read the audit trail: who did what, when, and by which rule',
  button: 'Read the trail',
  also: `
    audit log, audit trail, trail, security log, who did what, what did <person>, did <person> do, <person> did,
    what <person> done, <person> done, what has <person> done`,
  right: 'named',
  examples: ['acme-shop/live --since 7d'],
  fields: {
    env: anyEnvironment(),
    since: { ...option(moment('Since')), shown: '7d', hint: 'From when on.' },
    by: withHint('Only what this person did.', option(member('By'))),
  },
});
