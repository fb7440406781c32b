import { spokenDuration } from '../../duration.ts';
import { person, say, time, type Text } from '../../text.ts';
import type { LockHeld } from './change-store.ts';

/** Says to one person who keeps them waiting, with what, and since when. Pure. */

/** The refusal of what a lock stops; `now` in epoch ms. */
export const busy = (held: Pick<LockHeld, 'lock' | 'target' | 'holder'>, now: number): Text =>
  say`${keeps(held, now)} Nothing was sent.`;

function keeps({ lock, target, holder }: Pick<LockHeld, 'lock' | 'target' | 'holder'>, now: number): Text {
  const lasts = (since: number): string => spokenDuration(now - since);
  const until = lock.until === null ? '' : say` until ${time(lock.until, 'date')}`;
  if (holder === undefined) {
    const who = lock.person === null ? 'somebody' : person(lock.person);
    const why = lock.reason === '' ? '' : say` (“${lock.reason}”)`;
    return say`**${target} is locked by ${who}**${until}${why}, and has been for ${lasts(lock.taken_at)}.`;
  }
  const what = say`${person(holder.requester)}'s ${holder.command} (#${holder.number})`;
  const since = lasts(holder.sent_at ?? lock.taken_at);
  if (holder.state === 'unknown')
    return say`**${target} is busy:** the outcome of ${what} has been unknown for ${lasts(holder.lost_at ?? lock.taken_at)}.`;
  if (holder.settled_at !== null)
    return say`**${target} is busy:** ${what} was sent ${since} ago and may still be running. Its lock ends ${time(lock.until ?? now, 'date')}.`;
  if (holder.state === 'approved')
    return say`**${target} is busy:** ${what} is waiting to be sent. It has held the lock for ${since}.`;
  return say`**${target} is busy:** ${what} has been running for ${since}.`;
}
