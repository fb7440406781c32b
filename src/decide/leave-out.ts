import { authorize, type Person } from '../access/access-check.ts';
import { refuseUnlessConfirmed, shownOf, type Confirmation } from '../change/confirmation.ts';
import { withoutEnvironments } from '../send/freeze-batch.ts';
import type { Frozen } from '../change/freeze.ts';
import type { SendContext } from '../send/context.ts';

/** A reviewed change, and how it was confirmed; `isAsShown`: it asks for the approval that the review showed. */
type ConfirmedChange = {
  readonly frozen: Frozen;
  readonly confirmation: Confirmation;
  readonly isAsShown: boolean;
};

/**
 * What is left of a reviewed batch without the environments that its requester left out. The rules decide again which
 * approval that needs. Throws `Refusal` (`NotAsShown`) if the whole batch was not confirmed as it is, or if nothing is
 * left.
 */
export function applyLeftOut(
  { policy, company }: Pick<SendContext, 'policy' | 'company'>,
  shown: Frozen,
  person: Person,
  confirmation: Confirmation,
): ConfirmedChange {
  const ids = typeof confirmation === 'string' ? [] : (confirmation.leaveOut ?? []);
  if (ids.length === 0) return { frozen: shown, confirmation, isAsShown: true };
  refuseUnlessConfirmed(shown, confirmation);
  const kept = withoutEnvironments(shown, ids);
  const { batchValidity } = shown.authorization;
  const authorization = kept.items
    ? // What is left may be valid for longer by its own rules, and that was not shown.
      {
        ...authorize(policy(), person, kept, company()).authorization,
        ...(batchValidity !== undefined && { batchValidity }),
      }
    : kept.authorization;
  const frozen = { ...kept, authorization };
  const [now, then] = [frozen, shown].map((one) => JSON.stringify(one.authorization.approval));
  return { frozen, confirmation: { shown: shownOf(frozen), typedName: undefined }, isAsShown: now === then };
}
