import { askedPeople } from '../access/approver-lookup.ts';
import type { BrokenGlass } from '../access/authorization.ts';
import { glassMark, skippedInWords } from '../access/break-glass.ts';
import { reasonText } from '../access/reason.ts';
import { nobodyReviews } from '../access/nobody-approves.ts';
import type { Change } from '../storage/changes.ts';
import { joined, mention, named, say, type Text } from '../words/text.ts';
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

/** Everybody who is told directly of what is skipped. */
export const toldOfGlass = ({ reviewers = { asks: [], told: [] } }: BrokenGlass): readonly string[] => [
  ...askedPeople(reviewers),
  ...reviewers.told,
];

/** What somebody with this name said of a change that was sent by break-glass. */
export const reviewed = (by: string, says: string): Note => ({ text: say`🔎 **Reviewed by ${named(by)}:** “${says}”` });

/** Why what was asked for twice is not sent as well. */
export const sentAsWell = ({ number, settled_at: settled }: Pick<Change, 'number' | 'settled_at'>): Text =>
  settled === null
    ? say`The same was sent as #${number}, and I don't know yet what came of it.`
    : say`The same was sent as #${number} since this was asked for.`;
