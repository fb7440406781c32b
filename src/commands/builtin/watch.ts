import { builtin } from '../kit/builtin.ts';
import { choice, duration, environment, option, optional, word, withHint } from '../kit/fields.ts';
import { hours } from '../kit/values/hours.ts';
import { dayMs } from '../../words/duration.ts';

const maxMs = 30 * dayMs;
const minMs = 300_000;

export const watch = builtin({
  summary: 'Tell this channel about new kinds of errors in a log, until a date',
  button: 'Watch',
  also: `
    alert me, alert us, alert on error, tell me when, tell us when, tell here if, tell here when, tell when error,
    tell if error, tell when new error, tell if new error, tell if start, tell if break, tell if go down, let know,
    let know error, ping me when, ping me if, say when, say if, warn me, warn us, keep eye, keep watching, watch
    log, watch error, watch for error, follow log, subscribe`,
  right: 'named',
  shows: ['logs'],
  changes: true,
  examples: ['acme-shop/live --for 7d', 'acme-shop/live --match checkout --quiet 22:00-07:00'],
  fields: {
    env: environment(),
    log: withHint('The error log is the only one so far.', optional(choice('Log', ['error']))),
    match: withHint('Only errors with this word.', option(word('Match'))),
    for: withHint('How long; left out, 7 days.', option(duration('For', minMs, maxMs))),
    quiet: withHint('Between these times I tell nothing and catch up later.', option(hours('Quiet hours'))),
  },
});
