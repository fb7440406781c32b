import type { Selectable } from 'kysely';
import type { AnswerTable } from './schema.ts';
import type { Reader, Tx } from './tx.ts';

/** One row of `answers`: the data behind a button. */
export type ButtonPayload = Selectable<AnswerTable>;

/** How many answers are kept for each person; a further one replaces the oldest. */
export const ANSWERS_PER_PERSON = 50;

/** Saves answers and deletes the oldest ones beyond `ANSWERS_PER_PERSON`. */
export async function putAnswers(tx: Tx, answers: readonly ButtonPayload[]): Promise<void> {
  await tx
    .insertInto('answers')
    .values([...answers])
    .execute();
  const people = [...new Set(answers.map(({ person }) => person))];
  const ranked = tx
    .selectFrom('answers')
    .select(({ fn }) => {
      const place = fn.agg<number>('row_number');
      return [
        'id',
        place.over((of) => of.partitionBy('person').orderBy('created_at', 'desc').orderBy('id')).as('place'),
      ];
    })
    .where('person', 'in', people);
  const tooMany = tx.selectFrom(ranked.as('ranked')).select('id').where('place', '>', ANSWERS_PER_PERSON);
  await tx.deleteFrom('answers').where('id', 'in', tooMany).execute();
}

/** The answer with this id, unless it has expired. */
export function findAnswer(db: Reader, id: string, now: number): Promise<ButtonPayload | undefined> {
  return db.selectFrom('answers').selectAll().where('id', '=', id).where('expires_at', '>', now).executeTakeFirst();
}

/** As `findAnswer`, but deletes it: only one of two simultaneous clicks gets it. */
export function takeAnswer(tx: Tx, id: string, now: number): Promise<ButtonPayload | undefined> {
  return tx.deleteFrom('answers').where('id', '=', id).where('expires_at', '>', now).returningAll().executeTakeFirst();
}

/** Deletes expired answers. */
export async function expireAnswers(tx: Tx, now: number): Promise<void> {
  await tx.deleteFrom('answers').where('expires_at', '<=', now).execute();
}
