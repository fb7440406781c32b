import { catalogue } from '../../src/commands/index.ts';
import type { Environment } from '../../src/hosting/contract/target.ts';
import { searchIn } from '../../src/language/name-search.ts';
import { parse } from '../../src/language/parse.ts';
import { read } from '../../src/language/reader.ts';
import { resolve } from '../../src/language/resolve.ts';
import { median, quantile, spreadOf, tableOf, timed, type Figure, type Scale } from './figures.ts';

/**
 * The cost of one keystroke, and of a line in somebody's own words, with many names: only the search in the list, without
 * Slack and network.
 */

const most = 100;
const words = ['acme', 'north', 'bäckerei', 'lumen', 'harbour', 'studio', 'über', 'shop', 'docs', 'events'];

const namesOf = (count: number): readonly Environment[] =>
  Array.from({ length: count }, (_, at): Environment => {
    const site = `${words[at % 10]}-${words[(at >> 3) % 10]}-${at >> 1}`;
    const own = at % 2 === 0 ? 'live' : 'staging';
    const id = `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
    return { kind: 'environment', id, name: `${site}/${own}`, live: at % 2 === 0, site: { id: undefined, name: site } };
  });

/** What people type, letter by letter: a whole name, the middle of one, some of its letters, an unknown name. */
const typed = ['lumen-studio-4242/live', 'Über', 'tudio', 'live', 'bkrstg42', 'evil', 'o', 'xyzzy plugh'];
const keystrokes = typed.flatMap((text) => Array.from({ length: text.length + 1 }, (_, end) => text.slice(0, end)));

/** Milliseconds of each keystroke. */
async function typing(all: readonly Environment[]): Promise<readonly number[]> {
  const recent = all.filter((_, at) => at % (all.length / 8) === 7).map(({ id }) => id);
  const taken: number[] = [];
  for (const text of keystrokes) taken.push(await timed(() => searchIn(all).likely(text, most, recent)));
  return taken;
}

async function figuresOver(count: number, limit: number, rounds: number): Promise<readonly Figure[]> {
  const all = namesOf(count);
  const first = await timed(() => searchIn(all).likely('', most, []));
  for (let round = 0; round < 3; round += 1) await typing(all);
  const times: (readonly number[])[] = [];
  for (let round = 0; round < rounds; round += 1) times.push(await typing(all));
  const over = `over ${count.toLocaleString('en-US')} names`;
  return [
    {
      what: `suggestion ${over}, p99`,
      measured: quantile(times.flat(), 0.99),
      unit: 'ms',
      limit,
      spread: spreadOf(times.map((round) => quantile(round, 0.99))),
      raw: { median: quantile(times.flat(), 0.5), p99s: times.map((round) => quantile(round, 0.99)) },
    },
    { what: `first suggestion ${over}`, measured: first, unit: 'ms', limit: undefined, raw: { first } },
  ];
}

/** Lines in people's own words, and typed ones that name what nobody has. */
const spoken = [
  'is the lumen-studio-4242 shop down?',
  'please push harbour-events-318 staging to live, only the files',
  'let 203.0.113.7 into north-docs-77 live for two hours, he has to fix the shop',
  'what happened on lumen-shop-1203 since yesterday',
  'thanks, all good now',
];
const refused = ['status lumen-studio-4242/life', 'push harbour-events-318/stagin harbour-events-318/live --files'];

/** Milliseconds of each line: read, and parsed and refused. */
async function reading(environments: readonly Environment[]): Promise<readonly [read: number, refuse: number]> {
  const names = { environments, domains: [] };
  const times: [number[], number[]] = [[], []];
  for (const line of spoken) times[0].push(await timed(() => read(line, names, { isAddressed: true })));
  for (const line of refused) {
    times[1].push(
      await timed(() => {
        const parsed = parse(line, catalogue);
        return parsed && resolve(parsed, names);
      }),
    );
  }
  return [median(times[0]), median(times[1])];
}

async function figureOfReading(rounds: number): Promise<Figure> {
  const all = namesOf(10_000);
  for (let round = 0; round < 10; round += 1) await reading(all);
  const times: (readonly [number, number])[] = [];
  for (let round = 0; round < 5 * rounds; round += 1) times.push(await reading(all));
  const [read, refuse] = [times.map(([one]) => one), times.map(([, other]) => other)];
  const ratios = times.map(([one, other]) => one / other);
  return {
    what: 'a line in own words over 10,000 names, beside one that is refused',
    measured: median(read) / median(refuse),
    unit: '×',
    limit: 1.5,
    spread: [quantile(ratios, 0.1), quantile(ratios, 0.9)],
    raw: { read: median(read), refused: median(refuse) },
  };
}

/** Suggestions while typing, and reading, over 10,000 and 100,000 names. The first query on a list builds its index. */
export async function measureSuggestions({ quick }: Scale): Promise<readonly Figure[]> {
  const rounds = quick ? 5 : 40;
  return [
    ...(await figuresOver(10_000, 3, rounds)),
    ...(await figuresOver(100_000, 20, rounds)),
    await figureOfReading(rounds),
  ];
}

if (import.meta.main)
  process.stdout.write(`${tableOf(await measureSuggestions({ quick: process.argv.includes('--quick') }))}\n`);
