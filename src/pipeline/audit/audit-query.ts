import { setImmediate } from 'node:timers/promises';
import type { TrailFilter, TrailLine } from '../../commands/kit/audit.ts';
import { linesAfter, linesOfChanges, listAudit, type AuditLine } from '../../storage/audit.ts';
import type { Target } from '../../hosting/contract/target.ts';
import { aboutChanges } from '../../storage/changes.ts';
import type { Reader } from '../../storage/tx.ts';
import { eventInWords } from '../changes/event-names.ts';
import type { StoredTargets } from '../access/visibility.ts';
import { saidIn, type Said } from './audit-details.ts';

/** The trail as people read it: each line with what the trail itself says of its change, and of nobody else's. */

/** A line with its place in the chain, as it stands in the table. */
export type Entry = TrailLine & Pick<AuditLine, 'event' | 'details' | 'previous' | 'hash'>;

/** Whether somebody may read lines about this; about nothing in particular, everybody may who may read the trail at all. */
export type MayRead = (about: StoredTargets) => boolean;

const batch = 500;
/** Lines that are shown, and looked at for a list before it ends. */
const maxShown = 200;
const maxRead = 5_000;

/** The newest lines that fit and may be read; `more`: there are, or may be, older ones. */
export async function trailFor(
  db: Reader,
  mayRead: MayRead,
  filter: TrailFilter,
): Promise<{ readonly lines: readonly TrailLine[]; readonly more: boolean }> {
  const lines: TrailLine[] = [];
  let read = 0;
  // Most pages are full after the first piece, which is no longer than a page and the line that says there are more.
  for await (const some of newestFirst(db, filter, maxShown + 1)) {
    const readable = await readableOf(db, some.filter(fits(filter)), mayRead);
    const room = maxShown - lines.length;
    lines.push(...(await toldOf(db, readable.slice(0, room))));
    read += some.length;
    if (readable.length > room || read >= maxRead) return { lines, more: true };
  }
  return { lines, more: false };
}

/** All lines since then that may be read, newest first, in pieces. */
export async function* trailSince(
  db: Reader,
  mayRead: MayRead,
  since: number | undefined,
): AsyncGenerator<readonly Entry[]> {
  const filter = { env: undefined, by: undefined, since };
  for await (const some of newestFirst(db, filter, batch)) {
    yield await entriesOf(db, some.filter(fits(filter)), mayRead);
  }
}

/** The whole trail since then, oldest line first, in pieces: for whoever holds the machine. */
export async function* wholeTrail(db: Reader, since: number | undefined): AsyncGenerator<readonly Entry[]> {
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

/** In pieces: the first one of `first` lines, the others up to the next full batch. */
async function* newestFirst(
  db: Reader,
  { env, by, since }: TrailFilter,
  first: number,
): AsyncGenerator<readonly AuditLine[]> {
  let [read, limit] = [0, first];
  let beforeSeq: number | undefined;
  const asked = {
    ...(env !== undefined && { target: `environment:${env.id}` }),
    ...(by !== undefined && { actor: by }),
  };
  for (;;) {
    const wanted = { ...asked, limit, ...(beforeSeq !== undefined && { beforeSeq }) };
    const lines = await listAudit(db, wanted);
    yield lines;
    const last = lines.at(-1);
    // Times stand in the order of the lines, but for the clocks of machines.
    if (last === undefined || lines.length < limit || last.at < (since ?? 0)) return;
    beforeSeq = last.seq;
    read += limit;
    limit = batch - (read % batch);
    // SQLite answers without ever waiting: others would not get a turn in a long trail.
    await setImmediate();
  }
}

/** A line that may be read, and what its details say. */
type Readable = { readonly line: AuditLine; readonly said: Said };

/** Those lines that may be read, each with what stands in the trail of its change. */
export const entriesOf = async (db: Reader, lines: readonly AuditLine[], mayRead: MayRead): Promise<readonly Entry[]> =>
  toldOf(db, await readableOf(db, lines, mayRead));

async function readableOf(db: Reader, lines: readonly AuditLine[], mayRead: MayRead): Promise<readonly Readable[]> {
  const changes = await aboutChanges(db, changesOf(lines));
  const readable = new Map(changes.map((change) => [change.number, mayRead(change)]));
  return lines.flatMap((line) => {
    if (line.change !== null)
      return (readable.get(line.change) ?? mayRead(nowhere)) ? [{ line, said: saidIn(line.details) }] : [];
    const said = saidIn(line.details);
    const about = aboutDeed(line, said);
    return about === undefined || mayRead(about) ? [{ line, said }] : [];
  });
}

const changesOf = (lines: readonly AuditLine[]): readonly number[] => [
  ...new Set(lines.flatMap(({ change }) => change ?? [])),
];

async function toldOf(db: Reader, readable: readonly Readable[]): Promise<readonly Entry[]> {
  const numbers = changesOf(readable.map(({ line }) => line));
  const told = await linesOfChanges(db, numbers, ['asked', 'vote', 'approve']);
  const known = new Map<number, { asked?: Said; asker?: string; approvals: { seq: number; name: string }[] }>();
  for (const line of told) {
    const of = known.get(line.change ?? 0) ?? { approvals: [] };
    const said = saidIn(line.details);
    if (line.event === 'asked') known.set(line.change ?? 0, { ...of, asked: said, asker: line.actor });
    else
      known.set(line.change ?? 0, {
        ...of,
        approvals: [...of.approvals, { seq: line.seq, name: said.name ?? line.actor }],
      });
  }
  return readable.map(({ line, said }) => {
    const of = line.change === null ? undefined : known.get(line.change);
    const approvers = of?.approvals.filter(({ seq }) => seq <= line.seq).map(({ name }) => name) ?? [];
    return entryOf(line, said, { ...of, approvers });
  });
}

/** The text of the rules names every place: it is for whoever may read of all of them. */
const aboutDeed = ({ event }: AuditLine, said: Said): StoredTargets | undefined =>
  event === 'policy' ? ofTheCompany : said.about;

/** Of a change that is not there nobody can tell who may read it. */
const nowhere = about({ kind: 'environment', id: '', name: '', live: true, site: undefined });
const ofTheCompany = about({ kind: 'company', id: '', name: '' });

function about(target: Target): StoredTargets {
  return { targets: JSON.stringify([target]) };
}

type Known = { readonly asked?: Said; readonly asker?: string; readonly approvers: readonly string[] };

function entryOf(line: AuditLine, said: Said, { asked, asker, approvers }: Known): Entry {
  const { seq, at, change, event, actor, details, previous, hash } = line;
  // Whoever takes a lock of it away does so by rules of their own.
  const authorization = said.rules.length > 0 ? said : (asked ?? said);
  return {
    seq,
    at,
    actor,
    name: said.name ?? (actor === asker ? asked?.name : undefined),
    says: eventInWords(event),
    change: change ?? undefined,
    target: said.target,
    reason: said.reason,
    rules: authorization.rules,
    policy: authorization.policy,
    fingerprint: asked?.fingerprint,
    approvers,
    receipt: said.receipt,
    event,
    details,
    previous,
    hash,
  };
}
