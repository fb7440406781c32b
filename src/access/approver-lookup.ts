import type { Target } from '../hosting/contract/target.ts';
import {
  groupsForRequirement,
  mayApprove,
  mayBeAsker,
  type ApprovalRequest,
  type Askers,
  type Waited,
} from '../policy/approvers.ts';
import type { AskingCaller } from '../policy/callers.ts';
import { Refusal } from '../base/errors.ts';
import { inForce } from '../policy/approval-requirement.ts';
import { canonicalId, groupIds, idsOf, isUserGroup, userGroupsIn } from '../policy/memberships.ts';
import { groupsApproving, mayRead, decideReading } from '../policy/policy.ts';
import type { Member, Policy, Needed, Requirement } from '../policy/rules.ts';
import { bold, code, either, joined, named, mention, plain, say, userGroup, type Text } from '../words/text.ts';
import { aboutOf } from './targets.ts';
import type { AskedRequirement, Authorization, Notified } from './authorization.ts';
import { alsoLater, type When } from './escalation.ts';
import { membersUnknownQuietly } from './unknown-groups.ts';
import type { Resolved } from '../language/resolve.ts';
import type { AccessContext } from './context.ts';

/** Who is asked to approve a change, in data and in words. */

/** The most people looked up for one requirement, or to run one request. */
export const maxPeople = 25;
const maxNamed = 5;

/** Who is asked, with one entry for each requirement, and who of them is told directly. */
type AskedPeople = Required<Pick<Authorization, 'asks' | 'told'>>;

/**
 * Whom to ask for approval of this request: for each requirement, people whose click would count now or, if a
 * membership is unknown, might count. A Slack user group with unknown members is asked as a group.
 */
export async function whomToAsk(
  context: AccessContext,
  needed: Needed,
  resolved: Resolved,
  askers: Askers & Waited,
): Promise<AskedPeople> {
  const policy = context.policy();
  const { asked } = aboutOf(resolved, context.company());
  const request = { ...asked, ...askers };
  const requirements = needed.requirements.map((one) => inForce(one, askers.waited));
  const targets = asked.aims.map(({ target }) => target);
  const notified = requirements.flatMap(({ notify = [] }) => notify);
  const approving = groupsApproving(policy, asked.command, needed, askers.caller);
  const groups = new Set([...approving, ...userGroupsIn(policy, [notified])]);
  const { people: all, unknown } = await peopleOf(context, policy, [...groups]);
  const asks = await Promise.all(
    requirements.map(async (requirement): Promise<AskedRequirement> => {
      const named = groupsForRequirement(policy, requirement, request);
      const ids = new Set(groupIds(policy, named));
      const once = eachOnce(policy, approversAmong(policy, all, requirement, request));
      const userGroups = unknown.filter((group) => ids.has(group));
      // Under `allowed`, different rules may let somebody do each part of it, or everybody all of it.
      const isOpen = requirement.by === 'allowed' && (asked.aims.length > 1 || named.includes('everyone'));
      const one = {
        count: requirement.count,
        groups: named,
        ...(requirement.escalate && { escalate: requirement.escalate }),
        ...((isOpen || once.length > maxPeople) && ({ mayBeOthers: true } as const)),
        ...(await membersAmong(context, once.slice(0, maxPeople))),
      };
      const notify = await notifiedOf(context, requirement, { all, unknown, targets, askers });
      return { ...one, ...(userGroups.length > 0 && { userGroups }), ...(notify && { notify }) };
    }),
  );
  return { asks, told: eachOnce(policy, asks.flatMap(toldOf)) };
}

/** Ids of those people whose click would, or might, count for this one requirement of the whole request. */
export function approversAmong(
  policy: Policy,
  people: readonly Member[],
  requirement: Requirement,
  request: ApprovalRequest,
): readonly string[] {
  const ids = new Set(groupIds(policy, groupsForRequirement(policy, requirement, request)));
  const targets = request.aims.map(({ target }) => target);
  const found = people.filter((person) => {
    if (!belongsTo(ids, person) || !readsAll(policy, person, targets)) return false;
    const vote = mayApprove(policy, person, { requirements: [requirement] }, request);
    return vote.kind === 'counts' || vote.why === 'unknown';
  });
  return found.map(({ id }) => id);
}

type NotifyScope = {
  readonly all: readonly Member[];
  readonly unknown: readonly string[];
  readonly targets: readonly Target[];
  readonly askers: Askers;
};

/** Whom the rules notify. Leaves out the askers, and everybody who is not known to be allowed to see what it is about. */
async function notifiedOf(
  context: AccessContext,
  { notify }: Requirement,
  { all, unknown, targets, askers }: NotifyScope,
): Promise<Notified | undefined> {
  if (notify === undefined) return undefined;
  const policy = context.policy();
  const ids = new Set(groupIds(policy, notify));
  const people = all.filter(
    (person) =>
      belongsTo(ids, person) &&
      !mayBeAsker(policy, person, askers) &&
      targets.every((target) => mayRead(policy, person, target)),
  );
  const once = eachOnce(
    policy,
    people.map(({ id }) => id),
  );
  const members = await membersAmong(context, once.slice(0, maxPeople));
  return { groups: notify, ...members, unknown: unknown.filter((group) => ids.has(group)) };
}

/** Whether those who may approve are told: the rules say so, or nobody else is told, or Slack doesn't say who else is. */
const tellsApprovers = ({ notify }: AskedRequirement): boolean =>
  notify === undefined || notify.people.length === 0 || notify.unknown.length > 0;

const toldOf = (asked: AskedRequirement): readonly string[] => [
  ...(asked.notify?.people ?? []),
  ...(tellsApprovers(asked) ? asked.people : []),
];

/** A person with several ids is named by the first of them. */
export function eachOnce(policy: Policy, ids: readonly string[]): readonly string[] {
  const canonical = ids.map((id) => canonicalId(policy, id));
  return ids.filter((_, index) => canonical.indexOf(canonical[index] ?? '') === index);
}

/**
 * Keeps only members of the workspace: guests learn nothing about sites, even if a group contains them. `unsure`:
 * people for whom Slack doesn't answer right now; undefined: nobody.
 */
export async function membersAmong(
  { personOf }: AccessContext,
  ids: readonly string[],
): Promise<Required<Pick<AskedRequirement, 'people' | 'names'>> & Pick<AskedRequirement, 'unsure'>> {
  const known = await Promise.all(ids.map((id) => personOf(id, [])));
  const members = known.flatMap((one, index) =>
    one?.standing === 'member' ? [{ id: ids[index] ?? '', name: one.name }] : [],
  );
  const unsure = ids.filter((_, index) => known[index] === undefined);
  return {
    people: members.map(({ id }) => id),
    names: members.map(({ name }) => name),
    ...(unsure.length > 0 && { unsure }),
  };
}

/** Everybody whom the policy names by id or by one of these Slack user groups, and the groups with unknown members. */
export async function peopleOf(
  { membersOf }: Pick<AccessContext, 'membersOf'>,
  policy: Policy,
  groups: readonly string[],
) {
  const lists = await Promise.all(groups.map(async (group) => [group, await membersOf(group)] as const));
  const answered = lists.flatMap(([group, members]) => (members ? [[group, new Set(members)] as const] : []));
  const named = groupIds(policy, [...policy.groups.keys()]).filter((id) => !isUserGroup(id));
  const people = [...new Set([...named, ...answered.flatMap(([, members]) => [...members])])].map((id): Member => {
    const ids = idsOf(policy, id);
    const byWhom = Map.groupBy(answered, ([, members]) =>
      members.has(id) ? 'own' : ids.some((one) => members.has(one)) ? 'joined' : 'others',
    );
    const those = (whose: 'own' | 'joined' | 'others') => (byWhom.get(whose) ?? []).map(([group]) => group);
    return { id, groups: those('own'), joinedGroups: those('joined'), otherGroups: those('others') };
  });
  return { people, unknown: lists.flatMap(([group, members]) => (members ? [] : [group])) };
}

/**
 * The caller with everybody who is in its operators' user groups now: whoever leaves one later stays an operator of it.
 * Throws `Refusal` if Slack doesn't say who is.
 */
export async function withMembers<Asking extends AskingCaller>(
  { membersOf }: Pick<AccessContext, 'membersOf'>,
  caller: Asking,
): Promise<Asking> {
  const groups = caller.operators.filter(isUserGroup);
  const lists = await Promise.all(groups.map(membersOf));
  const unknown = groups.filter((_, at) => lists[at] === undefined);
  if (unknown.length === 0)
    return { ...caller, operators: [...new Set([...caller.operators, ...lists.flatMap((members) => members ?? [])])] };
  const says = say`${membersUnknownQuietly(unknown)} So I can't tell who can use the key of ${code(caller.name)}.`;
  throw new Refusal(say`${says} Nothing was done.`, { hint: 'Try again in a minute.', isLater: true });
}

const belongsTo = (ids: ReadonlySet<string>, { id, groups }: Member): boolean =>
  ids.has(id) || groups.some((group) => ids.has(group));
/** Whether the person may, or might, read every target. If they may not after all, their click is refused. */
const readsAll = (policy: Policy, person: Member, targets: readonly Target[]): boolean =>
  targets.every((target) => {
    const decision = decideReading(policy, person, target);
    return decision.kind === 'allowed' || decision.why.kind === 'unknown';
  });

/** Everybody who was asked to approve, each once. */
export const askedPeople = ({ asks = [] }: Pick<Authorization, 'asks'>): readonly string[] => [
  ...new Set(asks.flatMap(({ people }) => people)),
];

/** Everybody who is told of the request directly. */
export const toldPeople = ({ told = [] }: Pick<Authorization, 'told'>): readonly string[] => told;

/** The first of these people without a mention, and how many more there are. */
export function displayNames(
  people: readonly { readonly id: string; readonly name: string | undefined }[],
): readonly Text[] {
  const some = people.slice(0, maxNamed).map(({ id, name }): Text => [name === undefined ? mention(id) : named(name)]);
  return people.length > maxNamed ? [...some, say`${people.length - maxNamed} more`] : some;
}

/** `unreached`: as far as not enough others are told. */
type Notifies = 'unreached' | 'everybody';

/** Those who are notified, by their names. */
export const notifiedNames = ({ people, names }: Notified): readonly Text[] =>
  displayNames(people.map((id, index) => ({ id, name: names[index] })));

type NamingOptions = {
  /** People who have already approved. */
  readonly without?: readonly string[];
  /** Whether to notify those whom I can't tell directly: user groups with unknown members, and unsure people. */
  readonly notify?: Notifies;
  /** Says from when on others can approve it too; missing: that is not said. */
  readonly when?: When;
};

/** Mentions of those whom I can't tell directly: user groups with unknown members, and unsure people. */
export const unreachedOf = (
  asks: readonly AskedRequirement[],
  without: readonly string[],
  notify: Notifies,
): readonly Text[] => asks.flatMap((asked) => unreachedIn(asked, without, notify) ?? []);

/** Undefined if those who may approve are not told. */
function unreachedIn(
  asked: AskedRequirement,
  without: readonly string[],
  notify: Notifies,
): readonly Text[] | undefined {
  const isAll = notify === 'everybody';
  if (!isAll && !tellsApprovers(asked)) return undefined;
  const { count, people, unsure = [], userGroups = [] } = asked;
  // If enough others are told, people for whom Slack never answers are not mentioned each time.
  const some = isAll || people.length < count ? unsure.filter((id) => !without.includes(id)).slice(0, maxNamed) : [];
  return [...some.map((id): Text => [mention(id)]), ...userGroups.map((id): Text => [userGroup(id)])];
}

/**
 * `@Chi or @Dee`; `@Chi (from 14:35 also heads)`; `2 of @Chi, @Dee, @leads`; names of groups if none of their members
 * is known. People are named without a mention, because they are told directly.
 */
export function whoIsAsked(
  asks: readonly AskedRequirement[],
  { without = [], notify, when }: NamingOptions = {},
): Text {
  const each = asks.map((asked) => {
    const { count, people, names, groups, userGroups = [], escalate } = asked;
    const all = people.map((id, index) => ({ id, name: names[index] }));
    const left = all.filter(({ id }) => !without.includes(id));
    const some = displayNames(left);
    const others = (notify && unreachedIn(asked, without, notify)) ?? userGroups.map((group): Text => [code(group)]);
    const those = [...some, ...others];
    const who = those.length > 0 ? those : groups.map((group): Text => [bold(group)]);
    const needed = count - (people.length - left.length);
    const now = needed > 1 ? joined([`${needed} of`, joined(who, ', ')]) : either(who);
    return joined([now, alsoLater(escalate, when)]);
  });
  // One approval counts towards all, so the same people are named once.
  return joined([...new Map(each.map((one) => [plain(one), one])).values()], ', and ');
}

/** Who is notified, if the rules say: `@Fay.`. Adds why if somebody else is notified. Mentions nobody. */
export const whoIsNotified = (asks: readonly AskedRequirement[]): Text =>
  joined(
    asks.map(({ notify, ...asked }) => {
      if (notify === undefined) return undefined;
      const { groups, unknown, unsure } = notify;
      const who = joined(notifiedNames(notify), ', ');
      if (!tellsApprovers({ notify, ...asked })) return say`${who}.`;
      const why =
        unknown.length > 0
          ? membersUnknownQuietly(unknown)
          : unsure !== undefined
            ? "Slack doesn't tell me right now who they are."
            : say`nobody in ${either(groups.map(bold))} may see it right now.`;
      return say`${joined([who, 'those who can approve it'], ' and ')}, because ${why}`;
    }),
  );
