import { linesOfChanges } from '../storage/audit.ts';
import { changesInBatch, findChange, isBatch } from '../storage/changes.ts';
import type { Database } from '../storage/database.ts';
import type { Message, MessagePlace } from '../storage/messages.ts';
import { listVotes } from '../storage/votes.ts';
import { batchFile } from '../change/batch-file.ts';
import type { Note } from '../change/card.ts';
import type { PostContext } from './context.ts';
import { Undeliverable } from './messenger.ts';

/**
 * Adds the file of a batch to its last reply, once that is posted. The reply says where else the lines are, so the file
 * isn't worth a second message or many attempts.
 */

/** How long it is tried, and how often at least: time in which this process was down must not count. */
const maxMs = 600_000;
const minAttempts = 5;
const maxLines = 5_000;

/** Adds the file to its message. Rejects if a later attempt may succeed; resolves without a file if none will. */
export async function attachFile(
  context: PostContext,
  message: Message,
  { place, note }: { readonly place: MessagePlace; readonly note: Note },
): Promise<void> {
  const { database, messenger, onTrouble } = context;
  const isOld = (await database.now()) - message.owed_at > maxMs && message.attempts >= minAttempts;
  const file = isOld ? undefined : await fileOf(database, message);
  if (file === undefined) return;
  try {
    await messenger.edit(place, note, { file });
  } catch (error) {
    const kind = error instanceof Undeliverable ? error.kind : 'later';
    if (kind === 'later' || kind === 'token') throw error;
    onTrouble(`attaching the file to ${message.key}`, error);
  }
}

async function fileOf({ db }: Database, { change: number }: Message) {
  const batch = number === null ? undefined : await findChange(db, number);
  if (batch === undefined || !isBatch(batch)) return undefined;
  const changes = await changesInBatch(db, batch.number);
  const closed = changes.filter(({ state }) => state === 'happened' || state === 'did_not_happen');
  const numbers = [batch, ...closed].map((one) => one.number);
  const [votes, lines] = [await listVotes(db, batch.number), await linesOfChanges(db, numbers, { limit: maxLines })];
  return batchFile({ batch, changes, votes, lines });
}
