import type { ReadHandle } from './tx.ts';

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
