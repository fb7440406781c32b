import { columns } from '../table.ts';
import type { CaseResult } from './run-case.ts';
import { kinds } from './change-kinds.ts';
import { troubles } from './troubles.ts';

const byTrouble = (one: CaseResult, other: CaseResult): number =>
  troubles.indexOf(one.trouble) - troubles.indexOf(other.trouble) ||
  kinds.indexOf(one.kind) - kinds.indexOf(other.kind) ||
  other.database.localeCompare(one.database);

/** One line per trouble and kind of change: what was sent, who was told how soon, and false statements. */
export function drawTroubles(cells: readonly CaseResult[]): string {
  const lines = cells
    .toSorted(byTrouble)
    .map(({ trouble, kind, database, sent, end, told, afterMs, falseWords, wrong }) => [
      trouble.name,
      kind.name,
      database,
      String(sent),
      end,
      told.join(', '),
      `${(afterMs / 1_000).toFixed(1)} s`,
      String(falseWords.length),
      wrong.length === 0 ? '✓' : '✗',
    ]);
  const head = ['Trouble', 'change', 'on', 'sent', 'end', 'told while it lasted', 'after', 'false words', ''];
  const wrong = cells.flatMap((cell) => cell.wrong.map((says) => `✗ ${cell.trouble.name}, ${cell.kind.name}: ${says}`));
  return [columns([head, ...lines]), ...wrong].join('\n');
}
