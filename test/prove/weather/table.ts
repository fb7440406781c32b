import { columns } from '../table.ts';
import type { Cell } from './cell.ts';
import { kinds } from './kinds.ts';
import { weathers } from './weathers.ts';

const byWeather = (one: Cell, other: Cell): number =>
  weathers.indexOf(one.weather) - weathers.indexOf(other.weather) ||
  kinds.indexOf(one.kind) - kinds.indexOf(other.kind) ||
  other.database.localeCompare(one.database);

/** One line per weather and kind of change: what was sent, who was told how soon, and false statements. */
export function drawWeather(cells: readonly Cell[]): string {
  const lines = cells
    .toSorted(byWeather)
    .map(({ weather, kind, database, sent, end, told, afterMs, falseWords, wrong }) => [
      weather.name,
      kind.name,
      database,
      String(sent),
      end,
      told.join(', '),
      `${(afterMs / 1_000).toFixed(1)} s`,
      String(falseWords.length),
      wrong.length === 0 ? '✓' : '✗',
    ]);
  const head = ['Weather', 'change', 'on', 'sent', 'end', 'told while it lasted', 'after', 'false words', ''];
  const wrong = cells.flatMap((cell) => cell.wrong.map((says) => `✗ ${cell.weather.name}, ${cell.kind.name}: ${says}`));
  return [columns([head, ...lines]), ...wrong].join('\n');
}
