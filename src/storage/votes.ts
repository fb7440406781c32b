import type { Selectable } from 'kysely';
import type { VoteTable } from './schema.ts';
import type { Reader, Tx } from './tx.ts';

/** One row of `votes`. */
export type Vote = Selectable<VoteTable>;

/** Saves a person's vote, replacing an earlier one; false if the earlier one had the same verdict. */
export async function castVote(tx: Tx, vote: Vote): Promise<boolean> {
  const { change: _change, person: _person, ...columns } = vote;
  const cast = await tx
    .insertInto('votes')
    .values(vote)
    .onConflict((on) =>
      on.columns(['change', 'person']).doUpdateSet(columns).whereRef('votes.verdict', '<>', 'excluded.verdict'),
    )
    .returning('person')
    .executeTakeFirst();
  return cast !== undefined;
}

/** The votes on a change, oldest first, 100 at most. */
export function listVotes(db: Reader, change: number): Promise<Vote[]> {
  return db
    .selectFrom('votes')
    .selectAll()
    .where('change', '=', change)
    .orderBy('at')
    .orderBy('person')
    .limit(100)
    .execute();
}

/** The approving votes on a change. */
export const approvals = async (db: Reader, change: number): Promise<Vote[]> =>
  (await listVotes(db, change)).filter(({ verdict }) => verdict === 'approve');
