import { auditHead, digestOf, findAudit, keyId, keyIdIn, linesOfKeys, type AuditLine } from '../../storage/audit.ts';
import type { Database } from '../../storage/database.ts';
import { alone } from '../../storage/sql-dialect.ts';
import type { Reader } from '../../storage/tx.ts';
import { isSealing } from '../../storage/verify.ts';
import { code, say, type Text } from '../../text.ts';
import type { ChangeStore } from '../changes/change-store.ts';
import { oweOps } from '../messages/ops-messages.ts';

/** A line of the trail that says which key is in use from there on; without `from` the lines before it had none. */
export type Sealed = { readonly seq: number; readonly from: string | undefined; readonly to: string };

/**
 * Called at a start, before anything else is written down. Where the newest line was not hashed with this key, the next
 * one says so, and is: from then on nobody without the key can change what stands before it. `keys` are the key of the
 * trail and after it its former ones. Rejects where the lines from then on could not be proven: without a key though the
 * newest line has one, or with one that was replaced.
 */
export async function sealAudit(
  { database, changeStore }: { readonly database: Database; readonly changeStore: ChangeStore },
  keys: readonly Buffer[],
): Promise<Sealed | undefined> {
  // Most starts have nothing to write: they need not wait for the lock behind which lines are added.
  if ((await changeOfKey(database.db, keys)) === undefined) return undefined;
  return database.transaction(async (tx) => {
    await alone(tx);
    const change = await changeOfKey(tx, keys);
    if (change === undefined) return undefined;
    const { from, to, head } = change;
    const at = await database.now(tx);
    const event = from === undefined ? 'sealed' : 'rekeyed';
    await changeStore.note(tx, { event, by: 'sitehand', at, details: { from, to, before: head } });
    const sealed = { seq: head.seq + 1, from, to };
    await oweOps(tx, `trail ${event}:${at}`, told(sealed), at);
    return sealed;
  });
}

/** What has to be sealed: the head of the trail, its key and the one from now on; undefined: nothing. Rejects as above. */
async function changeOfKey(db: Reader, keys: readonly Buffer[]) {
  const head = await auditHead(db);
  const newest = await findAudit(db, head.seq);
  const from = newest && keyOf(newest, keys);
  const [to] = keys.map(keyId);
  if (newest === undefined) return undefined;
  if (to === undefined) {
    if (from !== undefined && !(await isAltered(db, newest, from))) throw new Error(unset(from));
    return undefined;
  }
  const inUse = await replacing(db, to, keys);
  if (inUse !== undefined) throw new Error(replaced(to, inUse));
  return from === to ? undefined : { head, from, to };
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

/** Whether the newest line, of a key that is `from`, is no line of any key: the one before it was written without. */
async function isAltered(db: Reader, { seq, hash, event }: AuditLine, from: string): Promise<boolean> {
  if (from !== unknown) return false;
  if (!/^[\da-f]{64}$/.test(hash)) return true;
  const before = await findAudit(db, seq - 1);
  // A first key may have been set, and says so.
  return !isSealing(event) && before !== undefined && before.hash === digestOf(before, undefined);
}

/** The key that is in use, by its id, where this one was replaced; undefined where it was not. */
async function replacing(db: Reader, to: string, keys: readonly Buffer[]): Promise<string | undefined> {
  const used = new Set<string>();
  let inUse: string | undefined;
  for (const line of await linesOfKeys(db)) {
    const before = isSealing(line.event) ? fromIn(line.details) : undefined;
    if (before !== undefined) used.add(before);
    const key = keyOf(line, keys);
    // As in `verifyAudit`: one that was replaced does not come back, whatever a line says.
    if (key === undefined || key === unknown || used.has(key)) continue;
    used.add(key);
    inUse = key;
  }
  return inUse !== to && used.has(to) ? inUse : undefined;
}

/** The key before, as a line says that is the first of another one; it may be one that had no name in its lines. */
const fromIn = (details: string): string | undefined => /"from":"([\da-f]{8})"/.exec(details)?.[1];

const unset = (from: string): string =>
  from === unknown
    ? 'The newest line of the audit trail has a hash that was not made without a key, and AUDIT_KEY is not set. Nothing was written. Set the key that the trail had. If it is lost, or never was, set a new one: the lines from then on can be proven.'
    : `The audit trail is made with a key (${from}), and AUDIT_KEY is not set. Nothing was written. Set it. If it is lost, set a new one: the lines until now cannot be proven any more, and those from then on can.`;

const replaced = (to: string, inUse: string): string =>
  `AUDIT_KEY is a key (${to}) that the audit trail had before, and that was replaced (by ${inUse}): no line from here on could be proven. Nothing was written. Set the newer key again, or make another one (openssl rand -hex 32) and put those before it into AUDIT_KEYS_FORMER.`;

function told({ seq, from, to }: Sealed): Text {
  const doubt = say`If nobody has just done that, somebody has written the trail anew: compare it with the heads that were told here before.`;
  return from === undefined
    ? say`The audit trail has a key (${code(to)}) from line ${seq} on, which seals the ${seq - 1} before it: ${code('AUDIT_KEY')} was set for the first time. ${doubt}`
    : say`The audit trail has a new key (${code(to)}, until now ${code(from)}) from line ${seq} on: ${code('AUDIT_KEY')} was changed. ${doubt}`;
}
