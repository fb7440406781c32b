import type { Sizes } from '../../../storage/sizes.ts';
import { amount, bytes, joined, say, time, type Text } from '../../../text.ts';

const maxTables = 3;

/** How large the database is and what fills it. Audit lines and changes are kept for good. Short: it is read on phones. */
export function sizesInWords({ bytes: total, tables, lines, since, changes, free }: Sizes): Text {
  const largest = tables.slice(0, maxTables).map((table) => `${table.name} ${bytes(table.bytes)}`);
  const trail = since === undefined ? say`` : say` since ${time(since, 'date')}`;
  const kept = say`${amount(lines)} audit ${lines === 1 ? 'line' : 'lines'}${trail}, about ${amount(changes)} ${changes === 1 ? 'change' : 'changes'}`;
  return joined(
    [
      say`${bytes(total)}${largest.length > 0 ? `, of which ${largest.join(', ')}` : ''}`,
      kept,
      free === undefined ? undefined : say`${bytes(free)} free`,
    ],
    '; ',
  );
}
