import { glassMark, skippedInWords } from '../access/break-glass.ts';
import { authorizationOf } from '../access/authorization.ts';
import { unreviewed, type Change } from '../storage/changes.ts';
import { parseStored } from '../storage/parse-json.ts';
import { dayMs } from '../words/duration.ts';
import { joined, mention, say, time, type Text } from '../words/text.ts';

/** What was sent by break-glass is reviewed afterwards, by somebody who could have approved it. Pure. */

/** How often those who can review it are reminded. */
export const reviewEveryMs = dayMs;

/** What somebody said of it; stored with the change. `at` in epoch ms. */
export type PostReview = { readonly by: string; readonly at: number; readonly says: string };

type Reviewed = Pick<Change, 'post_review' | 'settled_at'>;
export type Skipped = Reviewed & Pick<Change, 'authorization' | 'sent_at' | 'lost_at'>;

/** Whether it is over, and nobody has reviewed it yet. */
export const isToReview = ({ post_review: review, settled_at: settled }: Reviewed): boolean =>
  review === unreviewed && settled !== null;

/** Undefined: nobody has reviewed it, or it needs no review. */
export const postReviewOf = ({ post_review: review }: Reviewed): PostReview | undefined =>
  review === null || review === unreviewed ? undefined : parseStored<PostReview>(review);

/** What a change skipped, and what became of its review; undefined: it skipped nothing. */
export function glassLine(change: Skipped): Text | undefined {
  const { breakGlass: skips } = authorizationOf(change);
  if (skips === undefined) return undefined;
  const review = postReviewOf(change);
  const then = isToReview(change) ? say`**nobody has reviewed it yet**` : undefined;
  const says = review && say`reviewed by ${mention(review.by)}, ${time(review.at, 'date')}: “${review.says}”`;
  return joined([say`${isSentInWords(change)} ${skippedInWords(skips)}`, then ?? says], '; ');
}

/** The same for a list; undefined: it skipped nothing. */
export const glassInShort = (change: Pick<Skipped, 'authorization' | keyof Reviewed>): Text | undefined =>
  authorizationOf(change).breakGlass && say`${glassMark} break-glass${isToReview(change) ? ', not reviewed' : ''}`;

function isSentInWords({ sent_at: sent, settled_at: settled, lost_at: lost, post_review: review }: Skipped): string {
  if (lost !== null) return 'may have been sent';
  if (sent !== null) return 'sent';
  if (review === null) return 'not sent; it was to go';
  return settled === null ? 'to be sent' : 'done';
}
