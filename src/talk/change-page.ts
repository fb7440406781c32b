import { Refusal } from '../base/errors.ts';
import { paragraph, type Page } from '../commands/kit/page.ts';
import { spokenDuration } from '../words/duration.ts';
import { listAudit } from '../storage/audit.ts';
import { listVotes } from '../storage/votes.ts';
import { changesInBatch, findChange, isBatch, type Change } from '../storage/changes.ts';
import type { Database } from '../storage/database.ts';
import { actor, code, inline, joined, say, time, through, type Text } from '../words/text.ts';
import { eventInWords, markOf, stateText } from '../change/states-and-events.ts';
import { itemLine, itemsShown } from '../change/batch-card.ts';
import { pinnedCardOf, titleNow, type PinnedCard } from '../change/pin.ts';
import { glassLine } from '../change/post-review.ts';
import { glassMark } from '../access/break-glass.ts';
import { reasonText } from '../access/reason.ts';
import { decisionsFor } from './page-decisions.ts';
import { storedTargets } from '../access/targets.ts';
import { approvalFacts, askersNamed } from '../change/card.ts';
import { keptReadings, readingsInWords, readingsKeptMs } from '../change/site-readings.ts';
import { mayBreakSite } from '../send/check-around.ts';
import type { ChangeContext } from '../change/context.ts';
import { parseDetails } from '../audit/audit-anchor.ts';
import type { Asking } from '../decide/admin-actions.ts';

/** One past change, as one person may read it. */

const maxEvents = 100;

/** The facts of a change, and everything that happened to it, oldest first. */
export async function changePage(
  context: ChangeContext,
  { person, sight }: Asking,
  { number }: { readonly number: number },
): Promise<Page> {
  const { database } = context;
  const change = await findChange(database.db, number);
  if (change === undefined || !sight.reader('change')(change))
    throw new Refusal(`I can't find #${number} among the changes you can see. Nothing was done.`);
  const newest = await listAudit(database.db, { change: number, limit: maxEvents });
  const events = newest.toSorted((one, other) => one.seq - other.seq);
  const facts = await factsOf(database, change);
  const items = isBatch(change) && itemsShown(change, await changesInBatch(database.db, number)).map(itemLine);
  return {
    title: say`${markOf(change)} **${titleNow(change)}** · #${number}`,
    parts: [
      paragraph(...facts.map(([label, value]) => say`**${label}:** ${value}`)),
      ...(items ? [{ kind: 'list', entries: items } as const] : []),
      {
        kind: 'list',
        entries: events.map(({ at, actor: who, event, details }, index) => {
          const before = events[index - 1]?.at;
          const later = before === undefined || at - before < 500 ? '' : `, ${spokenDuration(at - before)} later`;
          return say`${time(at, 'date')}${later} · ${through(parseDetails(details).caller, actor(who))} · ${withNote(event, details)}`;
        }),
      },
    ],
    decisions: decisionsFor(context, person, change),
  };
}

async function factsOf(database: Database, change: Change): Promise<PinnedCard['facts']> {
  const card = pinnedCardOf(change);
  const reason = reasonText(change);
  const glass = glassLine(change);
  return [
    ['State', stateText(change)],
    ['Asked by', say`${askersNamed(change)}${reason && say` (“${reason}”)`}`],
    ['Asked at', [time(change.created_at, 'date')]],
    ...approvalFacts(change, await listVotes(database.db, change.number)),
    ...(change.batch === null ? [] : [['Part of', [code(`#${change.batch}`)]] as const]),
    ...(glass ? [[`${glassMark} Break-glass`, glass] as const] : []),
    ...(card.warning ? [['Warned beforehand', card.warning] as const] : []),
    ...card.facts,
    ...idsFact(change),
    ...(change.operation === null ? [] : [['Operation', [code(change.operation)]] as const]),
    ...(await siteFacts(database, change)),
    ['Fingerprint', [code(change.fingerprint.slice(0, 8))]],
  ];
}

/** Which environments and domains the names meant then: a name can move to another id, and cards show names alone. */
function idsFact(change: Change): PinnedCard['facts'] {
  const named = storedTargets(change).filter(({ kind }) => kind === 'environment' || kind === 'domain');
  const ids = named.map(({ name, id }) => say`${name} ${code(`…${id.slice(-4)}`)}`);
  return ids.length === 0 ? [] : [['Ids', joined(ids, ', ')]];
}

/** What happened; an approval or a review with what was said. */
function withNote(event: string, details: string): Text {
  const { without } = parseDetails(details);
  if (event === 'go_on' && without) return say`${eventInWords(event)} without ${without.join(', ')}`;
  const note = ['approve', 'vote', 'post_review'].includes(event) ? parseDetails(details).reason : undefined;
  return note === undefined ? inline(eventInWords(event)) : say`${eventInWords(event)}: “${note}”`;
}

async function siteFacts(database: Database, change: Change): Promise<PinnedCard['facts']> {
  if (!mayBreakSite(change)) return [];
  const { readings, stored } = await keptReadings(database.db, change.number);
  if (stored === undefined && (await database.now()) - change.created_at > readingsKeptMs)
    return [['Site', say`readings are kept for 30 days only`]];
  return readingsInWords(readings);
}
