import { nameOf } from '../commands/rights.ts';
import { Refusal } from '../base/errors.ts';
import type { Company, Environment, Target } from '../hosting/contract/target.ts';
import { decideAccess, mayAnywhere, unknownIn, type GlassRight } from '../policy/policy.ts';
import type { Member, Policy } from '../policy/rules.ts';
import { refuseBreakGlass } from './break-glass.ts';
import { authorizationOnAsking, authorizeEach, type Authorization } from './authorization.ts';
import type { Text } from '../words/text.ts';
import { aboutOf, manyOf } from './targets.ts';
import { isDecided, refuseUnlessMayTry, mayNotUse } from './may-run.ts';
import type { Resolved } from '../language/resolve.ts';
import { notAllowed, refuseUnread } from './not-allowed.ts';

/** A Slack user as they are now. */
export type Person = Member & {
  readonly name: string;
  readonly team: string;
  readonly standing: 'member' | 'guest' | 'bot' | 'stranger' | 'deactivated';
  /** IANA name of their time zone. */
  readonly zone: string;
};

/** The channel of a command. `shared`: with another organisation; undefined: unknown. */
export type Channel = { readonly id: string; readonly shared: boolean | undefined };

/** A command that the rules allow, with its targets. */
export type Authorized = Resolved & {
  /** What it changes or, for a report, reads. */
  readonly target: Target | undefined;
  readonly alsoReads: readonly Target[];
  readonly authorization: Authorization;
  /** A batch: the same request for each of its environments, in order; then there is no one target. */
  readonly each?: readonly Authorized[];
  /** Environments that the person named and may read but not change. */
  readonly notAllowed?: readonly Environment[];
  /** Slack user groups with unknown members that could make the approval weaker. */
  readonly unsure?: readonly string[];
  /** How the rules let the person skip approval and freezes; missing: it is a batch or a report. */
  readonly glassRight?: GlassRight | undefined;
  /** What its card says of the freezes that concern it. */
  readonly freeze?: Text | undefined;
  /** A dry run of what a freeze holds. */
  readonly isHeld?: true;
  /** The zone of whoever asks. */
  readonly zone?: string;
};

/** Why a person who is not a member may not use Sitehand. */
export const nonMemberReason: Readonly<Record<Exclude<Person['standing'], 'member'>, string>> = {
  guest: 'Guests of this workspace may not use Sitehand.',
  bot: 'Other bots may not use Sitehand.',
  stranger: 'Only members of this workspace may use Sitehand.',
  deactivated: 'This account is deactivated.',
};

/** Throws `Refusal` if the person is not a member. Call it before any rule. */
export function assertMember(person: Person): void {
  if (person.standing !== 'member') throw new Refusal(`${nonMemberReason[person.standing]} Nothing was done.`);
}

/**
 * Checks a resolved command against the rules; throws `Refusal`. A target that the person may not read is refused as if
 * it did not exist.
 */
export function authorize(policy: Policy, person: Person, resolved: Resolved, company: Company): Authorized {
  assertMember(person);
  const many = manyOf(resolved);
  if (resolved.parsed.breakGlass) refuseBreakGlass(resolved);
  if (many) {
    const one = (request: Resolved): Authorized => authorize(policy, person, request, company);
    return authorizeEach({ policy, person, resolved, company }, many, one);
  }
  const { target, alsoReads, asked } = aboutOf(resolved, company);
  const { path, command } = resolved.parsed;
  refuseUnread(policy, person, resolved);
  if (!isDecided(command, target)) {
    refuseUnlessMayTry(policy, person, resolved.parsed);
    const authorization = authorizationOnAsking(policy, person, { approval: 'none', rules: [] });
    return { ...resolved, target, alsoReads, authorization };
  }
  const decision = decideAccess(policy, person, asked);
  if (decision.kind === 'not allowed') {
    // Only readers may see the rules. Whoever named an environment or a domain is already known to be a reader.
    const isReader = mayAnywhere(policy, person, { path: '', risk: 'read' });
    const mayExplain = isReader || unknownIn(decision).length > 0;
    throw mayExplain
      ? notAllowed(resolved, nameOf(asked.command, path), target, decision)
      : new Refusal(mayNotUse(path));
  }
  const authorization = authorizationOnAsking(policy, person, decision);
  const { unsure, breakGlass: glassRight } = decision;
  return { ...resolved, target, alsoReads, authorization, unsure, glassRight };
}
