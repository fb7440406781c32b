import { Refusal } from '../base/errors.ts';
import { getLogs, logFiles } from '../hosting/contract/environment.ts';
import {
  choice,
  count,
  environment,
  flag,
  moment,
  option,
  optional,
  word,
  type Input,
  withHint,
} from './kit/fields.ts';
import type { LogsInput, TimeSpan } from './kit/log-query.ts';
import { report } from './kit/report.ts';
import { momentAt, startOf } from './kit/values/times.ts';
import { joined, say } from '../words/text.ts';

const defaultLines = 1_000;
const maxLines = 20_000;
const defaultLog = 'error';

const fields = {
  env: environment(),
  log: withHint('Which one; left out, the error log.', optional(choice('Log', ['error', 'access', 'cache']))),
  lines: withHint('How many of the newest lines are read.', option(count('Lines', 1, maxLines))),
  since: withHint('From when on.', option(moment('Since'))),
  until: withHint('Up to when.', option(moment('Until'))),
  search: withHint('Only lines with this word.', option(word('Search'))),
  errors: withHint('Only lines that are errors.', flag('Errors only', ['error'])),
  full: withHint('All lines, as a file that only you get.', flag('Full log')),
};

export const logs = report({
  summary: 'Read a log: what repeats and what fails',
  button: 'Read logs',
  also: `
    error, error log, access log, cache log, request log, php log, tail, tail log, tail error, tail error log,
    recent error, last error, any error, error in, php error, read log, what in log, search log, get log, cat log,
    log since, log slow, slow request, fatal, fatal error, php fatal, exception, stack trace, warning, debug, 500,
    500s, 502, 503, 504, 404, 404s, visitor, traffic, hit, who hit, request to`,
  examples: ['acme-shop/live --since 1h', 'acme-shop/live access --search checkout'],
  shows: ['changes'],
  fields,
  target: 'env',
  show: async ({ input, read, now, zone, analyzeLog, sentChanges, withheld }) => {
    const span = spanOf(input, now, zone);
    const most = input.lines ?? defaultLines;
    // A host that ignores the span sends its newest lines, which may all be later than the span.
    const wanted = span.to === undefined ? most : maxLines;
    const log = {
      env_id: input.env.id,
      file_name: logFiles[input.log ?? defaultLog],
      from: asIso(span.from),
      to: asIso(span.to),
    };
    const found = await read(getLogs({ ...log, lines: wanted, search: input.search }));
    // The host's search may be case-sensitive: if it finds nothing, search its newest lines here.
    const isNothing = input.search !== undefined && found.trim() === '';
    const text = isNothing ? await read(getLogs({ ...log, lines: maxLines })) : found;
    const recall = (since: number) => sentChanges(input.env, since);
    const page = await analyzeLog({ text, asked: askedOf(input), wanted, most, span, now }, recall);
    const hidden = withheld('changes', input.env);
    return hidden ? { ...page, source: joined([page.source, say`changes beside it are ${hidden}`], '; ') } : page;
  },
});

const askedOf = ({ since, until, log = defaultLog, ...rest }: Input<typeof fields>): LogsInput => ({
  ...rest,
  log,
  since: since ? fields.since.show(since) : [],
  until: until ? fields.until.show(until) : [],
});

function spanOf({ since, until }: Input<typeof fields>, now: number, zone: string): TimeSpan {
  const from = since && startOf(since, now, zone, '1h');
  const to = until && momentAt(until, now, zone);
  if (from !== undefined && to !== undefined && to <= from) {
    throw new Refusal('--until is not after --since. Nothing was done.', {
      hint: 'Leave --until out, or type a later time.',
      field: 'until',
    });
  }
  return { from, to };
}

const asIso = (at: number | undefined): string | undefined =>
  at === undefined ? undefined : new Date(at).toISOString();
