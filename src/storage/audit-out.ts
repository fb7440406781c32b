import { auditHead, linesAfter, emptyHead, type Head } from './audit.ts';
import { readKv, replaceKv } from './kv.ts';
import { parseStored } from './parse-json.ts';
import type { ReadHandle, Tx } from './tx.ts';

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
