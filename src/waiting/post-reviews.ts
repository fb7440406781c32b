import { dayMs } from '../words/duration.ts';
import { whomToAsk, whoIsAsked } from '../access/approver-lookup.ts';
import { askersOf, authorizationOf, waitedUntil } from '../access/authorization.ts';
import { aboutOf } from '../access/targets.ts';
import { namesWith } from '../access/visibility.ts';
import { glassLine, isToReview } from '../change/post-review.ts';
import { reparse } from '../language/reparse.ts';
import { namesOthers } from '../policy/approvers.ts';
import { findChange, unreviewed, type Change } from '../storage/changes.ts';
import { exclusiveTransaction } from '../storage/transactions.ts';
import { endWaiting, releaseWaiting, type Waiting } from '../storage/waiting.ts';
import { joined, say } from '../words/text.ts';
import type { SendContext } from '../send/context.ts';
import { waitingKind, type DueKind } from './due-turns.ts';

/** Reminds of what was sent by break-glass, until somebody who could have approved it has reviewed it. */

/** How often, and how often while the policy names nobody who could. */
const everyMs = dayMs;
const aloneMs = 7 * dayMs;

export const reviewReminders = (context: SendContext): DueKind =>
  waitingKind('post_review', { what: 'review', atOnce: 2, leaseMs: 60_000 }, async (row) => remind(context, row));

async function remind(context: SendContext, row: Waiting<'post_review'>): Promise<void> {
  const { database, changeStore } = context;
  const change = await findChange(database.db, row.change);
  const whom = change && isToReview(change) ? await reviewersOf(context, change) : undefined;
  await exclusiveTransaction(database, async (tx, at) => {
    const now = await findChange(tx, row.change);
    // Reviewed, or certainly not sent.
    if (now?.post_review !== unreviewed) return void (await endWaiting(tx, row, at, { isMine: true }));
    const dueAt = at + (whom?.isAlone ? aloneMs : everyMs);
    if ((await releaseWaiting(tx, row, dueAt)) === undefined || whom === undefined || !isToReview(now)) return;
    const { asks, told } = whom;
    const who = whom.isAlone
      ? say`The policy names nobody else who could review it.`
      : say`${whoIsAsked(asks)}: please look at it, and say what you think.`;
    const reply = { text: joined([say`🔎 **Still to review:**`, glassLine(now), who]) };
    const note = { by: 'sitehand', at, reply, decide: true, tell: told };
    await changeStore.remark(tx, now, 'post_review_reminded', note);
  });
}

/** Who could have approved it and is told, and whether the policy names nobody; undefined: that can't be told now. */
async function reviewersOf(context: SendContext, change: Change) {
  const { approval } = authorizationOf(change);
  const reparsed = reparse(change, namesWith(context, change));
  if (approval === 'none' || reparsed === undefined) return undefined;
  const { resolved } = reparsed;
  const askers = { ...askersOf(change), ...waitedUntil(change, await context.database.now()) };
  const asked = { ...aboutOf(resolved, context.company()).asked, ...askers };
  const isAlone = !namesOthers(context.policy(), approval, asked);
  return { ...(await whomToAsk(context, approval, resolved, askers)), isAlone };
}
