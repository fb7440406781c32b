import type { Environment } from '../../hosting/contract/target.ts';
import { getLogs, logFiles } from '../../hosting/contract/logs.ts';
import type { HostReader } from '../../hosting/contract/call.ts';
import type { LoudestError } from '../kit/site-status.ts';
import { mapInChunks } from './chunks.ts';
import { kindsOf, shortText, type MessageKind } from './groups.ts';
import { lineReader, newestOf } from './lines.ts';
import { selectLines } from './select-lines.ts';
import { dayMs } from '../../duration.ts';

const maxLines = 1_000;
/** How many of the newest characters are read: about 40 ms of work. */
const maxCharacters = 400_000;

/** Reads the error log of an environment since `from` (epoch ms), and finds the most frequent error. */
export async function loudestError(
  read: HostReader,
  { id }: Environment,
  { from, now, alias }: { readonly from: number; readonly now: number; readonly alias: (address: string) => string },
): Promise<LoudestError> {
  const sent = await read(
    getLogs({ env_id: id, file_name: logFiles.error, from: new Date(from).toISOString(), lines: maxLines }),
  );
  const newest = newestLines(sent);
  const raw = newestOf(newest, maxLines);
  const all = await mapInChunks(raw, lineReader(alias, { from: now - dayMs, to: now + dayMs }));
  const isFull = raw.length === maxLines || newest.length < sent.length;
  const { lines, timeless, oldest, isCut } = selectLines(all, raw, { span: { from }, isFull });
  const kinds = kindsOf(lines);
  const [first] = kinds;
  const countOf = (which: (kind: MessageKind) => boolean): number =>
    kinds.filter(which).reduce((sum, { count }) => sum + count, 0);
  return {
    errors: countOf(({ grave }) => grave),
    kinds: kinds.filter(({ grave }) => grave).length,
    others: countOf(({ grave, hasLevel }) => hasLevel && !grave),
    withoutLevel: countOf(({ hasLevel }) => !hasLevel),
    // Errors come first, the most frequent one at the top.
    loudest: first?.grave ? { says: shortText(first.text), count: first.count, last: first.last } : undefined,
    cut: isCut ? { since: oldest } : undefined,
    isTimeless: timeless > 0,
  };
}

/** The newest whole lines within the limit. */
function newestLines(text: string): string {
  if (text.length <= maxCharacters) return text;
  const start = text.length - maxCharacters;
  const lineStart = text.indexOf('\n', start) + 1;
  return text.slice(lineStart === 0 || lineStart === text.length ? start : lineStart);
}
