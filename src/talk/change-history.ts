import type { ChangesQuery, ChangeStory } from '../commands/kit/builtin.ts';
import type { ListedChange } from '../commands/kit/change-lines.ts';
import type { SentChange } from '../commands/kit/log-query.ts';
import type { Environment } from '../hosting/contract/target.ts';
import { idsOf } from '../policy/people.ts';
import { listAudit } from '../storage/audit.ts';
import { changesInBatch, findChange, listChanges, isBatch, type Change } from '../storage/changes.ts';
import type { Database } from '../storage/database.ts';
import { code, inline, joined, plain, say, time, type Text } from '../words/text.ts';
import { stateLabel } from '../words/states.ts';
import { eventInWords } from '../change/event-names.ts';
import { itemLine, itemsShown } from '../change/batch-card.ts';
import { frozenCardOf, isDone, titleNow, type FrozenCard } from '../change/freeze.ts';
import { isAbout, storedTargets, targetKey } from '../access/targets.ts';
import type { MayRead } from '../access/visibility.ts';
import { askersNamed } from '../change/card.ts';
import { markOf, stateText } from '../change/state-words.ts';
import { keptReadings, readingsInWords, readingsKeptMs } from '../change/site-readings.ts';
import { mayBreakSite } from '../send/check-around.ts';
import type { ChangeContext } from '../change/context.ts';
import { parseDetails } from '../audit/audit-anchor.ts';
import type { Asking } from '../decide/admin-actions.ts';

/** Past changes, limited to what one person may read. */

const maxEvents = 100;
/** How many changes a list shows. */
const maxShown = 100;
/** How many rows each query reads. */
const batch = 200;
/** How many rows are read for one list. */
const maxRead = 1_000;
const maxTitleLength = 200;

/** The story of a change; undefined if it doesn't exist or may not be read. */
export async function storyFor(
  context: ChangeContext,
  mayRead: MayRead,
  number: number,
): Promise<ChangeStory | undefined> {
  const change = await findChange(context.database.db, number);
  return change && mayRead(change) ? storyOf(context.database, change) : undefined;
}

/** Changes that this person may read, newest first; `more`: there may be older ones. */
export async function changesFor(
  context: ChangeContext,
  { person, sight }: Asking,
  { env, mine, waiting }: ChangesQuery,
): Promise<{ readonly lines: readonly ListedChange[]; readonly more: boolean }> {
  const mayRead = sight.reader('changes');
  const wanted = {
    // A batch that waits has no changes of its environments yet.
    ...(env && !waiting ? { target: targetKey(env) } : { isOwn: true }),
    ...(mine && { requesters: idsOf(context.policy(), person.id) }),
    ...(waiting && { state: 'waiting' as const }),
  };
  const lines: ListedChange[] = [];
  let beforeNumber: number | undefined;
  for (let read = 0; read < maxRead; read += batch) {
    const found = await listChanges(context.database.db, { ...wanted, limit: batch, beforeNumber });
    for (const change of found) {
      if (!mayRead(change) || (env && !isAbout(change, env))) continue;
      if (lines.length === maxShown) return { lines, more: true };
      lines.push(listedChange(change));
    }
    beforeNumber = found.at(-1)?.number;
    if (found.length < batch) return { lines, more: false };
  }
  return { lines, more: true };
}

/**
 * What was sent for an environment since `since` (epoch ms) and may be read, oldest first, among its newest 100
 * changes.
 */
export async function sentTo(
  context: ChangeContext,
  mayRead: MayRead,
  env: Environment,
  since: number,
): Promise<readonly SentChange[]> {
  const changes = await listChanges(context.database.db, { target: targetKey(env), limit: maxShown });
  return changes
    .flatMap((change) =>
      change.sent_at === null || change.sent_at < since || change.state === 'rejected' || !mayRead(change)
        ? []
        : [{ at: change.sent_at, number: change.number, mark: markOf(change), says: whatCameOf(change) }],
    )
    .toSorted((one, other) => one.at - other.at);
}

/** What was sent, in a few words that begin with what came of it, unless it is known to be done. */
export function whatCameOf(change: Pick<Change, 'state' | 'card'>): string {
  const title = plain(titleNow(change)).slice(0, maxTitleLength);
  if (isDone(change)) return title;
  return `${change.state === 'unknown' ? 'outcome unknown' : stateLabel(change.state)}: ${title}`;
}

/** Which environments and domains the names meant then: a name can move to another id, and cards show names alone. */
function idsFact(change: Change): FrozenCard['facts'] {
  const named = storedTargets(change).filter(({ kind }) => kind === 'environment' || kind === 'domain');
  const ids = named.map(({ name, id }) => say`${name} ${code(`…${id.slice(-4)}`)}`);
  return ids.length === 0 ? [] : [['Ids', joined(ids, ', ')]];
}

/** A change as one line of a list. */
export const listedChange = (change: Change): ListedChange => ({
  number: change.number,
  state: `${markOf(change)} ${stateLabel(change.state)}`,
  title: plain(frozenCardOf(change).title).slice(0, maxTitleLength),
  requester: change.requester,
  handedOnBy: change.handed_on_by ?? undefined,
  cancelled: change.state === 'cancelled' ? stateText(change) : undefined,
  at: change.created_at,
  sentAt: change.sent_at ?? undefined,
});

/** What happened; an approval with its note. */
function withNote(event: string, details: string): Text {
  const { without } = parseDetails(details);
  if (event === 'go_on' && without) return say`${eventInWords(event)} without ${without.join(', ')}`;
  const note = event === 'approve' || event === 'vote' ? parseDetails(details).reason : undefined;
  return note === undefined ? inline(eventInWords(event)) : say`${eventInWords(event)}: “${note}”`;
}

async function siteFacts(database: Database, change: Change): Promise<FrozenCard['facts']> {
  if (!mayBreakSite(change)) return [];
  const { readings, stored } = await keptReadings(database.db, change.number);
  if (stored === undefined && (await database.now()) - change.created_at > readingsKeptMs)
    return [['Site', say`readings are kept for 30 days only`]];
  return readingsInWords(readings);
}

async function storyOf(database: Database, change: Change): Promise<ChangeStory> {
  const card = frozenCardOf(change);
  const lines = await listAudit(database.db, { change: change.number, limit: maxEvents });
  return {
    title: say`${markOf(change)} **${titleNow(change)}** · #${change.number}`,
    facts: [
      ['State', stateText(change)],
      ['Asked by', say`${askersNamed(change)}${change.reason === null ? '' : ` (“${change.reason}”)`}`],
      ['Asked at', [time(change.created_at, 'date')]],
      ...(change.batch === null ? [] : [['Part of', [code(`#${change.batch}`)]] as const]),
      ...(card.warning ? [['Warned beforehand', card.warning] as const] : []),
      ...card.facts,
      ...idsFact(change),
      ...(change.operation === null ? [] : [['Operation', [code(change.operation)]] as const]),
      ...(await siteFacts(database, change)),
      ['Fingerprint', [code(change.fingerprint.slice(0, 8))]],
    ],
    ...(isBatch(change) && {
      items: itemsShown(change, await changesInBatch(database.db, change.number)).map(itemLine),
    }),
    events: lines
      .toSorted((one, other) => one.seq - other.seq)
      .map(({ at, actor, event, details }) => ({ at, actor, says: withNote(event, details) })),
  };
}
