import type { Target } from '../hosting/contract/target.ts';
import { cached } from '../base/caches.ts';
import { dependsOn, holds, membershipsOf, userGroupsIn, type Memberships } from './memberships.ts';
import { coversOfKind, coversFolded, foldNames, type FoldedNames } from './pattern.ts';
import type { Aim, Audience, Member, Needed, Policy, PolicyCommand, Rule, RuleRef } from './rules.ts';
import { approvalBy, defaultBatchValidityMs, namesCommand, strictest } from './rules.ts';

/** A command and its targets. Without aims, the command concerns no target. */
export type AccessRequest = { readonly command: PolicyCommand; readonly aims: readonly Aim[] };

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
    }
  | {
      readonly kind: 'not allowed';
      readonly why:
        | { readonly kind: 'no rule' }
        | { readonly kind: 'denied'; readonly rule: RuleRef }
        /** The answer depends on whether the person is in these Slack user groups. */
        | { readonly kind: 'unknown'; readonly groups: readonly string[] };
      /** Names of the groups that may do it, and the rules that allow it. */
      readonly whoMay: readonly string[];
      readonly lets: readonly RuleRef[];
    };

/**
 * Whether the person may do it, and what approval it needs. A rule must allow every aim. One `deny` on any aim beats
 * every `allow`. The strictest approval of all allowing rules applies. An unknown membership matches every `deny` and
 * no `allow`; for an emergency stop it is the reverse.
 */
export function decideAccess(policy: Policy, person: Member, request: AccessRequest): AccessDecision {
  const memberships = membershipsOf(policy, person);
  const questions = questionsOf(policy, request);
  const denials = findDenying(questions, memberships);
  if ('rule' in denials)
    return notAllowed(denials.question, { kind: 'denied', rule: refOf(denials.rule) }, denials.rule);
  const isEmergency = request.command.emergency === true;
  const denyGroups = isEmergency ? none : denials.perhaps;
  const missing: string[] = [];
  const found: Matches[] = [];
  for (const question of questions) {
    const one = findAllowing(question, memberships);
    if (one.certain.length === 0) {
      const allowGroups = dependsOn(one.perhaps.map(audienceOf), memberships, denyGroups);
      if (allowGroups.length === 0) return notAllowed(question, { kind: 'no rule' });
      if (!isEmergency) missing.push(...allowGroups);
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
export function isDeniedNothing(policy: Policy, person: Member, command: PolicyCommand = readingAnything): boolean {
  const memberships = membershipsOf(policy, person);
  return rulesOn(policy, command).deny.every(({ to }) => holds(to, memberships, 'deny') === 'no');
}

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
  const memberships = membershipsOf(policy, person);
  const rules = rulesOn(policy, command);
  const allow = rules.allow.filter(({ where }) => kind === undefined || reaches(where, kind, 'some'));
  const everywhere = rules.deny.filter(({ where }) => reaches(where, kind, 'all'));
  if (everywhere.some(({ to }) => holds(to, memberships, 'deny') === 'yes')) return 'no';
  const isEmergency = command.emergency === true;
  const denyGroups = isEmergency ? none : dependsOn(everywhere.map(audienceOf), memberships);
  const isAllowed = allow.some(({ to }) => holds(to, memberships, 'allow') === 'yes');
  const allowGroups = isAllowed ? none : dependsOn(allow.map(audienceOf), memberships, denyGroups);
  if (isAllowed ? denyGroups.length === 0 : isEmergency && allowGroups.length > 0) return 'yes';
  return isAllowed || allowGroups.length > 0 ? [...denyGroups, ...allowGroups] : 'no';
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
  return userGroupsIn(
    policy,
    about.flatMap(({ allow, deny }) => [...allow, ...deny].map(audienceOf)),
  );
}

/** The Slack user groups that decide whether an approval counts, by the frozen requirement and by today's rules. */
export function groupsApproving(policy: Policy, command: PolicyCommand, needed: 'none' | Needed): readonly string[] {
  const then = needed === 'none' ? [] : needed.requirements;
  const now = rulesOn(policy, command).allow.map((rule) => approvalBy(rule, command));
  const by = [...then, ...now].flatMap((one) => (one === 'none' || one.by === 'allowed' ? [] : [one.by]));
  return [...new Set([...groupsAbout(policy, command), ...userGroupsIn(policy, by)])];
}

type Question = {
  readonly command: PolicyCommand;
  readonly target: FoldedNames | undefined;
  readonly rules: RulesByEffect;
};

const none: readonly string[] = [];
/** Reading in general, without a command's name. The source of a push is checked with it. */
const readingAnything: PolicyCommand = { path: '', risk: 'read' };

function questionsOf(policy: Policy, { command, aims }: AccessRequest): readonly Question[] {
  const reads = command.risk === 'read' || command.risk === 'named';
  if (aims.length === 0) return [{ command, target: undefined, rules: rulesOn(policy, command) }];
  return aims.map(({ target, access }) => {
    const asked = access === 'read' && !reads ? readingAnything : command;
    return { command: asked, target: foldNames(target), rules: rulesOn(policy, asked) };
  });
}

/** The rules of one policy that apply to a command, in file order. */
type RulesByEffect = Readonly<Record<Rule['effect'], readonly Rule[]>>;

/** Cached for each policy, because few of many rules apply to one command. */
const rulesByCommand = cached<Policy['rules'], Map<string, RulesByEffect>>(() => new Map());

function rulesOn({ rules }: Policy, command: PolicyCommand): RulesByEffect {
  // No risk contains a space, so no two commands share a key.
  const key = `${command.risk} ${command.path}`;
  const known = rulesByCommand(rules);
  const found = known.get(key);
  if (found) return found;
  const all = rules.filter((rule) => namesCommand(rule, command));
  const made = {
    allow: all.filter(({ effect }) => effect === 'allow'),
    deny: all.filter(({ effect }) => effect === 'deny'),
  };
  known.set(key, made);
  return made;
}

/**
 * `certain`: rules that allow one question. `perhaps`: rules that allow it if an unknown membership holds. If there is
 * a certain rule, `perhaps` has only those rules that require more.
 */
type Matches = {
  readonly command: PolicyCommand;
  readonly certain: readonly Rule[];
  readonly perhaps: readonly Rule[];
};

function findAllowing(question: Question, memberships: Memberships): Matches {
  const { command, rules } = question;
  const certain: Rule[] = [];
  const unsure: Rule[] = [];
  for (const rule of rules.allow) {
    const is = holds(rule.to, memberships, 'allow');
    if (is === 'perhaps') unsure.push(rule);
    else if (is === 'yes' && coversQuestion(rule, question)) certain.push(rule);
  }
  const asksForMore = (rule: Rule): boolean =>
    approvalBy(rule, command) !== 'none' || rule.canary || rule.batchValidity !== undefined;
  const matters = (rule: Rule): boolean => certain.length === 0 || asksForMore(rule);
  return { command, certain, perhaps: unsure.filter((rule) => matters(rule) && coversQuestion(rule, question)) };
}

/** Every rule that allows the question, to any audience. */
const allowsFor = (question: Question): readonly Rule[] =>
  question.rules.allow.filter((rule) => coversQuestion(rule, question));

/** The first rule that denies any question. Otherwise the unknown user groups through which a rule could. */
function findDenying(
  questions: readonly Question[],
  memberships: Memberships,
): { readonly question: Question; readonly rule: Rule } | { readonly perhaps: readonly string[] } {
  const perhaps: Audience[] = [];
  for (const question of questions)
    for (const rule of question.rules.deny) {
      const is = holds(rule.to, memberships, 'deny');
      if (is === 'no' || !coversQuestion(rule, question)) continue;
      if (is === 'yes') return { question, rule };
      perhaps.push(rule.to);
    }
  return { perhaps: dependsOn(perhaps, memberships) };
}

/** Whether a rule for this command also covers the target. */
function coversQuestion({ where, effect }: Rule, { target }: Question): boolean {
  if (where === undefined) return true;
  return where.some((pattern) => (target ? coversFolded(pattern, target, effect) : pattern.kind === 'company'));
}

function allowed(found: readonly Matches[], memberships: Memberships): AccessDecision {
  const matched = [...new Set(found.flatMap((one) => (one.certain.length > 0 ? one.certain : one.perhaps)))];
  const rules = matched.map(refOf);
  const canary = found.some((one) => [...one.certain, ...one.perhaps].some((rule) => rule.canary));
  const batchValidity = Math.min(...found.map(batchValidityOf));
  const approvals = (pick: (one: Matches) => readonly Rule[]): 'none' | Needed =>
    strictest(found.flatMap((one) => pick(one).map((rule) => approvalBy(rule, one.command))));
  const certain = approvals((one) => one.certain);
  const unsure = found.flatMap(({ perhaps }) => perhaps);
  if (unsure.length === 0) return { kind: 'allowed', rules, approval: certain, canary, batchValidity, unsure: none };
  const approval = approvals((one) => [...one.certain, ...one.perhaps]);
  const isSame = approvingIn(approval) === approvingIn(certain);
  const groups = isSame ? none : dependsOn(unsure.map(audienceOf), memberships);
  return { kind: 'allowed', rules, approval, canary, batchValidity, unsure: groups };
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
  const lets = allowsFor(question);
  return { kind: 'not allowed', why, whoMay: groupNamesOf(lets, denied), lets: lets.map(refOf) };
}

/** The groups of these rules, without those of the denying rule. */
function groupNamesOf(rules: readonly Rule[], denied?: Rule): readonly string[] {
  if (denied?.to === 'everyone') return [];
  const names = new Set<string>();
  for (const { to } of rules) for (const name of to === 'everyone' ? [to] : to) names.add(name);
  return [...names].filter((name) => !denied?.to.includes(name));
}

const audienceOf = ({ to }: Rule): Audience => to;
const refOf = ({ line, text }: Rule): RuleRef => ({ line, text });
