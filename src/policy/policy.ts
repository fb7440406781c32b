import type { Target } from '../hosting/contract/target.ts';
import { strictest, type Needed } from './needed.ts';
import { covers } from './pattern.ts';
import { belongs } from './people.ts';
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
  const questions = questionsOf(wish).map((question) => ({ question, rules: allowing(policy, question, person) }));
  for (const { question } of questions) {
    const denied = denying(policy, person, question);
    if (denied) return notAllowed(policy, question, denied);
  }
  const missing = questions.find(({ rules }) => rules.length === 0);
  if (missing) return notAllowed(policy, missing.question);
  const approvals = questions.flatMap(({ question, rules }) => rules.map((rule) => approvalBy(rule, question.command)));
  const rules = [...new Set(questions.flatMap((one) => one.rules))];
  return { kind: 'allowed', rules: rules.map(refer), approval: strictest(approvals) };
}

/** Whether a rule denies the person any part of it, whatever others allow. */
export function isDenied(policy: Policy, person: Person, wish: Wish): boolean {
  return questionsOf(wish).some((question) => denying(policy, person, question) !== undefined);
}

/** Whether the person may see what a target is and how it stands. */
export function mayRead(policy: Policy, person: Person, target: Target): boolean {
  return decide(policy, person, { command: READING, aims: [{ target, access: 'read' }] }).kind === 'allowed';
}

/** Whether there is anything at all for which the person may say this command: what help and suggestions show. */
export function mayAnywhere(policy: Policy, person: Person, command: Command): boolean {
  const mine = policy.rules.filter((rule) => speaksOf(rule, command) && belongs(policy, person, rule.to, rule.effect));
  return (
    mine.some((rule) => rule.effect === 'allow') &&
    !mine.some((rule) => rule.effect === 'deny' && rule.where === undefined)
  );
}

/** Names of the groups whom a rule allows all of it; `everyone` stands for itself. */
export function whoMay(policy: Policy, wish: Wish): readonly string[] {
  const names = questionsOf(wish).map((question) => audienceOf(allowing(policy, question)));
  return [...new Set(names.flat())].filter((name) =>
    names.every((those) => those.includes(name) || those.includes('everyone')),
  );
}

type Question = { readonly command: Command; readonly target: Target | undefined };

/** Reading as such, not by any command's name: what is asked for the source of a push. */
const READING: Command = { path: '', risk: 'read' };

function questionsOf({ command, aims }: Wish): readonly Question[] {
  const reads = command.risk === 'read' || command.risk === 'named';
  if (aims.length === 0) return [{ command, target: undefined }];
  return aims.map(({ target, access }) => ({ target, command: access === 'read' && !reads ? READING : command }));
}

function allowing(policy: Policy, question: Question, person?: Person): readonly Rule[] {
  return policy.rules.filter(
    (rule) =>
      rule.effect === 'allow' && isAbout(rule, question) && (!person || belongs(policy, person, rule.to, 'allow')),
  );
}

function denying(policy: Policy, person: Person, question: Question): Rule | undefined {
  return policy.rules.find(
    (rule) => rule.effect === 'deny' && isAbout(rule, question) && belongs(policy, person, rule.to, 'deny'),
  );
}

function isAbout(rule: Rule, { command, target }: Question): boolean {
  if (!speaksOf(rule, command)) return false;
  if (rule.where === undefined) return true;
  return rule.where.some((pattern) => (target ? covers(pattern, target, rule.effect) : pattern.kind === 'company'));
}

function notAllowed(policy: Policy, question: Question, denied?: Rule): Decision {
  const lets = allowing(policy, question);
  const why = denied ? { kind: 'denied' as const, rule: refer(denied) } : { kind: 'no rule' as const };
  return { kind: 'not allowed', why, whoMay: audienceOf(lets, denied), lets: lets.map(refer) };
}

/** The groups of these rules, without those that the denying one names. */
function audienceOf(rules: readonly Rule[], denied?: Rule): readonly string[] {
  if (denied?.to === 'everyone') return [];
  const names = new Set(rules.flatMap(({ to }) => (to === 'everyone' ? ['everyone'] : to)));
  return [...names].filter((name) => !denied?.to.includes(name));
}

const refer = ({ line, text }: Rule): RuleRef => ({ line, text });
