import { isName } from '../commands/kit/action.ts';
import type { Company, Target } from '../hosting/contract/target.ts';
import type { Needed } from '../policy/approval-requirement.ts';
import { unknownIn, type AccessDecision } from '../policy/policy.ts';
import { bold, either, joined, say } from '../words/text.ts';
import type { ParsedCommand } from '../language/bind-arguments.ts';
import type { KnownNames } from '../language/resolve.ts';
import type { Ability, ApprovalSomewhere } from './ability.ts';

/** What the rules come to for an action that names no target: on any that somebody can see. */

/** What an action that names nothing could be about, as far as somebody can see it; empty: it names something. */
export function openTargets(
  { command, given }: ParsedCommand,
  { domains, environments }: KnownNames,
  company: Company,
): readonly Target[] {
  const names = Object.entries(command.fields).filter(([, field]) => isName(field));
  if (command.shape !== 'action' || names.length === 0 || names.some(([name]) => given[name] !== undefined)) return [];
  if (command.target === 'company') return [company];
  return command.fields[command.target]?.kind === 'domain' ? domains : environments;
}

/** On how many of these targets it is allowed. */
export function howMany(decisions: readonly AccessDecision[], targets: readonly Target[]): string | undefined {
  const [first] = targets;
  const allowed = decisions.filter(({ kind }) => kind === 'allowed').length;
  if (first === undefined || first.kind === 'company') return undefined;
  if (allowed === 0) return `any ${first.kind} you can see`;
  if (allowed === targets.length) return `every ${first.kind} you can see`;
  return `${allowed} of the ${targets.length} ${first.kind}s you can see`;
}

export function answerOnAny(decisions: readonly AccessDecision[]): Ability['answer'] {
  const allowed = decisions.filter((one) => one.kind === 'allowed');
  const [first] = allowed;
  const isUnknown = (one: AccessDecision): boolean => unknownIn(one).length > 0;
  const isNoRule = (one: AccessDecision): boolean => one.kind === 'not allowed' && one.why.kind === 'no rule';
  const refused = decisions.find(isUnknown) ?? decisions.find(isNoRule) ?? decisions[0];
  if (first === undefined) return refused ? answerOfRefused(refused) : { kind: 'no rule', lets: [], whoMay: [] };
  const isSame = new Set(allowed.map(({ approval }) => JSON.stringify(approval))).size === 1;
  return {
    kind: 'allowed somewhere',
    rules: [...new Map(allowed.flatMap(({ rules }) => rules).map((rule) => [rule.line, rule])).values()],
    approval: isSame ? inGroups(first.approval) : 'depends on the target',
  };
}

/** Who approves, by their groups: who of them may see it depends on the target. */
function inGroups(approval: 'none' | Needed): 'none' | ApprovalSomewhere {
  if (approval === 'none') return 'none';
  const { requirements, expires, reason } = approval;
  const each = requirements.map(({ by, count }) => {
    const who = count === 1 ? 'somebody else' : `${count} others`;
    return by === 'allowed' ? say`${who} who may run it there` : say`${who} in ${either(by.map(bold))}`;
  });
  return { who: joined(each, ', and '), expires, reason };
}

export function answerOfRefused(decision: AccessDecision): Ability['answer'] {
  if (decision.kind === 'allowed') throw new Error('an allowed decision has no refusal');
  const { why, whoMay, lets } = decision;
  if (why.kind === 'unknown') return { kind: 'unknown', userGroups: why.groups };
  return why.kind === 'denied' ? { kind: 'denied', rule: why.rule, whoMay } : { kind: 'no rule', lets, whoMay };
}
