import { isAsker } from '../policy/approvers.ts';
import { idsOf } from '../policy/memberships.ts';
import { listChanges, type Change } from '../storage/changes.ts';
import type { ReadHandle } from '../storage/schema.ts';
import { listVotes } from '../storage/votes.ts';
import { mayEnd, mayReview } from '../change/may-end.ts';
import { coolsDown } from '../change/change.ts';
import { isToReview } from '../change/post-review.ts';
import { besideState } from '../change/states-and-events.ts';
import { askersOf } from '../access/authorization.ts';
import { freezesAt } from '../access/freeze-words.ts';
import type { Text } from '../words/text.ts';
import type { Person } from '../access/access-check.ts';
import { endingOf, isCloser } from '../change/closers.ts';
import { namesWith, readerOf } from '../access/visibility.ts';
import type { Card, Note } from '../change/card.ts';
import { currentCard } from '../post/content.ts';
import { placeNote, placesOf } from '../change/queue.ts';
import { untoldTo } from '../post/refused-posts.ts';
import { reparse } from '../language/reparse.ts';
import type { ChangeContext } from '../change/context.ts';

/** One person's overview of all changes; each list is newest first, and what people asked for before what programs did. */
type Overview = {
  /** What this person can still stop. */
  readonly toStop: readonly Card[];
  /** Waiting for this person's decision: unknown outcomes, approvals, and reviews of what was sent by break-glass. */
  readonly toDecide: readonly Card[];
  /** Their own changes that are not settled, or that nobody has reviewed yet. */
  readonly mine: readonly Card[];
  /** Their places in queues, oldest first. */
  readonly places: readonly Note[];
  /** How many more there are than shown. */
  readonly more: { readonly toDecide: number; readonly mine: number };
  /** What they were to be told and never were, newest first. */
  readonly untold: readonly Note[];
  /** The newest changes that the person may read. */
  readonly recent: readonly RecentChange[];
  /** The freezes now or within a day, of what the person can see. */
  readonly freezes: readonly Text[];
  /** The numbers of all changes shown, and of their batches: closing a part of a batch redraws the card of the batch. */
  readonly numbers: readonly number[];
};

/** A card without buttons, when its change was asked for, epoch ms, and what a list says beside its state. */
export type RecentChange = { readonly card: Card; readonly at: number; readonly beside: Text | undefined };

const recentOf = (change: Change, card: Card): RecentChange => ({
  card: { ...card, buttons: [] },
  at: change.created_at,
  beside: besideState(change),
});

/** How many changes are read for each list, and how many are shown. */
const maxRead = 100;
const maxShown = { toStop: 8, toDecide: 8, mine: 5, recent: 10 } as const;

/** Reads the overview with a bounded number of queries. */
export async function overviewFor(context: ChangeContext, person: Person): Promise<Overview> {
  const { db } = context.database;
  const ids = idsOf(context.policy(), person.id);
  const { toLook, open, latest } = await readAll(context, person, ids);
  const decidable = await decidableBy(context, person, toLook);
  const [toStop, rest] = [decidable.filter(isApproved), decidable.filter((one) => !isApproved(one))];
  const undecided = await notVotedBy(db, ids, rest);
  const isShown = new Set([...toStop, ...undecided].map(({ number }) => number));
  // An open batch stands for its changes.
  const own = open.filter(({ batch }) => !open.some(({ number }) => number === batch));
  const unsettled = own.filter(({ number }) => !isShown.has(number));
  const shown = {
    toStop: toStop.slice(0, maxShown.toStop),
    toDecide: undecided.slice(0, maxShown.toDecide),
    mine: unsettled.slice(0, maxShown.mine),
    recent: latest.slice(0, maxShown.recent),
  };
  const drawOne = (change: Change): Promise<Card> => cardFor(context, person, change);
  const draw = (changes: readonly Change[]): Promise<readonly Card[]> => Promise.all(changes.map(drawOne));
  return {
    toStop: await draw(shown.toStop),
    toDecide: await draw(shown.toDecide),
    mine: await draw(shown.mine),
    places: (await placesOf(db, ids)).map(placeNote),
    more: { toDecide: undecided.length - shown.toDecide.length, mine: unsettled.length - shown.mine.length },
    untold: await untoldTo(context, ids),
    recent: await Promise.all(shown.recent.map(async (change) => recentOf(change, await drawOne(change)))),
    freezes: freezesAt(context.policy(), context.names(person).environments, await context.database.now()),
    numbers: Object.values(shown).flat().flatMap(numbersOf),
  };
}

/** What the person may read of the changes to decide, of their own open ones, and of the latest. */
async function readAll(context: ChangeContext, person: Person, ids: readonly string[]) {
  const mayRead = readerOf(context, person);
  const read = async (filter: Partial<Parameters<typeof listChanges>[1]>): Promise<readonly Change[]> =>
    (await listChanges(context.database.db, { ...filter, limit: maxRead })).filter(mayRead);
  // Read apart, so that no number of requests of programs hides what people asked for.
  const readOpen = async (filter: Parameters<typeof read>[0]): Promise<readonly Change[]> =>
    (await Promise.all((['people', 'callers'] as const).map((by) => read({ ...filter, by })))).flat();
  const [approved, waiting, unknown, unreviewed, open, unseen, latest] = await Promise.all([
    readOpen({ state: 'approved' }),
    readOpen({ state: 'waiting' }),
    readOpen({ state: 'unknown' }),
    readOpen({ isUnreviewed: true }),
    readOpen({ requesters: ids, isOpen: true }),
    readOpen({ requesters: ids, isUnreviewed: true }),
    read({ isOwn: true }),
  ]);
  const toLook = peopleFirst([...approved.filter(coolsDown), ...unknown, ...waiting, ...unreviewed]);
  return { toLook, open: [...open, ...unseen], latest: latest.filter(readerOf(context, person, 'changes')) };
}

const cardFor = async ({ database, policy }: ChangeContext, person: Person, change: Change): Promise<Card> =>
  currentCard(database.db, change, await listVotes(database.db, change.number), database.installation, {
    isAsker: isAsker(policy(), person, askersOf(change)),
  });

const peopleFirst = (changes: readonly Change[]): readonly Change[] =>
  changes.toSorted((one, other) => Number(one.caller !== null) - Number(other.caller !== null));

const isApproved = ({ state }: Change): boolean => state === 'approved';

const numbersOf = ({ number, batch }: Change): readonly number[] => (batch === null ? [number] : [number, batch]);

/** The changes on which this person's click would count, as far as is known without asking Slack about them again. */
async function decidableBy(context: ChangeContext, by: Person, changes: readonly Change[]): Promise<readonly Change[]> {
  const policy = context.policy();
  const now = await context.database.now();
  let unlockable = 0;
  return filterAsync(changes, async (change) => {
    const reparsed = reparse(change, namesWith(context, change));
    if (reparsed === undefined) return false;
    // Whoever can read it can stop it.
    if (isApproved(change)) return true;
    const ending = endingOf(change, reparsed, context.company(), now);
    const right = (isToReview(change) ? mayReview : mayEnd)({ ...ending, policy, by });
    // Finding other closers is expensive, so it is done for at most as many changes as are shown.
    if (right.kind === 'if nobody may') unlockable += 1;
    return unlockable <= maxShown.toDecide ? isCloser(context, right, ending) : right.kind === 'may';
  });
}

const notVotedBy = (db: ReadHandle, ids: readonly string[], changes: readonly Change[]): Promise<readonly Change[]> =>
  filterAsync(
    changes,
    async ({ number, state }) =>
      state !== 'waiting' || (await listVotes(db, number)).every(({ person }) => !ids.includes(person)),
  );

async function filterAsync(
  changes: readonly Change[],
  isKept: (change: Change) => Promise<boolean>,
): Promise<readonly Change[]> {
  const kept = await Promise.all(changes.map(isKept));
  return changes.filter((_, at) => kept[at]);
}
