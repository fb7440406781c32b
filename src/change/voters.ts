import type { Person } from '../access/access-check.ts';
import { groupsOf } from '../access/unknown-groups.ts';
import { readerOf } from '../access/visibility.ts';
import { isPartOfBatch, type Change } from '../storage/changes.ts';
import { listVotes, type Vote } from '../storage/votes.ts';
import type { ChangeContext } from './context.ts';

/** Those who approved a change, as Slack knows them now. */

/**
 * The changes of a batch have the same people. Asking Slack again for each change would use up its limit for everybody,
 * and the batch was checked like any change when it began.
 */
export const recentFor = (change: Change): 'recent' | undefined => (isPartOfBatch(change) ? 'recent' : undefined);

export const approversNow = async (context: ChangeContext, change: Change): Promise<readonly Person[] | undefined> =>
  voterPeople(context, change, await listVotes(context.database.db, change.batch ?? change.number));

/** The voters as Slack knows them now; undefined if Slack doesn't answer. */
async function voterPeople(
  { whoIs, policy }: Pick<ChangeContext, 'whoIs' | 'policy'>,
  change: Change,
  votes: readonly Vote[],
): Promise<readonly Person[] | undefined> {
  const groups = groupsOf(policy(), change, 'approver');
  const people = await Promise.all(votes.map(({ person }) => whoIs(person, groups, undefined, recentFor(change))));
  const known = people.filter((one) => one !== undefined);
  return known.length < people.length ? undefined : known;
}

/** Whose vote counts: members who may read the change, as for a click. */
export const countsFor = (context: ChangeContext, change: Change) => (person: Person) =>
  person.standing === 'member' && readerOf(context, person)(change);

/** The approvers whose votes count, as Slack knows them now; undefined if Slack doesn't answer. */
export async function freshVoters(
  context: ChangeContext,
  change: Change,
  votes: readonly Vote[],
): Promise<readonly Person[] | undefined> {
  return (await voterPeople(context, change, votes))?.filter(countsFor(context, change));
}
