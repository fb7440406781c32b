import type { Selectable } from 'kysely';
import type { AnswerTable } from './schema.ts';
import type { Reader, Tx } from './tx.ts';

/** One row of `answers`: what stands behind a button. */
export type Answer = Selectable<AnswerTable>;

/** How many answers are kept for a person; a further one takes the place of the oldest. */
export const ANSWERS_PER_PERSON = 50;
/** What an answer may weigh, in characters. */
export const ANSWER_LIMIT = 500_000;

/** Keeps an answer, and forgets the person's oldest beyond 50. Rejects with a RangeError beyond `ANSWER_LIMIT`. */
export async function putAnswer(tx: Tx, answer: Answer): Promise<void> {
  if (answer.content.length > ANSWER_LIMIT) throw new RangeError('the answer is too long to be kept');
  await tx.insertInto('answers').values(answer).execute();
  const kept = tx
    .selectFrom('answers')
    .select('id')
    .where('person', '=', answer.person)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(ANSWERS_PER_PERSON);
  await tx.deleteFrom('answers').where('person', '=', answer.person).where('id', 'not in', kept).execute();
}

/** The answer of that id, unless it has expired. */
export function findAnswer(db: Reader, id: string, now: number): Promise<Answer | undefined> {
  return db.selectFrom('answers').selectAll().where('id', '=', id).where('expires_at', '>', now).executeTakeFirst();
}

/** As `findAnswer`, and removes it: of two clicks at once one gets it. */
export function takeAnswer(tx: Tx, id: string, now: number): Promise<Answer | undefined> {
  return tx.deleteFrom('answers').where('id', '=', id).where('expires_at', '>', now).returningAll().executeTakeFirst();
}

/** Removes what has expired. */
export async function expireAnswers(tx: Tx, now: number): Promise<void> {
  await tx.deleteFrom('answers').where('expires_at', '<=', now).execute();
}
