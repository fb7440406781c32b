import type { AnyAction } from '../commands/kit/action.ts';
import { Refusal } from '../base/errors.ts';
import { say } from '../words/text.ts';
import type { Authorized, Person } from '../access/access-check.ts';
import { freezeWarning, InFreeze, refusedInFreeze } from '../access/freeze-words.ts';
import { glassHint, inEmergency } from '../access/break-glass.ts';
import { aboutOf } from '../access/targets.ts';
import { pin, type Pinned } from '../change/pin.ts';
import { checkFreezes } from '../change/freeze-check.ts';
import { validMs } from '../change/change.ts';
import { strictestOf } from '../policy/approval-requirement.ts';
import { checkPlanFor } from '../send/check-plan.ts';
import { canaryOf, pinBatch, leftOutFacts, type NothingToDo } from '../send/pin-batch.ts';
import { asRefusal } from '../hosting/host-trouble.ts';
import { sourcesOf } from '../change/read-sources.ts';
import { canonicalArgs } from '../language/resolve.ts';
import { windowOf } from '../language/schedule.ts';
import { isZone } from '../words/zoned-time.ts';
import type { SendContext } from '../send/context.ts';

/** How many environments of a batch are read in parallel, and how long all of them may take, in milliseconds. */
const looksAtOnce = 4;
const looksMs = 60_000;

/** The change is impossible on this environment, or already done. */
class Impossible extends Refusal {}

/** Whether only this environment of a batch is refused. */
const leavesOut = (error: unknown): error is Refusal => error instanceof Impossible || error instanceof InFreeze;

/**
 * Freezes the request for each environment of a batch. Leaves out environments where there is nothing to do, and names
 * them. Throws `Refusal` if one of them could not be read, because then nobody knows what the batch would do.
 */
async function pinEach(
  context: SendContext,
  authorized: Authorized,
  action: AnyAction,
  each: readonly Authorized[],
  by: Asking,
): Promise<Pinned> {
  const until = performance.now() + looksMs;
  const found: (Pinned | NothingToDo | undefined)[] = each.map(() => undefined);
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
      found[at] = await pinOne(context, one, action, { ...by, isInBatch: true }).catch(
        (error: unknown): NothingToDo => {
          if (leavesOut(error) && one.target?.kind === 'environment') return { env: one.target, why: error.says };
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
  const whole = { ...authorized, ...together(authorized, items), ...canaryCheck(context, authorized, items) };
  return { ...pinBatch(whole, action, items), leftOut: leftOutFacts(authorized.notAllowed ?? [], nothing) };
}

/** The authorization of a batch of these: each of them may add what it needs because of a freeze. */
export const together = ({ authorization }: Authorized, items: readonly Authorized[]) => ({
  authorization: {
    ...authorization,
    approval: strictestOf([authorization, ...items.map((one) => one.authorization)].map(({ approval }) => approval)),
  },
});

/** Whether it is known already that the site of the canary can't be checked, and why. */
function canaryCheck(
  { listing, policy }: SendContext,
  authorized: Authorized,
  items: readonly Pinned[],
): Pick<Pinned, 'canaryUnchecked'> {
  const canary = canaryOf(authorized, items);
  const plan = canary && checkPlanFor(canary, listing(), policy());
  return plan?.kind === 'cannot be checked' ? { canaryUnchecked: plan.why } : {};
}

/** Who asks, and whose share the reads take. Without a person it is a timer, which no freeze concerns. */
type Asking = { readonly person?: Person; readonly onBehalfOf?: string };

/**
 * Reads from the host, then freezes call and card. Throws `Refusal` if that fails, if the change isn't possible, or if
 * a freeze of the policy holds it; an exception may add to the approval that it needs.
 */
export async function lookAndPin(
  context: SendContext,
  authorized: Authorized,
  action: AnyAction,
  by: Asking = {},
): Promise<Pinned> {
  if (authorized.each) return pinEach(context, authorized, action, authorized.each, by);
  return pinOne(context, authorized, action, { ...by, isInBatch: false });
}

async function pinOne(
  context: SendContext,
  authorized: Authorized,
  action: AnyAction,
  { person, onBehalfOf, isInBatch }: Asking & { readonly isInBatch: boolean },
): Promise<Pinned> {
  const snapshot = await action
    .look?.({ input: authorized.input, ...sourcesOf(context, onBehalfOf) })
    .catch((error: unknown) => {
      throw asRefusal(error, canonicalArgs(authorized));
    });
  const input = (isInBatch && action.meant?.({ input: authorized.input, snapshot })) || authorized.input;
  const wrong = action.impossible?.({ input, snapshot });
  if (wrong) throw new Impossible(wrong.says, wrong);
  const { isBlocked } = context.listing().environments.find(({ id }) => id === authorized.target?.id) ?? {};
  const now = await context.database.now();
  const allowed = person ? await allowedNow(context, { ...authorized, input }, person, now) : {};
  return pin({ ...authorized, input, ...allowed }, action, snapshot, { now, isBlocked });
}

/** When it is to be sent, and what the freezes then add to the approval and to the card. Throws `Refusal` if one holds it. */
async function allowedNow(
  context: SendContext,
  authorized: Authorized,
  person: Person,
  now: number,
): Promise<Pick<Authorized, 'authorization' | 'freeze' | 'isHeld' | 'zone'>> {
  const { authorization, target, parsed } = authorized;
  const schedule = windowOf(parsed);
  const zone = isZone(person.zone) ? person.zone : 'UTC';
  const moment = { at: Math.max(now, schedule?.at ?? now), now };
  const decision = await checkFreezes(context, person, { resolved: authorized, at: moment.at });
  if (parsed.breakGlass) {
    const asked = { ...aboutOf(authorized, context.company()).asked, requester: person.id, waited: 0 };
    const emergency = { right: authorized.glassRight, decision, asked };
    return { zone, authorization: inEmergency(context.policy(), authorization, emergency) };
  }
  // A dry run changes nothing, so it shows what there would be to see.
  if (decision.kind !== 'open' && parsed.dryRun)
    return {
      zone,
      authorization,
      freeze: refusedInFreeze(decision, authorized, target?.name, moment).says,
      isHeld: true,
    };
  if (decision.kind !== 'open') {
    const emergency = glassHint(context, authorized, authorization.approval, person.id);
    throw refusedInFreeze(decision, authorized, target?.name, moment, emergency);
  }
  const approval = strictestOf([authorization.approval, decision.approval]);
  const until = schedule?.until ?? now + (approval === 'none' ? validMs : approval.expires);
  return { zone, authorization: { ...authorization, approval }, freeze: freezeWarning(decision, moment, until) };
}
