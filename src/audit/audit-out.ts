import {
  findAudit,
  auditHead,
  linesAfter,
  emptyHead,
  type AuditLine,
  type Head,
  readAuditOut,
  saveAuditOut,
  type AuditOutProgress,
  type AuditOutTrouble,
  type StoredProgress,
} from '../storage/audit.ts';
import type { ReadHandle } from '../storage/schema.ts';
import { code, say, time, type Text } from '../words/text.ts';
import type { PostContext } from '../post/context.ts';
import { createPoller, type Poller } from '../post/poller.ts';
import { enqueueOps } from '../post/ops-channel-health.ts';
import { hourMs } from '../words/duration.ts';

/**
 * Sends the audit trail to a place outside the database: every line, in order, at least once. The trail itself is the
 * outbox; only the last acknowledged line is stored. Nothing else waits for this.
 */

/** A line as it is sent: all columns of the trail except the one that only serves searches. */
export type SentLine = Omit<AuditLine, 'target'>;

/** Consecutive lines, at least one, oldest first. `installation`: the id of the database. */
export type AuditBatch = { readonly installation: string; readonly lines: readonly SentLine[] };

/**
 * `failed`: the batch counts as not received. `why` is a clause about the destination, without secrets. `lasting`: the
 * same batch will fail again until somebody changes a setting.
 */
export type DeliveryResult =
  | { readonly kind: 'taken' }
  | {
      readonly kind: 'failed';
      readonly why: string;
      readonly lasting: boolean;
      readonly retryAfterMs?: number | undefined;
    };

/** Where the trail goes. */
export type AuditDestination = {
  /** The same for the same destination after a restart. For a new id, sending starts at the first line of the trail. */
  readonly id: string;
  /** For people, without secrets. */
  readonly name: string;
  /** Resolves well within `leaseMs`, and soon after `signal` aborts; never rejects. */
  readonly deliver: (batch: AuditBatch, signal: AbortSignal) => Promise<DeliveryResult>;
};

export type AuditOutOptions = Pick<PostContext, 'database' | 'owner' | 'onTrouble'> & {
  readonly destination: AuditDestination;
  /** From 0 to 1: spreads the pauses. */
  readonly random?: () => number;
  /** Called for each failed attempt. */
  readonly onFailed: (attempt: { readonly why: string; readonly attempts: number }) => void;
};

const everyMs = 2_000;
const maxLines = 100;
const maxBytes = 262_144;
/** Lines are read a few at a time: one line may contain the whole text of a policy. */
const linesAtOnce = 20;
/** After this time, another replica may send. */
export const leaseMs = 30_000;
const minPauseMs = 1_000;
const maxPauseMs = 300_000;
const maxRetryAfterMs = hourMs;
/** Shorter outages are not reported. */
export const tellAfterMs = 900_000;

/** Looks for new lines every two seconds. A stop ends the running attempt, whose batch is sent again later. */
export function createAuditOut(options: AuditOutOptions): Poller {
  // Somebody may have restarted the bot because the trouble is over.
  let isFirst = true;
  const look = async (stopping: AbortSignal): Promise<void> => {
    const atOnce = isFirst;
    isFirst = false;
    await sendAll(options, stopping, atOnce);
  };
  return createPoller({
    everyMs,
    look,
    onTrouble: (error) => options.onTrouble('sending the audit trail', error),
  });
}

/** Sends what is due, batch after batch; with `atOnce` also during a pause. */
export async function sendAll(options: AuditOutOptions, signal: AbortSignal, atOnce = false): Promise<void> {
  for (let more = true; more && !signal.aborted;) more = await sendNext(options, signal, atOnce);
}

/** Sends one batch; true if there may be another one. */
async function sendNext(options: AuditOutOptions, signal: AbortSignal, atOnce: boolean): Promise<boolean> {
  const { database, destination, owner } = options;
  const { db } = database;
  const [kept, head] = await Promise.all([readAuditOut(db, destination.id), auditHead(db)]);
  if (isSame(kept.progress.sent, head)) return false;
  const now = await database.now();
  if (isHeld(options, kept.progress, now) || (!atOnce && isTooEarly(kept.progress, now))) return false;
  const lines = await nextLines(db, (await resumeAfter(db, kept.progress.sent)).seq);
  const last = lines.at(-1);
  if (last === undefined) return false;
  const claimed = await save(options, kept, { ...kept.progress, lease: { owner, until: now + leaseMs } });
  if (claimed === undefined) return false;
  const result = await destination.deliver({ installation: database.installation, lines }, signal);
  if (result.kind === 'taken') return acknowledge(options, claimed, { seq: last.seq, hash: last.hash });
  if (signal.aborted) await save(options, claimed, { ...claimed.progress, lease: null });
  else await noteFailure(options, claimed, result, lines[0]?.at ?? now);
  return false;
}

const isSame = (one: Head, other: Head | undefined): boolean => one.seq === other?.seq && one.hash === other.hash;

/** Whether another replica is sending. SQLite has one process: another owner's lease is left from a killed one. */
const isHeld = ({ database, owner }: AuditOutOptions, { lease }: AuditOutProgress, now: number): boolean =>
  database.kind === 'postgres' &&
  lease !== null &&
  lease.owner !== owner &&
  lease.until > now &&
  lease.until <= now + leaseMs;

/** A time further ahead comes from another clock, so ignore it. */
const isTooEarly = ({ trouble }: AuditOutProgress, now: number): boolean =>
  trouble !== null && trouble.nextAt > now && trouble.nextAt <= now + maxRetryAfterMs;

/** Where to go on. If the last sent line is no longer in the trail, everything is sent again, so that others see that. */
const resumeAfter = async (db: ReadHandle, sent: Head): Promise<Head> =>
  sent.seq === 0 || isSame(sent, await findAudit(db, sent.seq)) ? sent : emptyHead;

/** The lines after `seq` for one batch. A line that is larger than a batch is sent alone. */
async function nextLines(db: ReadHandle, seq: number): Promise<readonly SentLine[]> {
  const lines: SentLine[] = [];
  let bytes = 0;
  while (lines.length < maxLines) {
    const some = await linesAfter(db, lines.at(-1)?.seq ?? seq, linesAtOnce);
    for (const { target: _, ...line } of some) {
      bytes += Buffer.byteLength(JSON.stringify(line));
      if (lines.length > 0 && bytes > maxBytes) return lines;
      lines.push(line);
    }
    if (some.length < linesAtOnce) break;
  }
  return lines;
}

/** Saves without waiting for the disk: after a power cut, the batch is sent again. */
const save = (
  { database, destination }: AuditOutOptions,
  before: StoredProgress,
  progress: AuditOutProgress,
  ops?: { readonly key: string; readonly text: Text },
): Promise<StoredProgress | undefined> =>
  database.transactionWithoutFsync(async (tx) => {
    const at = await database.now(tx);
    const saved = await saveAuditOut(tx, destination.id, before, progress, at);
    if (saved && ops) await enqueueOps(tx, ops.key, ops.text, at);
    return saved;
  });

async function acknowledge(options: AuditOutOptions, claimed: StoredProgress, sent: Head): Promise<boolean> {
  const { trouble } = claimed.progress;
  const { id, name } = options.destination;
  const ops = trouble?.opsTold
    ? { key: `audit_out:${id}:${trouble.since}:over`, text: say`The audit trail reaches ${code(name)} again.` }
    : undefined;
  return (await save(options, claimed, { sent, lease: null, trouble: null }, ops)) !== undefined;
}

async function noteFailure(
  options: AuditOutOptions,
  claimed: StoredProgress,
  failure: Extract<DeliveryResult, { kind: 'failed' }>,
  oldest: number,
): Promise<void> {
  const { why, lasting } = failure;
  const before = claimed.progress.trouble;
  const now = await options.database.now();
  const since = before?.since ?? now;
  const attempts = (before?.attempts ?? 0) + 1;
  const tellNow = before?.opsTold !== true && (lasting || now - since >= tellAfterMs);
  const nextAt = now + pauseAfter(attempts, failure, options.random ?? Math.random);
  const trouble: AuditOutTrouble = {
    since,
    attempts,
    nextAt,
    why,
    lasting,
    opsTold: before?.opsTold === true || tellNow,
  };
  const { id, name } = options.destination;
  const ops = tellNow ? { key: `audit_out:${id}:${since}`, text: troubleText(name, why, oldest) } : undefined;
  await save(options, claimed, { ...claimed.progress, lease: null, trouble }, ops);
  options.onFailed({ why, attempts });
}

/** How long to wait after that many failed attempts in a row, in ms: half of it is random. */
function pauseAfter(
  attempts: number,
  { lasting, retryAfterMs = 0 }: Extract<DeliveryResult, { kind: 'failed' }>,
  random: () => number,
): number {
  const whole = lasting ? maxPauseMs : Math.min(maxPauseMs, minPauseMs * 2 ** Math.min(attempts, 20));
  return Math.max(Math.round((whole * (1 + random())) / 2), Math.min(retryAfterMs, maxRetryAfterMs));
}

const troubleText = (name: string, why: string, oldest: number): Text =>
  say`⚠️ **The audit trail does not reach ${code(name)}:** ${why}. Its lines since ${time(oldest, 'date')} are waiting in the database. Nothing is lost and no change waits for it; I keep trying. Please check that place, and ${code('AUDIT_OUT')}.`;
