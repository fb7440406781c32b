import { HostTrouble } from '../hosting/client.ts';
import { Refusal } from '../errors.ts';
import type { Reader } from '../hosting/contract/call.ts';
import { getOperation, validateKey } from '../hosting/contract/operations.ts';
import { passing } from '../points.ts';
import { touchChange, type Change } from '../storage/changes.ts';
import type { Database } from '../storage/database.ts';
import { owe } from '../storage/messages.ts';
import { putAnswers } from '../storage/answers.ts';
import { readSetting, writeSetting } from '../storage/settings.ts';
import { setTimer } from '../storage/timers.ts';
import type { Tx } from '../storage/database.ts';
import { joined, say, time, type Text } from '../text.ts';
import type { Ledger, Saying } from './advance.ts';
import type { Person } from './authorise.ts';
import { beforeOf } from './freeze.ts';
import type { Button } from './render.ts';
import type { Names } from './resolve.ts';
import { namesWith } from './readable.ts';
import { restore, type Restored } from './restore.ts';
import { sourcesOf, type Sighted } from './sources.ts';
import { isKnown, judge, type Seen, type Trail, type Verdict } from './judge.ts';
import { alarm, markFor, spoken } from './tell.ts';
import { thawed } from '../storage/json.ts';

export type Following = Sighted & {
  readonly database: Database;
  readonly ledger: Ledger;
  /** All there is, by name. */
  readonly names: (person: Person | undefined) => Names;
};

const undoMs = 3_600_000;
/** A line about a running operation, once it takes longer than this. */
const worthTellingMs = 10_000;
/** The same about one that cannot be asked about. */
const troubleWorthTellingMs = 60_000;
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
    } else await settle(desk, tx, change, restored, verdict, at);
  });
  if (!('wait' in verdict)) passing('settled', change.number);
}

async function see(desk: Following, change: Change, restored: Restored | undefined): Promise<Seen> {
  const asked = change.operation === null ? { operation: undefined } : await ask(desk.read, change.operation);
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
  restored?.action.proof && compared(desk, change, restored, (of) => restored.action.proof?.(of));

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
    return tell({ input, before: beforeOf(change), now: await action.look({ input, ...sourcesOf(desk) }) });
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
  const body = JSON.stringify({ text: says });
  await owe(tx, { key: `${change.number}:running`, change: change.number, kind: 'reply', body, at });
}

function onTheWay(operation: Seen['operation'], forMs: number): Text | undefined {
  if (operation === 'running' && forMs > worthTellingMs) return say`▶️ Running for ${spoken(forMs)}.`;
  if (operation !== 'trouble' || forMs <= troubleWorthTellingMs) return undefined;
  return say`▶️ Sent ${spoken(forMs)} ago. The host cannot be asked about it right now; I keep asking.`;
}

async function settle(
  desk: Following,
  tx: Tx,
  change: Change,
  restored: Restored | undefined,
  verdict: Exclude<Verdict, { wait: number }>,
  at: number,
): Promise<void> {
  const { happening, says, proven } = verdict;
  const isMade = proven || happening.kind === 'leave';
  const offers =
    isMade && restored ? await offersOf(tx, change, restored, at, proven) : { buttons: [], until: undefined };
  const after = happening.kind === 'leave' ? restored?.action.after : undefined;
  const text = joined([markFor[happening.kind], says, after, offers.until]);
  const told = { reply: { text, buttons: offers.buttons }, outcome: says };
  const saying: Saying = {
    by: 'sitehand',
    at,
    details: { says },
    ...(happening.kind === 'lose' ? alarm(change, says) : told),
  };
  const moved = await desk.ledger.advance(tx, change, happening, saying);
  if (moved && (happening.kind === 'finish' || happening.kind === 'leave')) await startTimer(tx, change, restored, at);
}

/** What the action wants to be done later: its time begins when it is done. */
export async function startTimer(tx: Tx, change: Change, restored: Restored | undefined, at: number): Promise<void> {
  const later = restored?.action.later?.({ input: restored.resolved.input, before: beforeOf(change) });
  if (later) await setTimer(tx, { change: change.number, words: JSON.stringify(later.run), due_at: at + later.after });
}

async function offersOf(
  tx: Tx,
  change: Change,
  { action, resolved }: Restored,
  at: number,
  proven: boolean,
): Promise<{ buttons: readonly Button[]; until: Text | undefined }> {
  const of = { input: resolved.input, before: beforeOf(change) };
  const next: Button[] = (action.next?.(of) ?? []).map(({ label, words }) => ({
    label,
    press: { kind: 'words', words },
  }));
  const undo = proven ? action.undo?.(of) : undefined;
  if (undo === undefined) return { buttons: next, until: undefined };
  const id = `undo-${change.number}`;
  const [content, expires_at] = [JSON.stringify(undo), at + undoMs];
  await putAnswers(tx, [{ id, person: change.asker, kind: 'words', content, created_at: at, expires_at }]);
  return {
    buttons: [{ label: 'Undo', press: { kind: 'stored', id } }, ...next],
    until: say`Undo until ${time(at + undoMs)}.`,
  };
}

const trailOf = (change: Change, now: number): Trail =>
  change.followed === null ? { since: now, looks: 0, known: false, unclear: 0 } : thawed(change.followed);
