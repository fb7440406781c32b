import type { Needed, Policy } from '../policy/rules.ts';
import { glassProblem } from '../access/break-glass.ts';
import { Refusal } from '../base/errors.ts';
import { includes } from '../policy/approval-requirement.ts';
import { findSentAsWell, isPartOfBatch, type Change } from '../storage/changes.ts';
import { groupsInDoubt, outstanding, type ApprovalRequest, type Waited } from '../policy/approvers.ts';
import { code, joined, say, type Text } from '../words/text.ts';
import { HostTrouble } from '../hosting/client.ts';
import { aboutOf, storedTargets } from '../access/targets.ts';
import {
  type Authorization,
  askedAt,
  askersOf,
  authorizationOf,
  skippedBy,
  waitedUntil,
} from '../access/authorization.ts';
import { authorize, type Authorized, type Person } from '../access/access-check.ts';
import { factsOf, fingerprint, pinnedCardOf, preconditionsOf } from './pin.ts';
import { checkFreezes } from './freeze-check.ts';
import { freezeInWords, inFreeze } from '../access/freeze-words.ts';
import { hiddenBy, listedAs, namesWith, readerOf } from '../access/visibility.ts';
import { factLines } from './card.ts';
import { reparse, type Reparsed } from '../language/reparse.ts';
import { sourcesOf } from './read-sources.ts';
import { sentAsWell } from './glass-replies.ts';
import { approversNow, countsFor, recentFor } from './voters.ts';
import { troubleText } from '../hosting/host-trouble.ts';
import { groupsOf, MembershipUnknown, membersUnknownQuietly } from '../access/unknown-groups.ts';
import type { ChangeContext } from './context.ts';

/** Whether a change may still be sent as pinned. `later`: something couldn't be checked, so nothing is decided. */
export type Rechecked =
  /** `openUntil`: a freeze may begin then (epoch ms), so nothing may be sent from then on without another check. */
  | { readonly kind: 'as it was'; readonly openUntil: number | undefined }
  | { readonly kind: 'invalidated' | 'drifted' | 'later' | 'host trouble'; readonly why: Text }
  /** A freeze holds it until then (epoch ms; undefined: not known). */
  | { readonly kind: 'in freeze'; readonly why: Text; readonly until: number | undefined };

/** Checks rights, votes, target and preconditions again, with the same functions as at the start. */
export async function recheck(context: ChangeContext, change: Change): Promise<Rechecked> {
  if (fingerprint(change.call, change.card) !== change.fingerprint) return fingerprintDiffers;
  if (!isAsScheduled(change)) return fingerprintDiffers;
  const { timerOf, approval } = authorizationOf(change);
  const isHeld = timerOf === undefined && context.rulesDiffer();
  // Otherwise the loosest file would decide.
  if (isHeld && approval !== 'none') return rulesDiffer;
  const rights = await recheckRights(context, change);
  if ('kind' in rights) return isHeld && rights.kind === 'invalidated' ? rulesDiffer : rights;
  const same = await findSentAsWell(context.database.db, change, askedAt(change));
  if (same) return { kind: same.settled_at === null ? 'later' : 'drifted', why: sentAsWell(same) };
  const drift = await recheckDrift(context, change, rights);
  return drift.kind === 'as it was' ? { kind: 'as it was', openUntil: rights.openUntil } : drift;
}

/** What is read of a change that may still be sent. */
type Restored = Reparsed & { readonly openUntil: number | undefined };

/** Its window is part of what was agreed on. A batch that has begun may have less time. */
function isAsScheduled(change: Change): boolean {
  const { schedule } = pinnedCardOf(change);
  if (isPartOfBatch(change)) return true;
  if (schedule === undefined) return change.scheduled_at === null;
  return change.scheduled_at === schedule.at && change.expires_at <= schedule.until;
}

/** How long to wait for the host's list of sites, which shows whether the target still exists. */
export const listingMs = 8_000;

const asItWas: Rechecked = { kind: 'as it was', openUntil: undefined };
const invalidated = (why: Text): Rechecked => ({ kind: 'invalidated', why });
const later = (why: Text): Rechecked => ({ kind: 'later', why });
const anotherApproval = invalidated(say`The rules now ask for another approval.`);
const fingerprintDiffers = invalidated(say`The stored change is not what was agreed on.`);
const rulesDiffer = later(
  say`My replicas go by different rules right now, so this waits until the same policy file is everywhere.`,
);
const slackIsSilent = later(say`Slack doesn't tell me right now who may do this.`);
const notKnown = (groups: readonly string[]): Rechecked => later(membersUnknownQuietly(groups));

async function recheckRights(context: ChangeContext, change: Change): Promise<Restored | Rechecked> {
  const { timerOf, approval, calling } = authorizationOf(change);
  const isTimer = timerOf !== undefined;
  const groups = groupsOf(context.policy(), change, 'requester');
  const isUnapproved = approval === 'none' || skippedBy(change) !== undefined;
  const how = recentFor(change) ?? (isUnapproved ? 'fresh' : undefined);
  // Network calls, in parallel.
  const [person, approvers, since] = await Promise.all([
    isTimer ? undefined : context.whoIs(change.requester, groups, undefined, how),
    isTimer || change.state === 'waiting' ? [] : approversNow(context, change),
    // A timer's removal reads the target by its id, so it doesn't wait for the list.
    isTimer ? 0 : context.freshenNames(listingMs),
  ]);
  if (!isTimer && person === undefined) return slackIsSilent;
  const moved = isTimer ? undefined : recheckTargets(context, change, since);
  if (moved) return moved;
  const restored = reparse(change, namesWith(context, change));
  if (restored === undefined) return invalidated(say`I no longer know the command ${code(change.command)}.`);
  if (person === undefined) return { ...restored, openUntil: undefined };
  return recheckAsker(context, change, restored, { ...person, caller: calling }, approvers);
}

/** Rights, votes and freezes, as of now. */
async function recheckAsker(
  context: ChangeContext,
  change: Change,
  restored: Reparsed,
  asking: Person,
  approvers: readonly Person[] | undefined,
): Promise<Restored | Rechecked> {
  const { caller } = asking;
  const now = await context.database.now();
  if (caller && now >= (context.policy().callers.get(caller.name)?.expires ?? Infinity))
    return invalidated(say`The key of ${code(caller.name)} has expired.`);
  const wrong = recheckRules(context, change, { ...restored, ...waitedUntil(change, now) }, asking, approvers);
  return wrong ?? recheckFreezes(context, change, restored, { person: asking, now });
}

/** The freeze that holds a waiting change, and so refuses every approval; undefined: none, as far as is known. */
export async function heldByFreeze(
  context: ChangeContext,
  change: Change,
): Promise<Extract<Rechecked, { readonly kind: 'in freeze' }> | undefined> {
  if (context.policy().freezes.length === 0) return undefined;
  const restored = reparse(change, namesWith(context, change));
  const person = await context.whoIs(
    change.requester,
    groupsOf(context.policy(), change, 'requester'),
    undefined,
    'recent',
  );
  if (restored === undefined || person === undefined) return undefined;
  const asking = { person: { ...person, caller: authorizationOf(change).calling }, now: await context.database.now() };
  const found = await recheckFreezes(context, change, restored, asking);
  return 'kind' in found && found.kind === 'in freeze' ? found : undefined;
}

/** Whether a freeze holds it now: who asked for it, and whether what its exceptions add was asked for. */
async function recheckFreezes(
  context: ChangeContext,
  change: Change,
  restored: Reparsed,
  { person, now }: { readonly person: Person; readonly now: number },
): Promise<Restored | Rechecked> {
  if (skippedBy(change)) return { ...restored, openUntil: undefined };
  const { target_name: where } = change;
  const at = Math.max(now, change.scheduled_at ?? 0);
  const decision = await checkFreezes(context, person, { resolved: restored.resolved, at, change });
  if (decision.kind === 'unknown') return notKnown(decision.groups);
  if (decision.kind === 'frozen')
    return { kind: 'in freeze', why: freezeInWords(decision, where, { at, now }), until: decision.until ?? Infinity };
  if (includes(authorizationOf(change).approval, decision.approval))
    return { ...restored, openUntil: decision.openUntil };
  const why = say`**${where} ${inFreeze({ at, now })}:** ${joined(decision.names.map(code), ', ')}. Its exception needs another approval than this was asked for with.`;
  return { kind: 'in freeze', why, until: undefined };
}

/** Why the targets forbid the send: gone, renamed or not known right now. Undefined: they don't. */
function recheckTargets(context: ChangeContext, change: Change, since: number): Rechecked | undefined {
  for (const target of storedTargets(change)) {
    const presence = context.presenceOf(target, since);
    if (presence === 'gone') return invalidated(say`${target.name} is gone: the host no longer lists it.`);
    if (presence === 'missing')
      return later(
        say`${target.name} isn't on the host's newest list of sites. One list is not enough to call it gone.`,
      );
    if (presence !== 'listed') {
      const { trouble } = context.listing();
      const why = trouble ? troubleText(trouble) : say`The host hasn't given me a complete list of its sites yet.`;
      return later(say`${why} So I can't check that ${target.name} is still there.`);
    }
    const now = listedAs(context.names(undefined), target);
    if (now && target.kind !== 'company' && now.name !== target.name) {
      return invalidated(say`${target.name} is called ${now.name} now.`);
    }
  }
  return undefined;
}

/** Undefined if the requester still has the right and, after an approval, the votes suffice under the old and today's rules. */
function recheckRules(
  context: ChangeContext,
  change: Change,
  { waited, ...restored }: Reparsed & Waited,
  person: Person,
  approvers: readonly Person[] | undefined,
): Rechecked | undefined {
  const policy = context.policy();
  const now = approvalNow(context, person, restored);
  if (now === undefined)
    return invalidated(say`${change.caller ?? change.requester_name} is no longer allowed to do this.`);
  if (now instanceof MembershipUnknown) return notKnown(now.groups);
  const { approval: then } = authorizationOf(change);
  if (change.state === 'waiting' || (now.approval === 'none' && then === 'none')) return undefined;
  if (approvers === undefined) return slackIsSilent;
  const voters = approvers.filter(countsFor(context, change));
  const asked = { ...aboutOf(restored.resolved, context.company()).asked, ...askersOf(change), waited };
  const suffice = (needed: 'none' | Needed): boolean =>
    needed === 'none' || outstanding(policy, needed, asked, voters).length === 0;
  if (suffice(then) && suffice(now.approval)) return undefined;
  if (skippedBy(change)) return recheckGlass(policy, then, now, asked);
  return tooFewVotes(context, change, { asked, approvers, before: then, now, isLost: !suffice(then) });
}

type Votes = {
  readonly asked: ApprovalRequest;
  readonly approvers: readonly Person[];
  readonly before: 'none' | Needed;
  readonly now: Now;
  /** Whether they no longer suffice for what was needed then. */
  readonly isLost: boolean;
};

/** Why it can't be sent with these votes: it may be known later that they suffice. */
function tooFewVotes(
  context: ChangeContext,
  change: Change,
  { asked, approvers, before, now, isLost }: Votes,
): Rechecked {
  const needed = now.unsure.length > 0 ? [before] : [before, now.approval];
  const unknown = groupsThatDecide(context, change, asked, approvers, needed);
  const groups = [...new Set([...(unknown ?? []), ...now.unsure])];
  if (unknown !== undefined && groups.length > 0) return notKnown(groups);
  if (isLost) return invalidated(say`Somebody who approved it is no longer allowed to.`);
  return anotherApproval;
}

/** Undefined if today's rules still let the requester skip this approval. Those who give another were not told. */
function recheckGlass(
  policy: Policy,
  then: 'none' | Needed,
  { approval, unsure, glassRight }: Now,
  asked: ApprovalRequest,
): Rechecked | undefined {
  if (then === 'none') return anotherApproval;
  // What the rules look for in a reason is skipped too.
  if (approval !== 'none' && !includes(then, { ...approval, reason: then.reason }))
    return unsure.length > 0 ? notKnown(unsure) : anotherApproval;
  const problem = glassProblem(policy, glassRight, then, asked);
  if (problem instanceof MembershipUnknown) return notKnown(problem.groups);
  return problem && invalidated(problem);
}

/** The unknown Slack user groups that decide whether these votes suffice; undefined: they can't suffice. */
function groupsThatDecide(
  context: ChangeContext,
  change: Change,
  asked: ApprovalRequest,
  approvers: readonly Person[],
  needed: readonly ('none' | Needed)[],
): readonly string[] | undefined {
  const policy = context.policy();
  const members = approvers.filter(({ standing }) => standing === 'member');
  const readers = members.filter((one) => readerOf(context, one)(change) || hiddenBy(context, one, change).length > 0);
  const wanted = needed.filter((one) => one !== 'none');
  if (wanted.some((one) => outstanding(policy, one, asked, readers, 'perhaps').length > 0)) return undefined;
  const unsure = wanted.flatMap((one) => groupsInDoubt(policy, one, asked, readers));
  return [...unsure, ...readers.flatMap((one) => hiddenBy(context, one, change))];
}

type Now = Pick<Authorization, 'approval'> & Pick<Authorized, 'glassRight'> & { readonly unsure: readonly string[] };

function approvalNow(
  { policy, company }: ChangeContext,
  person: Person,
  { resolved }: Reparsed,
): Now | MembershipUnknown | undefined {
  try {
    const { authorization, unsure = [], glassRight } = authorize(policy(), person, resolved, company());
    return { approval: authorization.approval, unsure, glassRight };
  } catch (error) {
    if (error instanceof MembershipUnknown) return error;
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

async function recheckDrift(
  context: ChangeContext,
  change: Change,
  { action, resolved }: Reparsed,
): Promise<Rechecked> {
  // No preconditions: nothing to compare, so skip the read.
  if (action.look === undefined || change.preconditions === 'null') return asItWas;
  try {
    const now = await action.look({ input: resolved.input, ...sourcesOf(context) });
    if (preconditionsOf(action, resolved, now) === change.preconditions) return asItWas;
    const of = { input: resolved.input, snapshot: now };
    const wrong = action.impossible?.(of);
    const drifted = say`${change.target_name} is not as it was when this was asked for.`;
    if (wrong) return { kind: 'drifted', why: say`${drifted} Asking again would be refused now: ${wrong.says}` };
    const { facts } = action.card({ ...of, now: await context.database.now() });
    const why = say`Somebody changed ${change.target_name} in the meantime. If you asked again, it would be:`;
    return { kind: 'drifted', why: joined([why, factLines(factsOf(facts))], '\n') };
  } catch (error) {
    if (error instanceof HostTrouble) return { kind: 'host trouble', why: troubleText(error) };
    if (error instanceof Refusal) return { kind: 'host trouble', why: error.says };
    throw error;
  }
}
