import { HostTrouble } from '../../hosting/client.ts';
import { Refusal } from '../../errors.ts';
import { following, type Reader } from '../../hosting/contract/call.ts';
import { getOperation, validateKey } from '../../hosting/contract/operations.ts';
import { passing } from '../../failpoints.ts';
import { touchChange, type Change } from '../../storage/changes.ts';
import type { Database } from '../../storage/database.ts';
import { owe } from '../../storage/messages.ts';
import { readSetting, writeSetting } from '../../storage/kv.ts';
import type { Tx } from '../../storage/database.ts';
import { joined, say, time, type Text } from '../../text.ts';
import type { Ledger, Saying } from '../changes/change-store.ts';
import type { Person } from '../access/authorise.ts';
import { beforeOf, leftOf } from '../changes/freeze.ts';
import type { Button, Note } from '../changes/card.ts';
import type { Names } from '../language/resolve.ts';
import { namesWith } from '../access/visibility.ts';
import { restore, type Restored } from '../language/reparse.ts';
import { sourcesOf, type Sighted } from '../changes/read-sources.ts';
import { settleAccess } from '../changes/timed-access.ts';
import { isKnown, judge, type Seen, type Trail, type Verdict } from '../changes/operation-state.ts';
import { alarm, markFor, spoken } from '../changes/replies.ts';
import { thawed } from '../../storage/parse-json.ts';
import { undoMs, type Undo } from '../changes/undo.ts';

export type Following = Sighted & {
  readonly database: Database;
  readonly ledger: Ledger;
  /** All there is, by name. */
  readonly names: (person: Person | undefined) => Names;
};

/** A line about a running operation, once it takes longer than this. */
const worthTellingMs = 10_000;
/** The same about one that cannot be asked about, which a moment of trouble is not worth. */
const troubleWorthTellingMs = 20_000;
/** The setting that says: this host answers about operations. */
const followingWorks = 'following';

/** One look at an accepted change: asks about its operation, or reads back, and settles it when that shows enough. */
export async function follow(desk: Following, change: Change): Promise<void> {
  const restored = restore(change, namesWith(desk, change));
  const now = await desk.database.now();
  const trail = trailOf(change, now);
  const seen = await see(desk, change, restored);
  const works = (await readSetting(desk.database.db, followingWorks)) !== undefined;
  const verdict = judge(change, trail, seen, works, now);
  if (!('wait' in verdict)) passing('seen', change.number);
  await desk.database.transaction(async (tx) => {
    const at = await desk.database.now(tx);
    if (!works && isKnown(seen.operation)) await writeSetting(tx, { key: followingWorks, value: 'on', at });
    if ('wait' in verdict) {
      const running = at - (change.sent_at ?? at);
      await tellOnTheWay(tx, change, seen.operation, running, at);
      const followed = JSON.stringify(verdict.trail);
      await touchChange(tx, change, { followed, due_at: at + verdict.wait, owner: null, lease_until: null });
    } else await settle(desk, tx, change, restored, { ...verdict, left: leftIn(seen) }, at);
  });
  if (!('wait' in verdict)) passing('settled', change.number);
}

async function see(desk: Following, change: Change, restored: Restored | undefined): Promise<Seen> {
  const asked =
    change.operation === null
      ? { operation: undefined }
      : await ask((call) => desk.read(call, following), change.operation);
  if (isKnown(asked.operation)) return { ...asked, proof: undefined };
  return { ...asked, proof: await prove(desk, change, restored) };
}

async function ask(read: Reader, operation: string): Promise<Pick<Seen, 'operation' | 'message' | 'restMs'>> {
  try {
    const { state, message } = await read(getOperation({ operation_id: operation }));
    return state === 'failed' && !(await isWell(read)) ? { operation: 'trouble' } : { operation: state, message };
  } catch (error) {
    if (error instanceof HostTrouble) return { operation: 'trouble', restMs: error.retryAfterMs };
    throw error;
  }
}

/** The host words a failed operation as it words its own trouble: whether it answers about something else now. */
async function isWell(read: Reader): Promise<boolean> {
  try {
    await read(validateKey({}));
    return true;
  } catch (error) {
    if (error instanceof HostTrouble) return error.kind === 'not found';
    throw error;
  }
}

const prove = async (desk: Sighted, change: Change, restored: Restored | undefined): Promise<Seen['proof']> =>
  restored?.action.proof &&
  compared(desk, change, restored, (of) => {
    const { action, resolved } = restored;
    const proof = action.proof?.(of);
    return proof && { ...proof, left: leftOf(action, resolved, of.now) };
  });
const leftIn = ({ proof }: Seen): string | undefined =>
  proof !== undefined && proof !== 'trouble' ? proof.left : undefined;

/** What reading shows of a change whose outcome is unknown: a proof, or traces where nothing can prove it. */
export async function readBack(
  desk: Sighted,
  change: Change,
  restored: Restored | undefined,
): Promise<{ readonly proof: Seen['proof']; readonly traces: Text | 'trouble' | undefined }> {
  const proof = await prove(desk, change, restored);
  return { proof, traces: proof === undefined ? await trace(desk, change, restored) : undefined };
}

/** What else can be seen of a change that no read can prove. */
async function trace(
  desk: Sighted,
  change: Change,
  restored: Restored | undefined,
): Promise<Text | 'trouble' | undefined> {
  const sentAt = change.sent_at ?? change.created_at;
  return (
    restored?.action.evidence && compared(desk, change, restored, (of) => restored.action.evidence?.({ ...of, sentAt }))
  );
}

type Compared = { readonly input: Restored['resolved']['input']; readonly before: unknown; readonly now: unknown };

/** What `tell` makes of a look now, beside the one before; undefined: nothing, `trouble`: the host could not be asked. */
async function compared<T>(
  desk: Sighted,
  change: Change,
  { action, resolved: { input } }: Restored,
  tell: (of: Compared) => T | undefined,
): Promise<T | 'trouble' | undefined> {
  if (action.look === undefined) return undefined;
  try {
    return tell({ input, before: beforeOf(change), now: await action.look({ input, ...sourcesOf(desk, following) }) });
  } catch (error) {
    if (error instanceof HostTrouble || error instanceof Refusal) return 'trouble';
    throw error;
  }
}

/** One line in the thread, edited at every look. */
async function tellOnTheWay(
  tx: Tx,
  change: Change,
  operation: Seen['operation'],
  forMs: number,
  at: number,
): Promise<void> {
  const says = onTheWay(operation, forMs);
  if (says === undefined) return;
  const body = JSON.stringify({ text: says, minor: true } satisfies Note);
  await owe(tx, { key: `${change.number}:running`, change: change.number, kind: 'reply', body, at });
}

function onTheWay(operation: Seen['operation'], forMs: number): Text | undefined {
  if (operation === 'running' && forMs > worthTellingMs) return say`▶️ Running for ${spoken(forMs)}.`;
  if (operation !== 'trouble' || forMs <= troubleWorthTellingMs) return undefined;
  return say`▶️ Sent ${spoken(forMs)} ago. The host cannot be asked about it right now; I keep asking.`;
}

type Settled = Exclude<Verdict, { wait: number }> & { readonly left: string | undefined };

async function settle(
  desk: Following,
  tx: Tx,
  change: Change,
  restored: Restored | undefined,
  verdict: Settled,
  at: number,
): Promise<void> {
  const { happening, says, proven } = verdict;
  const isMade = proven || happening.kind === 'leave';
  const { buttons, undo } = isMade && restored ? offersOf(desk, change, restored, verdict, at) : { buttons: [] };
  const after = happening.kind === 'leave' ? restored?.action.after : undefined;
  const until = undo && say`Undo until ${time(undo.until)}.`;
  const text = joined([markFor[happening.kind], says, after, until]);
  const told = { reply: { text, buttons }, outcome: says, ...(undo && { also: { undo: JSON.stringify(undo) } }) };
  const saying: Saying = {
    by: 'sitehand',
    at,
    details: { says },
    ...(happening.kind === 'lose' ? alarm(change, says) : told),
  };
  const moved = await desk.ledger.advance(tx, change, happening, saying);
  if (moved && isMade) await settleAccess(tx, desk.ledger, moved, at, { isProven: proven });
}

/** What can be pressed under the last word. */
function offersOf(
  { database }: Following,
  change: Change,
  { action, resolved }: Restored,
  { proven, left }: Settled,
  at: number,
): { readonly buttons: readonly Button[]; readonly undo?: Undo } {
  const of = { input: resolved.input, before: beforeOf(change), sentAt: change.sent_at ?? change.created_at };
  const next: Button[] = (action.next?.(of) ?? []).map(({ label, words }) => ({
    label,
    press: { kind: 'words', words },
  }));
  const words = proven ? action.undo?.(of) : undefined;
  if (words === undefined) return { buttons: next };
  const press = { kind: 'undo', installation: database.installation, number: change.number } as const;
  return { buttons: [{ label: 'Undo', press }, ...next], undo: { words, left: left ?? null, until: at + undoMs } };
}

const trailOf = (change: Change, now: number): Trail =>
  change.followed === null ? { since: now, looks: 0, known: false, unclear: 0 } : thawed(change.followed);
