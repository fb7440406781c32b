import type { Change } from '../storage/changes.ts';
import { joined, say, time, type Text } from '../words/text.ts';
import { unreachedOf, whoIsAsked } from '../access/approver-lookup.ts';
import { authorizationOf, skippedBy, type AskedRequirement } from '../access/authorization.ts';
import { fromWhen } from '../access/escalation.ts';
import { tooFewApprove } from '../access/nobody-approves.ts';
import { isDirect } from '../access/assert-channel.ts';
import type { Note } from './card.ts';

/** Who is asked to approve, in the words of a change's thread. */

export const pleaseTell = (whom: Text): Text => say`Nobody else can see this thread, so please tell ${whom} yourself.`;

/** Who is asked to approve. People whom I can't tell directly are mentioned if that reaches them; else `rest` says so. */
export function askedIn(
  change: Change,
  without: readonly string[] = [],
  asks = authorizationOf(change).asks ?? [],
): { readonly who: Text; readonly rest?: Text } {
  const when = fromWhen(change);
  const notify = skippedBy(change) ? 'everybody' : 'unreached';
  // In direct messages only the requester reads the thread.
  if (!isDirect(change.channel)) return { who: whoIsAsked(asks, { without, notify, when }) };
  const unreached = unreachedOf(asks, without, notify);
  return {
    who: whoIsAsked(asks, { without, when }),
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

/** Asks those who can approve it as well from now on. `before`: who was asked already. */
export function escalation(change: Change, before: readonly AskedRequirement[] = []): Text {
  const asks = newIn(authorizationOf(change).asks ?? [], before);
  const { who, rest } = askedIn(change, [], asks);
  if (asks.every(({ people, userGroups, unsure }) => [people, userGroups, unsure].every((some) => some?.length === 0)))
    return say`⏫ From now on ${who} can approve it too, but nobody there can right now.`;
  return joined([
    say`⏫ ${who}: this is still waiting, and you can approve it too now, until ${time(change.expires_at)}.`,
    rest,
  ]);
}

/** Whom requirements have escalated to, without who was asked `before`. */
const newIn = (asks: readonly AskedRequirement[], before: readonly AskedRequirement[]): readonly AskedRequirement[] =>
  asks.flatMap((now, at) => {
    const former = before[at];
    if (former?.escalate === undefined || now.escalate !== undefined) return [];
    const { people, names, userGroups = [], unsure = [] } = now;
    const isNew = (id: string): boolean =>
      ![...former.people, ...(former.userGroups ?? []), ...(former.unsure ?? [])].includes(id);
    return {
      ...now,
      count: 1,
      groups: former.escalate.to,
      people: people.filter(isNew),
      names: names.filter((_, index) => isNew(people[index] ?? '')),
      userGroups: userGroups.filter(isNew),
      unsure: unsure.filter(isNew),
    };
  });

/** A reminder for people who haven't approved yet. */
export function reminder(change: Change, voted: readonly string[]): Note {
  const { who, rest } = askedIn(change, voted);
  const text = say`⏳ ${who}: this is still waiting for your approval, until ${time(change.expires_at)}.`;
  return { text: joined([text, rest]) };
}
