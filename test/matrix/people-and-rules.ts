import type { Listing } from '../../src/hosting/names.ts';
import type { Person } from '../../src/access/access-check.ts';
import { createNames } from '../../src/change/visible-names.ts';
import type { Policy } from '../../src/policy/rules.ts';
import { member as testUser, policyFrom, uuid } from '../fixtures.ts';

/** The people, places and rules of the permission matrix. */

/** For all of these it is known whether they are in the user group of leads. */
const member = (id: string, name: string, more: Partial<Person> = {}): Person =>
  testUser(id, name, { otherGroups: more.groups ? [] : ['S0LEADS'], ...more });

/** People by role. `ana2` and `gil2` are second accounts; `lost` has just left the user group of leads. */
export const roles = {
  ana: member('U01ANA', 'Ana'),
  ana2: member('U0ANATWO', 'Ana'),
  ben: member('U02BEN', 'Ben'),
  chi: member('U03CHI', 'Chi'),
  chi2: member('U0CHITWO', 'Chi'),
  dee: member('U04DEE', 'Dee'),
  kim: member('U09KIM', 'Kim', { groups: ['S0LEADS'] }),
  lost: member('U09KIM', 'Kim'),
  gil: member('U08GIL', 'Gil'),
  gil2: member('U0GILTWO', 'Gil'),
  rob: member('U06ROB', 'Rob'),
  eve: member('U10EVE', 'Eve'),
  hal: member('U11HAL', 'Hal'),
  guest: member('U20GUS', 'Gus', { standing: 'guest', groups: ['S0LEADS'] }),
  bot: member('U21BOT', 'Bot', { standing: 'bot', groups: ['S0LEADS'] }),
  stranger: member('U22STR', 'Sam', { standing: 'stranger', groups: ['S0LEADS'] }),
  deactivated: member('U23DEA', 'Del', { standing: 'deactivated', groups: ['S0LEADS'] }),
} as const satisfies Readonly<Record<string, Person>>;
export type Role = keyof typeof roles;
/** People who are refused before any rule is read, although rules name them. */
export const refusedRoles = ['guest', 'bot', 'stranger', 'deactivated'] as const;
export const isRole = (word: string): word is Role => Object.hasOwn(roles, word);

/** The rules by name: an allow is named after what it allows, a deny is `d1` to `d3`. */
export const rules = {
  read: '{ allow: [read], to: [developers, readers], where: ["acme-shop/*", "acme-blog/*"] }',
  readAll: '{ allow: [read], to: [leads] }',
  readBlog: '{ allow: [read], to: [bloggers], where: ["acme-blog/*"] }',
  bloggers: '{ allow: [routine, sensitive, delete, lock], to: [bloggers] }',
  routine: '{ allow: [routine], to: [developers, leads] }',
  sensitive: '{ allow: [sensitive], to: [developers], where: ["*/staging*"] }',
  sensitiveLive: '{ allow: [sensitive], to: [developers, leads], where: ["*/live"], approval: { by: [leads] } }',
  push: '{ allow: [push], to: [developers], where: ["acme-shop/live", "acme-shop/staging-new"], approval: { by: [leads], count: 2, reason: required } }',
  delete: '{ allow: [delete], to: [leads] }',
  named: '{ allow: [lock, audit], to: [leads], where: ["acme-shop/*"] }',
  pause: '{ allow: [pause], to: [leads] }',
  resume: '{ allow: [resume], to: [leads], where: ["acme-shop/*"] }',
  dns: '{ allow: [dns set], to: [developers], where: ["domain:*.acme.com"] }',
  clone: '{ allow: [clone], to: [leads], where: [company], approval: { by: [leads] } }',
  d1: '{ deny: [delete], to: everyone, where: ["*/live"] }',
  d2: '{ deny: [sensitive, destructive, pause], to: [barred] }',
  d3: '{ deny: [read], to: [developers], where: ["acme-shop/vault"] }',
} as const;

const before = `version: 1
live: ["*/live"]
groups:
  developers: [U01ANA, U02BEN, U20GUS, U21BOT, U22STR, U23DEA]
  leads: [U0ANATWO, U03CHI, U0CHITWO, U04DEE, U08GIL, U0GILTWO, S0LEADS]
  readers: [U06ROB]
  bloggers: [U11HAL]
  barred: [U08GIL]
people:
  ana: [U01ANA, U0ANATWO]
  chi: [U03CHI, U0CHITWO]
  gil: [U08GIL, U0GILTWO]
rules:
`;
/** A policy file with these rules for these people. */
export const textOf = (lines: readonly string[]): string => `${before}${lines.map((line) => `  - ${line}\n`).join('')}`;
export const policyWith = (lines: readonly string[]): Policy => policyFrom(textOf(lines));
export const policy = policyWith(Object.values(rules));
/** The name of the rule that begins at this line of the file. */
export const ruleIn = (line: number): string | undefined => Object.keys(rules)[line - before.split('\n').length];

const sites = { 'acme-shop': 900, 'acme-blog': 901, 'acme-secret': 902 } as const;
type Site = keyof typeof sites;
const siteOf = (name: Site) => ({ id: uuid(sites[name]), name, displayName: name });
const listed = (end: number, site: Site, name: string, named: 'by the host' | 'by its display name' = 'by the host') =>
  ({ id: uuid(end), name, displayName: name, site: siteOf(site), named }) as const;

/**
 * Targets by their name in the matrix. The name of `new` says nothing about being live; the site of `orphan` and
 * `nowhere.com` is unknown.
 */
export const targets = {
  live: 'acme-shop/live',
  staging: 'acme-shop/staging',
  new: 'acme-shop/staging-new',
  vault: 'acme-shop/vault',
  blog: 'acme-blog/live',
  blogStaging: 'acme-blog/staging',
  secret: 'acme-secret/live',
  secretStaging: 'acme-secret/staging',
  orphan: 'orphan',
  missing: 'acme-none/live',
  blogDomain: 'blog.acme.com',
  shopDomain: 'shop.acme.com',
  nowhere: 'nowhere.com',
  missingDomain: 'none.acme.com',
} as const;
export type Place = keyof typeof targets;
export const isPlace = (word: string): word is Place => Object.hasOwn(targets, word);
/** Ids in the order of `targets`. */
export const idOf = (place: Place): string => uuid(1 + Object.keys(targets).indexOf(place));

export const listing: Listing = {
  at: 1,
  sitesAt: 1,
  domainsAt: 1,
  environmentsReadAt: 1,
  domainsReadAt: 1,
  environmentDomains: [],
  environments: [
    listed(1, 'acme-shop', 'live'),
    listed(2, 'acme-shop', 'staging'),
    listed(3, 'acme-shop', 'staging-new', 'by its display name'),
    listed(4, 'acme-shop', 'vault'),
    listed(5, 'acme-blog', 'live'),
    listed(6, 'acme-blog', 'staging'),
    listed(7, 'acme-secret', 'live'),
    listed(8, 'acme-secret', 'staging'),
    { id: uuid(9), name: 'orphan', displayName: 'orphan', site: undefined, named: 'by the host' },
  ],
  domains: [
    { id: uuid(11), name: 'blog.acme.com', site: siteOf('acme-blog'), isActive: true },
    { id: uuid(12), name: 'shop.acme.com', site: siteOf('acme-shop'), isActive: true },
    { id: uuid(13), name: 'nowhere.com', site: undefined, isActive: true },
  ],
  company: { id: uuid(99) },
  cut: false,
  trouble: undefined,
};
/** The listing, optionally reduced to these targets. */
export const namesOf = (places?: readonly Place[], rulesThen: Policy = policy): ReturnType<typeof createNames> => {
  const isThere = (one: { readonly id: string }): boolean =>
    places === undefined || places.some((place) => idOf(place) === one.id);
  const some = {
    ...listing,
    environments: listing.environments.filter(isThere),
    domains: listing.domains.filter(isThere),
  };
  return createNames(
    () => some,
    () => rulesThen,
  );
};
