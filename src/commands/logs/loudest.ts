import { getLogs, logFiles } from '../../hosting/contract/environment.ts';
import type { HostReader } from '../../hosting/contract/call.ts';
import type { Environment } from '../../hosting/contract/target.ts';
import type { FrequentKind, LoudestError } from '../kit/site-status.ts';
import { selectLines } from './entries.ts';
import { kindsOf, shortText, type MessageKind } from './groups.ts';
import { needsLook, type Level } from './levels.ts';
import { newestOf, readLines } from './lines.ts';

/** What a status asks of a log. It asks the host itself, which the thread that analyzes logs never does. */

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
  const all = await readLines(raw, { alias, now });
  const isFull = raw.length === maxLines || newest.length < sent.length;
  const { lines, timeless, oldest, isCut, newestIfUtc } = selectLines(all, raw, { span: { from }, isFull });
  const found = kindsOf(lines);
  const placed = found.filter(({ last }) => last !== undefined);
  const [gravest] = placed;
  // What may be of another time hides nothing of this one that needs a look, and nothing as grave.
  const isFirst = gravest !== undefined && (needsLook(gravest.level) || gravest.level === found[0]?.level);
  const of = (level: Level, kinds = isFirst ? placed : found): readonly MessageKind[] =>
    kinds.filter((kind) => kind.level === level);
  const [errors, possible, unstated] = [of('error'), of('possible'), of('unstated')];
  return {
    errors: countOf(errors),
    kinds: errors.length,
    possible: countOf(possible),
    withoutLevel: countOf(unstated),
    others: countOf(of('lesser')),
    loudest: mostFrequentOf(errors) ?? mostFrequentOf(possible) ?? mostFrequentOf(unstated),
    cut: isCut ? { since: oldest } : undefined,
    isTimeless: timeless > 0,
    timelessErrors: countOf(of('error', found)) - countOf(errors),
    newestIfUtc,
  };
}

const countOf = (kinds: readonly MessageKind[]): number => kinds.reduce((sum, { count }) => sum + count, 0);

/** `kinds` has the most frequent first. */
const mostFrequentOf = ([first]: readonly MessageKind[]): FrequentKind | undefined =>
  first && { says: shortText(first.text), count: first.count, last: first.last };

/** The newest whole lines within the limit. */
function newestLines(text: string): string {
  if (text.length <= maxCharacters) return text;
  const start = text.length - maxCharacters;
  const lineStart = text.indexOf('\n', start) + 1;
  return text.slice(lineStart === 0 || lineStart === text.length ? start : lineStart);
}
