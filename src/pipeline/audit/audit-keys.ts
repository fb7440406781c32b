import { auditHead, digestOf, findAudit, keyId, keyIdIn, linesOfKeys, type AuditLine } from '../../storage/audit.ts';
import type { Database } from '../../storage/database.ts';
import type { Reader } from '../../storage/tx.ts';
import { isSealing } from '../../storage/verify.ts';
import { code, say, type Text } from '../../text.ts';
import type { ChangeStore } from '../changes/change-store.ts';
import { enqueueOps } from '../messages/ops-messages.ts';
import { exclusively } from '../../storage/exclusive.ts';

/** The audit line that starts the use of key `to`. `from`: the key before; undefined: the lines before had none. */
export type Sealed = { readonly seq: number; readonly from: string | undefined; readonly to: string };

/**
 * Call at start, before anything else is written. If the newest line was not hashed with the current key, writes a line
 * that says so and is hashed with it; without the key nobody can change the lines before it unnoticed. `keys`: the
 * current key first, then its former ones. Rejects if new lines could not be proven: no key although the newest line
 * has one, or a key that was replaced.
 */
export async function sealAudit(
  { database, changeStore }: { readonly database: Database; readonly changeStore: ChangeStore },
  keys: readonly Buffer[],
): Promise<Sealed | undefined> {
  // Most starts have nothing to write, so check first without the lock for appending lines.
  if ((await changeOfKey(database.db, keys)) === undefined) return undefined;
  return exclusively(database, async (tx, at) => {
    const change = await changeOfKey(tx, keys);
    if (change === undefined) return undefined;
    const { from, to, head } = change;
    const event = from === undefined ? 'sealed' : 'rekeyed';
    await changeStore.note(tx, { event, by: 'sitehand', at, details: { from, to, before: head } });
    const sealed = { seq: head.seq + 1, from, to };
    await enqueueOps(tx, `trail ${event}:${at}`, sealedText(sealed), at);
    return sealed;
  });
}

/** The head, its key and the current one, if they differ; undefined: nothing to seal. Rejects as `sealAudit`. */
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

/** The key of a line that was altered, or that used a key we don't have, before keys had ids. */
const unknown = 'unknown';

/** The id of the key of a line; undefined: it has none. */
function keyOf(line: AuditLine, keys: readonly Buffer[]): string | undefined {
  const named = keyIdIn(line.hash);
  if (named !== undefined || line.hash === digestOf(line, undefined)) return named;
  // Older lines have no key id in their hash.
  const key = keys.find((one) => line.hash === digestOf(line, one));
  return key === undefined ? unknown : keyId(key);
}

/** Whether the newest line was altered, rather than written with a key: the line before it has a plain hash. */
async function isAltered(db: Reader, { seq, hash, event }: AuditLine, from: string): Promise<boolean> {
  if (from !== unknown) return false;
  if (!/^[\da-f]{64}$/.test(hash)) return true;
  const before = await findAudit(db, seq - 1);
  // A line that seals may be the first with a key.
  return !isSealing(event) && before !== undefined && before.hash === digestOf(before, undefined);
}

/** The id of the key in use, if key `to` was replaced; else undefined. */
async function replacing(db: Reader, to: string, keys: readonly Buffer[]): Promise<string | undefined> {
  const used = new Set<string>();
  let inUse: string | undefined;
  for (const line of await linesOfKeys(db)) {
    const before = isSealing(line.event) ? fromIn(line.details) : undefined;
    if (before !== undefined) used.add(before);
    const key = keyOf(line, keys);
    // As in `verifyAudit`: a replaced key never comes back, whatever a line says.
    if (key === undefined || key === unknown || used.has(key)) continue;
    used.add(key);
    inUse = key;
  }
  return inUse !== to && used.has(to) ? inUse : undefined;
}

/** The id of the former key in the details of a sealing line. Its own lines may carry no id. */
const fromIn = (details: string): string | undefined => /"from":"([\da-f]{8})"/.exec(details)?.[1];

const unset = (from: string): string =>
  from === unknown
    ? "The newest line of the audit trail doesn't match a hash without a key, and AUDIT_KEY is not set. Nothing was written. Set the key that the trail had. If it is lost, or there was none, set a new one: new lines can be proven then."
    : `The audit trail was made with a key (${from}), and AUDIT_KEY is not set. Nothing was written. Set that key. If it is lost, set a new one: new lines can be proven then, but the lines until now can't be any more.`;

const replaced = (to: string, inUse: string): string =>
  `AUDIT_KEY is an old key (${to}) of the audit trail that was replaced (by ${inUse}), so no line from here on could be proven. Nothing was written. Set the newer key again, or make another one (openssl rand -hex 32) and put the earlier ones into AUDIT_KEYS_FORMER.`;

function sealedText({ seq, from, to }: Sealed): Text {
  const doubt = say`If none of you just did that, somebody has rewritten the trail: compare it with the heads posted here before.`;
  return from === undefined
    ? say`The audit trail has a key (${code(to)}) from line ${seq} on, which seals the ${seq - 1} before it: ${code('AUDIT_KEY')} was set for the first time. ${doubt}`
    : say`The audit trail has a new key (${code(to)}, until now ${code(from)}) from line ${seq} on: ${code('AUDIT_KEY')} was changed. ${doubt}`;
}
