import { Refusal } from '../errors.ts';
import { getLogs } from '../hosting/contract/logs.ts';
import { choice, count, environment, flag, moment, option, optional, word, type Input } from './fields.ts';
import { files } from './logs/files.ts';
import type { Asked } from './logs/offers.ts';
import { report } from './report.ts';
import { momentAt } from './times.ts';

const usualLines = 1_000;
const usualLog = 'error';

const fields = {
  env: environment(),
  log: optional(choice('Log', ['error', 'access', 'cache'])),
  lines: option(count('Lines', 1, 20_000)),
  since: option(moment('Since')),
  until: option(moment('Until')),
  search: option(word('Search')),
  errors: flag('Errors only'),
  full: flag('Full log'),
};

export const logs = report({
  summary: 'Read a log: what repeats, what fails, and its newest lines',
  button: 'Read logs',
  fields,
  target: 'env',
  show: async ({ input, read, now, zone, look, happened }) => {
    const range = rangeOf(input, now, zone);
    const most = input.lines ?? usualLines;
    const text = await read(
      getLogs({
        env_id: input.env.id,
        file_name: files[input.log ?? usualLog],
        lines: most,
        from: asIso(range.from),
        to: asIso(range.to),
        search: input.search,
      }),
    );
    const recall = (since: number) => happened(input.env, since);
    return look({ text, asked: askedOf(input), most, range, now, zone }, recall);
  },
});

const askedOf = ({ env, log = usualLog, lines, since, until, search, errors, full }: Input<typeof fields>): Asked => ({
  env,
  log,
  lines,
  since: since ? fields.since.show(since) : [],
  until: until ? fields.until.show(until) : [],
  search,
  errors,
  full,
});

function rangeOf({ since, until }: Input<typeof fields>, now: number, zone: string): { from?: number; to?: number } {
  const from = since && momentAt(since, now, zone);
  const to = until && momentAt(until, now, zone);
  if (from !== undefined && from > now) {
    throw new Refusal('--since lies in the future. Nothing was done.', {
      hint: 'Say how far back instead, like 1h.',
      field: 'since',
    });
  }
  if (from !== undefined && to !== undefined && to <= from) {
    throw new Refusal('--until is not after --since. Nothing was done.', {
      hint: 'Leave --until out, or say a later time.',
      field: 'until',
    });
  }
  return { from, to };
}

const asIso = (at: number | undefined): string | undefined =>
  at === undefined ? undefined : new Date(at).toISOString();
