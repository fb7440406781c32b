import { whoIsAsked, whoIsNotified } from './approver-lookup.ts';
import { tooFewApprove } from './nobody-approves.ts';
import { afterAsking, alsoLater } from './escalation.ts';
import type { AskedRequirement } from './authorization.ts';
import type { AccessRequest } from '../policy/matching.ts';
import { covers, showPattern } from '../policy/pattern.ts';
import type { Member, Needed, NeededReason, Policy } from '../policy/rules.ts';
import { type Text, bold, either, joined, say } from '../words/text.ts';
import { isName } from '../commands/kit/action.ts';
import type { Company, Target } from '../hosting/contract/target.ts';
import { unknownIn, type AccessDecision } from '../policy/policy.ts';
import type { ParsedCommand } from '../language/bind-arguments.ts';
import type { KnownNames } from '../language/resolve.ts';

/** What the rules come to for somebody and a command, also if it names no target. */

/** A rule of the policy: the line where it starts, and its text or what of it applies. */
export type RuleLine = { readonly line: number; readonly text: string };

/** Whether somebody may run a command on a target, and what decides it. */
export type Ability = {
  /** With `caller`, it is about a program that asks for them. */
  readonly person: Pick<Member, 'id' | 'caller'> & { readonly name: string };
  readonly path: string;
  /** The class of the command; `named` means that a rule has to name it. */
  readonly risk: string;
  /** The target, or how many there are if none was named; undefined if the command has none. */
  readonly target: string | undefined;
  /** Why it is refused in the channel of the question, whatever the rules allow, and where it isn't. */
  readonly notHere?: Text;
  /** What the freezes come to now, if anything. */
  readonly freeze?: Text | undefined;
  readonly answer:
    | { readonly kind: 'for everybody' }
    | {
        readonly kind: 'allowed';
        readonly rules: readonly RuleLine[];
        readonly approval: 'none' | RequiredApproval;
        /** How they may skip approval and freezes; undefined: they may not. */
        readonly emergency?: Text | undefined;
      }
    /** No target was named, and it is allowed on some. */
    | {
        readonly kind: 'allowed somewhere';
        readonly rules: readonly RuleLine[];
        readonly approval: 'none' | ApprovalSomewhere | 'depends on the target';
      }
    | { readonly kind: 'denied'; readonly rule: RuleLine; readonly whoMay: readonly string[] }
    /** `caller`: no rule names this program; one allows its person. */
    | {
        readonly kind: 'no rule';
        readonly lets: readonly RuleLine[];
        readonly whoMay: readonly string[];
        readonly caller?: string | undefined;
      }
    /** It is about a program, and no program may. */
    | { readonly kind: 'only people' }
    /** Guests, bots and people from outside: the rules do not apply to them. */
    | { readonly kind: 'not welcome'; readonly why: string }
    | { readonly kind: 'hidden'; readonly what: string }
    /** It depends on who is in these Slack user groups, which Slack doesn't say. */
    | { readonly kind: 'unknown'; readonly userGroups: readonly string[] };
};

/** A requirement by the groups that can meet it now, and from when on others can. */
export type AskedGroups = Pick<AskedRequirement, 'count' | 'groups'> & {
  readonly escalate: AskedRequirement['escalate'] | undefined;
};

/** The approval that the rules require. `expires` is in milliseconds. */
export type RequiredApproval = {
  readonly asks: readonly (AskedGroups & { readonly people: number })[];
  /** The names of the approvers. */
  readonly who: Text;
  /** Who is notified, if the rules name anybody; else empty. */
  readonly notified: Text;
  /** That too few people can approve it right now, if that is certain. */
  readonly tooFew: Text | undefined;
  readonly expires: number;
  readonly reason: NeededReason;
};

export const requiredBy = (
  asks: readonly AskedRequirement[],
  { expires, reason }: Pick<Needed, 'expires' | 'reason'>,
): RequiredApproval => ({
  asks: asks.map(({ count, groups, escalate, people }) => ({ count, groups, escalate, people: people.length })),
  who: whoIsAsked(asks, { when: afterAsking(expires) }),
  notified: whoIsNotified(asks),
  tooFew: tooFewApprove(asks),
  expires,
  reason,
});

/** As `RequiredApproval`; `who` has the groups, because who of them may see it depends on the target. */
export type ApprovalSomewhere = Pick<RequiredApproval, 'who' | 'expires' | 'reason'>;

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
  const each = requirements.map(({ by, count, escalate }) => {
    const who = count === 1 ? 'somebody else' : `${count} others`;
    if (by === 'allowed') return say`${who} who may run it there`;
    return joined([say`${who} in ${either(by.map(bold))}`, alsoLater(escalate, afterAsking(expires))]);
  });
  return { who: joined(each, ', and '), expires, reason };
}

export function answerOfRefused(decision: AccessDecision): Ability['answer'] {
  if (decision.kind === 'allowed') throw new Error('an allowed decision has no refusal');
  const { why, whoMay, lets } = decision;
  if (why.kind === 'unknown') return { kind: 'unknown', userGroups: why.groups };
  if (why.kind === 'denied') return { kind: 'denied', rule: why.rule, whoMay };
  return { kind: 'no rule', lets, whoMay, caller: why.caller };
}

/** What of the rule in this line applies to a request: what it allows or denies, and where. */
export function partOf({ rules }: Policy, line: number, { command, aims }: AccessRequest): string {
  const found = rules.filter((rule) => rule.line === line);
  const words = found.flatMap(({ effect, what, where = [] }) => {
    const named =
      [command.path, command.within, command.risk, 'read'].find((one) => one && what.has(one)) ?? command.path;
    const applying = where.filter((pattern) => aims.some(({ target }) => covers(pattern, target, effect)));
    return [effect, named, ...(applying.length > 0 ? ['where', applying.map(showPattern).join(', ')] : [])];
  });
  return words.join(' ');
}
