import type { CheckPlan, SiteCheckSource } from '../commands/kit/sources.ts';
import type { Domain, Environment } from '../hosting/contract/target.ts';
import type { Listing } from '../hosting/names.ts';
import { expectationsOf } from '../policy/checks.ts';
import type { Policy } from '../policy/rules.ts';
import { code, say, type Text } from '../words/text.ts';
import type { ChangeContext } from '../change/context.ts';
import { allEnvironments } from '../change/visible-names.ts';

/** Which pages of a site are read to judge it. */

/** How many domains of one environment are read. For all but the first, only one page is read. */
const maxDomains = 3;

type Names = Pick<Listing, 'environments' | 'domains' | 'environmentDomains'>;

/**
 * The pages by which an environment or a domain is judged. For an environment: the domains that the host names for it
 * and has verified, or else those that the policy names. For a domain: only its own pages.
 */
export function checkPlanFor(target: Environment | Domain, names: Names, policy: Policy): CheckPlan {
  if (target.kind === 'domain' && unverifiedIn(names).has(target.name.toLowerCase()))
    return cannot(say`the host has not verified ${target.name} yet`);
  const environment = target.kind === 'environment' ? target : homeOf(target, names, policy);
  if (environment === undefined)
    return cannot(
      say`the host does not say which environment ${target.name} belongs to, and no ${code('checks')} in the policy name it`,
    );
  const expected = expectationsOf(policy, environment);
  if (expected === 'off') return cannot(say`the policy turns checks of it off`);
  const own = domainsOf(environment, names, expected.domains);
  const [first, ...more] = target.kind === 'domain' ? [target.name.toLowerCase()] : own;
  if (first === undefined)
    return cannot(say`the host names no domain of ${target.name}, and no ${code('checks')} in the policy do`);
  const others = more.slice(0, maxDomains - 1);
  const addresses = [
    ...expected.paths.map((path) => `https://${first}${path}`),
    ...others.map((name) => `https://${name}${expected.paths[0] ?? '/'}`),
  ];
  return { kind: 'pages', addresses, must: expected.must, otherDomains: more.length - others.length };
}

const cannot = (why: Text): CheckPlan => ({ kind: 'cannot be checked', why });

/** The environment's domains; one that the policy names comes first. */
function domainsOf({ id }: Environment, names: Names, named: readonly string[]): readonly string[] {
  const unverified = unverifiedIn(names);
  const listed = names.environmentDomains
    .filter(({ environmentId, name }) => environmentId === id && !name.includes('*'))
    .map(({ name }) => name.toLowerCase())
    .filter((name) => !unverified.has(name));
  if (listed.length === 0) return named;
  return [...new Set([...named.filter((name) => listed.includes(name)), ...listed])];
}

/** Domains that the host has not verified yet: anybody could have added them. */
const unverifiedIn = ({ domains }: Names): ReadonlySet<string> =>
  new Set(domains.filter(({ isActive }) => isActive === false).map(({ name }) => name.toLowerCase()));

/** The only environment whose domain this is according to the host or, if the host names none, the policy. */
function homeOf(domain: Domain, names: Names, policy: Policy): Environment | undefined {
  const name = domain.name.toLowerCase();
  const listed = names.environmentDomains.filter((one) => one.name.toLowerCase() === name);
  const ids = new Set(listed.map(({ environmentId }) => environmentId));
  const isHome = (one: Environment): boolean => (ids.size > 0 ? ids.has(one.id) : isNamedFor(policy, one, name, names));
  const homes = allEnvironments(names, policy).filter(isHome);
  return homes.length === 1 ? homes[0] : undefined;
}

function isNamedFor(policy: Policy, environment: Environment, name: string, names: Names): boolean {
  const expected = expectationsOf(policy, environment);
  if (expected === 'off' || !expected.domains.includes(name)) return false;
  return domainsOf(environment, names, expected.domains).includes(name);
}

/** Checks sites for a person (a Slack user id), whose readings others may share. */
export const siteCheckFor = (
  context: Pick<ChangeContext, 'siteCheck' | 'listing' | 'policy'>,
  onBehalfOf: string,
): SiteCheckSource => {
  const { read, readOn, instead } = context.siteCheck;
  return {
    planFor: (target) => checkPlanFor(target, context.listing(), context.policy()),
    read: (pages, limits) => read(pages, { ...limits, onBehalfOf, mayShare: true }),
    readOn: (pages, first, limits) => readOn(pages, first, { ...limits, onBehalfOf, mayShare: true }),
    instead,
  };
};
