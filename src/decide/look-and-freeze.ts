import type { AnyAction } from '../commands/kit/action.ts';
import { Refusal } from '../base/errors.ts';
import { say } from '../words/text.ts';
import type { Authorized } from '../access/access-check.ts';
import { freeze, type Frozen } from '../change/freeze.ts';
import { checkPlanFor } from '../change/check-plan.ts';
import { canaryOf, freezeBatch, leftOutFacts, type NothingToDo } from '../send/freeze-batch.ts';
import { asRefusal } from '../change/host-trouble.ts';
import { sourcesOf } from '../change/read-sources.ts';
import { canonicalArgs } from '../language/resolve.ts';
import type { SendContext } from '../send/context.ts';

/** How many environments of a batch are read in parallel, and how long all of them may take, in milliseconds. */
const looksAtOnce = 4;
const looksMs = 60_000;

/** The change is impossible on this environment, or already done. */
class Impossible extends Refusal {}

/**
 * Freezes the request for each environment of a batch. Leaves out environments where there is nothing to do, and names
 * them. Throws `Refusal` if one of them could not be read, because then nobody knows what the batch would do.
 */
async function freezeEach(
  context: SendContext,
  authorized: Authorized,
  action: AnyAction,
  each: readonly Authorized[],
  onBehalfOf: string | undefined,
): Promise<Frozen> {
  const until = performance.now() + looksMs;
  const found: (Frozen | NothingToDo | undefined)[] = each.map(() => undefined);
  const left = each.entries();
  let isRefused = false;
  const next = async (): Promise<void> => {
    for (const [at, one] of left) {
      // Don't read the others for nothing.
      if (isRefused) return;
      if (performance.now() > until)
        throw new Refusal('The host was too slow to look at all of these. Nothing was done.', {
          hint: 'Name fewer of them, or try again later.',
          isLater: true,
        });
      found[at] = await freezeOne(context, one, action, { onBehalfOf, isInBatch: true }).catch(
        (error: unknown): NothingToDo => {
          if (error instanceof Impossible && one.target?.kind === 'environment')
            return { env: one.target, why: error.says };
          isRefused = true;
          if (!(error instanceof Refusal)) throw error;
          const { says, hint, isLater } = error;
          throw new Refusal(say`**${one.target?.name ?? ''}:** ${says}`, { hint, isLater });
        },
      );
    }
  };
  await Promise.all(Array.from({ length: looksAtOnce }, next));
  const items = found.flatMap((one) => (one && 'fingerprint' in one ? [one] : []));
  const nothing = found.flatMap((one) => (one && 'why' in one ? [one] : []));
  if (items.length === 0) throw new Refusal(nothing[0]?.why ?? [], { hint: 'The same goes for all of them.' });
  const whole = { ...authorized, ...canaryCheck(context, authorized, items) };
  return { ...freezeBatch(whole, action, items), leftOut: leftOutFacts(authorized.notAllowed ?? [], nothing) };
}

/** Whether it is known already that the site of the canary can't be checked, and why. */
function canaryCheck(
  { listing, policy }: SendContext,
  authorized: Authorized,
  items: readonly Frozen[],
): Pick<Frozen, 'canaryUnchecked'> {
  const canary = canaryOf(authorized, items);
  const plan = canary && checkPlanFor(canary, listing(), policy());
  return plan?.kind === 'cannot be checked' ? { canaryUnchecked: plan.why } : {};
}

/** Reads from the host, then freezes call and card. Throws `Refusal` if that fails, or the change isn't possible. */
export async function lookAndFreeze(
  context: SendContext,
  authorized: Authorized,
  action: AnyAction,
  onBehalfOf?: string,
): Promise<Frozen> {
  if (authorized.each) return freezeEach(context, authorized, action, authorized.each, onBehalfOf);
  return freezeOne(context, authorized, action, { onBehalfOf, isInBatch: false });
}

async function freezeOne(
  context: SendContext,
  authorized: Authorized,
  action: AnyAction,
  { onBehalfOf, isInBatch }: { readonly onBehalfOf: string | undefined; readonly isInBatch: boolean },
): Promise<Frozen> {
  const snapshot = await action
    .look?.({ input: authorized.input, ...sourcesOf(context, onBehalfOf) })
    .catch((error: unknown) => {
      throw asRefusal(error, canonicalArgs(authorized));
    });
  const input = (isInBatch && action.meant?.({ input: authorized.input, snapshot })) || authorized.input;
  const wrong = action.impossible?.({ input, snapshot });
  if (wrong) throw new Impossible(wrong.says, wrong);
  const { isBlocked } = context.listing().environments.find(({ id }) => id === authorized.target?.id) ?? {};
  return freeze({ ...authorized, input }, action, snapshot, { now: await context.database.now(), isBlocked });
}
