import type { AnyBuiltin } from '../../commands/kit/builtin.ts';
import { nameOf } from '../../commands/rights.ts';
import { Refusal } from '../../errors.ts';
import type { Company, Target } from '../../hosting/contract/target.ts';
import { channelRule } from '../../policy/channels.ts';
import { decide, mayAnywhere, reading, unknownIn, type AccessDecision } from '../../policy/policy.ts';
import type { Person as Member, Policy } from '../../policy/rules.ts';
import { code, joined, say } from '../../text.ts';
import { aboutOf } from './targets.ts';
import { letting, mayTry, notYou } from './may-run.ts';
import type { Permit } from './permit.ts';
import { isNamed, unknownName, type Resolved } from '../language/resolve.ts';
import { NotKnown } from './unknown-groups.ts';

/** Who somebody is, right now. */
export type Person = Member & {
  readonly name: string;
  readonly team: string;
  readonly standing: 'member' | 'guest' | 'bot' | 'stranger' | 'deactivated';
  /** IANA name of their time zone. */
  readonly zone: string;
};

/** Where something is asked. `shared`: with another organisation; undefined where Slack does not tell. */
export type Channel = { readonly id: string; readonly shared: boolean | undefined };

/** A wish that the rules allow, with what it is about. */
export type Authorised = Resolved & {
  readonly stage: 'authorised';
  /** What is changed or, for a report, read. */
  readonly target: Target | undefined;
  readonly alsoReads: readonly Target[];
  readonly permit: Permit;
  /** Slack user groups of which it is not known whether the person is in them: if not, less approval would do. */
  readonly unsure?: readonly string[];
};

/** Why somebody may do nothing here. */
export const unwelcome: Readonly<Record<Exclude<Person['standing'], 'member'>, string>> = {
  guest: 'Guests of this workspace may not use Sitehand.',
  bot: 'Other bots may not use Sitehand.',
  stranger: 'Only members of this workspace may use Sitehand.',
  deactivated: 'This account is deactivated.',
};

/** Throws `Refusal` for whoever may do nothing here, before any rule is read. */
export function assertMember(person: Person): void {
  if (person.standing !== 'member') throw new Refusal(`${unwelcome[person.standing]} Nothing was done.`);
}

/**
 * A wish whose names are found, held against the rules; throws `Refusal`. Whoever may not read a target gets the same
 * words as if it did not exist.
 */
export function authorise(policy: Policy, person: Person, parsed: Resolved, company: Company): Authorised {
  assertMember(person);
  const { target, alsoReads, asked } = aboutOf(parsed, company);
  const { path, command } = parsed.parsed;
  for (const [name, value] of Object.entries(parsed.input)) {
    const seen = isNamed(value) ? reading(policy, person, value) : undefined;
    const unknown = seen ? unknownIn(seen) : [];
    if (unknown.length > 0) throw new NotKnown(say`you may read what ${code(path)} is about here`, unknown);
    if (seen?.kind === 'not allowed') throw unknownName(parsed.parsed, name);
  }
  const permit: Permit = { approval: 'none', rules: [], policy: policy.hash };
  if (command.shape === 'builtin' && !isDecided(command, target)) {
    mayTry(policy, person, parsed.parsed);
    return { ...parsed, stage: 'authorised', target, alsoReads, permit };
  }
  const decision = decide(policy, person, asked);
  if (decision.kind === 'not allowed') {
    // Rules are told to readers. Whoever names an environment or a domain is one: they could not have named it.
    const isReader = mayAnywhere(policy, person, { path: '', risk: 'read' });
    const isTold = isReader || unknownIn(decision).length > 0;
    throw isTold ? notAllowed(parsed, nameOf(asked.command, path), target, decision) : new Refusal(notYou(path));
  }
  const { approval, unsure } = decision;
  const rules = decision.rules.map((rule) => rule.line);
  return { ...parsed, stage: 'authorised', target, alsoReads, permit: { ...permit, approval, rules }, unsure };
}

/** Whether the rules are asked of this very target, or of everything; else it is enough that they allow it somewhere. */
export const isDecided = (command: AnyBuiltin, target: Target | undefined): boolean =>
  command.right === 'named' && (target !== undefined || command.everywhere === true);

/** Whether a card about these targets may stand in the channel; throws `Refusal` where it may not. */
export function mayHear(policy: Policy, channel: Channel, targets: readonly (Target | undefined)[]): void {
  if (channel.shared !== false) {
    const why = channel.shared
      ? 'is shared with another organisation'
      : 'may be shared with another organisation, and Slack does not tell me';
    throw new Refusal(say`${{ channel: channel.id }} ${why}; sites are not spoken of there. Nothing was done.`, {
      hint: 'Say it in an internal channel or in a direct message to me.',
    });
  }
  const sites = targets.filter((target) => target !== undefined).map(siteOf);
  const rule = channelRule(policy, channel.id, sites);
  if (rule === 'ok') return;
  const why = rule === 'denied' ? 'Sites are not spoken of in this channel.' : 'This channel is for other sites.';
  throw new Refusal(`${why} Nothing was done.`, { hint: 'Say it in the right channel, or in a direct message to me.' });
}

const siteOf = (target: Target): string | undefined => (target.kind === 'company' ? undefined : target.site?.name);

function notAllowed(
  { parsed: { command } }: Resolved,
  path: string,
  target: Target | undefined,
  decision: Extract<AccessDecision, { kind: 'not allowed' }>,
): Refusal {
  const where = target && target.kind !== 'company' ? ` on ${target.name}` : '';
  const not = command.shape === 'builtin' ? 'done' : 'sent';
  const unknown = unknownIn(decision);
  if (unknown.length > 0) return new NotKnown(say`you may run ${code(path)}${where}`, unknown, not);
  const who = decision.whoMay.length > 0 ? joined(decision.whoMay, ' and ') : undefined;
  const because =
    decision.why.kind === 'denied'
      ? say`The rule in line ${decision.why.rule.line} forbids it${who ? say`; ${who} may do it` : ''}.`
      : who
        ? say`${letting(decision.lets)} ${who} do it.`
        : say`No rule allows it to anybody.`;
  return new Refusal(say`**You may not run ${path}${where}.** ${because} Nothing was ${not}.`);
}
