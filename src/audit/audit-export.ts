import { csvLine } from '../words/csv.ts';
import type { Database } from '../storage/database.ts';
import type { MayRead } from '../access/visibility.ts';
import { trailSince, type Entry } from './audit-query.ts';

/** The trail as a file: CSV for spreadsheets, or one JSON object per line. */

export type TrailFile = {
  readonly name: string;
  readonly content: string;
  readonly lines: number;
  /** Older lines were left out. */
  readonly more: boolean;
};

type Format = 'csv' | 'jsonl';

/** The limits of a file for Slack. */
const maxLines = 100_000;
const maxCharacters = 40_000_000;

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

/** All lines since `since` (epoch ms) that a person may read, as a file; the oldest are left out if it gets too long. */
export async function exportFile(
  database: Pick<Database, 'db' | 'now'>,
  mayRead: MayRead,
  format: Format,
  since: number | undefined,
): Promise<TrailFile> {
  const day = new Date(await database.now()).toISOString().slice(0, 10);
  const name = `audit-trail-${day}.${format}`;
  const lines: string[] = [];
  let characters = 0;
  const file = (more: boolean): TrailFile => ({
    name,
    content: headOf(format) + lines.toReversed().join(''),
    lines: lines.length,
    more,
  });
  for await (const entries of trailSince(database.db, mayRead, since)) {
    for (const entry of entries) {
      const line = exportLine(format, entry);
      if (lines.length === maxLines || characters + line.length > maxCharacters) return file(true);
      lines.push(line);
      characters += line.length;
    }
  }
  return file(false);
}
