import { setImmediate } from 'node:timers/promises';
import { hashLine, linesAfter, start, type AuditLine, type Head } from './audit.ts';
import type { Reader } from './tx.ts';

/**
 * Whether the trail is whole. `unkeyed` counts the lines at its beginning that were written before there was a key:
 * nothing but a witnessed head protects those. `seq` is the first line that is wrong, `why` a clause without a full stop.
 */
export type Verdict =
  | { readonly ok: true; readonly lines: number; readonly unkeyed: number; readonly head: Head }
  | { readonly ok: false; readonly seq: number; readonly why: string };

type Read = { readonly head: Head; readonly unkeyed: number };

const BATCH = 500;

/**
 * Reads the whole trail, 500 lines at a time, and says whether any line was altered, removed or put elsewhere. Lines
 * cut off at the end show only against `witnessed`, a head that was told to somebody earlier.
 */
export async function verifyAudit(db: Reader, key: Buffer | undefined, witnessed: Head = start): Promise<Verdict> {
  let read: Read = { head: start, unkeyed: 0 };
  for (;;) {
    const lines = await linesAfter(db, read.head.seq, BATCH);
    for (const line of lines) {
      const seal = sealOf(line, key);
      const why = misplaced(line, read.head, witnessed) ?? unsealed(seal, read, key);
      if (why !== undefined) return { ok: false, seq: line.seq, why };
      read = { head: { seq: line.seq, hash: line.hash }, unkeyed: read.unkeyed + (seal === 'plain' ? 1 : 0) };
    }
    if (lines.length < BATCH) break;
    // SQLite answers without ever waiting: others would not get a turn in a long trail.
    await setImmediate();
  }
  const { head, unkeyed } = read;
  if (head.seq >= witnessed.seq) return { ok: true, lines: head.seq, unkeyed, head };
  return { ok: false, seq: head.seq + 1, why: `the trail went on to line ${witnessed.seq} and ends before this one` };
}

/** With what a line was hashed; undefined if neither with this key nor without one. */
function sealOf(line: AuditLine, key: Buffer | undefined): 'keyed' | 'plain' | undefined {
  if (key !== undefined && line.hash === hashLine(line, key)) return 'keyed';
  return line.hash === hashLine(line, undefined) ? 'plain' : undefined;
}

function misplaced(line: AuditLine, last: Head, witnessed: Head): string | undefined {
  if (line.seq !== last.seq + 1) return `line ${last.seq + 1} is missing`;
  if (line.previous !== last.hash) return 'it does not follow from the line before';
  if (line.seq === witnessed.seq && line.hash !== witnessed.hash) return 'it is not the line that was witnessed';
  return undefined;
}

function unsealed(
  seal: ReturnType<typeof sealOf>,
  { head, unkeyed }: Read,
  key: Buffer | undefined,
): string | undefined {
  if (seal === undefined) return `it was altered${key === undefined ? ', or written with a key that is not set' : ''}`;
  if (seal === 'plain' && unkeyed < head.seq) return 'it was written without the key';
  return undefined;
}
