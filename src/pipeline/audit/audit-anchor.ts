import { z } from 'zod';
import { shortHash } from '../../commands/builtin/audit/verify.ts';
import type { Finding, TrailGap, TrailHead } from '../../commands/kit/audit.ts';
import { counted } from '../../commands/kit/page.ts';
import { auditHead, findAudit, keyId, listAudit, type AuditLine } from '../../storage/audit.ts';
import { listChanges } from '../../storage/changes.ts';
import type { Database } from '../../storage/database.ts';
import { installedAt, readKv, writeKv } from '../../storage/kv.ts';
import type { ReadHandle, Tx } from '../../storage/tx.ts';
import { verifyAudit } from '../../storage/verify.ts';
import { code, say, time, type Text } from '../../text.ts';
import { enqueueOps } from '../messages/ops-messages.ts';
import { fieldsOf } from './audit-details.ts';
import { exclusiveTransaction } from '../../storage/exclusive-transaction.ts';
import { dayMs, hourMs } from '../../duration.ts';

/**
 * Publishes the head of the trail once a day while lines are added. Whoever rewrites the database can't also rewrite
 * the ops channel and the log. The stored head only remembers what was published; it proves nothing by itself.
 */

type PublishedHead = TrailHead & { readonly at: number };
/** `published`: the head was published now. `altered`: the trail no longer contains the last published head. */
export type PublishResult = { readonly kind: 'published' | 'altered'; readonly head: TrailHead };

const headKey = 'published_head';
const alarmKey = 'trail_altered';
/** How often it is checked whether a head is due. */
export const anchorEveryMs = hourMs;
/** A running bot has published a head by then. */
const publishedWithinMs = dayMs + 2 * anchorEveryMs;
/** Tolerance for a reader beside the bot, which uses the machine's clock and not the bot's. */
const aheadMs = hourMs;

/** Publishes the head in the ops channel a day after the last one, or after the first line. Undefined: nothing due. */
export async function publishAuditHead(database: Database): Promise<PublishResult | undefined> {
  return exclusiveTransaction(database, async (tx, at) => {
    const before = await readPublishedHead(tx);
    if (before !== undefined && (await findAudit(tx, before.seq))?.hash !== before.hash)
      return raiseAlarm(tx, before, at);
    const head = await auditHead(tx);
    const last = before === undefined || isAhead(before, at) ? undefined : before;
    const since = last?.at ?? (await findAudit(tx, 1))?.at;
    if (since === undefined || at - since < dayMs || head.hash === last?.hash) return undefined;
    await writeKv(tx, { key: headKey, value: JSON.stringify(head), at });
    await enqueueOps(tx, `trail:${at}`, headText(head), at);
    return { kind: 'published', head };
  });
}

/** Says once a day that the head that was published before is no longer in the trail. */
async function raiseAlarm(tx: Tx, before: PublishedHead, at: number): Promise<PublishResult | undefined> {
  const lastAlarm = await readKv(tx, alarmKey);
  if (lastAlarm && !isAhead(lastAlarm, at) && at - lastAlarm.at < dayMs) return undefined;
  await writeKv(tx, { key: alarmKey, value: '1', at });
  await enqueueOps(tx, `trail altered:${at}`, alteredText(before), at);
  return { kind: 'altered', head: { seq: before.seq, hash: before.hash } };
}

/**
 * Reads the whole trail in batches and compares it with its hashes, the last published head and the rest of the
 * database. `keys`: the current key of the trail first, then its former ones. `now`: the time of the database.
 */
export async function findingOf(db: ReadHandle, keys: readonly Buffer[], now: number): Promise<Finding> {
  const published = await readPublishedHead(db);
  // Read this before the trail: the first line of a newer change would come after the part that is read.
  const [change] = await listChanges(db, { limit: 1 });
  const read = await verifyAudit(db, keys, published);
  // The first line of an altered trail may be unreadable.
  const first = read.kind === 'altered' ? undefined : await findAudit(db, 1);
  const isPublished = published !== undefined && !isAhead(published, now);
  const [key] = keys.map(keyId);
  const about = { since: first?.at, published: isPublished || read.kind === 'altered' ? published : undefined, key };
  if (read.kind === 'altered') return { ...about, verdict: read };
  const { lines, head } = read;
  const restored = read.restored && restoreIn(read.restored);
  if (change !== undefined && (await listAudit(db, { change: change.number, limit: 1 })).length === 0) {
    const why = `change #${change.number} exists, but it has no audit line`;
    return { ...about, verdict: { kind: 'altered', seq: head.seq + 1, why } };
  }
  if (isPublished || now - (first?.at ?? (await installedAt(db))) < publishedWithinMs)
    return { ...about, ...restored, verdict: read };
  const gaps = [...(read.kind === 'unproven' ? read.gaps : []), neverTold(lines)];
  return { ...about, ...restored, verdict: { kind: 'unproven', lines, head, gaps } };
}

/** The gap in a trail of which no head was published. */
const neverTold = (lines: number): TrailGap => ({ from: 1, to: lines, why: lines === 0 ? 'no line' : 'never told' });

/** When a line of the trail says that the database was restored, and to which state. */
function restoreIn({ at, details }: Pick<AuditLine, 'at' | 'details'>): Pick<Finding, 'restored'> {
  const { from } = fieldsOf(details);
  return typeof from === 'number' ? { restored: { at, from } } : {};
}

/** A head from the future is not ours, and would stop a head or an alarm from being published. */
const isAhead = ({ at }: { readonly at: number }, now: number): boolean => at - now > aheadMs;

async function readPublishedHead(db: ReadHandle): Promise<PublishedHead | undefined> {
  const stored = await readKv(db, headKey);
  if (stored === undefined) return undefined;
  // Anybody who can write to the database can write this, so it is validated.
  const parsed = publishedHead.safeParse({ ...fieldsOf(stored.value), at: stored.at });
  return parsed.success ? parsed.data : undefined;
}

const publishedHead = z.object({ seq: z.int().min(1), hash: z.string().min(1), at: z.int().min(0).max(8.64e15) });

const headText = ({ seq, hash }: TrailHead): Text =>
  say`The audit trail has ${counted(seq, 'line')}; line ${seq} is ${code(shortHash(hash))}. To check it later, type ${code('audit verify')} and compare.`;

const alteredText = ({ seq, hash, at }: PublishedHead): Text =>
  say`⚠️ **The audit trail was altered.** Line ${seq}, posted here as ${code(shortHash(hash))} on ${time(at, 'date')}, has changed. ${code('audit verify')} names the first line that is wrong.`;
