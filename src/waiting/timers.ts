import { parseStored } from '../storage/parse-json.ts';
import { addressesOn, addressesInShort } from '../commands/allowlist/listing.ts';
import { catalogue } from '../commands/index.ts';
import { Refusal } from '../base/errors.ts';
import { HostTrouble } from '../hosting/client.ts';
import { getAllowedIps } from '../hosting/contract/environment.ts';
import type { Environment } from '../hosting/contract/target.ts';
import type { Presence } from '../hosting/presence.ts';
import { findChange, type Change } from '../storage/changes.ts';
import { heldLock } from '../storage/locks.ts';
import { enqueueMessage } from '../storage/messages.ts';
import { changeTimer, claimTimers, noteTimer, type Timer } from '../storage/timers.ts';
import { bold, joined, mention, say, time, withoutQuotes, type Text } from '../words/text.ts';
import type { Authorized, Person } from '../access/access-check.ts';
import { authorizationByTimer } from '../access/authorization.ts';
import { parseArgs } from '../language/parse.ts';
import { listingMs } from '../change/recheck.ts';
import { type Note } from '../change/card.ts';
import { runButton, type Button } from '../change/buttons.ts';
import { stateText } from '../change/states-and-events.ts';
import { resolve } from '../language/resolve.ts';
import { lookAndPin } from '../decide/look-and-pin.ts';
import { save } from '../decide/submit.ts';
import { withHolder, Locked, lockedBy } from '../change/lock-in-the-way.ts';
import { addressesOf, closeAttempts, showAccess, tellAttempts } from '../change/timed-access.ts';
import { brokenHere, troubleText } from '../hosting/host-trouble.ts';
import type { SendContext } from '../send/context.ts';
import { exclusiveTransaction } from '../storage/transactions.ts';
import { dayMs, hourMs } from '../words/duration.ts';
import type { DueKind } from './due-turns.ts';

/** Delay before checking on a change that removes access. */
const checkAfterMs = 60_000;
const retryDelaysMs = [60_000, 300_000, 900_000, hourMs, 6 * hourMs];
/** Delay after a try that couldn't even start. */
const notTriedRetryMs = 300_000;
/** After this many consecutive reads without the addresses, they count as gone. */
const minMissing = 3;
const recheckMs = 30_000;
/** After this many attempts it gives up and reminds the ops channel daily. */
const maxAttempts = retryDelaysMs.length + 1;
const remindMs = dayMs;

/** Ends access that is over. */
export const accessEnds = (context: SendContext): DueKind => ({
  what: 'timer',
  atOnce: 4,
  // Longer than a turn takes: its reads have their own time limit.
  leaseMs: 60_000,
  claim: async (tx, wanted, shares) =>
    (await claimTimers(tx, wanted, shares)).map((timer) => ({
      id: timer.id,
      requester: timer.requester,
      handle: async (stopping) => fireTimer(context, timer, stopping),
    })),
});

/**
 * One step of a due timer. It removes the addresses with a change of its own, by the rights of the grant, even if the
 * requester is gone. A refusal by the host counts as an attempt, and attempts are limited. If no try could start,
 * because the host is away or the environment is locked, it tries again until it can. The timer ends only with
 * evidence: that change is done, or reads show that the addresses are off the list.
 */
async function fireTimer(context: SendContext, timer: Timer, stopping: AbortSignal): Promise<void> {
  try {
    await fire(context, timer);
  } catch (error) {
    if (error instanceof TimerMoved) return;
    // A stop ends reads: nothing follows from that.
    if (stopping.aborted) return putOff(context, timer, 0);
    if (error instanceof Refusal && error.isLater) return putOffAndTell(context, timer, error.says);
    // Another change locked the target first and will end soon.
    if (error instanceof Locked) return putOff(context, timer);
    const isRefusal = error instanceof Refusal;
    await failed(context, timer, isRefusal ? error.says : brokenHere);
    if (!isRefusal) throw error;
  }
}

/** The timer was ended or changed in the meantime. */
class TimerMoved extends Error {}

async function fire(context: SendContext, timer: Timer): Promise<void> {
  const { db } = context.database;
  const removal = timer.created_change === null ? undefined : await findChange(db, timer.created_change);
  const isRunning = removal !== undefined && removal.settled_at === null;
  if (isRunning && removal.state !== 'unknown') return putOff(context, timer);
  const target = targetOf(context, timer);
  const open = await openNow(context, timer, target);
  if (open === 'gone') return endTimer(context, timer, 'gone');
  if (open.length === 0) {
    const times_missing = timer.times_missing + 1;
    // One answer of the host may be outdated.
    return times_missing < minMissing
      ? putOff(context, timer, recheckMs, times_missing)
      : endTimer(context, timer, 'not_there');
  }
  if (removal) {
    const why = say`#${removal.number} didn't do it: ${stateText(removal)}`;
    // Nothing was sent, so the host refused nothing: this isn't an attempt.
    if (removal.sent_at === null) return putOffAndTell(context, timer, why, { created_change: null });
    return failed(context, timer, why, isRunning);
  }
  if (timer.gave_up_at !== null) return remindOps(context, timer);
  return createRemoval(context, timer, target);
}

/** The environment as listed now or, if it isn't listed, as it was at the grant. */
function targetOf(context: SendContext, timer: Timer): Environment {
  const stored = parseStored<Environment>(timer.target);
  return context.names(undefined).environments.find(({ id }) => id === stored.id) ?? stored;
}

/** No try could start: the host didn't answer, or the environment is locked. */
const notTried = (says: Text): Refusal => new Refusal(says, { isLater: true });

const nothingTaken = 'Nothing was taken off the list.';
const notThere = (presence: Presence, { name }: Environment): string =>
  presence === 'missing'
    ? `It does not list ${name} either, but that only counts as gone if it lasts.`
    : 'It does not list its sites right now either, so I cannot tell what that means.';

/** The addresses that still have access. `gone` only after enough site listings that lack the environment. */
async function openNow(context: SendContext, timer: Timer, target: Environment): Promise<readonly string[] | 'gone'> {
  try {
    return addressesOn(await context.read(getAllowedIps({ env_id: target.id })), addressesOf(timer));
  } catch (error) {
    if (!(error instanceof HostTrouble)) throw error;
    if (error.kind === 'not found') {
      const presence = context.presenceOf(target, await context.freshenNames(listingMs));
      if (presence === 'gone') return 'gone';
      if (presence !== 'listed')
        throw notTried(say`${troubleText(error)} ${notThere(presence, target)} ${nothingTaken}`);
    }
    const isAway = !['not found', 'unauthorized', 'bad request'].includes(error.kind);
    throw new Refusal(say`${troubleText(error)} ${nothingTaken}`, { isLater: isAway });
  }
}

/** Creates the change that removes the addresses. It uses the environment's id, so it needs no listing. */
async function createRemoval(context: SendContext, timer: Timer, target: Environment): Promise<void> {
  const args = removalArgs(timer, target);
  const parsed = parseArgs(args, catalogue);
  const resolved = resolve(parsed, { environments: [target], domains: [] });
  if (resolved.problems[0]) throw resolved.problems[0].refusal;
  if (parsed.command.shape !== 'action') throw new Error(`${args.join(' ')} is no action`);
  const grant = await findChange(context.database.db, timer.change);
  const authorization = authorizationByTimer(timer.change, grant, context.policy());
  const authorized: Authorized = { ...resolved, target, alsoReads: [], authorization };
  const lock = await heldLock(context.database.db, timer.target_key, await context.database.now());
  if (lock) {
    const about = { targets: JSON.stringify([target]) };
    const { holder } = await withHolder(context.database.db, lock, about);
    if (holder && holder.state !== 'unknown') return putOff(context, timer);
    throw notTried(lockedBy(lock, about));
  }
  const pinned = await lookAndPin(context, authorized, parsed.command);
  const requester = { person: requesterOf(timer), channel: { id: timer.channel, shared: false } };
  await save(context, pinned, requester, 'timer', undefined, async (tx, { number }) => {
    const dueAt = (await context.database.now(tx)) + checkAfterMs;
    if ((await noteTimer(tx, timer, dueAt, { created_change: number })) === undefined) throw new TimerMoved();
  });
}

/** The arguments of the command that removes the access now. */
export const removalArgs = (timer: Timer, { id }: Pick<Environment, 'id'>): readonly string[] => [
  'allowlist',
  'remove',
  id,
  ...addressesOf(timer),
  ...(timer.may_empty === 1 ? ['--empty'] : []),
];

const requesterOf = (timer: Timer): Person => ({
  id: timer.requester,
  name: timer.requester_name,
  team: timer.requester_team,
  standing: 'member',
  groups: [],
  zone: 'UTC',
});

/** No try could start: says so in the message about the attempts, and tries again soon, without limit. */
async function putOffAndTell(
  context: SendContext,
  timer: Timer,
  why: Text,
  also: { readonly created_change?: null } = {},
): Promise<void> {
  if (timer.gave_up_at !== null) return remindOps(context, timer, why);
  await exclusiveTransaction(context.database, async (tx, at) => {
    const noted = await noteTimer(tx, timer, at + notTriedRetryMs, {
      last_note: JSON.stringify(why),
      times_missing: 0,
      ...also,
    });
    const grant = noted && (await findChange(tx, timer.change));
    if (noted === undefined || grant === undefined) return;
    const lastReason = timer.last_note === null ? undefined : parseStored<Text>(timer.last_note);
    const isNews = lastReason === undefined || inEssence(lastReason) !== inEssence(why);
    await tellAttempts(tx, noted, grant, stillOpen(noted, grant, why, at + notTriedRetryMs), at, isNews);
  });
}

/** The reason without numbers and quotes: the same trouble for longer isn't news. */
const inEssence = (why: Text): string => withoutQuotes(why).replace(/\d+/g, '');

const putOff = ({ database }: SendContext, timer: Timer, forMs = checkAfterMs, times_missing = timer.times_missing) =>
  database.transaction(async (tx) => {
    await noteTimer(tx, timer, (await database.now(tx)) + forMs, { times_missing });
  });

/** A failed attempt: counts and reports it, then schedules the next attempt, or gives up after the last one. */
async function failed(context: SendContext, timer: Timer, why: Text, keepsChange = false): Promise<void> {
  if (timer.gave_up_at !== null) return remindOps(context, timer, why);
  const attempts = timer.attempts + 1;
  const isLast = attempts >= maxAttempts;
  await exclusiveTransaction(context.database, async (tx, at) => {
    const dueAt = at + (retryDelaysMs[attempts - 1] ?? remindMs);
    const noted = await noteTimer(tx, timer, dueAt, {
      attempts,
      last_note: JSON.stringify(why),
      times_missing: 0,
      ...(!keepsChange && { created_change: null }),
      ...(isLast && { gave_up_at: at }),
    });
    const grant = noted && (await findChange(tx, timer.change));
    if (noted === undefined || grant === undefined) return;
    const details = { timer: timer.id, attempts, why };
    if (!isLast) {
      await context.changeStore.remark(tx, grant, 'timer_tried', { by: 'sitehand', at, details });
      return tellAttempts(tx, noted, grant, stillOpen(noted, grant, why, dueAt), at);
    }
    const reply = { text: gaveUp(noted, grant, why), buttons: [removeNow(timer)] };
    const note = { by: 'sitehand', at, details, reply, ops: true, tell: [timer.requester] };
    await context.changeStore.remark(tx, grant, 'timer_gave_up', note);
    await closeAttempts(tx, noted, grant, `is still open after ${attempts} tries, and I gave up`, at, '⚠️');
  });
}

/** The message that access is still open, why, and when the next attempt is. */
function stillOpen(timer: Timer, { target_name: where }: Change, why: Text, next: number): Note {
  const count = ['No removal was tried yet', 'Tried once'][timer.attempts] ?? `Tried ${timer.attempts} times`;
  const what = say`The access of ${addressesInShort(addressesOf(timer))} to ${where} should have ended ${time(timer.ends_at, 'date')} and is still open.`;
  const tries = say`${count}; the next try is ${time(next, 'date')}.`;
  return { text: joined(['⚠️', mention(timer.requester), say`**${what}**`, why, tries]), buttons: [removeNow(timer)] };
}

const removeNow = ({ change }: Timer): Button =>
  runButton({ label: 'Remove now', args: ['timers', 'cancel', String(change)] });

const gaveUp = (timer: Timer, { target_name: where }: Change, why: Text): Text =>
  joined([
    say`⚠️ ${mention(timer.requester)} **I gave up: ${addressesInShort(addressesOf(timer))} can still connect to ${where}.**`,
    say`The access should have ended ${time(timer.ends_at, 'date')}; I tried ${timer.attempts} times. The last time: ${why}`,
    say`Please take it off the list in the host's panel, or press ${bold('Remove now')}. I'll remind the ops channel once a day until it's off.`,
  ]);

/** The daily reminder in the ops channel. Without `why` it repeats the last reason. */
async function remindOps(context: SendContext, timer: Timer, why?: Text): Promise<void> {
  const lastNote = why === undefined ? timer.last_note : JSON.stringify(why);
  const lastReason = why ?? (lastNote === null ? undefined : say`When I last looked: ${parseStored<Text>(lastNote)}`);
  await exclusiveTransaction(context.database, async (tx, at) => {
    const attempts = timer.attempts + 1;
    const noted = await noteTimer(tx, timer, at + remindMs, { attempts, last_note: lastNote });
    const grant = noted && (await findChange(tx, timer.change));
    if (grant === undefined) return;
    const days = Math.max(1, Math.round((at - timer.ends_at) / remindMs));
    const text = joined([
      say`⚠️ **#${grant.number} Still open after ${days === 1 ? 'a day' : `${days} days`}: ${addressesInShort(addressesOf(timer))} can connect to ${grant.target_name}.**`,
      say`The access should have ended ${time(timer.ends_at, 'date')}.`,
      lastReason,
    ]);
    const body = JSON.stringify({ text, buttons: [removeNow(timer)] } satisfies Note);
    await enqueueMessage(tx, { key: `timer:${timer.id}:reminder:${attempts}`, kind: 'ops', body, at });
  });
}

/** Ends a timer: the environment is gone, or the addresses are off the list. */
async function endTimer(context: SendContext, timer: Timer, reason: 'gone' | 'not_there'): Promise<void> {
  await exclusiveTransaction(context.database, async (tx, at) => {
    if ((await noteTimer(tx, timer, at)) === undefined) return;
    await changeTimer(tx, timer.id, { end_reason: reason, at });
    const grant = await findChange(tx, timer.change);
    if (grant === undefined) return;
    const what = addressesInShort(addressesOf(timer));
    const where = grant.target_name;
    const text =
      reason === 'gone'
        ? say`**${where} is gone:** the host no longer lists it, so the access of ${what} is over.`
        : say`The access of ${what} to ${where} is over: it's no longer on the SSH allowlist, so nothing had to be done.`;
    const details = { timer: timer.id, why: reason, addresses: addressesOf(timer) };
    const ops = reason === 'gone' || timer.gave_up_at !== null;
    await context.changeStore.remark(tx, grant, 'timer_ended', { by: 'sitehand', at, reply: { text }, details, ops });
    await showAccess(tx, grant, text, at);
    await closeAttempts(tx, timer, grant, 'has ended', at);
  });
}
