import { setImmediate } from 'node:timers/promises';
import { linesAfter, linesOfChanges, listAudit, type AuditLine } from '../storage/audit.ts';
import type { Environment, Target } from '../hosting/contract/target.ts';
import { changesInBrief } from '../storage/changes.ts';
import type { ReadHandle } from '../storage/schema.ts';
import { glassLine } from '../change/post-review.ts';
import { eventInWords } from '../change/states-and-events.ts';
import type { MayRead, StoredTargets } from '../access/visibility.ts';
import { targetKey } from '../access/targets.ts';
import { parseDetails, type AuditDetails } from './audit-anchor.ts';
import { csvLine } from '../words/csv.ts';
import { plain, type Text } from '../words/text.ts';
import type { Database } from '../storage/database.ts';

/** The trail as people read it: each line with what the trail says about its change, from lines of that change only. */

/** Which lines to list: about an environment, since a time (epoch ms), by a Slack user id. */
type TrailFilter = {
  readonly env: Environment | undefined;
  readonly since: number | undefined;
  readonly by: string | undefined;
};

/** A line of the trail: who did what, and why it was allowed. */
export type TrailLine = {
  readonly seq: number;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Slack user id, or `sitehand`. */
  readonly actor: string;
  /** The actor's name at that time. */
  readonly name: string | undefined;
  /** The program through which they acted. */
  readonly caller: string | undefined;
  /** What was done; a clause that follows a name. */
  readonly says: string;
  readonly change: number | undefined;
  /** The command of that change. */
  readonly command: string | undefined;
  readonly target: string | undefined;
  readonly reason: string | undefined;
  /** Lines of the rules that allowed it, and the hash of their policy file. */
  readonly rules: readonly number[];
  readonly policy: string | undefined;
  readonly fingerprint: string | undefined;
  /** Names of people who had approved by then. */
  readonly approvers: readonly string[];
  /** What the change skipped in an emergency, and what became of its review: as it is now. */
  readonly glass: Text | undefined;
  /** What the host answered. */
  readonly receipt: string | undefined;
};

type TrailFile = {
  readonly name: string;
  readonly content: string;
  readonly lines: number;
  /** Older lines were left out. */
  readonly more: boolean;
};

/** A line with its stored event, details and hashes. */
export type Entry = TrailLine & Pick<AuditLine, 'event' | 'details' | 'previous' | 'hash'>;

const batch = 500;
/** How many lines a list shows. */
const maxShown = 200;
/** How many lines are read for a list. */
const maxRead = 5_000;

/** The newest matching lines that the person may read. `more`: there may be older ones. */
export async function trailFor(
  db: ReadHandle,
  mayRead: MayRead,
  filter: TrailFilter,
): Promise<{ readonly lines: readonly TrailLine[]; readonly more: boolean }> {
  const lines: TrailLine[] = [];
  let read = 0;
  // The first batch is one page plus one line, to see whether there is more: usually that is enough.
  for await (const some of newestFirst(db, filter, maxShown + 1)) {
    const readable = await readableOf(db, some.filter(fits(filter)), mayRead);
    const room = maxShown - lines.length;
    lines.push(...(await withChanges(db, readable.slice(0, room))));
    read += some.length;
    if (readable.length > room || read >= maxRead) return { lines, more: true };
  }
  return { lines, more: false };
}

/** All lines since `since` (epoch ms) that the person may read, newest first, in batches. */
export async function* trailSince(
  db: ReadHandle,
  mayRead: MayRead,
  since: number | undefined,
): AsyncGenerator<readonly Entry[]> {
  const filter = { env: undefined, by: undefined, since };
  for await (const some of newestFirst(db, filter, batch)) {
    yield await entriesOf(db, some.filter(fits(filter)), mayRead);
  }
}

/** The whole trail since `since` (epoch ms), oldest first, in batches, without rights: for people on the machine. */
export async function* wholeTrail(db: ReadHandle, since: number | undefined): AsyncGenerator<readonly Entry[]> {
  let seq = 0;
  for (;;) {
    const some = await linesAfter(db, seq, batch);
    yield await entriesOf(db, some.filter(fits({ since, by: undefined })), () => true);
    seq = some.at(-1)?.seq ?? seq;
    if (some.length < batch) return;
  }
}

const fits =
  ({ since, by }: Pick<TrailFilter, 'since' | 'by'>) =>
  (line: AuditLine): boolean =>
    (since === undefined || line.at >= since) && (by === undefined || line.actor === by);

/** Reads in batches: the first has `first` lines, the second fills up to a multiple of `batch`. */
async function* newestFirst(
  db: ReadHandle,
  { env, by, since }: TrailFilter,
  first: number,
): AsyncGenerator<readonly AuditLine[]> {
  let [read, limit] = [0, first];
  let beforeSeq: number | undefined;
  const conditions = {
    ...(env !== undefined && { target: targetKey(env) }),
    ...(by !== undefined && { actor: by }),
  };
  for (;;) {
    const lines = await listAudit(db, { ...conditions, limit, beforeSeq });
    yield lines;
    const last = lines.at(-1);
    // Times follow the order of the lines, except for differences between machines' clocks.
    if (last === undefined || lines.length < limit || last.at < (since ?? 0)) return;
    beforeSeq = last.seq;
    read += limit;
    limit = batch - (read % batch);
    // SQLite answers synchronously; without this a long trail would block the event loop.
    await setImmediate();
  }
}

/** A line that the person may read, with its details, and with what its change skipped. */
type Readable = { readonly line: AuditLine; readonly details: AuditDetails; readonly glass?: Text | undefined };

/** Those lines that the person may read, each with what the trail says about its change. */
export const entriesOf = async (
  db: ReadHandle,
  lines: readonly AuditLine[],
  mayRead: MayRead,
): Promise<readonly Entry[]> => withChanges(db, await readableOf(db, lines, mayRead));

/** Lines without targets are about the company, as the text of a policy: it can name every site. */
async function readableOf(db: ReadHandle, lines: readonly AuditLine[], mayRead: MayRead): Promise<readonly Readable[]> {
  const changes = await changesInBrief(db, changesOf(lines));
  const byNumber = new Map(
    changes.map((change) => [change.number, { isReadable: mayRead(change), glass: glassLine(change) }]),
  );
  return lines.flatMap((line) => {
    if (line.change !== null) {
      const { isReadable = mayRead(unknownTargets), glass } = byNumber.get(line.change) ?? {};
      return isReadable ? [{ line, details: parseDetails(line.details), glass }] : [];
    }
    const details = parseDetails(line.details);
    return mayRead(details.about ?? companyTargets) ? [{ line, details }] : [];
  });
}

const changesOf = (lines: readonly AuditLine[]): readonly number[] => [
  ...new Set(lines.flatMap(({ change }) => change ?? [])),
];

async function withChanges(db: ReadHandle, readable: readonly Readable[]): Promise<readonly Entry[]> {
  const numbers = changesOf(readable.map(({ line }) => line));
  const ofChanges = await linesOfChanges(db, numbers, { events: ['asked', 'vote', 'approve'] });
  const parsed = ofChanges.map((line) => ({ ...line, details: parseDetails(line.details) }));
  const byChange = Map.groupBy(parsed, ({ change }) => change);
  return readable.map(({ line, details, glass }) => {
    const of = (line.change === null ? undefined : byChange.get(line.change)) ?? [];
    const asked = of.findLast(({ event }) => event === 'asked');
    const approvals = of.filter(({ event, seq }) => event !== 'asked' && seq <= line.seq);
    const approvers = approvals.map(({ details: { name }, actor }) => name ?? actor);
    return entryOf(line, details, { asked: asked?.details, requester: asked?.actor, approvers, glass });
  });
}

/** Used for a change whose row is missing, because its targets are unknown. */
const unknownTargets = about({ kind: 'environment', id: '', name: '', live: true, site: undefined });
const companyTargets = about({ kind: 'company', id: '', name: '' });

function about(target: Target): StoredTargets {
  return { targets: JSON.stringify([target]) };
}

type AboutChange = Pick<TrailLine, 'glass'> & {
  readonly asked: AuditDetails | undefined;
  readonly requester: string | undefined;
  readonly approvers: readonly string[];
};

function entryOf(line: AuditLine, own: AuditDetails, { asked, requester, approvers, glass }: AboutChange): Entry {
  const { target, reason, receipt } = own;
  // A forced unlock, for example, is allowed by its own rules, not by those of the change.
  const { rules, policy } = own.rules.length > 0 ? own : (asked ?? own);
  return {
    ...line,
    name: own.name ?? (line.actor === requester ? asked?.name : undefined),
    caller: own.caller,
    says: eventInWords(line.event),
    change: line.change ?? undefined,
    command: asked?.command,
    target,
    reason,
    receipt,
    rules,
    policy,
    approvers,
    glass,
    fingerprint: asked?.fingerprint,
  };
}

type Format = 'csv' | 'jsonl';

/** The limits of a file for Slack. */
const maxLines = 100_000;
const maxCharacters = 40_000_000;

const columns = [
  'line',
  'at',
  'actor',
  'name',
  'caller',
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
  'break_glass',
] as const;

type Row = Readonly<Record<(typeof columns)[number], string | number | readonly (string | number)[] | undefined>>;

/** The header; empty for `jsonl`. */
export const headOf = (format: Format): string => (format === 'csv' ? csvLine(columns) : '');

/** One line of the trail, with its line break. */
export function exportLine(format: Format, entry: Entry): string {
  const row: Row = {
    ...entry,
    line: entry.seq,
    at: new Date(entry.at).toISOString(),
    what: entry.says,
    break_glass: entry.glass && plain(entry.glass),
  };
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
