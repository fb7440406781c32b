import { heldAs, skippedBy } from '../access/authorization.ts';
import { coolsDown } from '../change/change.ts';
import { LockHeld, type ChangeStore } from '../change/change-store.ts';
import { toldOfGlass } from '../change/glass-replies.ts';
import { lockInTheWay, withHolder } from '../change/lock-in-the-way.ts';
import { reviewEveryMs } from '../change/post-review.ts';
import { asked, opsIfTooFew } from '../change/replies.ts';
import { newChangeDetails } from '../send/new-change.ts';
import { findWaiting, type Change, type NewChange } from '../storage/changes.ts';
import type { Tx } from '../storage/database.ts';
import { pauseOf } from '../storage/kv.ts';
import { insertWaiting } from '../storage/waiting.ts';

/** The first row of a change, with what its thread says then. */

/** Nothing but a review ends it. */
const remindOfReview = (tx: Tx, { number, requester }: Change, now: number): Promise<unknown> =>
  insertWaiting(tx, {
    kind: 'post_review',
    target: 'post_review',
    change: number,
    requester,
    created_at: now,
    expires_at: Number.MAX_SAFE_INTEGER,
    due_at: now + reviewEveryMs,
  });

/** Begins the change, and says in its thread what it waits for. Throws `LockHeld` if it needs a lock at once. */
export async function begin(tx: Tx, changeStore: ChangeStore, row: NewChange, now: number): Promise<Change> {
  const twin = row.state === 'waiting' || row.post_review != null ? await findWaiting(tx, row) : undefined;
  const held = await lockInTheWay(tx, row, now);
  if (held && row.state === 'approved' && row.scheduled_at == null) throw new LockHeld(await withHolder(tx, held, row));
  const saved = await changeStore.begin(tx, row, { by: row.requester, at: now, details: newChangeDetails(row) });
  const skips = skippedBy(saved);
  const usual = saved.state === 'approved' ? 'no_approval_needed' : 'waiting';
  const reply = asked(saved, { held, twin, paused: await pauseOf(tx, heldAs(saved)) });
  const told = skips ? { ops: true, tell: toldOfGlass(skips) } : opsIfTooFew(saved);
  const said = reply && { reply, decide: saved.state === 'approved' && coolsDown(saved), ...told };
  const by = skips ? saved.requester : 'sitehand';
  await changeStore.remark(tx, saved, skips ? 'break_glass' : usual, { by, at: now, ...said });
  if (saved.post_review !== null) await remindOfReview(tx, saved, now);
  return saved;
}
