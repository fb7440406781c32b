import type { Target } from '../hosting/contract/target.ts';
import { strictest, type Needed } from './needed.ts';
import { coversSpelled, spell, type Spelled } from './pattern.ts';
import { membershipsOf, reaches, type Memberships } from './people.ts';
import { approvalBy, speaksOf, type Aim, type Command, type Person, type Policy } from './rules.ts';
import type { Rule, RuleRef } from './rules.ts';

/** What somebody wants to do, and what it is about; without aims it is about nothing in particular. */
export type Wish = { readonly command: Command; readonly aims: readonly Aim[] };

export type Decision =
  | {
      readonly kind: 'allowed';
      /** Every rule that allows it. */
      readonly rules: readonly RuleRef[];
      readonly approval: 'none' | Needed;
    }
  | {
      readonly kind: 'not allowed';
      readonly why: { readonly kind: 'no rule' } | { readonly kind: 'denied'; readonly rule: RuleRef };
      /** Names of the groups whom a rule allows it, and those rules. */
      readonly whoMay: readonly string[];
      readonly lets: readonly RuleRef[];
    };

/**
 * Whether the person may do it, and what approval it needs. Every aim has to be allowed by a rule; one that denies any
 * of them beats all that allow; the strictest approval of all that allow holds.
 */
export function decide(policy: Policy, person: Person, wish: Wish): Decision {
  const groups = membershipsOf(policy, person);
  const questions = questionsOf(policy, wish);
  for (const question of questions) {
    const denied = denying(question, groups);
    if (denied) return notAllowed(question, denied);
  }
  const allowed: { readonly command: Command; readonly rules: readonly Rule[] }[] = [];
  for (const question of questions) {
    const rules = allowing(question, groups);
    if (rules.length === 0) return notAllowed(question);
    allowed.push({ command: question.command, rules });
  }
  const approvals = allowed.flatMap(({ command, rules }) => rules.map((rule) => approvalBy(rule, command)));
  const rules = [...new Set(allowed.flatMap((one) => one.rules))];
  return { kind: 'allowed', rules: rules.map(refer), approval: strictest(approvals) };
}

/** Whether a rule denies the person any part of it, whatever others allow. */
export function isDenied(policy: Policy, person: Person, wish: Wish): boolean {
  const groups = membershipsOf(policy, person);
  return questionsOf(policy, wish).some((question) => denying(question, groups) !== undefined);
}

/** The strictest approval that any rule asks for before somebody does this, whomever it allows it. */
export function approvalOf(policy: Policy, wish: Wish): 'none' | Needed {
  const rules = questionsOf(policy, wish).flatMap((question) =>
    allowing(question).map((rule) => approvalBy(rule, question.command)),
  );
  return strictest(rules);
}

/** Whether the person may see what a target is and how it stands. */
export function mayRead(policy: Policy, person: Person, target: Target): boolean {
  return decide(policy, person, { command: READING, aims: [{ target, access: 'read' }] }).kind === 'allowed';
}

/** Whether there is anything at all for which the person may say this command: what help and suggestions show. */
export function mayAnywhere(policy: Policy, person: Person, command: Command): boolean {
  const groups = membershipsOf(policy, person);
  const { allow, deny } = rulesOn(policy, command);
  return (
    allow.some((rule) => reaches(rule.to, groups.allow)) &&
    !deny.some((rule) => rule.where === undefined && reaches(rule.to, groups.deny))
  );
}

/** Names of the groups whom a rule allows all of it; `everyone` stands for itself. */
export function whoMay(policy: Policy, wish: Wish): readonly string[] {
  const names = questionsOf(policy, wish).map((question) => audienceOf(allowing(question)));
  return [...new Set(names.flat())].filter((name) =>
    names.every((those) => those.includes(name) || those.includes('everyone')),
  );
}

type Question = { readonly command: Command; readonly target: Spelled | undefined; readonly rules: Speaking };

/** Reading as such, not by any command's name: what is asked for the source of a push. */
const READING: Command = { path: '', risk: 'read' };

function questionsOf(policy: Policy, { command, aims }: Wish): readonly Question[] {
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

/** The rules that allow it: to whoever is in these groups, or to anybody at all. */
function allowing(question: Question, groups?: Memberships): readonly Rule[] {
  return question.rules.allow.filter((rule) => (!groups || reaches(rule.to, groups.allow)) && isAbout(rule, question));
}

function denying(question: Question, groups: Memberships): Rule | undefined {
  return question.rules.deny.find((rule) => reaches(rule.to, groups.deny) && isAbout(rule, question));
}

/** Whether a rule that speaks of the command speaks of the target as well. */
function isAbout({ where, effect }: Rule, { target }: Question): boolean {
  if (where === undefined) return true;
  return where.some((pattern) => (target ? coversSpelled(pattern, target, effect) : pattern.kind === 'company'));
}

function notAllowed(question: Question, denied?: Rule): Decision {
  const lets = allowing(question);
  const why = denied ? { kind: 'denied' as const, rule: refer(denied) } : { kind: 'no rule' as const };
  return { kind: 'not allowed', why, whoMay: audienceOf(lets, denied), lets: lets.map(refer) };
}

/** The groups of these rules, without those that the denying one names. */
function audienceOf(rules: readonly Rule[], denied?: Rule): readonly string[] {
  if (denied?.to === 'everyone') return [];
  const names = new Set<string>();
  for (const { to } of rules) for (const name of to === 'everyone' ? [to] : to) names.add(name);
  return [...names].filter((name) => !denied?.to.includes(name));
}

const refer = ({ line, text }: Rule): RuleRef => ({ line, text });
