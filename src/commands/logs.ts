import { Refusal } from '../errors.ts';
import { getLogs } from '../hosting/contract/logs.ts';
import { inline, joined, say, time, type Text } from '../text.ts';
import { choice, count, environment, moment, option, optional, word, type Input } from './fields.ts';
import { maskLine } from './masking.ts';
import { counted, type Page } from './page.ts';
import { report } from './report.ts';
import { momentAt } from './times.ts';

const files = { error: 'error', access: 'access', cache: 'service-cache-perf' } as const;
/** What fits a message besides its title; more goes into a file. */
const shownCharacters = 2_800;
const shownLines = 40;
const fileCharacters = 8_000_000;

const fields = {
  env: environment(),
  log: optional(choice('Log', ['error', 'access', 'cache'])),
  lines: option(count('Lines', 1, 20_000)),
  since: option(moment('Since')),
  until: option(moment('Until')),
  search: option(word('Search')),
};

export const logs = report({
  summary: 'Read the newest lines of a log',
  button: 'Read logs',
  fields,
  target: 'env',
  show: async ({ input, read, now, zone, alias }) => {
    const log = input.log ?? 'error';
    const range = rangeOf(input, now, zone);
    const text = await read(
      getLogs({
        env_id: input.env.id,
        file_name: files[log],
        lines: input.lines ?? 1_000,
        from: asIso(range.from),
        to: asIso(range.to),
        search: input.search,
      }),
    );
    const lines = linesOf(text).map((line) => maskLine(line, alias));
    const title = say`**${input.env.name} · ${log} log** · ${said(range, input.search, lines.length)}`;
    return pageOf(title, lines, `${input.env.name.replace('/', '-')}-${log}.log`);
  },
});

function rangeOf({ since, until }: Input<typeof fields>, now: number, zone: string): { from?: number; to?: number } {
  const from = since && momentAt(since, now, zone);
  const to = until && momentAt(until, now, zone);
  if (from !== undefined && from > now) throw new Refusal('--since lies in the future. Nothing was read.');
  if (from !== undefined && to !== undefined && to <= from) {
    throw new Refusal('--until is not after --since. Nothing was read.');
  }
  return { from, to };
}

const asIso = (at: number | undefined): string | undefined =>
  at === undefined ? undefined : new Date(at).toISOString();

const said = (range: { from?: number; to?: number }, search: string | undefined, amount: number): Text =>
  joined(
    [
      range.from === undefined ? undefined : say`since ${time(range.from, 'date')}`,
      range.to === undefined ? undefined : say`until ${time(range.to, 'date')}`,
      search === undefined ? undefined : say`with “${search}”`,
      counted(amount, 'line'),
    ],
    ' · ',
  );

function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function pageOf(title: Text, lines: readonly string[], name: string): Page {
  if (lines.length === 0) return { title, parts: [{ kind: 'text', text: inline('No line matches.') }], source };
  const newest = newestThatFit(lines);
  const left = lines.length - newest.length;
  return {
    title,
    parts: [{ kind: 'code', text: newest.join('\n') }],
    source: left === 0 ? source : say`the newest ${newest.length} of ${lines.length} lines; ${source}`,
    file: left === 0 ? undefined : { name, content: cut(lines.join('\n')) },
  };
}

const source = 'read from the host just now; secrets and e-mail addresses are masked, visitors have stable aliases';

function newestThatFit(lines: readonly string[]): readonly string[] {
  const fitting: string[] = [];
  let size = 0;
  for (const line of lines.slice(-shownLines).toReversed()) {
    const short = line.length > 400 ? `${line.slice(0, 400)}…` : line;
    size += short.length + 1;
    if (size > shownCharacters) break;
    fitting.unshift(short);
  }
  return fitting;
}

const cut = (text: string): string =>
  text.length <= fileCharacters ? text : `(older lines left out)\n${text.slice(text.length - fileCharacters)}`;
