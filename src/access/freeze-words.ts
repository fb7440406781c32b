import { Refusal } from '../base/errors.ts';
import type { Target } from '../hosting/contract/target.ts';
import { dayMs } from '../words/duration.ts';
import { freezesAround, groupsIn, type FreezeDecision } from '../policy/freezes.ts';
import type { Freeze, Policy } from '../policy/rules.ts';
import { code, either, joined, say, time, type Text } from '../words/text.ts';
import { canonicalArgs, type Resolved } from '../language/resolve.ts';
import { farthestMs, windowFrom, windowOf } from '../language/schedule.ts';
import { MembershipUnknown, membersUnknownQuietly } from './unknown-groups.ts';

/** What people read of freezes: in refusals, forms and reports, and on cards. */

/** Refused because of a freeze. It is no lack of a right: the same may be asked for once the freeze is over. */
export class InFreeze extends Refusal {}

type Holding = Extract<FreezeDecision, { kind: 'frozen' }>;

/** The moment that was asked about, or now if that is over, and now, epoch ms. */
export type FreezeMoment = { readonly at: number; readonly now: number };

/** What is said of a place that a freeze holds at a moment. */
export const inFreeze = ({ at, now }: FreezeMoment): string =>
  at > now ? 'will be in a freeze then' : 'is in a freeze';

/** The refusal of a request that a freeze holds, or may hold. */
export function refusedInFreeze(
  decision: Exclude<FreezeDecision, { kind: 'open' }>,
  { parsed, input }: Pick<Resolved, 'parsed' | 'input'>,
  where: string | undefined,
  moment: FreezeMoment,
  emergency?: Text,
): Refusal {
  if (decision.kind === 'unknown')
    return new MembershipUnknown(
      say`a freeze lets you run ${code(parsed.path)} ${moment.at > moment.now ? 'then' : 'now'}`,
      decision.groups,
      'sent',
    );
  const { until } = decision;
  const when = until === undefined ? undefined : windowFrom(until, windowOf(parsed));
  const reachable = when && when.at - farthestMs;
  const isReachable = reachable !== undefined && reachable <= moment.now;
  const args = canonicalArgs({ parsed: { ...parsed, when }, input }, { reason: parsed.reason });
  return new InFreeze(say`${freezeInWords(decision, where, moment)} Nothing was sent.`, {
    hint: joined([say`Ask again when it is over${askEarlier(reachable, isReachable)}.`, emergency]),
    offers: !isReachable ? [] : [{ label: 'Ask for the end of the freeze', args, opens: 'form' }],
  });
}

/** From when on (epoch ms) it can be asked for a time after the freeze; undefined: the freeze has no end in sight. */
function askEarlier(reachable: number | undefined, isReachable: boolean): Text {
  if (reachable === undefined) return say``;
  const from = isReachable ? say`now` : say`from ${time(reachable, 'date')} on`;
  return say`, or ${from} with ${code('--at')} and a time after it`;
}

/** Which freeze holds something back at a moment, until when, and whom it excepts. */
export function freezeInWords({ by, until, mayStill }: Holding, where: string | undefined, moment: FreezeMoment): Text {
  const lasts = until === undefined ? '' : say`${moment.at > moment.now ? ',' : ''} until ${time(until, 'date')}`;
  const who =
    mayStill.length > 0 ? say`It excepts ${either(mayStill, 'and')}, if they ask for it themselves.` : undefined;
  return joined([say`**${where ?? 'This'} ${inFreeze(moment)}**${lasts}: ${namesOf(by)}.`, who]);
}

/** The names of freezes with their reasons. */
export const namesOf = (freezes: readonly Pick<Freeze, 'name' | 'reason'>[]): Text =>
  joined(
    freezes.map(({ name, reason }) => (reason === undefined ? say`${code(name)}` : say`${code(name)} (${reason})`)),
    ', ',
  );

/** What the freezes come to at a moment for what nobody has asked for yet. */
export type FreezeAhead = FreezeMoment & { readonly decision: FreezeDecision };

/** That in words; undefined: nothing. */
export function freezeNote({ decision, ...moment }: FreezeAhead, where: string | undefined): Text | undefined {
  if (decision.kind === 'open') return freezeWarning(decision, moment, moment.at + soonMs);
  if (decision.kind === 'frozen') return freezeInWords(decision, where, moment);
  return say`**A freeze may hold it.** ${membersUnknownQuietly(decision.groups)}`;
}

/** The freezes that hold these targets at a moment (epoch ms), or will soon, whoever asks; each with its times. */
export const freezesAt = (policy: Pick<Policy, 'freezes'>, targets: readonly Target[], at: number): readonly Text[] =>
  freezesAround(policy, targets, { at, withinMs: soonMs }).map(({ freeze, on, from, until }) => {
    const lasts =
      from <= at ? say`until ${time(until, 'date')}` : say`from ${time(from, 'date')} to ${time(until, 'date')}`;
    const what = freeze.what ? say`, for ${joined([...freeze.what].map(code), ', ')}` : '';
    const who = groupsIn(freeze);
    const but = who.length > 0 ? say`, except for ${either(who, 'and')}` : '';
    const where = targets.length > 1 ? say`${placesOf(on)}: ` : '';
    return say`${where}${namesOf([freeze])}, ${lasts}${what}${but}`;
  });

/** Those of several targets, a line each. */
export const freezeLines = (freezes: readonly Text[]): Text =>
  joined(
    freezes.map((one) => say`⚠️ **Freeze:** ${one}`),
    '\n',
  );

const maxPlaces = 3;
const placesOf = (on: readonly Target[]): Text => {
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
  { names, openUntil }: Extract<FreezeDecision, { kind: 'open' }>,
  moment: FreezeMoment,
  until: number,
): Text | undefined {
  const lifted =
    names.length > 0
      ? say`**This ${inFreeze(moment)}:** ${joined(names.map(code), ', ')}. An exception lets this through.`
      : undefined;
  const next =
    openUntil !== undefined && openUntil < until
      ? say`**A freeze begins ${time(openUntil, 'date')}.** From then on this is not sent.`
      : undefined;
  const all = joined([lifted, next]);
  return all.length > 0 ? all : undefined;
}
