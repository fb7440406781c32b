import type { Target } from '../hosting/contract/target.ts';
import { dependsOn, holds, membershipsOf, userGroupsIn, type Memberships } from './memberships.ts';
import { strictest, type Needed } from './approval-requirement.ts';
import { coversOfKind, coversSpelled, spell, type Spelled } from './pattern.ts';
import { approvalBy, speaksOf, type Aim, type Command, type Person, type Policy } from './rules.ts';
import type { Audience, Rule, RuleRef } from './rules.ts';

/** What somebody wants to do, and what it is about; without aims it is about nothing in particular. */
export type AccessRequest = { readonly command: Command; readonly aims: readonly Aim[] };

export type AccessDecision =
  | {
      readonly kind: 'allowed';
      /** Every rule that allows it. */
      readonly rules: readonly RuleRef[];
      /** A rule that may allow it, too, asks for its approval as well. */
      readonly approval: 'none' | Needed;
      /** The Slack user groups of which it would have to be known whether the approval could be less. */
      readonly unsure: readonly string[];
    }
  | {
      readonly kind: 'not allowed';
      readonly why:
        | { readonly kind: 'no rule' }
        | { readonly kind: 'denied'; readonly rule: RuleRef }
        /** It would be allowed if the person turned out to be in some of these Slack user groups, or not in others. */
        | { readonly kind: 'unknown'; readonly groups: readonly string[] };
      /** Names of the groups whom a rule allows it, and those rules. */
      readonly whoMay: readonly string[];
      readonly lets: readonly RuleRef[];
    };

/**
 * Whether the person may do it, and what approval it needs. Every aim has to be allowed by a rule; one that denies any
 * of them beats all that allow; the strictest approval of all that allow holds. An unknown membership matches every
 * `deny` and no `allow`; for an emergency stop it is the reverse.
 */
export function decide(policy: Policy, person: Person, parsed: AccessRequest): AccessDecision {
  const of = membershipsOf(policy, person);
  const questions = questionsOf(policy, parsed);
  const denials = denying(questions, of);
  if ('rule' in denials)
    return notAllowed(denials.question, { kind: 'denied', rule: refer(denials.rule) }, denials.rule);
  const isEmergency = parsed.command.emergency === true;
  const shut = isEmergency ? none : denials.perhaps;
  const missing: string[] = [];
  const found: Found[] = [];
  for (const question of questions) {
    const one = allowing(question, of);
    if (one.certain.length === 0) {
      const open = dependsOn(one.perhaps.map(toOf), of, shut);
      if (open.length === 0) return notAllowed(question, { kind: 'no rule' });
      if (!isEmergency) missing.push(...open);
    }
    found.push(one);
  }
  const groups = [...new Set([...shut, ...missing])];
  const [first] = questions;
  return groups.length > 0 && first ? notAllowed(first, { kind: 'unknown', groups }) : allowed(found, of);
}

/** Whether a rule denies the person any part of it, whatever others allow; else the user groups by which one may. */
export function denialOf(policy: Policy, person: Person, parsed: AccessRequest): 'denied' | readonly string[] {
  const denials = denying(questionsOf(policy, parsed), membershipsOf(policy, person));
  return 'rule' in denials ? 'denied' : denials.perhaps;
}

/** The Slack user groups on which alone a decision depends; none where it is certain. */
export const unknownIn = (decision: AccessDecision): readonly string[] =>
  decision.kind === 'not allowed' && decision.why.kind === 'unknown' ? decision.why.groups : none;

/** The strictest approval that any rule asks for before somebody does this, whomever it allows it. */
export function approvalOf(policy: Policy, parsed: AccessRequest): 'none' | Needed {
  const rules = questionsOf(policy, parsed).flatMap((question) =>
    letting(question).map((rule) => approvalBy(rule, question.command)),
  );
  return strictest(rules);
}

/** Whether the person may see what a target is and how it stands. */
export const mayRead = (policy: Policy, person: Person, target: Target): boolean =>
  reading(policy, person, target).kind === 'allowed';

/** The decision on seeing what a target is and how it stands. */
export const reading = (policy: Policy, person: Person, target: Target): AccessDecision =>
  decide(policy, person, { command: READING, aims: [{ target, access: 'read' }] });

/** Whether there is anything at all for which the person may say this command: what help and suggestions show. */
export const mayAnywhere = (policy: Policy, person: Person, command: Command): boolean =>
  anywhere(policy, person, command) === 'yes';

/**
 * The same, with the Slack user groups on which alone it depends; of a `kind`: on anything of that kind. What concerns
 * the whole company is never allowed, nor denied, by a rule for some places.
 */
export function anywhere(
  policy: Policy,
  person: Person,
  command: Command,
  kind?: Target['kind'],
): 'yes' | 'no' | readonly string[] {
  const of = membershipsOf(policy, person);
  const rules = rulesOn(policy, command);
  const allow = rules.allow.filter(({ where }) => kind === undefined || reaches(where, kind, 'some'));
  const everywhere = rules.deny.filter(({ where }) => reaches(where, kind, 'all'));
  if (everywhere.some(({ to }) => holds(to, of, 'deny') === 'yes')) return 'no';
  const isEmergency = command.emergency === true;
  const shut = isEmergency ? none : dependsOn(everywhere.map(toOf), of);
  const isLet = allow.some(({ to }) => holds(to, of, 'allow') === 'yes');
  const open = isLet ? none : dependsOn(allow.map(toOf), of, shut);
  if (isLet ? shut.length === 0 : isEmergency && open.length > 0) return 'yes';
  return isLet || open.length > 0 ? [...shut, ...open] : 'no';
}

const reaches = (where: Rule['where'], kind: Target['kind'] | undefined, amount: 'some' | 'all'): boolean =>
  where === undefined || (kind !== undefined && where.some((pattern) => coversOfKind(pattern, kind, amount)));

/** Names of the groups whom a rule allows all of it; `everyone` stands for itself. */
export function whoMay(policy: Policy, parsed: AccessRequest): readonly string[] {
  const names = questionsOf(policy, parsed).map((question) => audienceOf(letting(question)));
  return [...new Set(names.flat())].filter((name) =>
    names.every((those) => those.includes(name) || those.includes('everyone')),
  );
}

/** The Slack user groups that decide what a person may say of a command, and what they may name. */
export function groupsAbout(policy: Policy, command: Command = READING): readonly string[] {
  const about = [rulesOn(policy, command), rulesOn(policy, READING)];
  return userGroupsIn(
    policy,
    about.flatMap(({ allow, deny }) => [...allow, ...deny].map(toOf)),
  );
}

/** The Slack user groups that decide whether somebody's approval of it counts: for what was asked for then, and now. */
export function groupsApproving(policy: Policy, command: Command, needed: 'none' | Needed): readonly string[] {
  const then = needed === 'none' ? [] : needed.requirements;
  const now = rulesOn(policy, command).allow.map((rule) => approvalBy(rule, command));
  const by = [...then, ...now].flatMap((one) => (one === 'none' || one.by === 'allowed' ? [] : [one.by]));
  return [...new Set([...groupsAbout(policy, command), ...userGroupsIn(policy, by)])];
}

type Question = { readonly command: Command; readonly target: Spelled | undefined; readonly rules: Speaking };

const none: readonly string[] = [];
/** Reading as such, not by any command's name: what is asked for the source of a push. */
const READING: Command = { path: '', risk: 'read' };

function questionsOf(policy: Policy, { command, aims }: AccessRequest): readonly Question[] {
  const reads = command.risk === 'read' || command.risk === 'named';
  if (aims.length === 0) return [{ command, target: undefined, rules: rulesOn(policy, command) }];
  return aims.map(({ target, access }) => {
    const asked = access === 'read' && !reads ? READING : command;
    return { command: asked, target: spell(target), rules: rulesOn(policy, asked) };
  });
}

/** The rules of one policy that speak of a command, in the order of the file. */
type Speaking = Readonly<Record<Rule['effect'], readonly Rule[]>>;

const speaking = new WeakMap<Policy['rules'], Map<string, Speaking>>();

/** Looked for once in each policy: of many rules, few speak of one command. */
function rulesOn({ rules }: Policy, command: Command): Speaking {
  // No risk has a space in it, so no two commands share a key.
  const key = `${command.risk} ${command.path}`;
  const known = speaking.get(rules) ?? new Map<string, Speaking>();
  const found = known.get(key);
  if (found) return found;
  const all = rules.filter((rule) => speaksOf(rule, command));
  const made = {
    allow: all.filter(({ effect }) => effect === 'allow'),
    deny: all.filter(({ effect }) => effect === 'deny'),
  };
  speaking.set(rules, known.set(key, made));
  return made;
}

/**
 * The rules that allow one question to the person, and those that do if a membership turns out so: of these, where it is
 * allowed in any case, only those that ask for an approval.
 */
type Found = {
  readonly command: Command;
  readonly certain: readonly Rule[];
  readonly perhaps: readonly Rule[];
};

function allowing(question: Question, of: Memberships): Found {
  const { command, rules } = question;
  const certain: Rule[] = [];
  const unsure: Rule[] = [];
  for (const rule of rules.allow) {
    const is = holds(rule.to, of, 'allow');
    if (is === 'perhaps') unsure.push(rule);
    else if (is === 'yes' && isAbout(rule, question)) certain.push(rule);
  }
  const matters = (rule: Rule): boolean => certain.length === 0 || approvalBy(rule, command) !== 'none';
  return { command, certain, perhaps: unsure.filter((rule) => matters(rule) && isAbout(rule, question)) };
}

/** Every rule that allows it to anybody. */
const letting = (question: Question): readonly Rule[] => question.rules.allow.filter((rule) => isAbout(rule, question));

/** The first rule that denies any of it; else the user groups by which one does, if the person turns out to be in them. */
function denying(
  questions: readonly Question[],
  of: Memberships,
): { readonly question: Question; readonly rule: Rule } | { readonly perhaps: readonly string[] } {
  const perhaps: Audience[] = [];
  for (const question of questions)
    for (const rule of question.rules.deny) {
      const is = holds(rule.to, of, 'deny');
      if (is === 'no' || !isAbout(rule, question)) continue;
      if (is === 'yes') return { question, rule };
      perhaps.push(rule.to);
    }
  return { perhaps: dependsOn(perhaps, of) };
}

/** Whether a rule that speaks of the command speaks of the target as well. */
function isAbout({ where, effect }: Rule, { target }: Question): boolean {
  if (where === undefined) return true;
  return where.some((pattern) => (target ? coversSpelled(pattern, target, effect) : pattern.kind === 'company'));
}

function allowed(found: readonly Found[], of: Memberships): AccessDecision {
  const rules = [...new Set(found.flatMap((one) => (one.certain.length > 0 ? one.certain : one.perhaps)))].map(refer);
  const approvals = (pick: (one: Found) => readonly Rule[]): 'none' | Needed =>
    strictest(found.flatMap((one) => pick(one).map((rule) => approvalBy(rule, one.command))));
  const certain = approvals((one) => one.certain);
  const unsure = found.flatMap(({ perhaps }) => perhaps);
  if (unsure.length === 0) return { kind: 'allowed', rules, approval: certain, unsure: none };
  const approval = approvals((one) => [...one.certain, ...one.perhaps]);
  const isSame = JSON.stringify(approval) === JSON.stringify(certain);
  return { kind: 'allowed', rules, approval, unsure: isSame ? none : dependsOn(unsure.map(toOf), of) };
}

function notAllowed(
  question: Question,
  why: Extract<AccessDecision, { kind: 'not allowed' }>['why'],
  denied?: Rule,
): AccessDecision {
  const lets = letting(question);
  return { kind: 'not allowed', why, whoMay: audienceOf(lets, denied), lets: lets.map(refer) };
}

/** The groups of these rules, without those that the denying one names. */
function audienceOf(rules: readonly Rule[], denied?: Rule): readonly string[] {
  if (denied?.to === 'everyone') return [];
  const names = new Set<string>();
  for (const { to } of rules) for (const name of to === 'everyone' ? [to] : to) names.add(name);
  return [...names].filter((name) => !denied?.to.includes(name));
}

const toOf = ({ to }: Rule): Audience => to;
const refer = ({ line, text }: Rule): RuleRef => ({ line, text });
