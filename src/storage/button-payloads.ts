import type { Selectable } from 'kysely';
import type { ButtonPayloadTable, ReadHandle, Tx } from './schema.ts';

/** One row of `button_payloads`: the data behind a button. */
export type ButtonPayload = Selectable<ButtonPayloadTable>;

/** Saves payloads and deletes the oldest ones of their people beyond `mostEach`. */
export async function putPayloads(tx: Tx, payloads: readonly ButtonPayload[], mostEach: number): Promise<void> {
  await tx
    .insertInto('button_payloads')
    .values([...payloads])
    .execute();
  const people = [...new Set(payloads.map(({ person }) => person))];
  const ranked = tx
    .selectFrom('button_payloads')
    .select(({ fn }) => {
      const place = fn.agg<number>('row_number');
      return [
        'id',
        place.over((of) => of.partitionBy('person').orderBy('created_at', 'desc').orderBy('id')).as('place'),
      ];
    })
    .where('person', 'in', people);
  const tooMany = tx.selectFrom(ranked.as('ranked')).select('id').where('place', '>', mostEach);
  await tx.deleteFrom('button_payloads').where('id', 'in', tooMany).execute();
}

/** The payload with this id, unless it has expired. */
export function findPayload(db: ReadHandle, id: string, now: number): Promise<ButtonPayload | undefined> {
  return db
    .selectFrom('button_payloads')
    .selectAll()
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

export async function expirePayloads(tx: Tx, now: number): Promise<void> {
  await tx.deleteFrom('button_payloads').where('expires_at', '<=', now).execute();
}
