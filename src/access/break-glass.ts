import { Refusal } from '../base/errors.ts';
import type { Company } from '../hosting/contract/target.ts';
import type { Resolved } from '../language/resolve.ts';
import { namesOthers, type ApprovalRequest } from '../policy/approvers.ts';
import type { FreezeDecision } from '../policy/freezes.ts';
import type { GlassRight } from '../policy/policy.ts';
import { approvalByOthers, strictestOf } from '../policy/approval-requirement.ts';
import type { Needed, Policy } from '../policy/rules.ts';
import { code, joined, say, type Text } from '../words/text.ts';
import type { Authorization, BrokenGlass } from './authorization.ts';
import { aboutOf, manyOf } from './targets.ts';
import { MembershipUnknown } from './unknown-groups.ts';

/** Breaking the glass: in an emergency somebody skips approval and freezes, and it is reviewed afterwards. */

/** Why this breaks no glass, which is one person's, for one target, and now; undefined: it may. */
function whyNoGlass(resolved: Resolved): string | undefined {
  const { queue, handOn, handedOn, when, canary } = resolved.parsed;
  if (canary !== undefined || manyOf(resolved)) return 'is for one environment at a time';
  if (when !== undefined) return 'is for now, and takes no time';
  if (queue) return 'waits in no queue: a lock holds it as well';
  return handOn || handedOn !== undefined ? 'is not handed on' : undefined;
}

/** Throws `Refusal` for what breaks no glass. */
export function refuseBreakGlass(resolved: Resolved): void {
  const why = whyNoGlass(resolved);
  if (why !== undefined) throw new Refusal(say`${code('--break-glass')} ${why}. Nothing was done.`);
}

type Emergency = {
  readonly right: GlassRight | undefined;
  readonly decision: FreezeDecision;
  readonly asked: ApprovalRequest;
};

/**
 * The authorization of what skips approval and freezes. It keeps the approval that was skipped: those who could have
 * given it are told, and review it. Throws `Refusal` if there is nothing to skip, or the rules don't let these askers.
 */
export function inEmergency(
  policy: Policy,
  authorization: Authorization,
  { right, decision, asked }: Emergency,
): Authorization {
  const added = decision.kind === 'open' ? decision.approval : 'none';
  const skipped = strictestOf([authorization.approval, added]);
  const freezes = freezesIn(decision);
  if (skipped === 'none' && freezes.length === 0)
    throw new Refusal(
      'It needs no approval, and no freeze holds it, so there is no glass to break. Nothing was done.',
      {
        hint: say`Ask for it without ${code('--break-glass')}.`,
      },
    );
  const approval = { ...(skipped === 'none' ? approvalByOthers : skipped), reason: 'required' } as const;
  const problem = glassProblem(policy, right, approval, asked);
  if (problem instanceof Refusal) throw problem;
  if (problem)
    throw new Refusal(
      say`${problem} Nothing was done.`,
      skipped !== 'none' && namesOthers(policy, skipped, asked)
        ? { hint: 'Without it, you can ask for approval.' }
        : {},
    );
  return { ...authorization, approval, breakGlass: { approval: skipped !== 'none', freezes } };
}

/** Those that hold it, may hold it, or would add to the approval. */
const freezesIn = (decision: FreezeDecision): readonly string[] => {
  if (decision.kind !== 'open') return decision.by.map(({ name }) => name);
  return decision.approval === 'none' ? [] : decision.names;
};

/** Why the rules don't let these askers skip this approval; undefined: they do. */
export function glassProblem(
  policy: Policy,
  { ways, unsure }: GlassRight = { ways: [], unsure: [] },
  needed: Pick<Needed, 'requirements'>,
  asked: ApprovalRequest,
): Text | MembershipUnknown | undefined {
  if (ways.length === 0 && unsure.length === 0) return say`**No rule lets you use ${code('--break-glass')} here.**`;
  const others = namesOthers(policy, needed, asked);
  if (ways.includes(others ? 'looked at' : 'alone'))
    return !others && isDestructiveOnLive(asked)
      ? say`**Nobody alone may skip approval for what is destructive on live.**`
      : undefined;
  if (unsure.length > 0) return new MembershipUnknown(say`the rules let you use ${code('--break-glass')}`, unsure);
  return others
    ? say`**The policy names others who can approve it,** and lets you skip that only if you were alone.`
    : say`**The policy names nobody else who could review it afterwards,** so you can't skip the approval.`;
}

/** What this person reads who may break the glass: before they do, and may not need to. `needed`: as far as is known. */
export function glassHint(
  context: { readonly policy: () => Policy; readonly company: () => Company },
  resolved: Resolved & { readonly glassRight?: GlassRight | undefined },
  needed: 'none' | Needed,
  requester: string,
): Text | undefined {
  if (whyNoGlass(resolved) !== undefined) return undefined;
  const policy = context.policy();
  const skipped = needed === 'none' ? approvalByOthers : needed;
  const asked = { ...aboutOf(resolved, context.company()).asked, requester, waited: 0 };
  const problem = glassProblem(policy, resolved.glassRight, skipped, asked);
  if (problem !== undefined)
    return resolved.parsed.breakGlass && !(problem instanceof MembershipUnknown) ? problem : undefined;
  const then = namesOthers(policy, skipped, asked)
    ? 'everybody is told, and somebody reviews it'
    : 'nobody else is named, so it stays not reviewed';
  return say`In an emergency, ${code('--break-glass')} and a reason skip that: ${then}.`;
}

/** Also if the target is no environment, or it is not known to be none that is live. */
const isDestructiveOnLive = ({ command, aims }: ApprovalRequest): boolean =>
  command.risk === 'destructive' &&
  aims.some(({ target, access }) => access === 'change' && (target.kind !== 'environment' || target.live));

/** Stands wherever a change is shown that was sent like that. */
export const glassMark = '🚨';

/** How it is sent: *without approval*. */
export const skippedInWords = ({ approval, freezes }: BrokenGlass): Text =>
  joined(
    [
      approval ? 'without approval' : undefined,
      freezes.length > 0 ? say`in spite of the freeze ${joined(freezes.map(code), ', ')}` : undefined,
    ],
    ' and ',
  );
