import { Refusal } from '../base/errors.ts';
import type { Askers } from '../policy/approvers.ts';
import { groupsEver } from '../policy/approval-requirement.ts';
import { canonicalId } from '../policy/memberships.ts';
import { groupsApproving } from '../policy/policy.ts';
import type { Aim, Channels } from '../policy/rules.ts';
import { bold, either, joined, list, say, type Text } from '../words/text.ts';
import { approversAmong, maxPeople, membersAmong, notifiedNames, peopleOf, whoIsAsked } from './approver-lookup.ts';
import type { AskedRequirement, Authorization } from './authorization.ts';
import type { AccessContext } from './context.ts';
import { aboutOf } from './targets.ts';
import type { Resolved } from '../language/resolve.ts';

/**
 * Whether anybody can approve, or review. What waits is said to wait in vain as long as nobody can. A batch is refused: it can be
 * asked for in parts.
 */

/** Whether certainly too few people can approve. Not if somebody in doubt might. */
const isShort = ({ people, count, userGroups, unsure, mayBeOthers }: AskedRequirement): boolean =>
  people.length < count && userGroups === undefined && unsure === undefined && mayBeOthers === undefined;

/** Says that certainly nobody, or too few people, can approve; undefined: enough can, or might. */
export function tooFewApprove(asks: readonly AskedRequirement[] = []): Text | undefined {
  const short = asks.filter(isShort);
  if (short.length === 0) return undefined;
  return say`**${short.some(({ people }) => people.length === 0) ? 'Nobody' : 'Too few people'} can approve it right now.**`;
}

/** Says that certainly nobody can review it now; undefined: somebody can, or might. */
export const nobodyReviews = (asks: readonly AskedRequirement[]): Text | undefined =>
  asks.every((ask) => tooFewApprove([ask]) !== undefined)
    ? say`**Nobody who could review it can be told,** so it stays not reviewed for now.`
    : undefined;

/** Who is told at once of what skips an approval: for whoever is about to do it. */
export function whoIsTold(asks: readonly AskedRequirement[], { ops }: Channels): Text {
  const few = nobodyReviews(asks);
  const others = asks.flatMap(({ notify }) => (notify ? notifiedNames(notify) : []));
  const reaches = asks.some(({ people, userGroups, unsure }) => people.length > 0 || userGroups || unsure);
  const told = either([reaches ? 'them' : undefined, ...others, ops && 'the ops channel'], 'and');
  return joined([
    few ?? say`${whoIsAsked(asks)} can review it afterwards.`,
    told.length > 0 ? say`I'll tell ${told} at once, with your reason.` : undefined,
  ]);
}

/** Whether certainly enough people can approve. */
export const enoughApprove = (asks: readonly AskedRequirement[]): boolean =>
  asks.every(({ people, count }) => people.length >= count);

/** How many environments the refusal names. */
const maxNamed = 5;

/**
 * Throws `Refusal` if too few people can approve all of a batch, and names what they can't approve. Refuses nothing
 * if Slack doesn't say who could approve it. `asks`: whom it would ask, from `whomToAsk`.
 */
export async function refuseIfNobodyApproves(
  context: AccessContext,
  resolved: Resolved & { readonly authorization: Pick<Authorization, 'approval'> },
  askers: Askers,
  asks: readonly AskedRequirement[],
): Promise<void> {
  const needed = resolved.authorization.approval;
  if (needed === 'none') return;
  const short = needed.requirements.flatMap((one, at) => {
    const ask = asks[at];
    // `allowed` may include people whom no group names, so don't refuse.
    return one.by !== 'allowed' && ask && isShort(ask) ? [{ by: groupsEver(one), count: one.count }] : [];
  });
  if (short.length === 0) return;
  const policy = context.policy();
  const { asked } = aboutOf(resolved, context.company());
  const { people, unknown } = await peopleOf(
    context,
    policy,
    groupsApproving(policy, asked.command, needed, askers.caller),
  );
  if (unknown.length > 0) return;
  for (const requirement of short) {
    const approversOf = (aims: readonly Aim[]): readonly string[] =>
      approversAmong(policy, people, requirement, { ...asked, ...askers, aims, waited: 0 });
    // Too many candidates to look up: don't refuse.
    if (approversOf(asked.aims).length > maxPeople) continue;
    const each = asked.aims.map((aim) => ({ name: aim.target.name, ids: approversOf([aim]) }));
    const ids = [...new Set(each.flatMap((one) => one.ids))];
    const checked = ids.slice(0, maxPeople);
    const { people: members, unsure = [] } = await membersAmong(context, checked);
    // Treat people who weren't checked as members.
    const isMember = (id: string): boolean => !checked.includes(id) || [...members, ...unsure].includes(id);
    const approvable = each.map(({ name, ids: those }) => ({
      name,
      people: new Set(those.filter(isMember).map((id) => canonicalId(policy, id))),
    }));
    const refused = refusal(requirement, approvable);
    if (refused) throw refused;
  }
}

/** An environment and who can approve it. */
type Approvable = { readonly name: string; readonly people: ReadonlySet<string> };

type ShortRequirement = { readonly by: readonly string[]; readonly count: number };

/** Undefined if enough people can approve all of it after all. */
function refusal({ by, count }: ShortRequirement, each: readonly Approvable[]): Refusal | undefined {
  const who = say`somebody else in ${either(by.map(bold))}`;
  const needs = count === 1 ? say`It needs an approval by ${who}` : say`It needs ${count} approvals, each by ${who}`;
  const few = count === 1 ? 'Nobody' : 'Too few people';
  const without = each.filter(({ people }) => people.size < count);
  if (without.length > 0)
    return new Refusal(
      say`**${few} can approve this for ${namesOf(without)}.** ${needs} who may see it and whom no rule denies it. Nothing was done.`,
      {
        hint:
          without.length < each.length
            ? 'Ask again, and leave out what nobody can approve.'
            : 'Ask the person who keeps the policy to let somebody approve it.',
      },
    );
  const left = outOfReach(each, count);
  if (left.length === 0) return undefined;
  return new Refusal(
    say`**${few} can approve all of this.** ${needs}, and whoever can approve the others can't approve ${namesOf(left)}. Nothing was done.`,
    { hint: 'Leave those out, and ask for them in a request of their own.' },
  );
}

const namesOf = (some: readonly Approvable[]): Text => [
  list(
    some.map(({ name }) => name),
    maxNamed,
  ),
];

/** What the people who can approve the most environments can't all approve. */
function outOfReach(each: readonly Approvable[], count: number): readonly Approvable[] {
  const reach = new Map<string, number>();
  for (const { people } of each) for (const one of people) reach.set(one, (reach.get(one) ?? 0) + 1);
  const most = [...reach].toSorted(([, one], [, other]) => other - one).slice(0, count);
  return each.filter(({ people }) => most.some(([one]) => !people.has(one)));
}
