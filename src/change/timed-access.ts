import { parseStored } from '../storage/parse-json.ts';
import type { Access } from '../commands/kit/action.ts';
import { addressesInShort } from '../commands/allowlist/listing.ts';
import { findChange, touchChange, type Change } from '../storage/changes.ts';
import { touchedSince } from '../storage/undone.ts';
import type { Tx } from '../storage/database.ts';
import { enqueueMessage } from '../storage/messages.ts';
import { redraw } from '../storage/redraw.ts';
import { changeTimer, openTimers, setTimer, type Timer } from '../storage/timers.ts';
import { joined, mention, say, time, typed, type Text } from '../words/text.ts';
import type { ChangeStore } from './change-store.ts';
import type { TransitionNote } from './change-messages.ts';
import { storedTargets } from '../access/targets.ts';
import { pinnedCardOf } from './pin.ts';
import type { Note } from './card.ts';
import { stateText } from './states-and-events.ts';

/** What a finished allowlist change does to timed access. */

/** An open timer: its addresses, and when their access ends (epoch ms). */
export type OpenTimer = { readonly id: number; readonly addresses: readonly string[]; readonly endsAt: number };

/** What one open timer loses. A timer without addresses is over. */
type TimerLoss = {
  readonly id: number;
  readonly why: 'kept' | 'moved' | 'removed';
  readonly lost: readonly string[];
  readonly left: readonly string[];
};

export type AccessEffects = {
  readonly losses: readonly TimerLoss[];
  /** The new timer, if any. */
  readonly starts: { readonly addresses: readonly string[]; readonly endsAt: number } | undefined;
};

/**
 * What a finished change does to the open timers; pure. If an address has two ends, the later one applies. Addresses
 * that the change takes off the list leave their timers only if that is proven (`isProven`).
 */
export function effectsOf(access: Access, open: readonly OpenTimer[], at: number, isProven: boolean): AccessEffects {
  const endsAt = access.forMs === undefined ? undefined : at + access.forMs;
  const takes = isProven ? access.takes : [];
  const letIn = new Set(access.lets);
  const staysLater = new Set<string>();
  const losses = open.flatMap((timer): TimerLoss[] => {
    const isLater = endsAt !== undefined && timer.endsAt > endsAt;
    if (isLater) timer.addresses.forEach((address) => staysLater.add(address));
    const granted = isLater ? [] : timer.addresses.filter((address) => letIn.has(address));
    const taken = timer.addresses.filter(
      (address) => !letIn.has(address) && (takes === 'all others' || takes.includes(address)),
    );
    const others = timer.addresses.filter((address) => !granted.includes(address));
    const loss: TimerLoss = { id: timer.id, why: endsAt === undefined ? 'kept' : 'moved', lost: granted, left: others };
    const left = others.filter((address) => !taken.includes(address));
    return [loss, { id: timer.id, why: 'removed' as const, lost: taken, left }].filter(({ lost }) => lost.length > 0);
  });
  const addresses = access.lets.filter((address) => !staysLater.has(address));
  return { losses, starts: endsAt === undefined || addresses.length === 0 ? undefined : { addresses, endsAt } };
}

/** Applies the effects in the transaction that settles the change, and tells each timer's thread. */
export async function settleAccess(
  tx: Tx,
  changeStore: ChangeStore,
  change: Change,
  at: number,
  { isProven }: { readonly isProven: boolean },
): Promise<void> {
  const { access } = pinnedCardOf(change);
  if (access === undefined) return;
  const timers = await sentBefore(tx, await openTimers(tx, change.target), change);
  const { losses, starts } = effectsOf(access, timers.map(openOf), at, isProven);
  for (const loss of losses) {
    const timer = timers.find(({ id }) => id === loss.id);
    if (timer) await applyLoss(tx, changeStore, change, timer, loss, at);
  }
  const remark = async (event: string, text: Text, more: Partial<TransitionNote> = {}): Promise<void> => {
    await changeStore.remark(tx, change, event, { by: 'sitehand', at, reply: { text }, ...more });
    // A warning comes first: it is what the card's mark is about.
    await showAccess(tx, change, joined(more.ops ? [text, stateText(change)] : [stateText(change), text]), at);
  };
  if (starts === undefined) {
    if (access.forMs === undefined) return;
    const text = say`The access of ${addressesInShort(access.lets)} already ends later than that, so nothing changed.`;
    return remark('timer_left', text);
  }
  const touched = change.sent_at === null ? 'no' : await touchedSince(tx, { ...change, settled_at: change.sent_at });
  if (touched !== 'no') {
    const was = touched === 'yes' ? 'was' : 'may have been';
    const text = say`⚠️ **No end was set for the access of ${addressesInShort(starts.addresses)}.** The allowlist of ${change.target_name} ${was} changed since this was sent, and others may rely on it. Please take it off by hand when its time is over.`;
    return remark('timer_not_set', text, { ops: true, tell: [change.requester] });
  }
  const { id } = await setTimer(tx, timerFor(change, access, starts));
  const cancel = typed(`timers cancel ${change.number}`);
  // A program reads this too, and cannot type that.
  const sooner = change.caller === null ? say`${cancel} ends it now.` : say`People can end it now: ${cancel}.`;
  const text = say`The access of ${addressesInShort(starts.addresses)} ends ${time(starts.endsAt, 'date')}. ${sooner}`;
  const details = { timer: id, addresses: starts.addresses, ends_at: starts.endsAt };
  await remark('timer_set', text, { details });
}

/** Says on the card of the grant how its access is now; `what` is drawn again. */
export async function showAccess(
  tx: Tx,
  grant: Change,
  says: Text,
  at: number,
  what: 'all' | 'card' = 'all',
): Promise<void> {
  await touchChange(tx, grant, { last_note: JSON.stringify(says) });
  await redraw(tx, grant.number, at, what);
}

const timerFor = (
  change: Change,
  { mayEmpty }: Access,
  { addresses, endsAt }: NonNullable<AccessEffects['starts']>,
): Parameters<typeof setTimer>[1] => ({
  change: change.number,
  target_key: change.target,
  target: JSON.stringify(storedTargets(change)[0]),
  addresses: JSON.stringify(addresses),
  may_empty: mayEmpty ? 1 : 0,
  requester: change.requester,
  requester_name: change.requester_name,
  requester_team: change.requester_team,
  channel: change.channel,
  ends_at: endsAt,
});

/** The timers whose grant was sent before this change; it can't have affected later ones. */
async function sentBefore(tx: Tx, timers: readonly Timer[], { sent_at: sentAt }: Change): Promise<readonly Timer[]> {
  if (sentAt === null) return timers;
  const known: Timer[] = [];
  // One by one: a PostgreSQL connection runs one query at a time.
  for (const timer of timers) if (((await findChange(tx, timer.change))?.sent_at ?? 0) <= sentAt) known.push(timer);
  return known;
}

async function applyLoss(
  tx: Tx,
  changeStore: ChangeStore,
  by: Change,
  timer: Timer,
  loss: TimerLoss,
  at: number,
): Promise<void> {
  const { why, lost, left } = loss;
  await changeTimer(tx, timer.id, left.length > 0 ? { addresses: JSON.stringify(left) } : { end_reason: why, at });
  const grant = await findChange(tx, timer.change);
  if (grant === undefined) return;
  const details = { timer: timer.id, why, addresses: lost, left, by: by.number };
  const reply = { text: lossInWords(loss, grant.target_name, by, at) };
  const note = { by: by.requester, at, reply, details, ops: timer.gave_up_at !== null };
  await changeStore.remark(tx, grant, why === 'moved' ? 'timer_moved' : 'timer_ended', note);
  await showAccess(tx, grant, reply.text, at);
  if (left.length === 0) await closeAttempts(tx, timer, grant, howItEnded[why], at);
}

const howItEnded: Record<TimerLoss['why'], string> = {
  kept: 'stays for good now',
  moved: 'ends later now',
  removed: 'has ended',
};

/** Says how a timer's attempts go: in one message in the thread, in one in the ops channel, and on the card. */
export async function tellAttempts(
  tx: Tx,
  timer: Timer,
  grant: Change,
  note: Note,
  at: number,
  isNews = true,
): Promise<void> {
  const key = `timer:${timer.id}:tried`;
  const body = (text: Text): string => JSON.stringify({ ...note, text } satisfies Note);
  await enqueueMessage(tx, { key, change: grant.number, kind: 'reply', body: body(note.text), at, isNews });
  const forOps = body(say`#${grant.number} · ${note.text}`);
  await enqueueMessage(tx, { key: `${key}:ops`, kind: 'ops', body: forOps, at, isNews });
  // The copies say how it ended.
  await showAccess(tx, grant, note.text, at, 'card');
}

/** Replaces the message about the attempts with the result, without buttons. */
export async function closeAttempts(
  tx: Tx,
  timer: Timer,
  grant: Change,
  how: string,
  at: number,
  mark?: '⚠️',
): Promise<void> {
  if (timer.attempts === 0 && timer.last_note === null) return;
  const what = say`The access of ${addressesInShort(addressesOf(timer))} to ${grant.target_name}`;
  const text = say`${what} should have ended ${time(timer.ends_at, 'date')}: it ${how}.`;
  await tellAttempts(tx, timer, grant, { text: joined([mark, text]) }, at);
}

function lossInWords({ why, lost, left }: TimerLoss, where: string, by: Change, at: number): Text {
  const who = say`#${by.number}, asked by ${mention(by.requester)}`;
  const what = addressesInShort(lost);
  const remaining = left.length > 0 ? say`The access of ${addressesInShort(left)} ends as before.` : undefined;
  const { forMs = 0 } = pinnedCardOf(by).access ?? {};
  switch (why) {
    case 'kept':
      return joined([say`${what} stays on the SSH allowlist of ${where} for good: ${who}.`, remaining]);
    case 'moved':
      return joined([say`${who}, moved the end of the access of ${what} to ${time(at + forMs, 'date')}.`, remaining]);
    case 'removed':
      return joined([say`The access of ${what} to ${where} is over: #${by.number} took it off the list.`, remaining]);
  }
}

const openOf = (timer: Timer): OpenTimer => ({ id: timer.id, addresses: addressesOf(timer), endsAt: timer.ends_at });

/** The addresses whose access a timer ends. */
export const addressesOf = (timer: Pick<Timer, 'addresses'>): readonly string[] => parseStored(timer.addresses);
