import type { Selectable } from 'kysely';
import type { VoteTable } from './schema.ts';
import type { Reader, Tx } from './tx.ts';

/** One row of `votes`. */
export type Vote = Selectable<VoteTable>;

/** Counts a person's vote, in place of an earlier one; false if the same person had already said the same. */
export async function castVote(tx: Tx, vote: Vote): Promise<boolean> {
  const { change: _change, person: _person, ...said } = vote;
  const cast = await tx
    .insertInto('votes')
    .values(vote)
    .onConflict((on) =>
      on.columns(['change', 'person']).doUpdateSet(said).whereRef('votes.verdict', '<>', 'excluded.verdict'),
    )
    .returning('person')
    .executeTakeFirst();
  return cast !== undefined;
}

/** All votes on a change, oldest first: at most one a person. */
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

/** The approvals among them. */
export const approvals = async (db: Reader, change: number): Promise<Vote[]> =>
  (await listVotes(db, change)).filter(({ verdict }) => verdict === 'approve');
