import { askedPeople, notifiedNames, whoIsAsked } from '../access/approver-lookup.ts';
import type { AskedRequirement, BrokenGlass } from '../access/authorization.ts';
import { glassMark, skippedInWords } from '../access/break-glass.ts';
import { reasonText } from '../access/reason.ts';
import { tooFewApprove } from '../access/nobody-approves.ts';
import type { Channels } from '../policy/rules.ts';
import type { Change } from '../storage/changes.ts';
import { either, joined, mention, named, say, type Text } from '../words/text.ts';
import { askedIn } from './asked-in.ts';
import type { Note } from './card.ts';

/** The sentences in the thread of a change that is sent by break-glass. Pure. */

/** What is skipped, by whom and why. */
export const glassBroken = (change: Change, skipped: BrokenGlass): Text =>
  say`${glassMark} **Break-glass: ${mention(change.requester)} asked for this ${skippedInWords(skipped)}.** “${reasonText(change) ?? []}”`;

/** Asks those who could have approved it to review it. */
export function reviewWanted(change: Change, { reviewers }: BrokenGlass): Text {
  const asks = reviewers?.asks ?? [];
  const { who, rest } = askedIn(change, [], asks);
  return joined([nobodyReviews(asks) ?? say`${who}: please review it afterwards.`, rest]);
}

/** Says that certainly nobody can review it now; undefined: somebody can, or might. One of all approvers is enough. */
export const nobodyReviews = (asks: readonly AskedRequirement[]): Text | undefined =>
  asks.every((ask) => tooFewApprove([{ ...ask, count: 1 }]) !== undefined)
    ? say`**Nobody who could review it can be told,** so it stays not reviewed for now.`
    : undefined;

/** Everybody who is told directly of what is skipped. */
export const toldOfGlass = ({ reviewers = { asks: [], told: [] } }: BrokenGlass): readonly string[] => [
  ...askedPeople(reviewers),
  ...reviewers.told,
];

/** What somebody with this name said of a change that was sent by break-glass. */
export const reviewed = (by: string, says: string): Note => ({ text: say`🔎 **Reviewed by ${named(by)}:** “${says}”` });

/** Who is told of it at once: for whoever is about to do it. */
export function whoIsTold(asks: readonly AskedRequirement[], { ops }: Channels): Text {
  const few = nobodyReviews(asks);
  const others = asks.flatMap(({ notify }) => (notify ? notifiedNames(notify) : []));
  const reaches = asks.some(({ people, userGroups, unsure }) => people.length > 0 || userGroups || unsure);
  const told = either([reaches ? 'them' : undefined, ...others, ops && 'the ops channel'], 'and');
  return joined([
    few ?? say`${whoIsAsked(asks)} can review it afterwards.`,
    told.length > 0 ? say`I'll tell ${told} at once, with your reason.` : undefined,
  ]);
}
