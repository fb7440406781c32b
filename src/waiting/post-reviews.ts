import { askedPeople, whomToAsk, whoIsAsked } from '../access/approver-lookup.ts';
import type { AskedRequirement } from '../access/authorization.ts';
import { nobodyReviews } from '../access/nobody-approves.ts';
import { endingOf } from '../change/closers.ts';
import { reviewApproval } from '../change/may-end.ts';
import { namesWith } from '../access/visibility.ts';
import { glassLine, isToReview, reviewEveryMs } from '../change/post-review.ts';
import { reparse } from '../language/reparse.ts';
import { findChange, unreviewed, type Change } from '../storage/changes.ts';
import { exclusiveTransaction } from '../storage/transactions.ts';
import { endWaiting, releaseWaiting, type Waiting } from '../storage/waiting.ts';
import { say } from '../words/text.ts';
import type { SendContext } from '../send/context.ts';
import { waitingKind, type DueKind } from './due-turns.ts';

/** Reminds of what was sent by break-glass, until somebody who could have approved it has reviewed it. */

/** How often while the policy names nobody who could. */
const aloneMs = 7 * reviewEveryMs;

export const reviewReminders = (context: SendContext): DueKind =>
  waitingKind('post_review', { what: 'review', atOnce: 2, leaseMs: 60_000 }, async (row) => remind(context, row));

async function remind(context: SendContext, row: Waiting<'post_review'>): Promise<void> {
  const { database, changeStore } = context;
  const change = await findChange(database.db, row.change);
  const asks = change && isToReview(change) ? await reviewersOf(context, change) : undefined;
  await exclusiveTransaction(database, async (tx, at) => {
    const now = await findChange(tx, row.change);
    // Reviewed, or certainly not sent.
    if (now?.post_review !== unreviewed) return void (await endWaiting(tx, row, at, { isMine: true }));
    const dueAt = at + (asks?.length === 0 ? aloneMs : reviewEveryMs);
    if ((await releaseWaiting(tx, row, dueAt)) === undefined || asks === undefined || !isToReview(now)) return;
    const few = asks.length === 0 ? say`The policy names nobody else who could review it.` : nobodyReviews(asks);
    const who = few ?? say`${whoIsAsked(asks)}: please look at it, and say what you think.`;
    const reply = { text: say`🔎 **Still to review:** ${glassLine(now)}. ${who}` };
    const note = { by: 'sitehand', at, reply, decide: true, tell: askedPeople({ asks }) };
    await changeStore.remark(tx, now, 'post_review_reminded', note);
  });
}

/** Who can review it now; none: the policy names nobody. Undefined: that can't be told now. */
async function reviewersOf(context: SendContext, change: Change): Promise<readonly AskedRequirement[] | undefined> {
  const reparsed = reparse(change, namesWith(context, change));
  if (reparsed === undefined) return undefined;
  const policy = context.policy();
  const ending = endingOf(change, reparsed, context.company(), change.created_at);
  const approval = reviewApproval(policy, ending);
  if (approval === undefined) return [];
  return (await whomToAsk(context, approval, reparsed.resolved, { ...ending.asked, waited: Infinity })).asks;
}
