import { Refusal } from '../base/errors.ts';
import type { Company } from '../hosting/contract/target.ts';
import { decideFreeze, type Freeze, type FreezeDecision } from '../policy/freezes.ts';
import type { Member, Policy } from '../policy/rules.ts';
import { code, either, joined, say, time, type Text } from '../words/text.ts';
import type { Resolved } from '../language/resolve.ts';
import { aboutOf } from './targets.ts';
import { MembershipUnknown } from './unknown-groups.ts';

/** The freezes of the policy: whether one keeps a request from being made or sent now, and how that is told. */

/** Refused because of a freeze. It is no lack of a right: the same may be asked for once the freeze is over. */
export class InFreeze extends Refusal {}

type Holding = Extract<FreezeDecision, { kind: 'frozen' }>;

/** What the freezes come to at this moment (epoch ms), for a request of this person. */
export const freezeDecision = (
  policy: Policy,
  person: Member,
  resolved: Resolved,
  { company, at }: { readonly company: Company; readonly at: number },
): FreezeDecision => decideFreeze(policy, person, aboutOf(resolved, company).asked, at);

/** The refusal of a request that a freeze holds, or may hold. */
export function refusedInFreeze(
  decision: Exclude<FreezeDecision, { kind: 'open' }>,
  { parsed }: Pick<Resolved, 'parsed'>,
  where: string | undefined,
): Refusal {
  if (decision.kind === 'unknown')
    return new MembershipUnknown(say`a freeze lets you run ${code(parsed.path)} now`, decision.groups, 'sent');
  return new InFreeze(say`${freezeInWords(decision, where)} Nothing was sent.`, {
    hint: 'Ask again when it is over. An Undo, and taking access away, are never frozen.',
  });
}

/** Which freeze holds something back, until when, and who may do it all the same. */
export function freezeInWords({ by, until, mayStill }: Holding, where: string | undefined): Text {
  const lasts = until === undefined ? say`with no end in sight` : say`until ${time(until, 'date')}`;
  const who = mayStill.length > 0 ? say`${either(mayStill, 'and')} may do it all the same.` : undefined;
  return joined([say`**${where ?? 'This'} is in a freeze** ${lasts}: ${namesOf(by)}.`, who]);
}

/** The names of freezes with their reasons. */
export const namesOf = (freezes: readonly Pick<Freeze, 'name' | 'reason'>[]): Text =>
  joined(
    freezes.map(({ name, reason }) => (reason === undefined ? say`${code(name)}` : say`${code(name)} (${reason})`)),
    ', ',
  );

/** What a card says of the freezes that concern its change; undefined: none until `until` (epoch ms). */
export function freezeWarning(
  { names, nextAt }: Extract<FreezeDecision, { kind: 'open' }>,
  until: number,
): Text | undefined {
  const lifted =
    names.length > 0
      ? say`**In a freeze:** ${joined(names.map(code), ', ')}. An exception lets this through.`
      : undefined;
  const next =
    nextAt !== undefined && nextAt < until
      ? say`**A freeze begins ${time(nextAt, 'date')}.** What is not sent by then waits for its end.`
      : undefined;
  const all = joined([lifted, next]);
  return all.length > 0 ? all : undefined;
}
