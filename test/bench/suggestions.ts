import type { Environment } from '../../src/hosting/contract/target.ts';
import { searchIn } from '../../src/pipeline/search.ts';

/** What one keystroke costs where there are many names: the look through the list alone, without Slack and without the network. */

const most = 100;
const rounds = 200;
const words = ['acme', 'north', 'bäckerei', 'lumen', 'harbour', 'studio', 'über', 'shop', 'docs', 'events'];

const namesOf = (count: number): readonly Environment[] =>
  Array.from({ length: count }, (_, at): Environment => {
    const site = `${words[at % 10]}-${words[(at >> 3) % 10]}-${at >> 1}`;
    const own = at % 2 === 0 ? 'live' : 'staging';
    const id = `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
    return { kind: 'environment', id, name: `${site}/${own}`, live: at % 2 === 0, site: { id: undefined, name: site } };
  });

const queries: Readonly<Record<string, string>> = {
  empty: '',
  short: 's',
  long: 'lumen-studio-4242/live',
  fuzzy: 'bkrstg42',
  'no match': 'xyzzy plugh',
};

function timed(work: () => unknown): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

const quantile = (of: readonly number[], at: number): number =>
  of.toSorted((a, b) => a - b)[Math.floor(of.length * at)] ?? Number.NaN;
const row = (cells: readonly string[]): string =>
  `${cells.map((cell, at) => (at === 0 ? cell.padEnd(26) : cell.padStart(12))).join('')}\n`;
const ms = (value: number): string => `${value.toFixed(2)} ms`;

/** The figures as lines of a table; the first use of a list, which makes its index, stands apart. */
export function suggestionFigures(): string {
  const lines = [row(['suggestions', 'names', 'p50', 'p99'])];
  for (const count of [10_000, 100_000]) {
    const all = namesOf(count);
    const recent = all.filter((_, at) => at % (count / 8) === 7).map(({ id }) => id);
    const search = () => searchIn(all);
    lines.push(row(['first use', String(count), ms(timed(search)), '']));
    for (const [kind, typed] of Object.entries(queries)) {
      const times = Array.from({ length: rounds }, () => timed(() => search().likely(typed, most, recent)));
      lines.push(row([kind, String(count), ms(quantile(times, 0.5)), ms(quantile(times, 0.99))]));
    }
  }
  return lines.join('');
}

if (import.meta.main) process.stdout.write(suggestionFigures());
