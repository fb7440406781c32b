import { parseStored } from '../storage/parse-json.ts';
import type { AnyAction } from '../commands/kit/action.ts';
import { spokenDuration } from '../words/duration.ts';
import { catalogue, changesSomething } from '../commands/index.ts';
import { HostTrouble } from '../hosting/client.ts';
import { Refusal, type Args } from '../base/errors.ts';
import { following, type HostReader } from '../hosting/contract/call.ts';
import { getOperation, validateKey } from '../hosting/contract/sites.ts';
import { failpoint } from '../base/failpoints.ts';
import { findWaiting, touchChange, type Change } from '../storage/changes.ts';
import { unowned } from '../storage/lease.ts';
import { enqueueMessage, findMessage } from '../storage/messages.ts';
import { readKv, writeKv } from '../storage/kv.ts';
import type { Tx } from '../storage/database.ts';
import { joined, say, time, type Text } from '../words/text.ts';
import type { TransitionNote } from '../change/change-messages.ts';
import { snapshotOf, leftOf, type Undo } from '../change/pin.ts';
import { type Note } from '../change/card.ts';
import { runButton, type Button } from '../change/buttons.ts';
import { authorizationOf } from '../access/authorization.ts';
import { namesWith } from '../access/visibility.ts';
import { reparse, type Reparsed } from '../language/reparse.ts';
import { sourcesOf } from '../change/read-sources.ts';
import { settleAccess } from '../change/timed-access.ts';
import { isKnown, assessOperation, type Observation, type PollState, type PollResult } from './evidence.ts';
import { againButton, alarm, endsUnsent } from '../change/replies.ts';
import { sentAsWell } from '../change/glass-replies.ts';
import { markFor } from '../change/states-and-events.ts';
import { undoMs, noteUndone } from '../change/undo.ts';
import type { ChangeContext } from '../change/context.ts';
import { checkButtons } from './check-around.ts';
import type { SendContext } from './context.ts';

/** An operation that runs for longer gets a line in the thread. */
const showRunningAfterMs = 10_000;
/** The same if the host can't be asked: shorter trouble isn't worth a line. */
const showTroubleAfterMs = 20_000;
/** This key exists once the host has answered about an operation. */
const followingKey = 'following';

/** Polls an accepted change once: asks about its operation or reads back, and settles it if that is conclusive. */
export async function follow(context: SendContext, change: Change): Promise<void> {
  const reparsed = reparse(change, namesWith(context, change));
  const now = await context.database.now();
  const observed = await observe(context, change, reparsed);
  const works = (await readKv(context.database.db, followingKey)) !== undefined;
  const result = assessOperation(change, pollStateOf(change, now), observed, works, now);
  if (!('wait' in result)) failpoint('seen', change.number);
  await context.database.transaction(async (tx) => {
    const at = await context.database.now(tx);
    if (!works && isKnown(observed.operation)) await writeKv(tx, { key: followingKey, value: 'on', at });
    if ('wait' in result) {
      await tellProgress(tx, change, observed.operation, at);
      const poll_state = JSON.stringify(result.poll);
      await touchChange(tx, change, { poll_state, due_at: at + result.wait, ...unowned });
    } else {
      const left = observed.proof === 'trouble' ? undefined : observed.proof?.left;
      await settle(context, tx, change, reparsed, { ...result, left }, at);
    }
  });
  if (!('wait' in result)) failpoint('settled', change.number);
}

async function observe(context: SendContext, change: Change, reparsed: Reparsed | undefined): Promise<Observation> {
  const answer =
    change.operation === null
      ? { operation: undefined }
      : await ask((call) => context.read(call, following), change.operation);
  if (isKnown(answer.operation)) return { ...answer, proof: undefined };
  return { ...answer, proof: await prove(context, change, reparsed) };
}

async function ask(read: HostReader, operation: string): Promise<Omit<Observation, 'proof'>> {
  try {
    const { state, message } = await read(getOperation({ operation_id: operation }));
    return state === 'failed' && !(await isWell(read)) ? { operation: 'trouble' } : { operation: state, message };
  } catch (error) {
    if (error instanceof HostTrouble) return { operation: 'trouble', restMs: error.retryAfterMs };
    throw error;
  }
}

/** Whether the host answers another request now. If not, *failed* may just be the host's own trouble. */
async function isWell(read: HostReader): Promise<boolean> {
  try {
    await read(validateKey({}));
    return true;
  } catch (error) {
    if (error instanceof HostTrouble) return error.kind === 'not found';
    throw error;
  }
}

const prove = async (
  context: ChangeContext,
  change: Change,
  reparsed: Reparsed | undefined,
): Promise<Observation['proof']> =>
  reparsed?.action.proof &&
  compared(context, change, reparsed, (of) => {
    const { action, resolved } = reparsed;
    const proof = action.proof?.(of);
    return proof && { ...proof, left: leftOf(action, resolved, of.current) };
  });

/** What a read shows about an unknown outcome: a proof, or traces if nothing can prove it. */
export async function readBack(
  context: ChangeContext,
  change: Change,
  reparsed: Reparsed | undefined,
): Promise<{ readonly proof: Observation['proof']; readonly traces: Text | 'trouble' | undefined }> {
  const proof = await prove(context, change, reparsed);
  if (proof !== undefined || !reparsed?.action.traces) return { proof, traces: undefined };
  const sentAt = change.sent_at ?? change.created_at;
  const traces = (of: Compared): Text | undefined => reparsed.action.traces?.({ ...of, sentAt });
  return { proof, traces: await compared(context, change, reparsed, traces) };
}

type Compared = Parameters<NonNullable<AnyAction['proof']>>[0];

/** The result of `compare` for a new look and the pinned one. `trouble`: the host couldn't be asked. */
async function compared<T>(
  context: ChangeContext,
  change: Change,
  { action, resolved: { input } }: Reparsed,
  compare: (of: Compared) => T | undefined,
): Promise<T | 'trouble' | undefined> {
  if (action.look === undefined) return undefined;
  try {
    return compare({
      input,
      snapshot: snapshotOf(change),
      current: await action.look({ input, ...sourcesOf(context, following) }),
    });
  } catch (error) {
    if (error instanceof HostTrouble || error instanceof Refusal) return 'trouble';
    throw error;
  }
}

/**
 * One line in the thread, edited at every poll. A routine change gets the line only if the host can't be asked:
 * normally its card says that it is running, and its thread only says how it ended.
 */
async function tellProgress(tx: Tx, change: Change, operation: Observation['operation'], at: number): Promise<void> {
  const says = progress(operation, at - (change.sent_at ?? at));
  if (says === undefined) return;
  const key = `${change.number}:running`;
  if (change.risk === 'routine' && operation === 'running' && (await findMessage(tx, key)) === undefined) return;
  const body = JSON.stringify({ text: says } satisfies Note);
  await enqueueMessage(tx, { key, change: change.number, kind: 'reply', body, at, isNews: false });
}

function progress(operation: Observation['operation'], forMs: number): Text | undefined {
  if (operation === 'running' && forMs > showRunningAfterMs) return say`▶️ Running for ${spokenDuration(forMs)}.`;
  if (operation !== 'trouble' || forMs <= showTroubleAfterMs) return undefined;
  return say`▶️ Sent ${spokenDuration(forMs)} ago. I can't ask the host about it right now, so I'll keep trying.`;
}

type Settled = Exclude<PollResult, { wait: number }> & { readonly left: string | undefined };

async function settle(
  context: SendContext,
  tx: Tx,
  change: Change,
  reparsed: Reparsed | undefined,
  settled: Settled,
  at: number,
): Promise<void> {
  const { event, says } = settled;
  const isProven = event.kind === 'finish';
  const isDone = isProven || event.kind === 'unverified';
  const { buttons, undo } = offersOf(context, change, reparsed, settled, at);
  const after = event.kind === 'unverified' ? reparsed?.action.after : undefined;
  const until = undo && say`Undo until ${time(undo.until)}.`;
  const lasting = joined([markFor[event.kind], says, event.kind === 'fail' ? partlyDone(change) : after]);
  const final = {
    reply: { text: joined([lasting, until]), buttons, ...(undo && { lasting }) },
    lastNote: says,
    // Whoever was told directly of the approval, or of an unknown outcome, hears what did not go as expected. *Done* is
    // only edited in there.
    ...(!isProven &&
      (authorizationOf(change).approval !== 'none' || change.lost_at !== null) && { tell: [change.requester] }),
    ...(undo && { also: { undo: JSON.stringify(undo) } }),
  };
  const note: TransitionNote = {
    by: 'sitehand',
    at,
    details: { says },
    ...(event.kind === 'outcome_lost' ? alarm(change, says) : final),
  };
  const moved = await context.changeStore.advance(tx, change, event, note);
  if (moved === undefined || !isDone) return;
  await endTwins(context, tx, moved, at);
  await settleAccess(tx, context.changeStore, moved, at, { isProven });
  if (isProven) await noteUndone(tx, moved, at);
}

/** Ends what waited for approval of the same as this, which was done without: it would be done twice. */
export async function endTwins({ changeStore }: SendContext, tx: Tx, done: Change, at: number): Promise<void> {
  if (done.post_review === null) return;
  for (;;) {
    const twin = await findWaiting(tx, done);
    if (twin === undefined || twin.created_at > (done.sent_at ?? 0)) return;
    const note = { by: 'sitehand', at, ...endsUnsent(twin, 'supersede', sentAsWell(done)) };
    if ((await changeStore.advance(tx, twin, { kind: 'supersede' }, note)) === undefined) return;
  }
}

/** What *failed* leaves open: the host had accepted it. */
const partlyDone = ({ target_name: where }: Pick<Change, 'target_name'>): Text =>
  say`Part of it may have been done, so please check ${where} before you ask again.`;

/** The buttons under the final reply. */
function offersOf(
  { database }: SendContext,
  change: Change,
  reparsed: Reparsed | undefined,
  { event, left }: Settled,
  at: number,
): { readonly buttons: readonly Button[]; readonly undo?: Undo } {
  if (reparsed === undefined) return { buttons: event.kind === 'fail' ? [againButton(change)] : [] };
  const { action, resolved } = reparsed;
  const of = { input: resolved.input, snapshot: snapshotOf(change), sentAt: change.sent_at ?? change.created_at };
  const offers = action.next?.(of) ?? [];
  if (event.kind === 'fail') {
    const looks = offers.filter(({ args }) => onlyReads(args)).map(runButton);
    return { buttons: [...looks, ...checkButtons(change), againButton(change)] };
  }
  const next = offers.map(runButton);
  const args = event.kind === 'finish' ? action.undo?.(of) : undefined;
  if (args === undefined) return { buttons: next };
  const press = { kind: 'undo', installation: database.installation, number: change.number } as const;
  return { buttons: [{ label: 'Undo', press }, ...next], undo: { args, left: left ?? null, until: at + undoMs } };
}

const onlyReads = ([first = '', second = '']: Args): boolean => {
  const command = catalogue.get(`${first} ${second}`) ?? catalogue.get(first);
  return command !== undefined && !changesSomething(command);
};

const pollStateOf = (change: Change, now: number): PollState =>
  change.poll_state === null ? { since: now, looks: 0, known: false, unclear: 0 } : parseStored(change.poll_state);
