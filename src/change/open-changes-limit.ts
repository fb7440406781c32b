import { Refusal } from '../base/errors.ts';
import { countOpen, type NewChange } from '../storage/changes.ts';
import type { Tx } from '../storage/database.ts';
import { acquireGlobalLock } from '../storage/sql-dialect.ts';
import { say, beginning, plain, type Text } from '../words/text.ts';
import { authorizationOf } from '../access/authorization.ts';
import { frozenCardOf } from './freeze.ts';

/** How many changes of one person may wait for approval. */
const maxWaiting = 5;
/** How many may be on their way to the host: more would keep everybody else waiting. */
const maxUnderWay = 50;
const maxTitleLength = 100;

/** Throws `Refusal` if the requester (all their ids count) has too many changes waiting or on their way. */
export async function refuseTooMany(tx: Tx, row: NewChange, requesters: readonly string[]): Promise<void> {
  const { state, authorization } = row;
  const notAsked = (): Text => say`Not asked: “${beginning(plain(frozenCardOf(row).title), maxTitleLength)}”.`;
  // A timer's removal was allowed together with the grant.
  if (authorizationOf({ authorization }).timerOf !== undefined) return;
  // One at a time, so that parallel requests count each other.
  await acquireGlobalLock(tx);
  if (state === 'waiting') {
    if ((await countOpen(tx, requesters, ['waiting'])) < maxWaiting) return;
    throw new Refusal(say`**You already have ${maxWaiting} changes waiting for approval.** Nothing was asked.`, {
      hint: say`${notAsked()} Cancel one of the others, or have it approved.`,
      offers: [{ label: 'Show them', args: ['changes', '--mine', '--waiting'] }],
    });
  }
  if ((await countOpen(tx, requesters, ['approved', 'sending'])) < maxUnderWay) return;
  throw new Refusal(say`**You already have ${maxUnderWay} changes on their way to the host.** Nothing was asked.`, {
    hint: say`${notAsked()} Ask again when some of the others are finished.`,
    offers: [{ label: 'Show them', args: ['changes', '--mine'] }],
  });
}
