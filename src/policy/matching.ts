import { approvalBy } from './approval-requirement.ts';
import { cached } from '../base/caches.ts';
import { dependsOn, holds, type Memberships } from './memberships.ts';
import { coversFolded, foldNames, type FoldedNames } from './pattern.ts';
import { isWrite, namesCommand, type Aim, type Audience, type Policy, type PolicyCommand, type Rule } from './rules.ts';

/** Which rules apply to a request. */

/** A command and its targets. Without aims, the command concerns no target. */
export type AccessRequest = { readonly command: PolicyCommand; readonly aims: readonly Aim[] };

export type Question = {
  readonly command: PolicyCommand;
  readonly target: FoldedNames | undefined;
  readonly rules: RulesByEffect;
};

export const none: readonly string[] = [];
/** Reading in general, without a command's name. The source of a push is checked with it. */
export const readingAnything: PolicyCommand = { path: '', risk: 'read' };

export function questionsOf(policy: Policy, { command, aims }: AccessRequest): readonly Question[] {
  if (aims.length === 0) return [{ command, target: undefined, rules: rulesOn(policy, command) }];
  return aims.map(({ target, access }) => {
    const asked = access === 'read' && isWrite(command) ? readingAnything : command;
    return { command: asked, target: foldNames(target), rules: rulesOn(policy, asked) };
  });
}

/** The rules of one policy that apply to a command, in file order. */
export type RulesByEffect = Readonly<Record<Rule['effect'], readonly Rule[]>>;

/** Cached for each policy, because few of many rules apply to one command. */
const rulesByCommand = cached<Policy['rules'], Map<string, RulesByEffect>>(() => new Map());

export function rulesOn({ rules }: Policy, command: PolicyCommand): RulesByEffect {
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
 * a certain rule, `perhaps` has only those rules that require or allow more.
 */
export type Matches = {
  readonly command: PolicyCommand;
  readonly certain: readonly Rule[];
  readonly perhaps: readonly Rule[];
};

export function findAllowing(question: Question, memberships: Memberships): Matches {
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
  const saysMore = (rule: Rule): boolean => asksForMore(rule) || rule.breakGlass !== undefined;
  const matters = (rule: Rule): boolean => certain.length === 0 || saysMore(rule);
  return { command, certain, perhaps: unsure.filter((rule) => matters(rule) && coversQuestion(rule, question)) };
}

/** Every rule that allows the question, to any audience. */
export const allowsFor = (question: Question): readonly Rule[] =>
  question.rules.allow.filter((rule) => coversQuestion(rule, question));

/** The first rule that denies any question. Otherwise the unknown user groups through which a rule could. */
export function findDenying(
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
export function coversQuestion({ where, effect }: Rule, { target }: Question): boolean {
  if (where === undefined) return true;
  return where.some((pattern) => (target ? coversFolded(pattern, target, effect) : pattern.kind === 'company'));
}
