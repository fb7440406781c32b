import { code, say, time } from '../../words/text.ts';
import { builtin } from '../kit/builtin.ts';
import { choice, duration, environment, option, optional, word, withHint } from '../kit/fields.ts';
import { paragraph } from '../kit/page.ts';
import { hours } from '../kit/values/hours.ts';
import { quietInWords } from '../kit/watch.ts';
import { dayMs } from '../../words/duration.ts';

const defaultMs = 7 * dayMs;
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
  answer: async ({ input, queryService }) => {
    const terms = { match: input.match, forMs: input.for ?? defaultMs, quiet: input.quiet };
    const started = await queryService.watch(input.env, terms);
    return {
      title: say`**Watch ${code(`#${started.number}`)} of ${input.env.name} is on** until ${time(started.until, 'date')}`,
      parts: [
        paragraph(
          say`I read its error log every few minutes, with your rights, and post kinds of errors that I didn't see in the 24 hours before. Times in it without a time zone count as UTC. ${quietInWords(started)}`,
        ),
      ],
      offers: [{ label: 'Stop', args: ['watch', 'stop', String(started.number)] }],
    };
  },
});
