import { Refusal, type Offer } from '../base/errors.ts';
import type { Target } from '../hosting/contract/target.ts';
import { decideReading, unknownIn, type AccessDecision } from '../policy/policy.ts';
import { callerPrefix, type Member, type Policy, type RuleRef } from '../policy/rules.ts';
import { code, joined, sample, say, type Text } from '../words/text.ts';
import { type Resolved, canonicalArgs, isNamed, unknownName } from '../language/resolve.ts';
import { MembershipUnknown } from './unknown-groups.ts';

/** The rules do not allow a command on targets that the person may read. */
export class NotAllowed extends Refusal {
  readonly resolved: Resolved;

  constructor(says: Text, resolved: Resolved, offers: readonly Offer[]) {
    super(says, { offers });
    this.resolved = resolved;
  }
}

type NotAllowedDecision = Extract<AccessDecision, { kind: 'not allowed' }>;

/** The refusal of a command that the rules don't allow, for somebody who may see its targets. */
export function notAllowed(
  resolved: Resolved,
  path: string,
  target: Target | undefined,
  decision: NotAllowedDecision,
): Refusal {
  const { command } = resolved.parsed;
  const where = target && target.kind !== 'company' ? ` on ${target.name}` : '';
  const not = command.shape === 'builtin' ? 'done' : 'sent';
  const unknown = unknownIn(decision);
  if (unknown.length > 0) return new MembershipUnknown(say`you may run ${code(path)}${where}`, unknown, not);
  const who = decision.whoMay.length > 0 ? joined(decision.whoMay, ' and ') : undefined;
  const says = say`**You may not run ${path}${where}.** ${becauseOf(decision, who)} Nothing was ${not}.`;
  if (who && command.shape === 'action') return new NotAllowed(says, resolved, handOnOffer(resolved));
  const isWide = command.shape === 'report' && command.narrowedBy !== undefined && target?.kind === 'company';
  const hint = isWide ? say`${sample(`${path} in site/environment`)} asks about an environment.` : undefined;
  return new Refusal(says, { hint });
}

function becauseOf({ why, lets }: NotAllowedDecision, who: Text | undefined): Text {
  if (why.kind === 'denied')
    return say`Line ${why.rule.line} of the policy forbids it${who ? say`; ${who} may do it` : ''}.`;
  if (why.kind === 'no rule' && why.caller !== undefined) return noRuleNames(why.caller);
  return who ? say`${rulesLet(lets)} ${who} do it.` : say`No rule allows anybody to do it.`;
}

/** To a program whose person may. */
export const noRuleNames = (caller: string): Text =>
  say`A rule lets the person for whom you ask do it, but none names you, ${code(callerPrefix + caller)}.`;

/** The most rules whose lines are named; the rest are counted. */
const maxLines = 4;

/** Names all the rules, because the groups that may do it come from all of them. */
function rulesLet(rules: readonly RuleRef[]): string {
  const lines = rules.slice(0, maxLines).map(({ line }) => String(line));
  if (rules.length > maxLines) lines.push(`${rules.length - maxLines} more`);
  if (rules.length === 1) return `Line ${lines[0]} of the policy lets`;
  return `Lines ${lines.slice(0, -1).join(', ')} and ${lines.at(-1)} of the policy let`;
}

/** The button that asks people who may run it. Not for a handed-on request, an emergency or a dry run. */
function handOnOffer(resolved: Resolved): readonly Offer[] {
  const { reason, dryRun, handedOn, when, breakGlass } = resolved.parsed;
  if (dryRun || breakGlass || handedOn !== undefined || when !== undefined) return [];
  return [{ label: 'Ask somebody who may', args: canonicalArgs(resolved, { reason, handOn: true }) }];
}

/** Throws `Refusal` if the request names what the person may not read, as if that did not exist. */
export function refuseUnread(policy: Policy, person: Member, { input, parsed }: Resolved): void {
  for (const [name, value] of Object.entries(input)) {
    const seen = isNamed(value) ? decideReading(policy, person, value) : undefined;
    const unknown = seen ? unknownIn(seen) : [];
    if (unknown.length > 0)
      throw new MembershipUnknown(say`you can see what ${code(parsed.path)} is about here`, unknown);
    if (seen?.kind === 'not allowed') throw unknownName(parsed, name);
  }
}
