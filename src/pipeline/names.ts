import type { Listing } from '../hosting/directory.ts';
import type { Domain, Environment } from '../hosting/contract/target.ts';
import { isLive } from '../policy/pins.ts';
import { mayRead } from '../policy/policy.ts';
import type { Policy } from '../policy/rules.ts';
import type { Person } from './authorise.ts';
import { say } from '../text.ts';
import type { Names } from './resolve.ts';
import { inWords } from './trouble.ts';

type Listed = Pick<Listing, 'environments' | 'domains' | 'at' | 'trouble'>;

/** People whose names are remembered between two changes of the listing or the policy. */
const mostRemembered = 500;

/** Everything that can be named, and what of it one person may read; worked out once for as long as the lists and the policy stay. */
export function createNames(listing: () => Listing, policy: () => Policy): (person: Person | undefined) => Names {
  let of: (Listed & { readonly policy: Policy; readonly all: Names }) | undefined;
  const remembered = new Map<string, Names>();
  return (person) => {
    const now = listing();
    if (of === undefined || !isSame(of, now) || of.policy !== policy()) {
      of = { ...now, policy: policy(), all: allNames(now, policy()) };
      remembered.clear();
    }
    if (person === undefined) return of.all;
    const key = JSON.stringify([person.id, person.groups]);
    const known = remembered.get(key);
    if (known) return known;
    const mine = readable(of.all, of.policy, person);
    if (remembered.size >= mostRemembered) remembered.clear();
    remembered.set(key, mine);
    return mine;
  };
}

const isSame = (one: Listed, other: Listed): boolean =>
  one.environments === other.environments &&
  one.domains === other.domains &&
  one.trouble === other.trouble &&
  (one.at === undefined) === (other.at === undefined);

const readable = ({ environments, domains, trouble }: Names, policy: Policy, person: Person): Names => ({
  environments: environments.filter((one) => mayRead(policy, person, one)),
  domains: domains.filter((one) => mayRead(policy, person, one)),
  trouble,
});

function allNames({ environments, domains, at, trouble }: Listed, policy: Policy): Names {
  const named = environments.map(({ id, name, site, named }): Environment => {
    const kindKnown = named !== 'by its display name';
    const live = isLive(policy, { id, site: site?.name, name, kindKnown });
    return { kind: 'environment', id, name: site ? `${site.name}/${name}` : name, live, site };
  });
  const listed = domains.map(({ id, name, site }): Domain => ({ kind: 'domain', id, name, site }));
  const unlisted = trouble ? inWords(trouble) : at === undefined ? say`I have not listed the sites yet.` : undefined;
  return { environments: named.toSorted(byName), domains: listed.toSorted(byName), trouble: unlisted };
}

const collator = new Intl.Collator('en');
const byName = (one: { name: string }, other: { name: string }): number => collator.compare(one.name, other.name);
