import type { Domain, Environment } from '../hosting/contract/target.ts';
import { cached } from '../policy/cached.ts';
import { comparableName } from '../policy/pattern.ts';
import { searchIn } from './name-search.ts';
import type { KnownNames } from './resolve.ts';

/** What a person may see, by the words that name it. A name is never found inside another word. */
export type NamesSaid = {
  /** `acme-shop/live`, or an id. */
  readonly environment: (word: string) => Environment | undefined;
  /** The environments of a site, by its name in one word or several (`acme shop`); empty if there is none. */
  readonly site: (words: readonly string[]) => readonly Environment[];
  /** The environments of the only site that has this as a part of its name (`shop`). */
  readonly partOfSite: (word: string) => readonly Environment[];
  /** Whether some environment is called so within its site (`live`). */
  readonly isOwnName: (word: string) => boolean;
  /** The only domain of a site. */
  readonly domainOf: (site: string) => Domain | undefined;
  /** A domain, by its name or that of a host below it. */
  readonly domain: (host: string) => Domain | undefined;
};

/** The part of an environment's name within its site. */
export const ownName = ({ name }: Environment): string => name.slice(name.indexOf('/') + 1);
/** Its id, or its name where the host lists no sites. */
export const siteOf = ({ site }: Environment): string | undefined => site?.id ?? site?.name;
const siteName = ({ site, name }: Environment): string => site?.name ?? name.slice(0, name.indexOf('/'));

const joint = /[\s_-]+/g;
/** `the shop's staging`: whose it is, is no part of a name. */
export const saidName = (name: string): string => comparableName(name).replaceAll(/['’]s(?=[\s_-]|$)/g, '');
const siteKey = (name: string): string => saidName(name).replaceAll(joint, '-');

const environmentsByWords = cached((environments: readonly Environment[]) => {
  const sites = new Map<string, Environment[]>();
  const parts = new Map<string, Set<string>>();
  const own = new Set<string>();
  for (const one of environments) {
    own.add(comparableName(ownName(one)));
    const key = siteKey(siteName(one));
    const known = sites.get(key);
    if (known) known.push(one);
    else {
      sites.set(key, [one]);
      for (const part of key.split('-')) parts.set(part, (parts.get(part) ?? new Set()).add(key));
    }
  }
  return { sites, parts, own };
});

const domainsBySite = cached((domains: readonly Domain[]) =>
  Map.groupBy(domains, ({ site }) => site?.id ?? site?.name ?? ''),
);

export function namesSaidBy({ environments, domains }: KnownNames): NamesSaid {
  const { sites, parts, own } = environmentsByWords(environments);
  const ofOneSite = (all: readonly Environment[] = []): readonly Environment[] =>
    new Set(all.map(siteOf)).size === 1 ? all : [];
  return {
    // Two of one name are none: nobody knows which is meant.
    environment: (word) => {
      const [one, another] = searchIn(environments).exact(word);
      return another ? undefined : one;
    },
    site: (words) => ofOneSite(sites.get(siteKey(words.join(' ')))),
    partOfSite: (word) => {
      const [key, ...others] = parts.get(saidName(word)) ?? [];
      return key === undefined || others.length > 0 ? [] : ofOneSite(sites.get(key));
    },
    domainOf: (site) => {
      const [one, another] = domainsBySite(domains).get(site) ?? [];
      return another ? undefined : one;
    },
    isOwnName: (word) => own.has(saidName(word)),
    domain: (host) => {
      const labels = comparableName(host).split('.');
      const names = labels.map((_, at) => labels.slice(at).join('.')).filter((name) => name.includes('.'));
      return names.map((name) => searchIn(domains).exact(name)[0]).find((found) => found !== undefined);
    },
  };
}

/** The environment that is meant if only its site is said: the only one, or the only live one. */
export function meantBySite(environments: readonly Environment[]): Environment | undefined {
  const [first, second] = environments;
  if (second === undefined) return first;
  const [live, another] = environments.filter((one) => one.live);
  return another === undefined ? live : undefined;
}
