import type { Listing } from '../hosting/names.ts';
import type { Domain, Environment } from '../hosting/contract/target.ts';
import { isLive, type Policy } from '../policy/rules.ts';
import { groupsAbout, decideReading, unknownIn } from '../policy/policy.ts';
import type { Person } from '../access/access-check.ts';
import { joined, say } from '../words/text.ts';
import type { KnownNames } from '../language/resolve.ts';
import { troubleText } from '../hosting/host-trouble.ts';
import { membersUnknown } from '../access/unknown-groups.ts';
import { BoundedMap } from '../base/caches.ts';

type ListedNames = Pick<Listing, 'environments' | 'domains' | 'at' | 'trouble'>;

/** For how many people the names are cached. */
const maxRemembered = 500;

/** Returns the names that a person may read; without a person, all. Cached until the listing or the policy changes. */
export function createNames(listing: () => Listing, policy: () => Policy): (person: Person | undefined) => KnownNames {
  let current: (ListedNames & { readonly policy: Policy; readonly all: KnownNames }) | undefined;
  const remembered = new BoundedMap<string, KnownNames>(maxRemembered);
  return (person) => {
    const now = listing();
    if (current === undefined || !isSame(current, now) || current.policy !== policy()) {
      current = { ...now, policy: policy(), all: allNames(now, policy()) };
      remembered.clear();
    }
    if (person === undefined) return current.all;
    const key = keyOf(current.policy, person);
    const known = remembered.get(key);
    if (known) return known;
    const mine = readableNames(current.all, current.policy, person);
    remembered.set(key, mine);
    return mine;
  };
}

const isSame = (one: ListedNames, other: ListedNames): boolean =>
  one.environments === other.environments &&
  one.domains === other.domains &&
  one.trouble === other.trouble &&
  (one.at === undefined) === (other.at === undefined);

/** Cache key: the person, through which caller they ask, and what is known about the groups that decide what they may read. */
function keyOf(policy: Policy, { id, caller, groups, joinedGroups = [], otherGroups = [] }: Person): string {
  const asked = groupsAbout(policy);
  const known = [groups, joinedGroups, otherGroups].map((those) => asked.map((group) => Number(those.includes(group))));
  return JSON.stringify([id, caller?.name, caller?.key, known]);
}

function readableNames(
  { environments, domains, trouble, ...known }: KnownNames,
  policy: Policy,
  person: Person,
): KnownNames {
  const unknown = new Set<string>();
  const isReadable = (one: Environment | Domain): boolean => {
    const decision = decideReading(policy, person, one);
    for (const group of unknownIn(decision)) unknown.add(group);
    return decision.kind === 'allowed';
  };
  const mine = { environments: environments.filter(isReadable), domains: domains.filter(isReadable) };
  const withheld = unknown.size > 0 ? membersUnknown([...unknown]) : undefined;
  return { ...known, ...mine, trouble: trouble && withheld ? joined([trouble, withheld]) : (trouble ?? withheld) };
}

/** All listed environments, under the names that people use. */
export const allEnvironments = (
  { environments }: Pick<Listing, 'environments'>,
  policy: Policy,
): readonly Environment[] =>
  environments.map(({ id, name, site, named }) => {
    const kindKnown = named !== 'by its display name';
    const live = isLive(policy, { id, site: site?.name, name, kindKnown });
    return { kind: 'environment', id, name: site ? `${site.name}/${name}` : name, live, site };
  });

function allNames({ environments, domains, at, trouble }: ListedNames, policy: Policy): KnownNames {
  const named = allEnvironments({ environments }, policy);
  const listed = domains.map(({ id, name, site }): Domain => ({ kind: 'domain', id, name, site }));
  const unlisted = trouble ? troubleText(trouble) : at === undefined ? say`I haven't listed the sites yet.` : undefined;
  const sorted = { environments: named.toSorted(byName), domains: listed.toSorted(byName) };
  return { ...sorted, sets: policy.sets, trouble: unlisted };
}

const collator = new Intl.Collator('en');
const byName = (one: { name: string }, other: { name: string }): number => collator.compare(one.name, other.name);
