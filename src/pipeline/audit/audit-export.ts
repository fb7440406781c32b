import { csvLine } from '../../csv.ts';
import type { Entry } from './audit-query.ts';

/** The trail as a file: CSV for spreadsheets, or one JSON object per line. */

export type Format = 'csv' | 'jsonl';

const columns = [
  'line',
  'at',
  'actor',
  'name',
  'event',
  'what',
  'change',
  'target',
  'reason',
  'rules',
  'policy',
  'fingerprint',
  'approvers',
  'receipt',
  'details',
  'previous',
  'hash',
] as const;

type Row = Readonly<Record<(typeof columns)[number], string | number | readonly (string | number)[] | undefined>>;

/** The header; empty for `jsonl`. */
export const headOf = (format: Format): string => (format === 'csv' ? csvLine(columns) : '');

/** One line of the trail, with its line break. */
export function exportLine(format: Format, entry: Entry): string {
  const row: Row = { ...entry, line: entry.seq, at: new Date(entry.at).toISOString(), what: entry.says };
  if (format === 'jsonl') return `${JSON.stringify(row, [...columns])}\n`;
  return csvLine(columns.map((column) => [row[column] ?? ''].flat().join(', ')));
}
