import { Refusal } from '../base/errors.ts';
import type { Database } from '../storage/database.ts';
import { restoredTo } from '../storage/timeline.ts';
import { say, time, typed } from '../words/text.ts';

/**
 * Throws `Refusal` for a button of another database, where its number means another change. That includes the database
 * whose backup was restored here: its numbers may be used again, and what happened after the backup is unknown.
 */
export async function refuseUnlessOurs(
  { db, installation: ours }: Pick<Database, 'db' | 'installation'>,
  installation: string,
  done: 'done' | 'shown' = 'done',
): Promise<void> {
  if (installation === ours) return;
  const from = await restoredTo(db, installation);
  if (from !== undefined) {
    throw new Refusal(
      say`My database was restored from a backup of ${time(from, 'date')}, so buttons posted before the restore no longer work. Nothing was ${done}.`,
      { hint: say`Look for a newer card of this change, or type ${typed('changes')} to see what I know.` },
    );
  }
  throw new Refusal(`This button belongs to another Sitehand installation. Nothing was ${done}.`, {
    hint: 'Please use the button on that installation’s own card.',
  });
}
