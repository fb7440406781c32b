import type { Person } from '../access/access-check.ts';
import { askersOf } from '../access/authorization.ts';
import { buttonsFor, decisionButtons } from '../change/buttons.ts';
import { endingOf } from '../change/closers.ts';
import type { ChangeContext } from '../change/context.ts';
import { mayReview } from '../change/may-end.ts';
import { namesWith } from '../access/visibility.ts';
import type { PageDecision } from '../commands/kit/page.ts';
import { reparse } from '../language/reparse.ts';
import { isAsker } from '../policy/approvers.ts';
import { isPartOfBatch, type Change } from '../storage/changes.ts';

/**
 * What the card offers this person to take the change back, or to review it if their review would count. The changes of
 * a batch are taken back with it.
 */
export function decisionsFor(context: ChangeContext, person: Person, change: Change): readonly PageDecision[] {
  if (isPartOfBatch(change)) return [];
  const { installation } = context.database;
  const reader = { isAsker: isAsker(context.policy(), person, askersOf(change)) };
  const buttons = buttonsFor(reader, change, decisionButtons(change, installation));
  const offered = buttons.flatMap(({ label, press }) => {
    if (press.kind !== 'decision') return [];
    const { verdict, number, version } = press;
    if (verdict !== 'cancel' && verdict !== 'stop' && verdict !== 'reviewed') return [];
    return [{ label: `${label} #${number}`, verdict, installation, number, version }];
  });
  const isReview = offered.some(({ verdict }) => verdict === 'reviewed');
  return isReview && !isReviewer(context, person, change) ? [] : offered;
}

function isReviewer(context: ChangeContext, by: Person, change: Change): boolean {
  const reparsed = reparse(change, namesWith(context, change));
  if (reparsed === undefined) return false;
  // How long it waited does not matter for a review.
  const ending = endingOf(change, reparsed, context.company(), change.created_at);
  return mayReview({ ...ending, policy: context.policy(), by }).kind === 'may';
}
