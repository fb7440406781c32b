import { idsOf } from '../../policy/people.ts';
import { listChanges, type Change } from '../../storage/changes.ts';
import type { Database } from '../../storage/database.ts';
import { approvals } from '../../storage/votes.ts';
import { mayEnd } from '../changes/approve.ts';
import type { ApproverContext } from '../access/approver-lookup.ts';
import type { Person } from '../access/authorise.ts';
import { endingOf, isCloser } from '../changes/closers.ts';
import { namesWith, readerOf, type VisibilityContext } from '../access/visibility.ts';
import { renderCard, type Card } from '../changes/card.ts';
import { restore } from '../language/reparse.ts';

/** What one person sees of all changes at a glance, each list newest first. */
export type Overview = {
  /** Waiting for this person's decision: approvals, and outcomes that nobody knows. */
  readonly toDecide: readonly Card[];
  /** Their own that are not settled. */
  readonly mine: readonly Card[];
  /** How many more there are that wait, and that are theirs. */
  readonly more: { readonly toDecide: number; readonly mine: number };
  /** The last ones they may read, without buttons. */
  readonly recent: readonly Card[];
  /** The numbers of all of them. */
  readonly numbers: readonly number[];
};

export type OverviewDesk = VisibilityContext & ApproverContext & { readonly database: Database };

/** Changes that are looked at for each list, and shown of it. */
const maxRead = 100;
const maxShown = { toDecide: 8, mine: 5, recent: 10 } as const;

/** Reads it: a few queries, whatever has piled up. */
export async function overviewFor(context: OverviewDesk, person: Person): Promise<Overview> {
  const { db } = context.database;
  const mayRead = readerOf(context, person);
  const read = async (filter: Partial<Parameters<typeof listChanges>[1]>): Promise<readonly Change[]> =>
    (await listChanges(db, { ...filter, limit: maxRead })).filter(mayRead);
  const [waiting, unknown, own, latest] = await Promise.all([
    read({ state: 'waiting' }),
    read({ state: 'unknown' }),
    read({ askers: idsOf(context.policy(), person.id) }),
    read({}),
  ]);
  const undecided = await notYetBy(db, person, await toDecideBy(context, person, [...unknown, ...waiting]));
  const unsettled = own.filter(({ settled_at }) => settled_at === null);
  const shown = {
    toDecide: undecided.slice(0, maxShown.toDecide),
    mine: unsettled.slice(0, maxShown.mine),
    recent: latest.slice(0, maxShown.recent),
  };
  const draw = (changes: readonly Change[]): Promise<readonly Card[]> =>
    Promise.all(changes.map((change) => drawn(context, change)));
  return {
    toDecide: await draw(shown.toDecide),
    mine: await draw(shown.mine),
    more: {
      toDecide: undecided.length - shown.toDecide.length,
      mine: unsettled.length - shown.mine.length,
    },
    recent: (await draw(shown.recent)).map((card) => ({ ...card, buttons: [] })),
    numbers: Object.values(shown).flatMap((changes) => changes.map(({ number }) => number)),
  };
}

/** Those on which this person's click would count, as far as is known without asking anybody afresh. */
async function toDecideBy(context: OverviewDesk, by: Person, changes: readonly Change[]): Promise<readonly Change[]> {
  const policy = context.policy();
  let spare = 0;
  const decides = changes.map(async (change) => {
    const restored = restore(change, namesWith(context, change));
    if (restored === undefined) return false;
    const ending = endingOf(change, restored, context.company());
    const right = mayEnd({ ...ending, policy, by });
    // Whether others are left takes a look at everybody: it is taken for no more than are shown.
    if (right.kind === 'if nobody may') spare += 1;
    return spare <= maxShown.toDecide ? isCloser(context, right, ending) : right.kind === 'may';
  });
  const isTheirs = await Promise.all(decides);
  return changes.filter((_, at) => isTheirs[at]);
}

async function notYetBy(
  db: Parameters<typeof approvals>[0],
  person: Person,
  changes: readonly Change[],
): Promise<readonly Change[]> {
  const voted = await Promise.all(
    changes.map(async ({ number, state }) =>
      state === 'waiting' ? (await approvals(db, number)).some((vote) => vote.person === person.id) : false,
    ),
  );
  return changes.filter((_, index) => !voted[index]);
}

async function drawn({ database }: { readonly database: Database }, change: Change): Promise<Card> {
  return renderCard(change, await approvals(database.db, change.number), database.installation);
}
