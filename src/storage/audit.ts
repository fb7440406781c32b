import { parseStored } from './parse-json.ts';
import { createHash, createHmac } from 'node:crypto';
import { sql, type Selectable } from 'kysely';
import { replaceKv, readKv, type PauseScope } from './kv.ts';
import { acquireGlobalLock } from './sql-dialect.ts';
import { type AuditTable, type ReadHandle, type Tx } from './schema.ts';

export type AuditLine = Selectable<AuditTable>;

/** The caller's part of a line; `appendAudit` adds the place and hashes. `details` is JSON, kept verbatim. */
export type AuditEntry = Pick<AuditLine, 'at' | 'change' | 'event' | 'actor' | 'details'>;

/** The end of the chain: people write it down, and `verifyAudit` can compare with it later. */
export type Head = Pick<AuditLine, 'seq' | 'hash'>;

/** The head of an empty chain. */
export const emptyHead: Head = { seq: 0, hash: '0'.repeat(64) };

/** The id of a key in the trail, 8 hex digits; it reveals nothing about the key. */
export const keyId = (key: Buffer): string =>
  createHmac('sha256', key).update('id of an audit key').digest('hex').slice(0, 8);

/** The id of the key in a hash; undefined: a plain hash. */
export const keyIdIn = (hash: string): string | undefined => /^([\da-f]{8}):/.exec(hash)?.[1];

/** The hashed part of a line. */
type Hashed = Omit<AuditLine, 'hash' | 'target'>;

/** The digest of a line with its place and the previous hash: HMAC-SHA256, or SHA-256 without a key; hex. */
export function digestOf(line: Hashed, key: Buffer | undefined): string {
  const { previous, seq, at, change, event, actor, details } = line;
  const text = JSON.stringify([previous, seq, at, change, event, actor, details]);
  return (key === undefined ? createHash('sha256') : createHmac('sha256', key)).update(text).digest('hex');
}

/** The hash as stored: `3f9c01ab:5e88…`, key id and digest; without a key only the digest. */
export const hashLine = (line: Hashed, key: Buffer | undefined): string =>
  `${key === undefined ? '' : `${keyId(key)}:`}${digestOf(line, key)}`;

/** The `target_key` in `details`, or null. Text inside the JSON can't look like it: its quotes are escaped. */
export const targetIn = (details: string): string | null =>
  /"target_key":"([^"\\]*)"/.exec(details)?.[1]?.toLowerCase() ?? null;

/** Where the head that was announced last is kept: as long as the trail has lines, there is one. */
export const headKey = 'published_head';

/**
 * Writes the next line of the trail; with the first one, records that no head was announced yet. Other replicas wait
 * with theirs until this transaction ends.
 */
export async function appendAudit(tx: Tx, entry: AuditEntry, key: Buffer | undefined): Promise<AuditLine> {
  await acquireGlobalLock(tx);
  const head = await auditHead(tx);
  const { at, change, event, actor, details } = entry;
  if (head.seq === 0) await replaceKv(tx, { key: headKey, value: JSON.stringify(emptyHead), at }, undefined);
  const line = { seq: head.seq + 1, at, change, event, actor, details, previous: head.hash };
  const hash = hashLine(line, key);
  return tx
    .insertInto('audit')
    .values({ ...line, hash, target: targetIn(details) })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Place and hash of the newest line; `emptyHead` if there is none. */
export async function auditHead(db: ReadHandle): Promise<Head> {
  const newest = db.selectFrom('audit').select(['seq', 'hash']).orderBy('seq', 'desc').limit(1);
  return (await newest.executeTakeFirst()) ?? emptyHead;
}

/** Conditions for a list; those left out do not apply. Times in epoch ms, `until` exclusive. */
type AuditFilter = {
  readonly target?: string;
  readonly change?: number;
  readonly actor?: string;
  readonly event?: string;
  readonly since?: number;
  readonly until?: number;
  readonly beforeSeq?: number | undefined;
  readonly limit: number;
};

/** The matching lines, newest first, `limit` at most. */
export function listAudit(db: ReadHandle, filter: AuditFilter): Promise<AuditLine[]> {
  const { target, change, actor, event, since, until, beforeSeq } = filter;
  let found = db.selectFrom('audit').selectAll().where('seq', '>', beforeFirst);
  if (target !== undefined) found = found.where('target', '=', target);
  if (change !== undefined) found = found.where('change', '=', change);
  if (actor !== undefined) found = found.where('actor', '=', actor);
  if (event !== undefined) found = found.where('event', '=', event);
  if (since !== undefined) found = found.where('at', '>=', since);
  if (until !== undefined) found = found.where('at', '<', until);
  if (beforeSeq !== undefined) found = found.where('seq', '<', beforeSeq);
  return found.orderBy('seq', 'desc').limit(filter.limit).execute();
}

/** Lines start at 1. A row at or below this place was not written by us. */
const beforeFirst = 0;

/** The lines after `seq`, oldest first, `limit` at most. */
export function linesAfter(db: ReadHandle, seq: number, limit: number): Promise<AuditLine[]> {
  return db.selectFrom('audit').selectAll().where('seq', '>', seq).orderBy('seq').limit(limit).execute();
}

const most = Number.MAX_SAFE_INTEGER;

/** The place of a line whose numbers we never write, clamped to a safe integer; undefined: there is none. */
export async function strangeLine(db: ReadHandle): Promise<Head['seq'] | undefined> {
  // Checked in SQL, because reading a number beyond the safe integers throws.
  const strange = sql<boolean>`seq < 1 or seq > ${most} or at not between ${-most} and ${most} or change not between 0 and ${most}`;
  const place = sql<number>`case when seq < ${-most} then ${-most} when seq > ${most} then ${most} else seq end`;
  const found = db.selectFrom('audit').select(place.as('place')).where(strange).orderBy('seq', 'desc').limit(1);
  return (await found.executeTakeFirst())?.place;
}

/** The lines of these changes, oldest first: those with one of `events`, and after the line `after`, `limit` at most. */
export async function linesOfChanges(
  db: ReadHandle,
  changes: readonly number[],
  { events, after, limit }: { readonly events?: readonly string[]; readonly after?: number; readonly limit?: number },
): Promise<readonly AuditLine[]> {
  if (changes.length === 0) return [];
  let found = db.selectFrom('audit').selectAll().where('seq', '>', beforeFirst).where('change', 'in', changes);
  if (events !== undefined) found = found.where('event', 'in', events);
  if (after !== undefined) found = found.where('seq', '>', after);
  if (limit !== undefined) found = found.limit(limit);
  return found.orderBy('seq').execute();
}

/** The first line and all lines that start the use of another key, oldest first. */
export async function linesOfKeys(db: ReadHandle): Promise<readonly AuditLine[]> {
  const first = await findAudit(db, 1);
  // Literals, as in the index's condition: with bound values neither database uses that index.
  const others = sql<boolean>`event in ('sealed', 'rekeyed')`;
  const lines = db.selectFrom('audit').selectAll().where('seq', '>', 1).where(others).orderBy('seq');
  return [...(first ? [first] : []), ...(await lines.execute())];
}

/** Which lines are about pauses. Literals, as in the conditions of the indexes. */
const aboutPauses = {
  all: sql<boolean>`event in ('pause', 'resume')`,
  callers: sql<boolean>`event in ('pause_callers', 'resume_callers')`,
} satisfies Readonly<Record<PauseScope, unknown>>;

/** The newest pauses and ends of pauses of this scope, newest first. */
export function listPauses(db: ReadHandle, scope: PauseScope, limit: number): Promise<readonly AuditLine[]> {
  return db
    .selectFrom('audit')
    .selectAll()
    .where('seq', '>', beforeFirst)
    .where(aboutPauses[scope])
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute();
}

export function findAudit(db: ReadHandle, seq: number): Promise<AuditLine | undefined> {
  return db.selectFrom('audit').selectAll().where('seq', '=', seq).executeTakeFirst();
}

/** How far the audit trail was sent to one destination. Times in epoch milliseconds. */
export type AuditOutProgress = {
  /** The last line that the destination acknowledged; `seq` 0: none yet. */
  readonly sent: Head;
  /** The process that is sending, and until when. */
  readonly lease: { readonly owner: string; readonly until: number } | null;
  /** The failed attempts since; null once a batch is acknowledged. */
  readonly trouble: AuditOutTrouble | null;
};

/** The failed attempts since the last acknowledged batch. */
export type AuditOutTrouble = {
  readonly since: number;
  readonly attempts: number;
  readonly nextAt: number;
  /** A clause about the destination, such as `it answered 401`. */
  readonly why: string;
  /** Whether it will last until somebody changes a setting. */
  readonly lasting: boolean;
  readonly opsTold: boolean;
};

/** What is stored, as it was read: `saveAuditOut` writes only over this. */
export type StoredProgress = { readonly progress: AuditOutProgress; readonly stored: string | undefined };

const keyOf = (destination: string): string => `audit_out:${destination}`;
const nothingSent: AuditOutProgress = { sent: emptyHead, lease: null, trouble: null };

/** The progress of a destination, given by its id. */
export async function readAuditOut(db: ReadHandle, destination: string): Promise<StoredProgress> {
  const stored = (await readKv(db, keyOf(destination)))?.value;
  return { progress: stored === undefined ? nothingSent : parseStored<AuditOutProgress>(stored), stored };
}

/** Saves the progress; undefined, with nothing written, if another process saved some in the meantime. `at`: now. */
export async function saveAuditOut(
  tx: Tx,
  destination: string,
  { stored }: Pick<StoredProgress, 'stored'>,
  progress: AuditOutProgress,
  at: number,
): Promise<StoredProgress | undefined> {
  const value = JSON.stringify(progress);
  return (await replaceKv(tx, { key: keyOf(destination), value, at }, stored))
    ? { progress, stored: value }
    : undefined;
}

/** What the destination has not acknowledged: the number of lines, and the age of the oldest in ms (0 if none). */
export async function auditOutLag(
  db: ReadHandle,
  destination: string,
  now: number,
): Promise<{ readonly lines: number; readonly oldestMs: number }> {
  const { sent } = (await readAuditOut(db, destination)).progress;
  const [head, [oldest]] = await Promise.all([auditHead(db), linesAfter(db, sent.seq, 1)]);
  if (oldest === undefined) return { lines: 0, oldestMs: 0 };
  return { lines: Math.max(1, head.seq - sent.seq), oldestMs: Math.max(0, now - oldest.at) };
}
