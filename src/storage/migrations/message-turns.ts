import { sql } from 'kysely';
import type { Tx } from '../tx.ts';

/** Adds the requester, for fair turns, and whether people decide with the message, which puts it first. */
export async function messageTurns(tx: Tx): Promise<void> {
  await sql`alter table messages add column requester text not null default ''`.execute(tx);
  await sql`alter table messages add column decides integer not null default 0`.execute(tx);
  await sql`update messages set requester = coalesce((select requester from changes where number = messages.change), recipient, '')`.execute(
    tx,
  );
  await sql`update messages set decides = 1 where body like '%"kind":"decision"%' or body is null and exists (
    select 1 from changes where number = messages.change and state = 'waiting'
  )`.execute(tx);
  await sql`create index messages_to_decide on messages (due_at) where due_at is not null and decides = 1`.execute(tx);
  await sql`create index messages_of_requester on messages (requester, due_at) where due_at is not null`.execute(tx);
}
