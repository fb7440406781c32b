import { type Message } from './messages.ts';
import type { Tx, ReadHandle } from './schema.ts';

/** What one person is owed, and what they were never told. */

/** The key of an answer that is sent directly, later, begins with this. */
export const answerPrefix = 'answer:';

/** The keys of the answers that are owed to a person. */
export async function answersOwed(tx: Tx, recipient: string): Promise<readonly string[]> {
  const owed = await tx
    .selectFrom('messages')
    .select('key')
    .where('due_at', 'is not', null)
    .where('kind', '=', 'direct')
    .where('recipient', '=', recipient)
    .where('key', 'like', `${answerPrefix}%`)
    .execute();
  return owed.map(({ key }) => key);
}

/** Messages for this person that are reported as untold since `since` (epoch ms) or later, newest first. */
export const untoldMessages = (
  db: ReadHandle,
  ids: readonly string[],
  { since, limit }: { readonly since: number; readonly limit: number },
): Promise<readonly Message[]> =>
  db
    .selectFrom('messages')
    .selectAll()
    .where('untold_at', '>=', since)
    .where((is) =>
      is.or([
        is.and([is('kind', 'in', ['direct', 'copy']), is('recipient', 'in', ids)]),
        is.and([is('kind', 'in', ['card', 'reply']), is('requester', 'in', ids)]),
      ]),
    )
    .orderBy('untold_at', 'desc')
    .limit(limit)
    .execute();

/** The channel in which the change, or the handed-on request, of a posted message was asked for; undefined: none. */
export async function originChannel(
  db: ReadHandle,
  { channel, ts }: { readonly channel: string; readonly ts: string },
): Promise<string | undefined> {
  const about = await db
    .selectFrom('messages')
    .leftJoin('changes', 'changes.number', 'messages.change')
    .select(['messages.key', 'changes.channel as askedIn'])
    .where('messages.channel', '=', channel)
    .where('messages.ts', '=', ts)
    .executeTakeFirst();
  const [notice] = /^hand_on:[^:]+/.exec(about?.key ?? '') ?? [];
  if (notice === undefined) return about?.askedIn ?? undefined;
  const offer = db.selectFrom('messages').select('recipient').where('key', '=', notice).where('kind', '=', 'notice');
  return (await offer.executeTakeFirst())?.recipient ?? undefined;
}
