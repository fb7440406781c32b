import type { Domain, Environment } from '../hosting/contract/target.ts';
import { cached } from '../base/caches.ts';
import { comparableName } from '../policy/pattern.ts';
import { searchIn } from './name-search.ts';
import type { KnownNames } from './resolve.ts';
import { isIP } from 'node:net';
import { numberAt, spanAt, type TimeRole, type Spoken, roleAt, type Role } from './spoken.ts';

/** What a word, or a few, are: by their shape, or as the name of something that this person may see. */

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

/** A thing, and the words that say it: from `at` to before `end`. */
export type Thing = { readonly at: number; readonly end: number } &
  /** `domain`: the only one of its site, if it is live. */
  (
    | {
        readonly kind: 'environment';
        readonly of: Environment;
        readonly role: Role;
        readonly domain?: Domain | undefined;
        /** Whether its name was said with a slip. */
        readonly isNear?: boolean;
      }
    /** Only its site was said; `of` is the environment that is meant, if that is certain. */
    | {
        readonly kind: 'site';
        readonly of: Environment | undefined;
        readonly text: string;
        readonly site: { readonly id: string; readonly name: string };
        readonly role: Role;
        readonly domain?: Domain | undefined;
      }
    /** A pattern, a list or a set. */
    | { readonly kind: 'many'; readonly text: string }
    /** A domain or an address with one; `domain` and `of` are what it belongs to, if somebody here knows it. */
    | {
        readonly kind: 'host';
        readonly text: string;
        readonly domain: Domain | undefined;
        readonly of: Environment | undefined;
      }
    | { readonly kind: 'time'; readonly text: string; readonly role: TimeRole | undefined }
    | { readonly kind: 'option'; readonly name: string; readonly value: string | undefined }
    | { readonly kind: 'path'; readonly text: string; readonly role: Role }
    | {
        readonly kind: 'address' | 'number' | 'count' | 'change' | 'person' | 'visitor' | 'text' | 'unknown name';
        readonly text: string;
      }
  );

type Unplaced<T = Thing> = T extends Thing ? Omit<T, 'at' | 'end'> : never;
export type Found = { readonly thing: Unplaced; readonly length: number };
/** Whether the word at an index is one that commands are called by: then it names no site, or is no part of its name. */
export type IsTaken = Readonly<Record<'names' | 'parts', (at: number) => boolean>>;

/** A mention of somebody. */
export const isPerson = (text: string): boolean => /^@[UW][A-Z\d]{2,20}$/.test(text);

/** What a single word is by its shape alone. */
const shapes: readonly (readonly ['path' | 'change' | 'visitor' | 'many' | 'text' | 'unknown name', RegExp])[] = [
  ['change', /^#\d{1,15}$/],
  ['visitor', /^client-[\da-f]{4,64}$/i],
  ['many', /^set:\S|^[^\s/,]+\/?[^\s/,]*\*|^\*[^\s/,]*\/|^[^\s/,]+\/[^\s/,]+,/iu],
  ['path', /^wp-(?:content|admin|includes)(?:\/\S*)?$/],
  ['text', /^[\w.-]+=\S+$|^[\w-]+\.(?:php|js|css|html?|xml|json|txt|jpe?g|png|gif|svg|pdf)$/i],
  // With a dot before the slash it is an address.
  ['unknown name', /^[\p{L}\p{N}_-]+\/[\p{L}\p{N}_-]+$/u],
];

const beforeText = /^(?:grep|matching|containing|contains)$/i;
const beforeName = /^(?:as|named|called|titled)$/i;

/** What a word, or a few, are by themselves. */
export function plainThing(
  words: readonly Spoken[],
  at: number,
  names: NamesSaid,
  isTaken: IsTaken,
): Found | undefined {
  const word = words[at];
  if (word === undefined) return undefined;
  const { text, quoted } = word;
  const of = names.environment(text) ?? (names.site([text]).length > 0 ? undefined : joined(text, names));
  if (of) return { thing: { kind: 'environment', of, role: roleAt(words, at) }, length: 1 };
  if (quoted) return { thing: { kind: 'text', text }, length: 1 };
  if (/^\/(?!\/)/.test(text)) return { thing: { kind: 'path', text, role: roleAt(words, at) }, length: 1 };
  return (
    wordThing(text) ??
    textAt(words, at) ??
    everyAt(words, at, names) ??
    hostAt(text, names) ??
    countedAt(words, at, isTaken)
  );
}

/** `acme-shop-staging`, `acme-shop.staging`: a site and its environment as other tools write them. */
function joined(text: string, names: NamesSaid): Environment | undefined {
  const [, site = '', own = ''] = /^(.+)[-._:@]([^-._:@]+)$/.exec(text) ?? [];
  return own !== '' && names.isOwnName(own)
    ? names.site([site]).find((one) => ownName(one).toLowerCase() === own.toLowerCase())
    : undefined;
}

/** What a word is by its shape. */
function wordThing(text: string): Found | undefined {
  const option = /^--(\p{L}[\p{L}\p{N}-]*)(?:=([^]*))?$/u.exec(text);
  if (option) return { thing: { kind: 'option', name: (option[1] ?? '').toLowerCase(), value: option[2] }, length: 1 };
  const kind = isAddress(text)
    ? 'address'
    : isPerson(text)
      ? 'person'
      : shapes.find(([, shape]) => shape.test(text))?.[0];
  if (kind === 'path') return { thing: { kind, text, role: undefined }, length: 1 };
  return kind && { thing: { kind, text }, length: 1 };
}

/** What is searched for, the word after `grep`, or a name of several words: `as Acme Relaunch`. */
function textAt(words: readonly Spoken[], at: number): Found | undefined {
  if (beforeName.test(words[at]?.text ?? '')) {
    const named = words
      .slice(at + 1)
      .findIndex(({ text, clause }) => clause !== words[at]?.clause || !/^[\p{Lu}\d]/u.test(text));
    const end = named === -1 ? words.length : at + 1 + named;
    const text = words
      .slice(at + 1, end)
      .map((word) => word.text)
      .join(' ');
    return text === '' ? undefined : { thing: { kind: 'text', text }, length: end - at };
  }
  const wanted = words[at + 1]?.text;
  return wanted !== undefined && beforeText.test(words[at]?.text ?? '')
    ? { thing: { kind: 'text', text: wanted }, length: 2 }
    : undefined;
}

/** A time or a number. A number that commands are called by, such as the error `500`, is one only if something is counted. */
const countedAt = (words: readonly Spoken[], at: number, isTaken: IsTaken): Found | undefined =>
  isTaken.parts(at) && /^\d/.test(words[at]?.text ?? '')
    ? numberAt(words, at, 'counted')
    : (spanAt(words, at) ?? numberAt(words, at));

const every = /^(?:all|every|each)(?: (?:of|the|our|my|your))*$/i;
const placeNoun = /^(?:(?:web)?sites?|environments?|envs?|ones?)$/i;

/** `all sites`, `every environment`, `all live ones`, `everywhere`. */
function everyAt(words: readonly Spoken[], at: number, names: NamesSaid): Found | undefined {
  if (words[at]?.text.toLowerCase() === 'everywhere') return { thing: { kind: 'many', text: '*/*' }, length: 1 };
  const isEvery = (end: number): boolean =>
    every.test(
      words
        .slice(at, end)
        .map(({ text }) => text)
        .join(' '),
    );
  const next = [at + 3, at + 2, at + 1].find(isEvery);
  if (next === undefined) return undefined;
  const own = words[next]?.text.toLowerCase() ?? '';
  const noun = names.isOwnName(own) ? next + 1 : next;
  const hasNoun = placeNoun.test(words[noun]?.text ?? '');
  if (noun === next && !hasNoun) return undefined;
  return { thing: { kind: 'many', text: noun === next ? '*/*' : `*/${own}` }, length: noun - at + Number(hasNoun) };
}

function isAddress(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  return isIP(address) > 0 && more.length === 0 && (bits === undefined || /^\d{1,3}$/.test(bits));
}

/** A domain, a host below it, or an address as alerts and browsers write it. */
function hostAt(text: string, names: NamesSaid): Found | undefined {
  const host = /^(?:https?:\/\/)?((?:[\p{L}\p{N}_-]+\.)+\p{L}[\p{L}\p{N}-]+)\.?(?::\d+)?(?:[/?#].*)?$/iu.exec(
    text,
  )?.[1];
  if (host === undefined) return undefined;
  const domain = names.domain(host);
  // A host below the domain may be another environment's.
  const isOwn = domain && host.toLowerCase().replace(/^www\./, '') === domain.name.toLowerCase();
  const of = isOwn && domain.site ? meantBySite(names.site([domain.site.name])) : undefined;
  return { thing: { kind: 'host', text, domain, of }, length: 1 };
}
