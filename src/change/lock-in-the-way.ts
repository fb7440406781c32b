import { findChange, type Change, type NewChange } from '../storage/changes.ts';
import { exclusiveLock, locksOn, type Lock } from '../storage/locks.ts';
import type { ReadHandle } from '../storage/schema.ts';
import { lockedName, lockKey, storedTargets } from '../access/targets.ts';
import { spokenDuration } from '../words/duration.ts';
import { Refusal } from '../base/errors.ts';
import { code, mention, say, time, type Text } from '../words/text.ts';
import { canonicalArgs } from '../language/resolve.ts';
import type { Pinned } from './pin.ts';
import { placeMs } from './queue.ts';

/** A lock in force that keeps this change from being approved or sent, or undefined. Its own locks don't count. */
export async function lockInTheWay(
  db: ReadHandle,
  change: Pick<NewChange, 'risk' | 'targets' | 'progress'> & Partial<Pick<Change, 'number'>>,
  now: number,
): Promise<Lock | undefined> {
  const { exclusive, shared } = lockNeedsOf(change);
  const isOthers = (lock: Lock): boolean => lock.change === null || lock.change !== change.number;
  const inTheWay = (await locksOn(db, exclusive, now)).find(isOthers);
  if (inTheWay) return inTheWay;
  for (const target of shared) {
    const held = await exclusiveLock(db, target, now);
    if (held && isOthers(held)) return held;
  }
  return undefined;
}

/** A lock in the way: the change that holds it (undefined: a person does), and the name of its target. */
export type Held = { readonly lock: Lock; readonly holder: Change | undefined; readonly target: string };

/** Adds the holder to a lock that is in the way of this change. */
export async function withHolder(db: ReadHandle, lock: Lock, wants: Pick<NewChange, 'targets'>): Promise<Held> {
  const holder = lock.change === null ? undefined : await findChange(db, lock.change);
  return { lock, holder, target: lockedName(wants, lock) };
}

/** The lock in the way of a new change, with its holder; or undefined. */
export async function lockAndHolder(db: ReadHandle, wants: Pick<NewChange, 'risk' | 'targets'>, now: number) {
  const lock = await lockInTheWay(db, wants, now);
  return lock && withHolder(db, lock, wants);
}

/** The targets that a change locks exclusively, and those on which it only takes a shared lock. */
type LockNeeds = { readonly exclusive: readonly string[]; readonly shared: readonly string[] };

/**
 * A routine change only shares its target. Any other change locks its target exclusively and shares what it only
 * reads. A batch needs no locks: its changes take them.
 */
export function lockNeedsOf(change: Pick<NewChange, 'risk' | 'targets' | 'progress'>): LockNeeds {
  if (change.progress) return { exclusive: [], shared: [] };
  const [target, ...sources] = storedTargets(change).map(lockKey);
  const own = target === undefined ? [] : [target];
  return change.risk === 'routine' ? { exclusive: [], shared: own } : { exclusive: own, shared: sources };
}

/** A person or another change holds a lock that a new change needs. */
export class Locked extends Refusal {}

/** The refusal of a new change that a lock stops, with a way to queue behind it; `now` in epoch ms. */
export const lockedOut = (held: Held, pinned: Pinned, now: number): Locked =>
  new Locked(lockRefusal(held, now), queueOffer(held, pinned));

/** Says that a lock stopped the change; `now` in epoch ms. */
export const lockRefusal = (held: Held, now: number): Text => say`${lockInWords(held, now)} Nothing was sent.`;

/** The same at the top of a form, before anybody asked for anything. */
export const lockWarning = (held: Held, now: number): Text =>
  say`⚠️ ${lockInWords(held, now)} While that lasts, I won't send this.`;

/** Who has locked the target. */
export function lockInWords({ lock, target, holder }: Held, now: number): Text {
  const lasts = (since: number): string => spokenDuration(now - since);
  const until = lock.until === null ? '' : say` until ${time(lock.until, 'date')}`;
  if (holder === undefined) {
    const who = lock.person === null ? 'somebody' : mention(lock.person);
    const why = lock.reason === '' ? '' : say` (“${lock.reason}”)`;
    return say`**${target} is locked by ${who}**${until}${why}, and has been for ${lasts(lock.taken_at)}.`;
  }
  const whose = holder.caller === null ? mention(holder.requester) : code(holder.caller);
  const what = say`${whose}'s ${holder.command} (#${holder.number})`;
  const since = lasts(holder.sent_at ?? lock.taken_at);
  if (holder.state === 'unknown')
    return say`**${target} is busy:** the outcome of ${what} has been unknown for ${lasts(holder.lost_at ?? lock.taken_at)}.`;
  if (holder.settled_at !== null)
    return say`**${target} is busy:** ${what} was sent ${since} ago and may still be running. Its lock ends ${time(lock.until ?? now, 'date')}.`;
  if (holder.state === 'approved')
    return say`**${target} is busy:** ${what} is waiting to be sent. It has held the lock for ${since}.`;
  return say`**${target} is busy:** ${what} has been running for ${since}.`;
}

/** A button that joins the queue. Not behind a change with an unknown outcome. */
function queueOffer({ lock, holder }: Held, pinned: Pinned) {
  // What can't wait in a queue.
  if (pinned.parsed.breakGlass) return {};
  if (holder?.state === 'unknown') return { hint: 'Ask again when somebody has closed it.' };
  // Only people wait in queues.
  if (pinned.authorization.calling) return { hint: 'Ask again when it is free.' };
  const then = pinned.action.risk === 'routine' ? 'send it' : 'tell you';
  const hint = say`With ${code('--queue')} I keep a place for you, for ${spokenDuration(placeMs)} at most, and ${then} when it's your turn.`;
  const label = lock.change === null ? 'Queue behind this lock' : `Queue behind #${lock.change}`;
  const args = canonicalArgs(pinned, { reason: pinned.parsed.reason, queue: true });
  return { hint, offers: [{ label, args }] };
}

/** For a change's card and thread: who locked a target, and until when. */
export const lockedBy = (lock: Lock, change: Pick<Change, 'targets'>): Text =>
  say`**${lockInBrief(lock, change)}** Nothing was sent.`;

export function lockInBrief(lock: Lock, change: Pick<Change, 'targets'>): Text {
  const holder = lock.change === null ? (lock.person === null ? 'somebody' : mention(lock.person)) : `#${lock.change}`;
  const until = lock.until === null ? '' : say` until ${time(lock.until)}`;
  const why = lock.change === null && lock.reason !== '' ? say` (“${lock.reason}”)` : '';
  return say`${lockedName(change, lock)} is locked by ${holder}${until}${why}.`;
}
