import type { Change } from '../storage/changes.ts';
import { joined, say, time, type Text } from '../words/text.ts';
import { unreachedOf, whoIsAsked } from '../access/approver-lookup.ts';
import { authorizationOf } from '../access/authorization.ts';
import { tooFewApprove } from '../access/nobody-approves.ts';
import { isDirect } from '../access/assert-channel.ts';
import type { Note } from './card.ts';

/** Who is asked to approve, in the words of a change's thread. */

export const pleaseTell = (whom: Text): Text => say`Nobody else can see this thread, so please tell ${whom} yourself.`;

/** Who is asked to approve. People whom I can't tell directly are mentioned if that reaches them; else `rest` says so. */
export function askedIn(change: Change, without: readonly string[] = []): { readonly who: Text; readonly rest?: Text } {
  const { asks = [] } = authorizationOf(change);
  // In direct messages only the requester reads the thread.
  if (!isDirect(change.channel)) return { who: whoIsAsked(asks, { without, notify: 'unreached' }) };
  const unreached = unreachedOf(asks, without);
  return {
    who: whoIsAsked(asks, { without }),
    ...(unreached.length > 0 && { rest: pleaseTell(joined(unreached, ', ')) }),
  };
}

/** Asks for approval, or says that nobody can give it. */
export function approvalRequest(change: Change): Text {
  const until = time(change.expires_at);
  const tooFew = tooFewApprove(authorizationOf(change).asks);
  const { who, rest } = askedIn(change);
  if (tooFew === undefined) return joined([say`${who}: this is waiting for your approval until ${until}.`, rest]);
  return say`⚠️ ${tooFew} It needs ${who}, and waits until ${until}. I'll say so here if that changes.`;
}

/** A reminder for people who haven't approved yet. */
export function reminder(change: Change, voted: readonly string[]): Note {
  const { who, rest } = askedIn(change, voted);
  const text = say`⏳ ${who}: this is still waiting for your approval, until ${time(change.expires_at)}.`;
  return { text: joined([text, rest]) };
}
