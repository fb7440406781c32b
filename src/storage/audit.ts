import { createHash, createHmac } from 'node:crypto';
import { sql, type Selectable } from 'kysely';
import { alone } from './differences.ts';
import type { AuditTable } from './schema.ts';
import type { Reader, Tx } from './tx.ts';

/** One line of the trail, as it was read. */
export type AuditLine = Selectable<AuditTable>;

/** What a caller has to say; place and hashes are given here. `details` is JSON, kept verbatim. */
export type AuditEntry = Pick<AuditLine, 'at' | 'change' | 'event' | 'actor' | 'details'>;

/** Where the chain ends: what a witness writes down, and what `verifyAudit` can be held against. */
export type Head = Pick<AuditLine, 'seq' | 'hash'>;

/** The end of a chain without lines. */
export const start: Head = { seq: 0, hash: '0'.repeat(64) };

/** The hash of a line over all that it says, its place and the line before: HMAC-SHA256, or SHA-256 without a key; hex. */
export function hashLine(line: Omit<AuditLine, 'hash'>, key: Buffer | undefined): string {
  const { previous, seq, at, change, event, actor, details } = line;
  const said = JSON.stringify([previous, seq, at, change, event, actor, details]);
  return (key === undefined ? createHash('sha256') : createHmac('sha256', key)).update(said).digest('hex');
}

/** Writes the next line of the trail. Until this transaction ends no other replica can write one. */
export async function appendAudit(tx: Tx, entry: AuditEntry, key: Buffer | undefined): Promise<AuditLine> {
  await alone(tx);
  const head = await auditHead(tx);
  const { at, change, event, actor, details } = entry;
  const line = { seq: head.seq + 1, at, change, event, actor, details, previous: head.hash };
  const hash = hashLine(line, key);
  return tx
    .insertInto('audit')
    .values({ ...line, hash })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** The newest line's place and hash; `start` if there is none. */
export async function auditHead(db: Reader): Promise<Head> {
  const newest = db.selectFrom('audit').select(['seq', 'hash']).orderBy('seq', 'desc').limit(1);
  return (await newest.executeTakeFirst()) ?? start;
}

/** What to list; what is left out does not matter. Times in epoch ms, `until` not included. */
export type AuditFilter = {
  readonly change?: number;
  readonly actor?: string;
  readonly event?: string;
  readonly since?: number;
  readonly until?: number;
  readonly beforeSeq?: number;
  readonly limit: number;
};

/** The lines that fit, newest first, `limit` at most. */
export function listAudit(db: Reader, filter: AuditFilter): Promise<AuditLine[]> {
  const { change, actor, event, since, until, beforeSeq } = filter;
  let found = db.selectFrom('audit').selectAll();
  if (change !== undefined) found = found.where('change', '=', change);
  if (actor !== undefined) found = found.where('actor', '=', actor);
  if (event !== undefined) found = found.where('event', '=', event);
  if (since !== undefined) found = found.where('at', '>=', since);
  if (until !== undefined) found = found.where('at', '<', until);
  if (beforeSeq !== undefined) found = found.where('seq', '<', beforeSeq);
  return found.orderBy('seq', 'desc').limit(filter.limit).execute();
}

/** The lines that come after this place, oldest first, `limit` at most. */
export function linesAfter(db: Reader, seq: number, limit: number): Promise<AuditLine[]> {
  return db.selectFrom('audit').selectAll().where('seq', '>', seq).orderBy('seq').limit(limit).execute();
}

/** Lines of these changes of these kinds, oldest first. */
export async function linesOfChanges(
  db: Reader,
  changes: readonly number[],
  events: readonly string[],
): Promise<AuditLine[]> {
  if (changes.length === 0) return [];
  const lines = db.selectFrom('audit').selectAll().where('change', 'in', changes).where('event', 'in', events);
  return lines.orderBy('seq').execute();
}

/** How many changes of a target, and deeds beside changes, are looked at for its lines. */
const MOST_CHANGES = 200;
const MOST_DEEDS = 1_000;

/** The newest lines about a target: of its changes, and of deeds whose details name its key as `target_key`; `limit` at most. */
export async function linesAbout(db: Reader, target: string, limit: number): Promise<AuditLine[]> {
  const changes = await db
    .selectFrom('changes')
    .select('number')
    .where('target', '=', target)
    .orderBy('number', 'desc')
    .limit(MOST_CHANGES)
    .execute();
  const numbers = changes.map(({ number }) => number);
  const lines = db.selectFrom('audit').selectAll();
  // Ordered by the bare column, SQLite would read the whole trail from its end rather than the lines of these changes.
  const newest = lines
    .where('change', 'in', numbers)
    .orderBy(sql`+seq`, 'desc')
    .limit(limit);
  const ofChanges = numbers.length === 0 ? [] : await newest.execute();
  const deeds = await lines.where('change', 'is', null).orderBy('seq', 'desc').limit(MOST_DEEDS).execute();
  const named = JSON.stringify({ target_key: target }).slice(1, -1);
  return [...ofChanges, ...deeds.filter(({ details }) => details.includes(named))]
    .sort((one, other) => other.seq - one.seq)
    .slice(0, limit);
}

/** The line of that place, or undefined. */
export function findAudit(db: Reader, seq: number): Promise<AuditLine | undefined> {
  return db.selectFrom('audit').selectAll().where('seq', '=', seq).executeTakeFirst();
}
