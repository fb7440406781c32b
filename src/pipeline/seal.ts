import { auditHead, digestOf, findAudit, keyId, keyIdIn, type AuditLine } from '../storage/audit.ts';
import type { Database } from '../storage/database.ts';
import { alone } from '../storage/differences.ts';
import { code, say, type Text } from '../text.ts';
import type { Ledger } from './advance.ts';
import { oweOps } from './ops.ts';

/** A line of the trail that says which key is in use from there on; without `from` the lines before it had none. */
export type Sealed = { readonly seq: number; readonly from: string | undefined; readonly to: string };

/**
 * Called at a start, before anything else is written down. Where the newest line was not hashed with this key, the next
 * one says so, and is: from then on nobody without the key can change what stands before it. `keys` are the key of the
 * trail and after it its former ones. Rejects where there is none though the newest line names one.
 */
export async function sealTrail(
  { database, ledger }: { readonly database: Database; readonly ledger: Ledger },
  keys: readonly Buffer[],
): Promise<Sealed | undefined> {
  return database.transaction(async (tx) => {
    await alone(tx);
    const head = await auditHead(tx);
    const newest = await findAudit(tx, head.seq);
    const from = newest && keyOf(newest, keys);
    const [to] = keys.map(keyId);
    if (to === undefined && from !== undefined && from !== unknown) {
      throw new Error(
        `The audit trail is made with a key (${from}), and AUDIT_KEY is not set. Set it. If it is lost, set a new one: the lines until now cannot be proven any more, and those from then on can.`,
      );
    }
    if (newest === undefined || to === undefined || from === to) return undefined;
    const at = await database.now(tx);
    const event = from === undefined ? 'sealed' : 'rekeyed';
    await ledger.note(tx, { event, by: 'sitehand', at, details: { from, to, before: head } });
    const sealed = { seq: head.seq + 1, from, to };
    await oweOps(tx, `trail ${event}:${at}`, told(sealed), at);
    return sealed;
  });
}

/** Of a line that was altered, or that was written with a key which is not at hand and had no name. */
const unknown = 'unknown';

/** The id of the key of a line; undefined: it has none. */
function keyOf(line: AuditLine, keys: readonly Buffer[]): string | undefined {
  const named = keyIdIn(line.hash);
  if (named !== undefined || line.hash === digestOf(line, undefined)) return named;
  // Keys had no names once.
  const key = keys.find((one) => line.hash === digestOf(line, one));
  return key === undefined ? unknown : keyId(key);
}

function told({ seq, from, to }: Sealed): Text {
  const doubt = say`If nobody has just done that, somebody has written the trail anew: compare it with the heads that were told here before.`;
  return from === undefined
    ? say`The audit trail has a key (${code(to)}) from line ${seq} on, which seals the ${seq - 1} before it: ${code('AUDIT_KEY')} was set for the first time. ${doubt}`
    : say`The audit trail has a new key (${code(to)}, until now ${code(from)}) from line ${seq} on: ${code('AUDIT_KEY')} was changed. ${doubt}`;
}
