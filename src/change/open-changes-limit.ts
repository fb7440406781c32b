import { Refusal, type Offer } from '../base/errors.ts';
import { countAskedBy, countOpen, type NewChange } from '../storage/changes.ts';
import type { Tx } from '../storage/database.ts';
import { acquireGlobalLock } from '../storage/sql-dialect.ts';
import { hourMs } from '../words/duration.ts';
import { say, beginning, plain, type Text } from '../words/text.ts';
import { authorizationOf } from '../access/authorization.ts';
import { frozenCardOf } from './freeze.ts';

/** How many changes one person, or one caller, may have open. */

/** How many changes of one person, or of one caller, may wait for approval. */
const maxWaiting = 5;
/** How many may be on their way to the host: more would keep everybody else waiting. */
const maxUnderWay = 50;
/** How many changes one caller may ask for in an hour: people must not be worn down by its requests. */
const maxAskedByCaller = 20;
const maxTitleLength = 100;

/** Throws `Refusal` if the requester (all their ids count), or the caller, has too many changes waiting or on their way. */
export async function refuseTooMany(tx: Tx, row: NewChange, requesters: readonly string[]): Promise<void> {
  const { state, authorization, caller = null, created_at } = row;
  const notAsked = (): Text => say`Not asked: “${beginning(plain(frozenCardOf(row).title), maxTitleLength)}”.`;
  // A timer's removal was allowed together with the grant.
  if (authorizationOf({ authorization }).timerOf !== undefined) return;
  // One at a time, so that parallel requests count each other.
  await acquireGlobalLock(tx);
  const whose = caller === null ? { requesters } : { caller };
  const many = (says: Text, hint: string, offer: Offer): Refusal =>
    new Refusal(says, { hint: say`${notAsked()} ${hint}`, offers: [offer] });
  if (caller !== null && (await countAskedBy(tx, caller, created_at - hourMs)) >= maxAskedByCaller)
    throw new Refusal(say`**You already asked for ${maxAskedByCaller} changes within an hour.** Nothing was asked.`, {
      hint: notAsked(),
      isLater: true,
    });
  if (state === 'waiting') {
    if ((await countOpen(tx, whose, ['waiting'])) < maxWaiting) return;
    throw many(
      say`**You already have ${maxWaiting} changes waiting for approval.** Nothing was asked.`,
      'Cancel one of the others, or have it approved.',
      { label: 'Show them', args: ['changes', '--mine', '--waiting'] },
    );
  }
  if ((await countOpen(tx, whose, ['approved', 'sending'])) < maxUnderWay) return;
  throw many(
    say`**You already have ${maxUnderWay} changes on their way to the host.** Nothing was asked.`,
    'Ask again when some of the others are finished.',
    { label: 'Show them', args: ['changes', '--mine'] },
  );
}
