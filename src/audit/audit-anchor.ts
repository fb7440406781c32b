import { fieldsOf } from '../storage/parse-json.ts';
import { z } from 'zod';
import { counted } from '../commands/kit/page.ts';
import { auditHead, findAudit, headKey, keyId, listAudit, type AuditLine } from '../storage/audit.ts';
import { listChanges, type Change } from '../storage/changes.ts';
import { installedAt, readKv, writeKv } from '../storage/kv.ts';
import { type ReadHandle, type Tx } from '../storage/schema.ts';
import { alteredEvent, confirmedEvent, newScan, verifyAudit, type Scan } from '../storage/verify.ts';
import { code, plain, say, typed, type Text } from '../words/text.ts';
import { enqueueOps } from '../post/ops-channel-health.ts';
import { refuseOtherKey } from './audit-keys.ts';
import { findingPage, shortHash, type Finding, type TrailHead } from './finding.ts';
import type { AuditContext } from './context.ts';
import { exclusiveTransaction } from '../storage/transactions.ts';
import { dayMs, hourMs } from '../words/duration.ts';
import { Refusal } from '../base/errors.ts';
import type { Target } from '../hosting/contract/target.ts';
import type { StoredTargets } from '../access/visibility.ts';

/**
 * Publishes the head of the trail at the first start, then once a day while lines are added. Whoever rewrites the
 * database can't also rewrite the ops channel and the log. The stored head only remembers what was published; it proves
 * nothing by itself. A trail that was found altered gets a line that says so, which is published in place of heads until
 * a person of the machine confirms the trail.
 */

type PublishedHead = TrailHead & { readonly at: number };
/** The first wrong line, and why: a clause without a full stop. */
type Wrong = { readonly seq: number; readonly why: string };
/** `published`: the head was published now. `altered`: the trail was found altered, and nobody has confirmed it since. */
export type PublishResult =
  | { readonly kind: 'published'; readonly head: TrailHead }
  | ({ readonly kind: 'altered' } & Wrong);

type AnchorContext = Pick<AuditContext, 'database' | 'changeStore' | 'auditKeys'>;

/** How often it is checked whether the trail still has the published head, and whether the next one is due. */
export const anchorEveryMs = hourMs;
/** A bot that runs has written a line by then. */
const firstLineWithinMs = 2 * hourMs;
/** Tolerance for clocks that differ. A later time is not ours, and would stop a head or an alarm from being published. */
const aheadMs = hourMs;

/**
 * Publishes the head in the ops channel if it is due and the trail was not altered; if it was, says so, once a day until
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
    if (verdict.kind === 'altered') return raiseAlarm(context, tx, at, verdict);
    const head = await auditHead(tx);
    await announce(tx, at, head, headText(head));
    return { kind: 'published', head };
  });
}

/** Whether a head or an alarm is due, or the trail lacks the head that was published last. */
async function isDue(db: ReadHandle, at: number): Promise<boolean> {
  const newest = await auditHead(db);
  const { head, line } = await lastPublished(db);
  if (head === undefined || line === undefined) return newest.seq > 0 || (head !== undefined && head.seq > 0);
  const isOld = at - head.at >= dayMs || head.at - at > aheadMs;
  return isOld && (newest.hash !== head.hash || line.event === alteredEvent);
}

/** The head that was published last, and its line. `head` undefined: none is on record. `line` undefined: it is gone. */
async function lastPublished(db: ReadHandle) {
  const head = await readPublishedHead(db);
  const line = head && (await findAudit(db, head.seq));
  return { head, line: line?.hash === head?.hash ? line : undefined };
}

/** Publishes a head, with a text about it. */
async function announce(tx: Tx, at: number, { seq, hash }: TrailHead, text: Text): Promise<void> {
  await writeKv(tx, { key: headKey, value: JSON.stringify({ seq, hash }), at });
  await enqueueOps(tx, `trail:${seq}:${at}`, text, at);
}

/** Says that the trail was altered: with a line of the trail, which then is the head that is published. */
async function raiseAlarm({ changeStore }: AnchorContext, tx: Tx, at: number, wrong: Wrong): Promise<PublishResult> {
  const { seq, why } = wrong;
  const { line } = await lastPublished(tx);
  const isSaid = line?.event === alteredEvent;
  const details = { line: seq, why };
  if (!isSaid) await changeStore.note(tx, { event: alteredEvent, by: 'sitehand', at, about: 'company', details });
  const head = isSaid ? line : await auditHead(tx);
  await announce(tx, at, head, alteredText(wrong, head));
  return { kind: 'altered', seq, why };
}

/** Whether the record of the last head, without the whole trail, shows that it was altered and not confirmed since. */
export async function isKnownAltered(db: ReadHandle): Promise<boolean> {
  const { head, line } = await lastPublished(db);
  if (head === undefined) return (await auditHead(db)).seq > 0;
  return head.seq > 0 && (line === undefined || line.event === alteredEvent);
}

/**
 * Confirms the lines as they stand, with a line that says what was found in them and names their content, and publishes
 * that line. Returns what was found; nothing is confirmed if that is nothing. `by`: a person of the machine. Throws
 * `Refusal` with another key than the trail's, and if there is a line that can't be read.
 */
export async function confirmTrail(context: AnchorContext, by: string): Promise<Finding> {
  const { database, changeStore, auditKeys } = context;
  await refuseOtherKey(database.db, auditKeys);
  const scan = newScan();
  // Before the transaction, which excludes all sending: it only reads what was added meanwhile. A line that is altered
  // meanwhile does not fit the content that the confirmation names.
  await readTrail(database.db, auditKeys, await database.now(), scan);
  return exclusiveTransaction(database, async (tx, at) => {
    const { finding, content } = await readTrail(tx, auditKeys, at, scan);
    if (finding.verdict.kind === 'proven') return finding;
    const found = plain(findingPage(finding).title);
    if (content === undefined) throw new Refusal(`${found} Such a line can't be confirmed. Nothing was confirmed.`);
    const details = { by, found, content };
    await changeStore.note(tx, { event: confirmedEvent, by: 'sitehand', at, about: 'company', details });
    const head = await auditHead(tx);
    await announce(tx, at, head, confirmedText(head, by, found));
    return finding;
  });
}

/**
 * Reads the whole trail in batches and compares it with its hashes, the last published head and the rest of the
 * database. `keys`: the current key of the trail first, then its former ones. `now`: the time of the database.
 */
export const findingOf = async (db: ReadHandle, keys: readonly Buffer[], now: number): Promise<Finding> =>
  (await readTrail(db, keys, now, newScan())).finding;

/** As `findingOf`, and the `content` of the lines. `scan`: goes on where an earlier call with it ended. */
async function readTrail(db: ReadHandle, keys: readonly Buffer[], now: number, scan: Scan) {
  const published = await readPublishedHead(db);
  // Read this before the trail: the first line of a newer change would come after the part that is read.
  const [change] = await listChanges(db, { limit: 1 });
  const read = await verifyAudit(db, keys, published, scan);
  const { content } = read;
  const [key] = keys.map(keyId);
  const told = published?.seq === 0 ? undefined : published;
  // The first line of an altered trail may be unreadable.
  if (read.kind === 'altered') return { content, finding: { since: undefined, published: told, key, verdict: read } };
  const first = await findAudit(db, 1);
  const about = { since: first?.at, published: told, key };
  const known = { ...about, ...(read.restored && restoreIn(read.restored)), ...confirmedIn(read.confirmed) };
  const wrong = read.found
    ? wrongIn(read.found)
    : ((await unrecorded(db, read)) ?? (await missingAfter(db, read, change)));
  if (wrong) return { content, finding: { ...known, verdict: { kind: 'altered', ...wrong } } as const };
  if (read.lines > 0 || now - (await installedAt(db)) < firstLineWithinMs)
    return { content, finding: { ...known, verdict: read } };
  const { lines, head } = read;
  const gaps = [{ from: 1, to: 0, why: 'no line' }] as const;
  return { content, finding: { ...known, verdict: { kind: 'unproven', lines, head, gaps } } as const };
}

/** What is wrong if there are lines, and no head is on record. Call it after they are read: the first may be new. */
async function unrecorded(db: ReadHandle, { lines, head }: { readonly lines: number; readonly head: TrailHead }) {
  const isRecorded = lines === 0 || (await readPublishedHead(db)) !== undefined;
  return isRecorded ? undefined : { seq: head.seq + 1, why: noRecord };
}

const noRecord =
  'the head announced last is no longer on record, where Sitehand always keeps it; lines at the end may be gone with it';

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

/** When a line of the trail says that the database was restored, and to which state. */
function restoreIn({ at, details }: Pick<AuditLine, 'at' | 'details'>): Pick<Finding, 'restored'> {
  const { from } = fieldsOf(details);
  return typeof from === 'number' ? { restored: { at, from } } : {};
}

async function readPublishedHead(db: ReadHandle): Promise<PublishedHead | undefined> {
  const stored = await readKv(db, headKey);
  if (stored === undefined) return undefined;
  // Anybody who can write to the database can write this, so it is validated.
  const parsed = publishedHead.safeParse({ ...fieldsOf(stored.value), at: stored.at });
  return parsed.success ? parsed.data : undefined;
}

const publishedHead = z.object({ seq: z.int().min(0), hash: z.string().min(1), at: z.int().min(0).max(8.64e15) });

const headText = ({ seq, hash }: TrailHead): Text =>
  say`The audit trail has ${counted(seq, 'line')}; line ${seq} is ${code(shortHash(hash))}. To check it later, type ${typed('audit verify')} and compare.`;

const alteredText = ({ seq, why }: Wrong, said: TrailHead): Text =>
  say`⚠️ **The audit trail was altered: line ${seq} is wrong.** Reason: ${why}. Compare it with the heads posted here. Line ${said.seq} says so and is ${code(shortHash(said.hash))}. I announce no more of them until somebody who knows why runs ${code('sitehand audit confirm')} on the machine.`;

const confirmedText = ({ seq, hash }: TrailHead, by: string, found: string): Text =>
  say`${by} confirmed the audit trail as it stands, although: “${found}” Line ${seq} says so and is ${code(shortHash(hash))}. If you don't know why, ask them.`;

/** The details of an audit line. Fields of the wrong shape are left out, so an altered line can't break a list. */
export type AuditDetails = {
  readonly name: string | undefined;
  /** The program through which they acted. */
  readonly caller: string | undefined;
  readonly command: string | undefined;
  readonly target: string | undefined;
  readonly reason: string | undefined;
  /** Environments that a batch left out when it went on. */
  readonly without: readonly string[] | undefined;
  readonly rules: readonly number[];
  readonly policy: string | undefined;
  readonly fingerprint: string | undefined;
  readonly receipt: string | undefined;
  /** The targets of an event that belongs to no change; undefined: it is about the company. */
  readonly about: StoredTargets | undefined;
};

type Fields = ReturnType<typeof fieldsOf>;

/** Parses `details`, JSON as the trail stores it; never throws. */
export function parseDetails(details: string): AuditDetails {
  const all = fieldsOf(details);
  const authorization = fieldsOf(all['authorization']);
  const targets = Array.isArray(all['targets']) ? all['targets'].map(targetIn) : [];
  const rules = Array.isArray(authorization['rules']) ? authorization['rules'] : [];
  return {
    name: text(all['name']),
    caller: text(all['caller']),
    command: text(all['command']),
    without: Array.isArray(all['without']) ? all['without'].filter((one) => typeof one === 'string') : undefined,
    target: text(all['target']) ?? (targets.length > 0 ? targets.map((one) => one.name).join(', ') : undefined),
    reason: text(all['reason']),
    rules: rules.filter((line) => typeof line === 'number'),
    policy: text(authorization['policy']) ?? text(all['hash']),
    fingerprint: text(all['fingerprint']),
    receipt: receiptIn(fieldsOf(all['receipt'])),
    about: targets.length === 0 ? undefined : { targets: JSON.stringify(targets) },
  };
}

/** A target as a line has it. The line doesn't say whether it is live, so it counts as live. */
function targetIn(value: unknown): Target {
  const all = fieldsOf(value);
  const [id = '', name = '', siteName] = [text(all['id']), text(all['name']), text(all['site'])];
  const site = siteName === undefined ? undefined : { id: undefined, name: siteName };
  if (all['kind'] === 'company') return { kind: 'company', id, name };
  if (all['kind'] === 'domain') return { kind: 'domain', id, name, site };
  return { kind: 'environment', id, name, live: true, site };
}

function receiptIn(receipt: Fields): string | undefined {
  const { kind, status, operation, why, message } = receipt;
  const parts = [kind, status, operation, why, message].filter((part) => part !== undefined && part !== '');
  return parts.length === 0 ? undefined : parts.map(String).join(' ');
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
