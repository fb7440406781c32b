import { csvLine, textForCell, utcTime } from '../words/csv.ts';
import type { AuditLine } from '../storage/audit.ts';
import type { Change } from '../storage/changes.ts';
import { parseStored } from '../storage/parse-json.ts';
import type { Vote } from '../storage/votes.ts';
import { inline, type Text } from '../words/text.ts';
import { itemsShown } from './batch-card.ts';
import { stateText } from './state-words.ts';

/** The file of a batch that has ended: one line for each environment, in order. Pure. */

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
