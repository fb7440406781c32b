import type { ReadHandle } from './tx.ts';

/** Where something was asked for, and by whom, if it is a change. */
type Origin = { readonly channel: string; readonly requester?: string | undefined };

/** The channel in which the change, or the handed-on request, of a posted message was asked for; undefined: none. */
export async function originOfMessage(
  db: ReadHandle,
  { channel, ts }: { readonly channel: string; readonly ts: string },
): Promise<Origin | undefined> {
  const about = await db
    .selectFrom('messages')
    .leftJoin('changes', 'changes.number', 'messages.change')
    .select(['messages.key', 'changes.channel as askedIn', 'changes.requester as requester'])
    .where('messages.channel', '=', channel)
    .where('messages.ts', '=', ts)
    .executeTakeFirst();
  const [notice] = /^hand_on:[^:]+/.exec(about?.key ?? '') ?? [];
  if (notice === undefined)
    return about?.askedIn ? { channel: about.askedIn, requester: about.requester ?? undefined } : undefined;
  const offers = db.selectFrom('messages').select('recipient').where('key', '=', notice).where('kind', '=', 'notice');
  const offer = await offers.executeTakeFirst();
  return offer?.recipient ? { channel: offer.recipient } : undefined;
}
