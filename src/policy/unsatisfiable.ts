import { cached } from '../base/caches.ts';
import type { Mistake } from './yaml-document.ts';
import { approvalBy, groupsEver } from './approval-requirement.ts';
import { canonicalId, groupIds, isUserGroup } from './memberships.ts';
import {
  callerPrefix,
  isWrite,
  namesCommand,
  type Approval,
  type Audience,
  type PolicyCommand,
  type Policy,
  type Rule,
} from './rules.ts';
import { rulesOn } from './matching.ts';

/** Slack user group → ids of its members. A missing group is unknown. */
export type Members = ReadonlyMap<string, readonly string[]>;

/** People, each by their canonical id; undefined: some are unknown. */
type People = ReadonlySet<string> | undefined;

/**
 * The rules whose approval can never be completed: too few people can approve, or just enough can and each requester is
 * one of them. Reports only certain cases: a user group that is missing from `members` could contain anybody.
 */
export function impossibleRules(policy: Policy, members: Members): readonly Mistake[] {
  const census = censusOf(policy, members);
  const rules = policy.rules.filter(({ effect }) => effect === 'allow');
  return [...rules, ...exceptions(policy)].flatMap((rule) => {
    const found = policy.catalogue
      .filter((command) => namesCommand(rule, command))
      .map((command) => reasonFor(census, rule, command) ?? reasonForCallers(policy, census, rule, command))
      .find((says) => says !== undefined);
    return found === undefined ? [] : [{ line: rule.line, column: rule.column, says: found }];
  });
}

/**
 * The rules whose `breakGlass` never works for anything they allow: where nothing asks for approval and no freeze can
 * hold it, `alone` where they name others who could approve, `true` where the policy names nobody else. Reports only certain cases, and each rule once.
 */
export function idleBreakGlass(policy: Policy): readonly Mistake[] {
  return policy.rules.flatMap((rule) => {
    const { breakGlass: way, line, column } = rule;
    const commands = policy.catalogue.filter((one) => isWrite(one) && namesCommand(rule, one));
    const isIdle = (command: PolicyCommand): boolean =>
      way === 'alone' ? namesOthersFor(policy, rule, command) : !isSeveral(policy, everybodyNamed(policy, command));
    if (way === undefined || commands.length === 0) return [];
    const skipsNothing = policy.freezes.length === 0 && commands.every((command) => needsNoApproval(policy, command));
    if (!skipsNothing && !commands.every(isIdle)) return [];
    const says = skipsNothing
      ? 'note: leave breakGlass out: no rule asks for approval, and there are no freezes'
      : way === 'alone'
        ? 'note: breakGlass: alone never works here, because others are named who can approve it; say true'
        : 'note: breakGlass: true never works here, because nobody else is named who could review it; say alone';
    return [{ line, column, says }];
  });
}

const needsNoApproval = (policy: Policy, command: PolicyCommand): boolean =>
  rulesOn(policy, command).allow.every((rule) => approvalBy(rule, command) === 'none');

/** Whether somebody else is named, whoever asks: two people, a Slack user group, or everyone. */
function isSeveral(policy: Policy, names: readonly string[]): boolean {
  const ids = groupIds(policy, names);
  const people = new Set(ids.map((id) => canonicalId(policy, id)));
  return names.includes('everyone') || people.size > 1 || ids.some(isUserGroup);
}

/** Whether the approval of a rule itself certainly names somebody else, whoever asks by that rule. */
function namesOthersFor(policy: Policy, rule: Rule, command: PolicyCommand): boolean {
  const approval = approvalBy(rule, command);
  if (approval === 'none') return false;
  const names = [approval.by === 'allowed' ? rule.to : groupsEver(approval)].flat();
  if (isSeveral(policy, names)) return true;
  const asking = [rule.to].flat();
  const askers = groupIds(policy, asking);
  const areKnown = asking.every((name) => policy.groups.has(name)) && !askers.some(isUserGroup);
  const own = new Set(askers.map((id) => canonicalId(policy, id)));
  return areKnown && groupIds(policy, names).some((id) => !own.has(canonicalId(policy, id)));
}

/** Everybody who may run it somewhere, or whose approval anything asks for. */
const everybodyNamed = (policy: Policy, command: PolicyCommand): readonly string[] =>
  [...policy.rules.filter(({ effect }) => effect === 'allow'), ...exceptions(policy)]
    .filter((one) => namesCommand(one, command))
    .flatMap(({ to, approval = 'none' }) => [to, approval === 'none' ? [] : groupsEver(approval)])
    .flat();

/** What asks for an approval: an allowing rule, or the exception of a freeze. */
type Asking = Pick<Rule, 'what' | 'to' | 'approval' | 'line' | 'column'> & Partial<Pick<Rule, 'breakGlass'>>;

/** The exceptions of freezes, as far as they ask for an approval. */
const exceptions = ({ freezes, catalogue }: Policy): readonly Asking[] =>
  freezes.flatMap(({ what = new Set(catalogue.filter(isWrite).map(({ path }) => path)), except, line, column }) =>
    except ? [{ what, line, column, ...except }] : [],
  );

function reasonFor(census: Census, rule: Asking, command: PolicyCommand): string | undefined {
  const approval = approvalBy(rule, command);
  // Whoever is alone skips it, and says so.
  if (approval === 'none' || rule.breakGlass === 'alone') return undefined;
  const approvers =
    approval.by === 'allowed' ? census.allowed(command) : census.notDenied(groupsEver(approval), command);
  const requesters = census.notDenied(rule.to, command);
  // If nobody can ask, no change waits for approval.
  if (!approvers || approvers.size > approval.count || requesters?.size === 0) return undefined;
  const tooFew = approvers.size < approval.count;
  if (!tooFew && !(requesters && [...requesters].every((id) => approvers.has(id)))) return undefined;
  return `"${command.path}" could never be approved: ${explain(approval, approvers, tooFew)}`;
}

/** Why what a caller asks for by this rule could never be approved: too few people cannot use its key. */
function reasonForCallers(policy: Policy, census: Census, rule: Asking, command: PolicyCommand): string | undefined {
  const approval = approvalBy(rule, command, true);
  if (approval === 'none' || rule.to === 'everyone') return undefined;
  const approvers =
    approval.by === 'allowed' ? census.allowed(command) : census.notDenied(groupsEver(approval), command);
  const named = rule.to.filter((name) => name.startsWith(callerPrefix));
  const callers = named.flatMap((name) => policy.callers.get(name.slice(callerPrefix.length)) ?? []);
  const hopeless = callers.find(({ operators, for: person }) => {
    const own = new Set(census.known([person, ...operators]));
    return approvers && [...approvers].filter((id) => !own.has(id)).length < approval.count;
  });
  return hopeless === undefined
    ? undefined
    : `"${command.path}" of the caller ${hopeless.name} could never be approved: it needs ${approval.count} of those who may, and too few of them cannot use its key`;
}

function explain({ count, ...approval }: Approval, approvers: ReadonlySet<string>, tooFew: boolean): string {
  const who =
    approval.by === 'allowed' ? 'of the people who may do it themselves' : `of ${groupsEver(approval).join(', ')}`;
  const there =
    approvers.size === 0
      ? 'there is nobody'
      : `there ${approvers.size === 1 ? 'is' : 'are'} only ${[...approvers].join(' and ')}`;
  const asks = tooFew ? '' : ', and the person who asks is one of them and does not count';
  return `it needs ${count} ${who}, and ${there}${asks}`;
}

type Census = ReturnType<typeof censusOf>;

function censusOf(policy: Policy, members: Members) {
  /** The known members of these groups, each by their canonical id; callers are none. */
  const known = (names: readonly string[]): readonly string[] =>
    names
      .filter((name) => !name.startsWith(callerPrefix))
      .flatMap((name) => (policy.groups.has(name) ? groupIds(policy, [name]) : [name]))
      .flatMap((id) => (isUserGroup(id) ? (members.get(id) ?? []) : [id]))
      .map((id) => canonicalId(policy, id));
  const of = (audience: Audience): People => {
    if (audience === 'everyone') return undefined;
    const isUnknown = groupIds(policy, audience).some((id) => isUserGroup(id) && !members.has(id));
    return isUnknown ? undefined : new Set(known(audience));
  };
  const deniedEverywhere = cached((command: PolicyCommand): ReadonlySet<string> => {
    const everywhere = policy.rules.filter(
      (rule) => rule.effect === 'deny' && rule.where === undefined && namesCommand(rule, command),
    );
    return new Set(everywhere.flatMap(({ to }) => (to === 'everyone' ? [] : known(to))));
  });
  /** The people of an audience, without those whom a rule denies the command everywhere. */
  const notDenied = (audience: Audience, command: PolicyCommand): People => {
    const people = of(audience);
    const denied = deniedEverywhere(command);
    return people && new Set([...people].filter((id) => !denied.has(id)));
  };
  /** The people whom a rule allows the command somewhere. */
  const allowed = cached((command: PolicyCommand): People => {
    const people = new Set<string>();
    for (const rule of policy.rules) {
      if (rule.effect === 'deny' || !namesCommand(rule, command)) continue;
      const some = notDenied(rule.to, command);
      if (!some) return undefined;
      some.forEach((id) => people.add(id));
    }
    return people;
  });
  return { known, notDenied, allowed };
}
