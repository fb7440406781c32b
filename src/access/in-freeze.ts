import { Refusal } from '../base/errors.ts';
import type { Company, Environment } from '../hosting/contract/target.ts';
import { dayMs } from '../words/duration.ts';
import { decideFreeze, freezesAround, groupsIn, type FreezeDecision } from '../policy/freezes.ts';
import type { Freeze, Member, Needed, Policy } from '../policy/rules.ts';
import { code, either, joined, say, time, type Text } from '../words/text.ts';
import { canonicalArgs, type Resolved } from '../language/resolve.ts';
import { atArg } from '../language/schedule.ts';
import { aboutOf } from './targets.ts';
import { MembershipUnknown, membersUnknownQuietly } from './unknown-groups.ts';

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

/** The approval that exceptions add at that moment; `at` undefined: none. */
export function approvalAdded(
  policy: Policy,
  person: Member,
  resolved: Resolved,
  { company, at }: { readonly company: Company; readonly at: number | undefined },
): 'none' | Needed {
  const decision = at === undefined ? undefined : freezeDecision(policy, person, resolved, { company, at });
  return decision?.kind === 'open' ? decision.approval : 'none';
}

/** The refusal of a request that a freeze holds, or may hold. */
export function refusedInFreeze(
  decision: Exclude<FreezeDecision, { kind: 'open' }>,
  { parsed, input }: Pick<Resolved, 'parsed' | 'input'>,
  where: string | undefined,
  emergency?: Text,
): Refusal {
  if (decision.kind === 'unknown')
    return new MembershipUnknown(say`a freeze lets you run ${code(parsed.path)} now`, decision.groups, 'sent');
  const { until } = decision;
  const at = until === undefined ? undefined : atArg(until);
  const args = canonicalArgs({ parsed: { ...parsed, at }, input }, { reason: parsed.reason });
  return new InFreeze(say`${freezeInWords(decision, where, parsed.at !== undefined)} Nothing was sent.`, {
    hint: joined([say`Ask again when it is over, or now with ${code('--at')} and a time after it.`, emergency]),
    offers: at === undefined ? [] : [{ label: 'Ask for the end of the freeze', args, opens: 'form' }],
  });
}

/** Which freeze holds something back, until when, and whom it excepts. `isLater`: at the time that was asked for. */
export function freezeInWords({ by, until, mayStill }: Holding, where: string | undefined, isLater = false): Text {
  const lasts = until === undefined ? '' : say` until ${time(until, 'date')}`;
  const is = isLater ? 'will be in a freeze then,' : 'is in a freeze';
  const who =
    mayStill.length > 0 ? say`It excepts ${either(mayStill, 'and')}, if they ask for it themselves.` : undefined;
  return joined([say`**${where ?? 'This'} ${is}**${lasts}: ${namesOf(by)}.`, who]);
}

/** The names of freezes with their reasons. */
export const namesOf = (freezes: readonly Pick<Freeze, 'name' | 'reason'>[]): Text =>
  joined(
    freezes.map(({ name, reason }) => (reason === undefined ? say`${code(name)}` : say`${code(name)} (${reason})`)),
    ', ',
  );

/** What the freezes come to now (epoch ms) for somebody who has not asked yet; undefined: nothing. */
export function freezeNote(
  policy: Policy,
  person: Member,
  resolved: Resolved,
  of: { readonly company: Company; readonly at: number },
): Text | undefined {
  const decision = freezeDecision(policy, person, resolved, of);
  const where = aboutOf(resolved, of.company).target?.name;
  if (decision.kind === 'open') return freezeWarning(decision, of.at + soonMs);
  if (decision.kind === 'frozen') return freezeInWords(decision, where);
  return say`**A freeze may hold it.** ${membersUnknownQuietly(decision.groups)}`;
}

/** The freezes that hold these environments now (epoch ms), or will soon, whoever asks; each with its times. */
export const freezesAt = (policy: Policy, environments: readonly Environment[], at: number): readonly Text[] =>
  freezesAround(policy, environments, { at, withinMs: soonMs }).map(({ freeze, on, from, until }) => {
    const lasts =
      from <= at ? say`until ${time(until, 'date')}` : say`from ${time(from, 'date')} to ${time(until, 'date')}`;
    const what = freeze.what ? say`, for ${joined([...freeze.what].map(code), ', ')}` : '';
    const who = groupsIn(freeze);
    const but = who.length > 0 ? say`, except for ${either(who, 'and')}` : '';
    const where = environments.length > 1 ? say`${placesOf(on)}: ` : '';
    return say`${where}${namesOf([freeze])}, ${lasts}${what}${but}`;
  });

const maxPlaces = 3;
const placesOf = (on: readonly Environment[]): Text => {
  const rest = on.length - maxPlaces;
  return say`${joined(
    on.slice(0, maxPlaces).map(({ name }) => name),
    ', ',
  )}${rest > 0 ? ` and ${rest} more` : ''}`;
};

/** A freeze that begins within this time is told beforehand. */
const soonMs = dayMs;

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
      ? say`**A freeze begins ${time(nextAt, 'date')}.** From then on this is not sent.`
      : undefined;
  const all = joined([lifted, next]);
  return all.length > 0 ? all : undefined;
}
