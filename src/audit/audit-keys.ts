import { Refusal } from '../base/errors.ts';
import { auditHead, keyId, keyIdIn, linesOfKeys } from '../storage/audit.ts';
import type { ReadHandle, Tx } from '../storage/schema.ts';
import { isSealing } from '../storage/verify.ts';
import { code, say, type Text } from '../words/text.ts';
import type { AuditContext } from './context.ts';
import { enqueueOps } from '../post/ops-channel-health.ts';
import { exclusiveTransaction } from '../storage/transactions.ts';

/** The audit line that starts the use of key `to`. `from`: the key before; undefined: the lines before had none. */
type Sealed = { readonly seq: number; readonly from: string | undefined; readonly to: string };

/**
 * Call at start, before anything else is written. If the newest line was not hashed with the current key, writes a line
 * that says so and is hashed with it; without the key nobody can change the lines before it unnoticed. Rejects if new lines could not be proven: no key although the trail has one,
 * or a key that was replaced.
 */
export async function sealAudit(
  context: Pick<AuditContext, 'database' | 'changeStore' | 'auditKeys'>,
): Promise<Sealed | undefined> {
  // Most starts have nothing to write, so check first without the lock for appending lines.
  if ((await changeOfKey(context.database.db, context.auditKeys)) === undefined) return undefined;
  return exclusiveTransaction(context.database, (tx, at) => sealIn(context, tx, at));
}

/** As `sealAudit`, in a transaction whose caller has called `acquireGlobalLock`. */
export async function sealIn(
  { changeStore, auditKeys }: Pick<AuditContext, 'changeStore' | 'auditKeys'>,
  tx: Tx,
  at: number,
): Promise<Sealed | undefined> {
  const change = await changeOfKey(tx, auditKeys);
  if (change === undefined) return undefined;
  const { from, to, head } = change;
  const event = from === undefined ? 'sealed' : 'rekeyed';
  await changeStore.note(tx, { event, by: 'sitehand', at, about: 'company', details: { from, to, before: head } });
  const sealed = { seq: head.seq + 1, from, to };
  await enqueueOps(tx, `trail ${event}:${at}`, sealedText(sealed), at);
  return sealed;
}

/** Throws `Refusal` if the trail is not written with the current key: only a start of the bot changes it. */
export async function refuseOtherKey(db: ReadHandle, keys: readonly Buffer[]): Promise<void> {
  if ((await changeOfKey(db, keys)) === undefined) return;
  throw new Refusal('AUDIT_KEY is not the key of this trail. Nothing was confirmed.', {
    hint: "Set the bot's own key; if it is to get a new one, start the bot with it first.",
  });
}

/** The head, its key and the current key, if the two differ; undefined: nothing to seal. Rejects as `sealAudit`. */
async function changeOfKey(db: ReadHandle, keys: readonly Buffer[]) {
  const head = await auditHead(db);
  if (head.seq === 0) return undefined;
  const { used, inUse } = await keysOf(db);
  // A trail never goes back to having no key: a newest line without a key was altered.
  const from = keyIdIn(head.hash) ?? inUse;
  const [to] = keys.map(keyId);
  if (to === undefined) {
    if (from !== undefined) throw new Error(unset(from));
    return undefined;
  }
  if (inUse !== undefined && inUse !== to && used.has(to)) throw new Error(replaced(to, inUse));
  return from === to ? undefined : { head, from, to };
}

/** The ids of all keys that the trail ever had, and the id of the one in use. */
async function keysOf(db: ReadHandle) {
  const used = new Set<string>();
  let inUse: string | undefined;
  for (const line of await linesOfKeys(db)) {
    const before = isSealing(line.event) ? fromIn(line.details) : undefined;
    if (before !== undefined) used.add(before);
    const key = keyIdIn(line.hash);
    // As in `verifyAudit`: a replaced key is never used again, whatever a line says.
    if (key === undefined || used.has(key)) continue;
    used.add(key);
    inUse = key;
  }
  return { used, inUse };
}

/** The id of the former key in the details of a sealing line. */
const fromIn = (details: string): string | undefined => /"from":"([\da-f]{8})"/.exec(details)?.[1];

const unset = (from: string): string =>
  `The audit trail was made with a key (${from}), and AUDIT_KEY is not set. Nothing was written. Set that key. If it is lost, set a new one: new lines can be proven then, but the lines until now can't be any more.`;

const replaced = (to: string, inUse: string): string =>
  `AUDIT_KEY is an old key (${to}) of the audit trail that was replaced (by ${inUse}), so no line from here on could be proven. Nothing was written. Set the newer key again, or make another one (openssl rand -hex 32) and put the earlier ones into AUDIT_KEYS_FORMER.`;

function sealedText({ seq, from, to }: Sealed): Text {
  const doubt = say`If none of you just did that, somebody has rewritten the trail: compare it with the heads posted here before.`;
  const confirm = say`If you did, run ${code('sitehand audit confirm')}: until then, these lines are not provable.`;
  return from === undefined
    ? say`The audit trail has a key (${code(to)}) from line ${seq} on, which seals the ${seq - 1} before it: ${code('AUDIT_KEY')} was set for the first time. ${doubt} ${confirm}`
    : say`The audit trail has a new key (${code(to)}, until now ${code(from)}) from line ${seq} on: ${code('AUDIT_KEY')} was changed. ${doubt}`;
}
