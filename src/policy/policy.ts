import type { Target } from '../hosting/contract/target.ts';
import { dependsOn, holds, membershipsOf, membershipsOfCaller, userGroupsIn, type Memberships } from './memberships.ts';
import {
  allowsFor,
  findAllowing,
  findDenying,
  none,
  questionsOf,
  readingAnything,
  rulesOn,
  type AccessRequest,
  type Matches,
  type Question,
} from './matching.ts';
import { operatorGroups, type AskingCaller } from './callers.ts';
import { freezesOf } from './freezes.ts';
import { coversOfKind } from './pattern.ts';
import { approvalBy, groupsEver, strictest, strictestOf } from './approval-requirement.ts';
import {
  breakGlassWays,
  callerPrefix,
  defaultBatchValidityMs,
  isWrite,
  type BreakGlass,
  type Audience,
  type Member,
  type Needed,
  type Policy,
  type PolicyCommand,
  type Rule,
  type RuleRef,
} from './rules.ts';

export type AccessDecision =
  | {
      readonly kind: 'allowed';
      /** Every rule that allows it. */
      readonly rules: readonly RuleRef[];
      /** The strictest approval, also counting rules that only may apply because a membership is unknown. */
      readonly approval: 'none' | Needed;
      /** Whether one of these rules asks a batch for a canary. */
      readonly canary: boolean;
      /** How long a batch may begin changes after its start, in milliseconds: the shortest time for any aim. */
      readonly batchValidity: number;
      /** Slack user groups with unknown members. If those were known, a weaker approval could be enough. */
      readonly unsure: readonly string[];
      readonly breakGlass: GlassRight;
    }
  | {
      readonly kind: 'not allowed';
      readonly why:
        /** `caller`: none names this program; one allows its person. */
        | { readonly kind: 'no rule'; readonly caller?: string }
        | { readonly kind: 'denied'; readonly rule: RuleRef }
        /** The answer depends on whether the person is in these Slack user groups. */
        | { readonly kind: 'unknown'; readonly groups: readonly string[] };
      /** Names of the groups that may do it, and the rules that allow it. */
      readonly whoMay: readonly string[];
      readonly lets: readonly RuleRef[];
    };

/** How these rules let somebody skip approval and freezes; `unsure`: Slack user groups that decide whether they do. */
export type GlassRight = { readonly ways: readonly BreakGlass[]; readonly unsure: readonly string[] };

/** As `decide`. What somebody asks for through a caller must be allowed to both, and the strictest of both applies. */
export function decideAccess(policy: Policy, person: Member, request: AccessRequest): AccessDecision {
  const own = decide(policy, membershipsOf(policy, person), request);
  if (person.caller === undefined || own.kind === 'not allowed') return own;
  const callers = decide(policy, membershipsOfCaller(policy, person), request);
  if (callers.kind === 'not allowed')
    return callers.why.kind === 'no rule'
      ? { ...callers, why: { ...callers.why, caller: person.caller.name } }
      : callers;
  return {
    kind: 'allowed',
    rules: [...new Set([...own.rules, ...callers.rules])],
    approval: strictestOf([own.approval, callers.approval]),
    canary: own.canary || callers.canary,
    batchValidity: Math.min(own.batchValidity, callers.batchValidity),
    unsure: own.unsure,
    // An emergency is a person's to declare.
    breakGlass: { ways: [], unsure: none },
  };
}

/**
 * Whether somebody with these memberships may do it, and what approval it needs. A rule must allow every aim. One `deny` on any aim beats
 * every `allow`. The strictest approval of all allowing rules applies. An unknown membership matches every `deny` and
 * no `allow`; for an emergency brake it is the reverse.
 */
function decide(policy: Policy, memberships: Memberships, request: AccessRequest): AccessDecision {
  const questions = questionsOf(policy, request);
  const denials = findDenying(questions, memberships);
  if ('rule' in denials) return notAllowed(denials.question, { kind: 'denied', rule: denials.rule }, denials.rule);
  const isBrake = request.command.brake === true;
  const denyGroups = isBrake ? none : denials.perhaps;
  const missing: string[] = [];
  const found: Matches[] = [];
  for (const question of questions) {
    const one = findAllowing(question, memberships);
    if (one.certain.length === 0) {
      const allowGroups = dependsOn(one.perhaps.map(audienceOf), memberships, denyGroups);
      if (allowGroups.length === 0) return notAllowed(question, { kind: 'no rule' });
      if (!isBrake) missing.push(...allowGroups);
    }
    found.push(one);
  }
  const groups = [...new Set([...denyGroups, ...missing])];
  const [first] = questions;
  return groups.length > 0 && first ? notAllowed(first, { kind: 'unknown', groups }) : allowed(found, memberships);
}

/** `denied` if a rule denies the person any aim. Otherwise the unknown user groups through which a rule could. */
export function denialOf(policy: Policy, person: Member, request: AccessRequest): 'denied' | readonly string[] {
  const denials = findDenying(questionsOf(policy, request), membershipsOf(policy, person));
  return 'rule' in denials ? 'denied' : denials.perhaps;
}

/** Whether certainly no rule denies the person this command, or reading, anywhere. */
export const isDeniedNothing = (policy: Policy, person: Member, command: PolicyCommand = readingAnything): boolean =>
  eachMemberships(policy, person).every((memberships) =>
    rulesOn(policy, command).deny.every(({ to }) => holds(to, memberships, 'deny') === 'no'),
  );

/** Whether some rule may let this person skip the approval of this command somewhere. */
export const mayBreakGlass = (policy: Policy, person: Member, command: PolicyCommand): boolean =>
  person.caller === undefined &&
  rulesOn(policy, command).allow.some(
    ({ to, breakGlass }) => breakGlass !== undefined && holds(to, membershipsOf(policy, person), 'allow') !== 'no',
  );

/** Those of the person and, if they ask through one, of their caller: both have to be allowed. */
const eachMemberships = (policy: Policy, person: Member): readonly Memberships[] => [
  membershipsOf(policy, person),
  ...(person.caller === undefined ? [] : [membershipsOfCaller(policy, person)]),
];

/** The Slack user groups that leave a decision unknown; empty if it is certain. */
export const unknownIn = (decision: AccessDecision): readonly string[] =>
  decision.kind === 'not allowed' && decision.why.kind === 'unknown' ? decision.why.groups : none;

/** The strictest approval that any rule requires for this request, whoever makes it. */
export function approvalOf(policy: Policy, request: AccessRequest): 'none' | Needed {
  const rules = questionsOf(policy, request).flatMap((question) =>
    allowsFor(question).map((rule) => approvalBy(rule, question.command)),
  );
  return strictest(rules);
}

/** Whether the person may see a target and its state. */
export const mayRead = (policy: Policy, person: Member, target: Target): boolean =>
  decideReading(policy, person, target).kind === 'allowed';

/** The decision on whether the person may see a target and its state. */
export const decideReading = (policy: Policy, person: Member, target: Target): AccessDecision =>
  decideAccess(policy, person, { command: readingAnything, aims: [{ target, access: 'read' }] });

/** Whether the person may run this command on any target. Help and suggestions show only these. */
export const mayAnywhere = (policy: Policy, person: Member, command: PolicyCommand): boolean =>
  decideAnywhere(policy, person, command) === 'yes';

/**
 * Like `mayAnywhere`, but gives the Slack user groups if the answer depends on them. `kind` limits it to targets of
 * that kind. For the company, a rule with `where` counts only if it names `company`.
 */
export function decideAnywhere(
  policy: Policy,
  person: Member,
  command: PolicyCommand,
  kind?: Target['kind'],
): 'yes' | 'no' | readonly string[] {
  const each = eachMemberships(policy, person).map((one) => anywhereFor(policy, one, command, kind));
  if (each.includes('no')) return 'no';
  const groups = each.flat();
  return groups.length > 0 ? groups : 'yes';
}

/** The Slack user groups that it depends on; none: they may. */
function anywhereFor(
  policy: Policy,
  memberships: Memberships,
  command: PolicyCommand,
  kind: Target['kind'] | undefined,
): 'no' | readonly string[] {
  const rules = rulesOn(policy, command);
  const allow = rules.allow.filter(({ where }) => kind === undefined || reaches(where, kind, 'some'));
  const everywhere = rules.deny.filter(({ where }) => reaches(where, kind, 'all'));
  if (everywhere.some(({ to }) => holds(to, memberships, 'deny') === 'yes')) return 'no';
  const isBrake = command.brake === true;
  const denyGroups = isBrake ? none : dependsOn(everywhere.map(audienceOf), memberships);
  const isAllowed = allow.some(({ to }) => holds(to, memberships, 'allow') === 'yes');
  const allowGroups = isAllowed ? none : dependsOn(allow.map(audienceOf), memberships, denyGroups);
  if (!isAllowed && allowGroups.length === 0) return 'no';
  return isBrake ? none : [...denyGroups, ...allowGroups];
}

const reaches = (where: Rule['where'], kind: Target['kind'] | undefined, amount: 'some' | 'all'): boolean =>
  where === undefined || (kind !== undefined && where.some((pattern) => coversOfKind(pattern, kind, amount)));

/** Names of the groups that rules allow every aim. `everyone` is returned as such. */
export function whoMay(policy: Policy, request: AccessRequest): readonly string[] {
  const names = questionsOf(policy, request).map((question) => groupNamesOf(allowsFor(question)));
  return [...new Set(names.flat())].filter((name) =>
    names.every((those) => those.includes(name) || those.includes('everyone')),
  );
}

/** The Slack user groups that decide whether a person may run a command and which targets they may name. */
export function groupsAbout(policy: Policy, command: PolicyCommand = readingAnything): readonly string[] {
  const about = [rulesOn(policy, command), rulesOn(policy, readingAnything)];
  const excepted = freezesOf(policy, command).flatMap(({ except }) => (except ? [except.to] : []));
  return userGroupsIn(policy, [
    ...about.flatMap(({ allow, deny }) => [...allow, ...deny].map(audienceOf)),
    ...excepted,
  ]);
}

/**
 * The Slack user groups that decide whether an approval counts, by the pinned requirement and by today's rules, of what
 * this caller asked for, if one did.
 */
export function groupsApproving(
  policy: Policy,
  command: PolicyCommand,
  needed: 'none' | Needed,
  caller: AskingCaller | undefined,
): readonly string[] {
  const then = needed === 'none' ? [] : needed.requirements;
  const now = rulesOn(policy, command).allow.map((rule) => approvalBy(rule, command));
  const by = [...then, ...now].flatMap((one) => (one === 'none' ? [] : [groupsEver(one)]));
  const operators = operatorGroups(policy, caller);
  return [...new Set([...groupsAbout(policy, command), ...userGroupsIn(policy, by), ...operators])];
}

function allowed(found: readonly Matches[], memberships: Memberships): AccessDecision {
  const rules = [...new Set(found.flatMap((one) => (one.certain.length > 0 ? one.certain : one.perhaps)))];
  const canary = found.some((one) => [...one.certain, ...one.perhaps].some((rule) => rule.canary));
  const batchValidity = Math.min(...found.map(batchValidityOf));
  const approvals = (pick: (one: Matches) => readonly Rule[]): 'none' | Needed =>
    strictest(found.flatMap((one) => pick(one).map((rule) => approvalBy(rule, one.command, memberships.isCaller))));
  const certain = approvals((one) => one.certain);
  const unsure = found.flatMap(({ perhaps }) => perhaps);
  const breakGlass = glassRightOf(found, memberships);
  const all = { kind: 'allowed', rules, canary, batchValidity, breakGlass } as const;
  if (unsure.length === 0) return { ...all, approval: certain, unsure: none };
  const approval = approvals((one) => [...one.certain, ...one.perhaps]);
  const isSame = approvingIn(approval) === approvingIn(certain);
  const groups = isSame ? none : dependsOn(unsure.map(audienceOf), memberships);
  return { ...all, approval, unsure: groups };
}

/** A way must be certain for everything that is changed. What is only read needs no approval. */
function glassRightOf(found: readonly Matches[], memberships: Memberships): GlassRight {
  const each = found.filter(({ command }) => isWrite(command));
  const waysOf = (rules: readonly Rule[]) => rules.flatMap(({ breakGlass: way }) => way ?? []);
  const ways = (pick: (one: Matches) => readonly Rule[]): readonly BreakGlass[] =>
    breakGlassWays.filter((way) => each.length > 0 && each.every((one) => waysOf(pick(one)).includes(way)));
  const certain = ways((one) => one.certain);
  const isMore = ways((one) => [...one.certain, ...one.perhaps]).length > certain.length;
  const unsure = each.flatMap(({ perhaps }) => perhaps.filter(({ breakGlass: way }) => way !== undefined));
  return { ways: certain, unsure: isMore ? dependsOn(unsure.map(audienceOf), memberships) : none };
}

/** The shortest time that a rule sets, or the default if no certain rule does. Rules that only may apply can shorten it. */
function batchValidityOf({ certain, perhaps }: Matches): number {
  const said = (rules: readonly Rule[]): readonly number[] => rules.flatMap((rule) => rule.batchValidity ?? []);
  const own = said(certain);
  return Math.min(...(own.length > 0 ? own : [defaultBatchValidityMs]), ...said(perhaps));
}

/** The approval without whom it notifies, for comparisons: notifications don't make an approval weaker. */
const approvingIn = (approval: 'none' | Needed): string =>
  JSON.stringify(approval, (key, value: unknown) => (key === 'notify' ? undefined : value));

function notAllowed(
  question: Question,
  why: Extract<AccessDecision, { kind: 'not allowed' }>['why'],
  denied?: Rule,
): AccessDecision {
  // A rule for callers alone lets nobody do it.
  const lets = allowsFor(question).filter(
    ({ to }) => to === 'everyone' || !to.every((name) => name.startsWith(callerPrefix)),
  );
  return { kind: 'not allowed', why, whoMay: groupNamesOf(lets, denied), lets };
}

/** The groups of these rules, without those of the denying rule. */
function groupNamesOf(rules: readonly Rule[], denied?: Rule): readonly string[] {
  if (denied?.to === 'everyone') return [];
  const names = new Set<string>();
  for (const { to } of rules) for (const name of to === 'everyone' ? [to] : to) names.add(name);
  return [...names].filter((name) => !denied?.to.includes(name) && !name.startsWith(callerPrefix));
}

const audienceOf = ({ to }: Rule): Audience => to;
