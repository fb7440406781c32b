import type { Selectable } from 'kysely';
import type { VoteTable, ReadHandle, Tx } from './schema.ts';

export type Vote = Selectable<VoteTable>;

/** Saves a person's vote; false if there is one already. */
export async function castVote(tx: Tx, vote: Vote): Promise<boolean> {
  const cast = await tx
    .insertInto('votes')
    .values(vote)
    .onConflict((on) => on.columns(['change', 'person']).doNothing())
    .returning('person')
    .executeTakeFirst();
  return cast !== undefined;
}

/** Deletes the votes on a change, so that they no longer count. */
export async function voidVotes(tx: Tx, change: number): Promise<void> {
  await tx.deleteFrom('votes').where('change', '=', change).execute();
}

/** The votes on a change, oldest first, 100 at most. */
export function listVotes(db: ReadHandle, change: number): Promise<Vote[]> {
  return db
    .selectFrom('votes')
    .selectAll()
    .where('change', '=', change)
    .orderBy('at')
    .orderBy('person')
    .limit(100)
    .execute();
}
