import { createHash, createHmac } from 'node:crypto';
import { sql, type ExpressionBuilder, type ExpressionWrapper, type Selectable, type SqlBool } from 'kysely';
import { alone } from './sql-dialect.ts';
import type { AuditTable, Schema } from './schema.ts';
import type { Reader, Tx } from './tx.ts';

/** One line of the trail, as it was read. */
export type AuditLine = Selectable<AuditTable>;

/** What a caller has to say; place and hashes are given here. `details` is JSON, kept verbatim. */
export type AuditEntry = Pick<AuditLine, 'at' | 'change' | 'event' | 'actor' | 'details'>;

/** Where the chain ends: what a witness writes down, and what `verifyAudit` can be held against. */
export type Head = Pick<AuditLine, 'seq' | 'hash'>;

/** The end of a chain without lines. */
export const start: Head = { seq: 0, hash: '0'.repeat(64) };

/** What a key is called in the trail, which tells nothing of the key: 8 hex digits. */
export const keyId = (key: Buffer): string =>
  createHmac('sha256', key).update('id of an audit key').digest('hex').slice(0, 8);

/** The id of the key in a hash; undefined: a plain hash, or one from before keys were named. */
export const keyIdIn = (hash: string): string | undefined => /^([\da-f]{8}):/.exec(hash)?.[1];

/** What a hash is over. */
type Hashed = Omit<AuditLine, 'hash' | 'target'>;

/** A line over all that it says, its place and the line before: HMAC-SHA256, or SHA-256 without a key; hex. */
export function digestOf(line: Hashed, key: Buffer | undefined): string {
  const { previous, seq, at, change, event, actor, details } = line;
  const said = JSON.stringify([previous, seq, at, change, event, actor, details]);
  return (key === undefined ? createHash('sha256') : createHmac('sha256', key)).update(said).digest('hex');
}

/** The hash of a line as it is kept: `3f9c01ab:5e88…`, the id of its key before it; the digest alone without a key. */
export const hashLine = (line: Hashed, key: Buffer | undefined): string =>
  `${key === undefined ? '' : `${keyId(key)}:`}${digestOf(line, key)}`;

/** What details name as `target_key`, which a quote inside a text cannot look like; null: nothing. */
export const targetIn = (details: string): string | null =>
  /"target_key":"([^"\\]*)"/.exec(details)?.[1]?.toLowerCase() ?? null;

/** Writes the next line of the trail. Until this transaction ends no other replica can write one. */
export async function appendAudit(tx: Tx, entry: AuditEntry, key: Buffer | undefined): Promise<AuditLine> {
  await alone(tx);
  const head = await auditHead(tx);
  const { at, change, event, actor, details } = entry;
  const line = { seq: head.seq + 1, at, change, event, actor, details, previous: head.hash };
  const hash = hashLine(line, key);
  return tx
    .insertInto('audit')
    .values({ ...line, hash, target: targetIn(details) })
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
  readonly target?: string;
  readonly change?: number;
  readonly actor?: string;
  readonly event?: string;
  readonly since?: number;
  readonly until?: number;
  readonly beforeSeq?: number;
  readonly limit: number;
};

/** The lines that fit, newest first, `limit` at most. */
export function listAudit(db: Reader, { limit, ...filter }: AuditFilter): Promise<AuditLine[]> {
  const found = db.selectFrom('audit').selectAll().where(fitting(filter));
  return found.orderBy('seq', 'desc').limit(limit).execute();
}

/** The first line is 1: what stands before it was put there by somebody else, and no verdict is about it. */
const isLine = (is: ExpressionBuilder<Schema, 'audit'>): ExpressionWrapper<Schema, 'audit', SqlBool> =>
  is('seq', '>', 0);

const fitting =
  ({ target, change, actor, event, since, until, beforeSeq }: Omit<AuditFilter, 'limit'>) =>
  (is: ExpressionBuilder<Schema, 'audit'>): ExpressionWrapper<Schema, 'audit', SqlBool> =>
    is.and([
      isLine(is),
      ...(target === undefined ? [] : [is('target', '=', target)]),
      ...(change === undefined ? [] : [is('change', '=', change)]),
      ...(actor === undefined ? [] : [is('actor', '=', actor)]),
      ...(event === undefined ? [] : [is('event', '=', event)]),
      ...(since === undefined ? [] : [is('at', '>=', since)]),
      ...(until === undefined ? [] : [is('at', '<', until)]),
      ...(beforeSeq === undefined ? [] : [is('seq', '<', beforeSeq)]),
    ]);

/** The lines that come after this place, oldest first, `limit` at most. */
export function linesAfter(db: Reader, seq: number, limit: number): Promise<AuditLine[]> {
  return db.selectFrom('audit').selectAll().where('seq', '>', seq).orderBy('seq').limit(limit).execute();
}

const most = Number.MAX_SAFE_INTEGER;

/** The place of a line that was never written as it stands there, as far as a number holds it; undefined: there is none. */
export async function strangeLine(db: Reader): Promise<Head['seq'] | undefined> {
  // Beyond what a number holds exactly neither can be read at all.
  const strange = sql<boolean>`seq < 1 or seq > ${most} or at not between ${-most} and ${most} or change not between 0 and ${most}`;
  const place = sql<number>`case when seq < ${-most} then ${-most} when seq > ${most} then ${most} else seq end`;
  const found = db.selectFrom('audit').select(place.as('place')).where(strange).orderBy('seq', 'desc').limit(1);
  return (await found.executeTakeFirst())?.place;
}

/** What a line says of its change, without its place in the chain. */
export type ChangeLine = Omit<AuditLine, 'at' | 'previous' | 'hash' | 'target'>;

/** Lines of these changes of these kinds, oldest first. */
export async function linesOfChanges(
  db: Reader,
  changes: readonly number[],
  events: readonly string[],
): Promise<ChangeLine[]> {
  if (changes.length === 0) return [];
  const lines = db.selectFrom('audit').select(['seq', 'change', 'event', 'actor', 'details']);
  return lines.where(isLine).where('change', 'in', changes).where('event', 'in', events).orderBy('seq').execute();
}

/** The first line, and those that say that another key is in use from there on; oldest first. */
export async function linesOfKeys(db: Reader): Promise<readonly AuditLine[]> {
  const first = await findAudit(db, 1);
  // As its index has it: of a value that is sent along neither database knows that it fits.
  const others = sql<boolean>`event in ('sealed', 'rekeyed')`;
  const lines = db.selectFrom('audit').selectAll().where('seq', '>', 1).where(others).orderBy('seq');
  return [...(first ? [first] : []), ...(await lines.execute())];
}

/** The line of that place, or undefined. */
export function findAudit(db: Reader, seq: number): Promise<AuditLine | undefined> {
  return db.selectFrom('audit').selectAll().where('seq', '=', seq).executeTakeFirst();
}
