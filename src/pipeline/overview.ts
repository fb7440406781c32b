import { mayApprove } from '../policy/approvers.ts';
import { samePerson } from '../policy/people.ts';
import { decide } from '../policy/policy.ts';
import { listChanges, type Change } from '../storage/changes.ts';
import type { Database } from '../storage/database.ts';
import { approvals } from '../storage/votes.ts';
import { aboutOf } from './about.ts';
import type { Person } from './authorise.ts';
import { namesWith, readerOf, type Shelf } from './readable.ts';
import { permitOf, renderCard, type Card } from './render.ts';
import { restore } from './restore.ts';

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
};

/** Changes that are looked at for each list, and shown of it. */
const mostRead = 100;
const mostShown = { toDecide: 8, mine: 5, recent: 10 } as const;

/** Reads it: a few queries, whatever has piled up. */
export async function overviewFor(desk: Shelf & { readonly database: Database }, person: Person): Promise<Overview> {
  const { db } = desk.database;
  const mayRead = readerOf(desk, person);
  const read = async (filter: Partial<Parameters<typeof listChanges>[1]>): Promise<readonly Change[]> =>
    (await listChanges(db, { ...filter, limit: mostRead })).filter(mayRead);
  const [waiting, unknown, own, latest] = await Promise.all([
    read({ state: 'waiting' }),
    read({ state: 'unknown' }),
    read({ asker: person.id }),
    read({}),
  ]);
  const undecided = await notYetBy(
    db,
    person,
    [...unknown, ...waiting].filter((change) => mayDecide(desk, person, change)),
  );
  const draw = (changes: readonly Change[], most: number): Promise<readonly Card[]> =>
    Promise.all(changes.slice(0, most).map((change) => drawn(desk, change)));
  const unsettled = own.filter(({ settled_at }) => settled_at === null);
  return {
    toDecide: await draw(undecided, mostShown.toDecide),
    mine: await draw(unsettled, mostShown.mine),
    more: {
      toDecide: Math.max(0, undecided.length - mostShown.toDecide),
      mine: Math.max(0, unsettled.length - mostShown.mine),
    },
    recent: (await draw(latest, mostShown.recent)).map((card) => ({ ...card, buttons: [] })),
  };
}

/** Whether this person's click would count, as far as is known without asking anybody afresh. */
function mayDecide(desk: Shelf, person: Person, change: Change): boolean {
  const restored = restore(change, namesWith(desk, change));
  if (restored === undefined) return false;
  const policy = desk.policy();
  const { asked } = aboutOf(restored.resolved, desk.company());
  const { approval } = permitOf(change);
  if (approval === 'none') return decide(policy, person, asked).kind === 'allowed';
  if (samePerson(policy, person.id, change.asker)) return false;
  return mayApprove(policy, person, approval, { ...asked, asker: change.asker }).kind === 'counts';
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
