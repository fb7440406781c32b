import { askedPeople, toldPeople, whoIsAsked } from '../access/approver-lookup.ts';
import { authorizationOf, type AskedRequirement, type BrokenGlass } from '../access/authorization.ts';
import { glassMark, skippedInWords } from '../access/break-glass.ts';
import { reasonText } from '../access/reason.ts';
import { tooFewApprove } from '../access/nobody-approves.ts';
import type { Channels } from '../policy/rules.ts';
import type { Change } from '../storage/changes.ts';
import { joined, mention, named, say, type Text } from '../words/text.ts';
import { askedIn } from './asked-in.ts';
import type { Note } from './card.ts';
import type { TransitionNote } from './change-messages.ts';

/** The sentences in the thread of a change that is sent by break-glass. Pure. */

/** What is skipped, by whom and why. */
export const glassBroken = (change: Change, skipped: BrokenGlass): Text =>
  say`${glassMark} **Break-glass: ${mention(change.requester)} asked for this ${skippedInWords(skipped)}.** “${reasonText(change) ?? []}”`;

/** Asks those who could have approved it to review it. */
export function reviewWanted(change: Change): Text {
  const { asks = [] } = authorizationOf(change);
  const { who, rest } = askedIn(change);
  return joined([
    nobodyReviews(asks) ?? say`${who}: you could have approved it, so please review it afterwards.`,
    rest,
  ]);
}

/** Says that certainly nobody can review it now; undefined: somebody can, or might. One of all approvers is enough. */
export const nobodyReviews = (asks: readonly AskedRequirement[]): Text | undefined =>
  asks.every((ask) => tooFewApprove([{ ...ask, count: 1 }]) !== undefined)
    ? say`**Nobody who could review it can be told.**`
    : undefined;

/** Everybody whose approval is skipped is told at once, whom the rules notify, and the ops channel. */
export function tellAll(change: Change): Pick<TransitionNote, 'ops' | 'tell'> {
  const authorization = authorizationOf(change);
  return { ops: true, tell: [...askedPeople(authorization), ...toldPeople(authorization)] };
}

/** What somebody with this name said of a change that was sent by break-glass. */
export const reviewed = (by: string, says: string): Note => ({ text: say`🔎 **Reviewed by ${named(by)}:** “${says}”` });

/** Who is told of it at once: for whoever is about to do it. */
export function whoIsTold(asks: readonly AskedRequirement[], { ops }: Channels): Text {
  const who = say`Those who could have approved it (${whoIsAsked(asks)}) are told at once, with your reason, and are to review it.`;
  const few = nobodyReviews(asks);
  const where = ops === undefined ? say`There is no ops channel to tell.` : say`The ops channel is told, too.`;
  return joined([few ?? who, where]);
}
