import { z } from 'zod';
import { findingPage, shortHash } from '../../commands/builtin/audit/verify.ts';
import type { Finding, TrailGap, TrailHead } from '../../commands/kit/audit.ts';
import { counted } from '../../commands/kit/page.ts';
import { auditHead, findAudit, keyId, listAudit, type AuditLine } from '../../storage/audit.ts';
import { listChanges, type Change } from '../../storage/changes.ts';
import { installedAt, readKv, removeKv, writeKv } from '../../storage/kv.ts';
import type { ReadHandle, Tx } from '../../storage/tx.ts';
import { alteredEvent, confirmedEvent, verifyAudit } from '../../storage/verify.ts';
import { code, plain, say, type Text } from '../../text.ts';
import { enqueueOps } from '../messages/ops-messages.ts';
import { fieldsOf } from './audit-details.ts';
import { sealIn } from './audit-keys.ts';
import type { AuditContext } from './context.ts';
import { exclusiveTransaction } from '../../storage/exclusive-transaction.ts';
import { dayMs, hourMs } from '../../duration.ts';
import { Refusal } from '../../errors.ts';

/**
 * Publishes the head of the trail at the first start, then once a day while lines are added. Whoever rewrites the
 * database can't also rewrite the ops channel and the log. The stored head only remembers what was published; it proves
 * nothing by itself. A trail that was found altered stays so until a person of the machine confirms it.
 */

type PublishedHead = TrailHead & { readonly at: number };
/** The first wrong line, and why: a clause without a full stop. */
type Wrong = { readonly seq: number; readonly why: string };
/** `published`: the head was published now. `altered`: the trail was found altered, and nobody has confirmed it since. */
export type PublishResult =
  | { readonly kind: 'published'; readonly head: TrailHead }
  | ({ readonly kind: 'altered' } & Wrong);

type AnchorContext = Pick<AuditContext, 'database' | 'changeStore' | 'auditKeys'>;

const headKey = 'published_head';
/** Exists while the trail is known to be altered; its time is that of the last alarm. */
const alarmKey = 'trail_altered';
/** How often it is checked whether the trail still has the published head, and whether the next one is due. */
export const anchorEveryMs = hourMs;
/** A running bot has published a head by then. */
const publishedWithinMs = 2 * anchorEveryMs;
/** Tolerance for a reader beside the bot, which uses the machine's clock and not the bot's. */
const aheadMs = hourMs;

/**
 * Publishes the head in the ops channel if it is due and the trail verifies; if it doesn't, says so, once a day until
 * somebody confirms it. Undefined: nothing due.
 */
export async function publishAuditHead(context: AnchorContext): Promise<PublishResult | undefined> {
  const { database, auditKeys } = context;
  const now = await database.now();
  if (!(await isDue(database.db, now))) return undefined;
  // Before the transaction: a long trail takes a while.
  const { verdict } = await findingOf(database.db, auditKeys, now);
  return exclusiveTransaction(database, async (tx, at) => {
    // Another replica may have been faster.
    if (!(await isDue(tx, at))) return undefined;
    const isKnown = (await readKv(tx, alarmKey)) !== undefined;
    if (verdict.kind === 'altered') return raiseAlarm(context, tx, at, { ...verdict, isNew: !isKnown });
    if (isKnown) return raiseAlarm(context, tx, at, { seq: verdict.lines + 1, why: findingGone, isNew: true });
    const head = await announce(tx, at, headText);
    return { kind: 'published', head };
  });
}

const findingGone = 'a line said that the trail was altered, and it is gone';

/** Whether a head or an alarm is due, or the trail lacks the head that was published last. */
async function isDue(db: ReadHandle, at: number): Promise<boolean> {
  const isOld = (row: { readonly at: number }): boolean => isAhead(row, at) || at - row.at >= dayMs;
  const alarm = await readKv(db, alarmKey);
  if (alarm !== undefined) return isOld(alarm);
  const head = await auditHead(db);
  const before = await readPublishedHead(db);
  if (before === undefined) return head.seq > 0;
  const isLost = (await findAudit(db, before.seq))?.hash !== before.hash;
  return isLost || isAhead(before, at) || (isOld(before) && head.hash !== before.hash);
}

/** Publishes the newest line, with a text about it. */
async function announce(tx: Tx, at: number, text: (head: TrailHead) => Text): Promise<TrailHead> {
  const head = await auditHead(tx);
  await writeKv(tx, { key: headKey, value: JSON.stringify(head), at });
  await enqueueOps(tx, `trail:${at}`, text(head), at);
  return head;
}

/** Says that the trail was altered. If that `isNew`, a line of the trail says it too. */
async function raiseAlarm(
  { changeStore }: AnchorContext,
  tx: Tx,
  at: number,
  { seq, why, isNew }: Wrong & { readonly isNew: boolean },
): Promise<PublishResult> {
  const details = { line: seq, why };
  if (isNew) await changeStore.note(tx, { event: alteredEvent, by: 'sitehand', at, about: 'company', details });
  await writeKv(tx, { key: alarmKey, value: '1', at });
  await enqueueOps(tx, `trail altered:${at}`, alteredText({ seq, why }), at);
  return { kind: 'altered', seq, why };
}

/** Whether the trail is known to be altered, and nobody has confirmed it since. */
export const isKnownAltered = async (db: ReadHandle): Promise<boolean> => (await readKv(db, alarmKey)) !== undefined;

/**
 * Confirms the lines as they stand, with a line that says what was found in them and names their content, and publishes
 * that line. Returns what was found; nothing is written if that is nothing. `by`: a person of the machine. Rejects as
 * `sealAudit`, and if there is a line that can't be read.
 */
export const confirmTrail = (context: AnchorContext, by: string): Promise<Finding> =>
  exclusiveTransaction(context.database, async (tx, at) => {
    await sealIn(context, tx, at);
    const finding = await findingOf(tx, context.auditKeys, at);
    if (finding.verdict.kind === 'proven') return finding;
    const { content } = finding;
    const found = plain(findingPage(finding).title);
    if (content === undefined) throw new Refusal(`${found} Such a line can't be confirmed. Nothing was changed.`);
    const details = { by, found, content };
    await context.changeStore.note(tx, { event: confirmedEvent, by: 'sitehand', at, about: 'company', details });
    await removeKv(tx, alarmKey);
    await announce(tx, at, (head) => confirmedText(head, by, found));
    return finding;
  });

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
  const shown = isPublished || read.kind === 'altered' ? published : undefined;
  const about = { since: first?.at, published: shown, key, content: read.content };
  if (read.kind === 'altered') return { ...about, verdict: read };
  const { lines, head, found } = read;
  const known = { ...about, ...(read.restored && restoreIn(read.restored)), ...confirmedIn(read.confirmed) };
  const wrong = found ? wrongIn(found) : await missingAfter(db, read, change);
  if (wrong) return { ...known, verdict: { kind: 'altered', ...wrong } };
  if (isPublished || now - (first?.at ?? (await installedAt(db))) < publishedWithinMs)
    return { ...known, verdict: read };
  const gaps = [...(read.kind === 'unproven' ? read.gaps : []), neverTold(lines)];
  return { ...known, verdict: { kind: 'unproven', lines, head, gaps } };
}

/** What is wrong if the newest change has no line; undefined: it has one, or that was confirmed. */
async function missingAfter(
  db: ReadHandle,
  { head, confirmed }: { readonly head: TrailHead; readonly confirmed: AuditLine | undefined },
  change: Change | undefined,
): Promise<Wrong | undefined> {
  if (change === undefined || (confirmed && change.created_at <= confirmed.at)) return undefined;
  if ((await listAudit(db, { change: change.number, limit: 1 })).length > 0) return undefined;
  return { seq: head.seq + 1, why: `change #${change.number} exists, but it has no audit line` };
}

/** What a line says that the trail was found altered. */
function wrongIn({ seq, details }: AuditLine): Wrong {
  const { line, why } = fieldsOf(details);
  return {
    seq: typeof line === 'number' ? line : seq,
    why: `${typeof why === 'string' ? `${why}, as` : 'that is what'} line ${seq} says, and nobody has confirmed it since`,
  };
}

function confirmedIn(line: AuditLine | undefined): Pick<Finding, 'confirmed'> {
  if (line === undefined) return {};
  const { by, found } = fieldsOf(line.details);
  return { confirmed: { seq: line.seq, at: line.at, by: String(by), found: String(found) } };
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

const alteredText = ({ seq, why }: Wrong): Text =>
  say`⚠️ **The audit trail was altered: line ${seq} is wrong.** Reason: ${why}. Compare it with the heads posted here. I announce no more of them until somebody who knows why runs ${code('sitehand audit confirm')} on the machine.`;

const confirmedText = ({ seq, hash }: TrailHead, by: string, found: string): Text =>
  say`${by} confirmed the audit trail as it stands, although: “${found}” Line ${seq} says so and is ${code(shortHash(hash))}. If you don't know why, ask them.`;
