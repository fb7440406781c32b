import type { Company, Target } from '../hosting/contract/target.ts';
import { lookedTo, mayApprove } from '../policy/approvers.ts';
import type { Needed } from '../policy/needed.ts';
import { canonicalId, idsIn, isUserGroup, mentionedGroups } from '../policy/people.ts';
import { mayRead } from '../policy/policy.ts';
import type { Person, Policy } from '../policy/rules.ts';
import { bold, joined, person as mention, say, type Text } from '../text.ts';
import { aboutOf } from './about.ts';
import type { Ask, Permit, Person as Known } from './authorise.ts';
import type { Resolved } from './resolve.ts';

/** Who is asked to approve a change, and how that is said. */

export type AskingDesk = {
  readonly policy: () => Policy;
  readonly company: () => Company;
  /** Slack user ids in a Slack user group; undefined: Slack did not tell. */
  readonly membersOf: (group: string) => Promise<readonly string[] | undefined>;
  /** Who somebody is, as Slack told not long ago; undefined: it did not tell. */
  readonly personOf: (id: string) => Promise<Known | undefined>;
};

/** More are not written to. */
const mostPeople = 25;
const mostNamed = 5;

/** Who can approve this wish of `asker`, for each thing the rules want: those whose click would count right now. */
export async function whomToAsk(
  desk: AskingDesk,
  needed: Needed,
  wish: Resolved,
  asker: string,
): Promise<readonly Ask[]> {
  const policy = desk.policy();
  const { asked, target, alsoReads } = aboutOf(wish, desk.company());
  const targets = [target, ...alsoReads].filter((one) => one !== undefined);
  const readers = (await peopleOf(desk, policy)).filter((person) => readsAll(policy, person, targets));
  return Promise.all(
    needed.requirements.map(async (requirement) => {
      const groups = lookedTo(policy, requirement, asked);
      const ids = new Set(idsIn(policy, groups));
      const people = readers.filter((person) => {
        const voice = mayApprove(policy, person, { ...needed, requirements: [requirement] }, { ...asked, asker });
        return belongsTo(ids, person) && voice.kind === 'counts';
      });
      // Of several ids of one person the first is written to.
      const known = people.map(({ id }) => canonicalId(policy, id));
      const once = people.filter((_, index) => known.indexOf(known[index] ?? '') === index).map(({ id }) => id);
      return { count: requirement.count, groups, people: await membersAmong(desk, once.slice(0, mostPeople)) };
    }),
  );
}

/** Those who are members of the workspace: a guest hears nothing of a site, whatever group they are in. */
async function membersAmong({ personOf }: AskingDesk, ids: readonly string[]): Promise<readonly string[]> {
  const people = await Promise.all(ids.map((id) => personOf(id)));
  return ids.filter((_, index) => people[index]?.standing === 'member');
}

/** Everybody whom the policy names, by themselves or by a Slack user group. */
export async function peopleOf({ membersOf }: AskingDesk, policy: Policy): Promise<readonly Person[]> {
  const groupsOf = new Map<string, string[]>();
  for (const id of idsIn(policy, [...policy.groups.keys()])) if (!isUserGroup(id)) groupsOf.set(id, []);
  const groups = mentionedGroups(policy);
  const lists = await Promise.all(groups.map(async (group) => [group, (await membersOf(group)) ?? []] as const));
  for (const [group, members] of lists) {
    for (const id of members) groupsOf.set(id, [...(groupsOf.get(id) ?? []), group]);
  }
  return [...groupsOf].map(([id, those]) => ({ id, groups: those }));
}

const belongsTo = (ids: ReadonlySet<string>, { id, groups }: Person): boolean =>
  ids.has(id) || groups.some((group) => ids.has(group));
const readsAll = (policy: Policy, person: Person, targets: readonly Target[]): boolean =>
  targets.every((target) => mayRead(policy, person, target));

/** Everybody who is asked, each once. */
export const askedPeople = ({ asks = [] }: Permit): readonly string[] => [
  ...new Set(asks.flatMap(({ people }) => people)),
];

/** `@Chi or @Dee`; `2 of @Chi, @Dee, @Fay`; names of groups where their people are not known. */
export const whoIsAsked = (asks: readonly Ask[], without: readonly string[] = []): Text =>
  joined(
    asks.map(({ count, people, groups }) => {
      const left = people.filter((id) => !without.includes(id));
      const named = left.slice(0, mostNamed).map((id) => inText(id));
      const more = left.length > mostNamed ? [say`${left.length - mostNamed} more`] : [];
      const who = named.length > 0 ? [...named, ...more] : groups.map((group) => [bold(group)]);
      const needed = count - (people.length - left.length);
      return needed > 1 ? joined([`${needed} of`, joined(who, ', ')]) : joined(who, ' or ');
    }),
    ', and ',
  );

const inText = (id: string): Text => [mention(id)];
