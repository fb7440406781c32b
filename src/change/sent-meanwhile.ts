import { listChanges, type Change } from '../storage/changes.ts';
import type { ChangeContext } from './context.ts';

/** What was sent without approval while a change waited for its own. */

/** How many changes sent by break-glass are compared. */
const maxCompared = 20;

/** The same request, sent by break-glass since this was asked for. */
export async function sentWithoutApproval(
  { database: { db } }: ChangeContext,
  { number, target, call, created_at: since }: Change,
) {
  const sent = await listChanges(db, { target, isBreakGlass: true, limit: maxCompared });
  return sent.find(
    (one) => one.number !== number && one.call === call && call !== 'null' && (one.sent_at ?? 0) >= since,
  );
}
