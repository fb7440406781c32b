import { parseStored } from '../storage/parse-json.ts';
import { csvLine, textForCell, utcTime } from '../words/csv.ts';
import { type AuditLine, linesOfChanges } from '../storage/audit.ts';
import { type Change, changesInBatch, findChange, isBatch } from '../storage/changes.ts';
import { type Vote, listVotes } from '../storage/votes.ts';
import { inline, type Text } from '../words/text.ts';
import { itemsShown } from '../change/batch-card.ts';
import { stateText } from '../change/states-and-events.ts';
import type { Database } from '../storage/database.ts';
import type { Message, MessagePlace } from '../storage/messages.ts';
import type { Note } from '../change/card.ts';
import type { PostContext } from './context.ts';
import { Undeliverable } from './messenger.ts';

/**
 * The file of a batch that has ended, which is added to its last reply once that is posted. The reply says where else
 * the lines are, so the file isn't worth a second message or many attempts.
 */

const columns = ['environment', 'change', 'state', 'outcome', 'sent at (UTC)', 'decided by'] as const;

/** What the file is made from. `changes`: those that the batch began. `lines`: of the trail, about all of these. */
type BatchRecord = {
  readonly batch: Change;
  readonly changes: readonly Change[];
  readonly votes: readonly Pick<Vote, 'person'>[];
  readonly lines: readonly Pick<AuditLine, 'change' | 'event' | 'actor' | 'details'>[];
};

/** The file as CSV. *decided by*: who approved the batch (its requester if nobody had to) or left the environment out. */
export function batchFile(record: BatchRecord): { readonly name: string; readonly content: string } {
  const { batch, changes, votes } = record;
  const { nameOf, leftOutBy } = peopleIn(record);
  const deciders = votes.length > 0 ? votes.map(({ person }) => person) : [batch.requester];
  const rows = itemsShown(batch, changes).map(({ item: { target }, standing, change, skipped }) => {
    const decided = standing === 'left out' ? (leftOutBy.get(target.name) ?? []) : deciders;
    return [
      [{ text: target.name }],
      inline(change?.number),
      inline(standing),
      skipped ?? (change === undefined ? inline('Nothing was sent.') : stateText(change)),
      inline(typeof change?.sent_at === 'number' ? utcTime(change.sent_at) : undefined),
      inline(decided.map(nameOf).join(', ')),
    ] satisfies readonly Text[];
  });
  const all = rows.map((row) => csvLine(row.map((text) => textForCell(text, nameOf))));
  return { name: `batch-${batch.number}.csv`, content: [csvLine(columns), ...all].join('') };
}

type Details = { readonly name?: string; readonly without?: readonly string[] };

/** Names by id, from the trail, and who left out which environment. */
function peopleIn({ batch, lines }: BatchRecord) {
  const names = new Map([[batch.requester, batch.requester_name]]);
  const leftOutBy = new Map<string, readonly string[]>();
  for (const { change, actor, details } of lines) {
    const { name, without = [] } = parseStored<Details>(details);
    if (name !== undefined) names.set(actor, name);
    if (change === batch.number) for (const one of without) leftOutBy.set(one, [actor]);
  }
  const nameOf = (id: string): string => {
    const name = names.get(id);
    return name === undefined ? id : `${name} (${id})`;
  };
  return { nameOf, leftOutBy };
}

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
