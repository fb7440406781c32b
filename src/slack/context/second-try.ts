import { isInboxOpen } from '../../storage/inbox.ts';
import { isBack, isLostConnection } from '../../storage/lost-connection.ts';
import type { Interaction, SlackContext } from './context.ts';

/** PostgreSQL restarts or fails over within seconds. Later, the person is told, and asks again. */
const backWithinMs = 5_000;

/**
 * Runs the work. If it failed only because the connection to the database was lost, it runs once more when the database is
 * back within seconds. What the first try saved has closed the delivery, and so did whoever told its sender that it was
 * lost: then it does not run again, nor after a commit that got no answer.
 */
export async function withSecondTry(
  { pipeline: { database }, log }: Pick<SlackContext, 'pipeline' | 'log'>,
  { inbox, request }: Pick<Interaction, 'inbox' | 'request'>,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (inbox === undefined || !isLostConnection(error) || !(await isBack(database, backWithinMs))) throw error;
    if (!(await isInboxOpen(database.db, inbox).catch(() => false))) throw error;
    log.info({ err: error, request }, 'lost the database while working on a delivery, and try once more');
    await work();
  }
}
