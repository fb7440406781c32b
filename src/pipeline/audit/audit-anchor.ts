import { z } from 'zod';
import { shortHash } from '../../commands/builtin/audit/verify.ts';
import type { Finding, TrailGap, TrailHead } from '../../commands/kit/audit.ts';
import { counted } from '../../commands/kit/page.ts';
import { auditHead, findAudit, keyId, listAudit } from '../../storage/audit.ts';
import { listChanges } from '../../storage/changes.ts';
import type { Database } from '../../storage/database.ts';
import { alone } from '../../storage/sql-dialect.ts';
import { installedAt, readSetting, writeSetting } from '../../storage/kv.ts';
import type { Reader } from '../../storage/tx.ts';
import { verifyAudit } from '../../storage/verify.ts';
import { code, say, type Text } from '../../text.ts';
import { oweOps } from '../messages/ops-messages.ts';

/**
 * The head of the trail, told once a day while lines are added: whoever rewrites the database cannot rewrite what stands in the ops channel
 * and in the log. The setting only says what was told; it is no witness by itself.
 */

type Witnessed = TrailHead & { readonly at: number };
/** What a look showed: the head was told now, or the head that was told is not in the trail any more. */
export type Telling = { readonly kind: 'told' | 'altered'; readonly head: TrailHead };

const headKey = 'witnessed head';
const alarmKey = 'trail altered';
const dayMs = 86_400_000;
/** Every hour is a look whether one has passed: later than this a head was told, or nobody looked. */
const toldWithinMs = dayMs + 7_200_000;
/** Whoever reads beside a bot has the machine's clock, and not the bot's. */
const aheadMs = 3_600_000;

/** Tells the ops channel the head if a day has passed since it was told, or since the first line; undefined: not yet. */
export async function publishAuditHead(database: Database): Promise<Telling | undefined> {
  return database.transaction(async (tx) => {
    await alone(tx);
    const at = await database.now(tx);
    const before = await readWitnessed(tx);
    if (before !== undefined && (await findAudit(tx, before.seq))?.hash !== before.hash) {
      const alarmed = await readSetting(tx, alarmKey);
      if (alarmed && at - alarmed.at < dayMs) return undefined;
      await writeSetting(tx, { key: alarmKey, value: '1', at });
      await oweOps(tx, `trail altered:${at}`, altered(before), at);
      return { kind: 'altered', head: { seq: before.seq, hash: before.hash } };
    }
    const head = await auditHead(tx);
    const last = before === undefined || isAhead(before, at) ? undefined : before;
    const since = last?.at ?? (await findAudit(tx, 1))?.at;
    if (since === undefined || at - since < dayMs || head.hash === last?.hash) return undefined;
    await writeSetting(tx, { key: headKey, value: JSON.stringify(head), at });
    await oweOps(tx, `trail:${at}`, told(head), at);
    return { kind: 'told', head };
  });
}

/**
 * Reads the whole trail, a piece at a time, and holds it against its hashes, the head that was told last and what else
 * the database has. `keys` are the key of the trail and after it its former ones; `now` is the time of the database.
 */
export async function findingOf(db: Reader, keys: readonly Buffer[], now: number): Promise<Finding> {
  const witnessed = await readWitnessed(db);
  // Before the trail: a change that is made meanwhile has its first line behind what is read.
  const [change] = await listChanges(db, { limit: 1 });
  const read = await verifyAudit(db, keys, witnessed);
  // One that was altered may be one that cannot be read.
  const first = read.kind === 'altered' ? undefined : await findAudit(db, 1);
  const isTold = witnessed !== undefined && !isAhead(witnessed, now);
  const [key] = keys.map(keyId);
  const about = { since: first?.at, witnessed: isTold || read.kind === 'altered' ? witnessed : undefined, key };
  if (read.kind === 'altered') return { ...about, verdict: read };
  const { lines, head } = read;
  if (change !== undefined && (await listAudit(db, { change: change.number, limit: 1 })).length === 0) {
    const why = `change #${change.number} is on record, and no line of it is`;
    return { ...about, verdict: { kind: 'altered', seq: head.seq + 1, why } };
  }
  if (isTold || now - (first?.at ?? (await installedAt(db))) < toldWithinMs) return { ...about, verdict: read };
  const gap: TrailGap = { from: 1, to: lines, why: lines === 0 ? 'no line' : 'never told' };
  const gaps = [...(read.kind === 'unproven' ? read.gaps : []), gap];
  return { ...about, verdict: { kind: 'unproven', lines, head, gaps } };
}

/** Told at a time that has not come yet: that was written by somebody else, and would keep the head from being told. */
const isAhead = ({ at }: Witnessed, now: number): boolean => at - now > aheadMs;

async function readWitnessed(db: Reader): Promise<Witnessed | undefined> {
  const setting = await readSetting(db, headKey);
  if (setting === undefined) return undefined;
  // Whoever can write the database can write this: what nobody has told is as good as none.
  const told = witnessedHead.safeParse({ ...jsonOr(setting.value), at: setting.at });
  return told.success ? told.data : undefined;
}

const witnessedHead = z.object({ seq: z.int().min(1), hash: z.string().min(1), at: z.int().min(0).max(8.64e15) });

function jsonOr(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

const told = ({ seq, hash }: TrailHead): Text =>
  say`The audit trail has ${counted(seq, 'line')}; line ${seq} is ${code(shortHash(hash))}. Whoever doubts it later says ${code('audit verify')} and compares.`;

const altered = ({ seq, hash, at }: Witnessed): Text =>
  say`⚠️ **The audit trail was altered.** Line ${seq}, told here as ${code(shortHash(hash))} on ${{ at, as: 'date' }}, is not what it was. ${code('audit verify')} names the first line that is wrong.`;
