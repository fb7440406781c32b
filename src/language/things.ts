import { edits } from '../words/similar-names.ts';
import type { Environment } from '../hosting/contract/target.ts';
import { comparableName } from '../policy/pattern.ts';
import {
  meantBySite,
  ownName,
  saidName,
  siteOf,
  type NamesSaid,
  plainThing,
  type IsTaken,
  type Thing,
} from './plain-things.ts';
import { type Spoken, roleAt, type Role } from './spoken.ts';

/** What a line is about, recognised by what it is, wherever it stands. */

/** Where a line is said. */
export type Place = {
  /** Whether it was certainly said to Sitehand, as a slash command is; in a mention people also talk to each other. */
  readonly isAddressed?: boolean;
  /** The target of the change that its thread is about, by name or id. */
  readonly target?: string;
  /** That target, if it is an environment that the person sees. */
  readonly environment?: Environment;
  /** Whether that change is not sent yet. */
  readonly isUnsent?: boolean;
  /** The environments of the site of that change or of the channel that this person sees. */
  readonly site?: readonly Environment[];
};

/** The things that a line says, in order, and the words that say them. */
export type Said = { readonly things: readonly Thing[]; readonly covered: ReadonlySet<number> };

type SaidSite = { readonly at: number; readonly end: number; readonly all: readonly Environment[] };

/** The things in these words. */
export function thingsIn(words: readonly Spoken[], names: NamesSaid, place: Place, isTaken: IsTaken): Said {
  const things: Thing[] = [];
  const sites: SaidSite[] = [];
  const own: number[] = [];
  for (let at = 0; at < words.length;) {
    const found = plainThing(words, at, names, isTaken);
    const site = found ? undefined : siteAt(words, at, names, isTaken);
    if (found) things.push({ ...found.thing, at, end: at + found.length });
    else if (site) sites.push(site);
    else if (!isTaken.names(at)) own.push(at);
    at = found ? at + found.length : (site?.end ?? at + 1);
  }
  const around = [siteOfNamed(things, names), place.site].find((one) => one !== undefined) ?? [];
  const named = environmentsOf(words, sites, own, around);
  const all = [...things, ...named].map((thing) => withDomain(thing, names));
  return {
    things: all.toSorted((one, other) => one.at - other.at),
    covered: new Set([...all, ...sites].flatMap(({ at, end }) => Array.from({ length: end - at }, (_, on) => at + on))),
  };
}

/** With the only domain of its site, which may be what is asked for. */
function withDomain(thing: Thing, { domainOf }: NamesSaid): Thing {
  if (thing.kind === 'site') return { ...thing, domain: domainOf(thing.site.id) };
  const site = thing.kind === 'environment' && thing.of.live ? siteOf(thing.of) : undefined;
  return thing.kind === 'environment' && site ? { ...thing, domain: domainOf(site) } : thing;
}

/**
 * The environments that are said by their site and their own name (`acme-shop staging`, `staging to live on acme-shop`),
 * and the sites that are said alone. Each own name belongs to the site before it, or to the first one. If only one is
 * said, at the end, it is that of all sites: `acme-shop and acme-blog live`.
 */
function environmentsOf(
  words: readonly Spoken[],
  sites: readonly SaidSite[],
  own: readonly number[],
  around: readonly Environment[],
): readonly Thing[] {
  const siteAtOwn = (at: number): SaidSite | undefined => sites.findLast((site) => site.at < at) ?? sites[0];
  const said = own.flatMap((at) => {
    const site = siteAtOwn(at);
    const of = ownIn(site?.all ?? around, words[at]?.text ?? '');
    return of ? [{ at, site, of }] : [];
  });
  // `from acme-shop staging`
  const roleOfSite = (site: SaidSite | undefined, at: number): Role =>
    site?.end === at ? roleAt(words, site.at) : undefined;
  const [last] = said.length === 1 ? said : [];
  const ofSite = (site: SaidSite): Thing[] => {
    if (said.some((one) => one.site === site)) return [];
    // `the shop` beside `shop staging` says nothing more.
    if (said.some(({ of }) => site.all.includes(of))) return [];
    const of = last && last.at > site.at ? ownIn(site.all, ownName(last.of)) : undefined;
    if (of === undefined) return [siteThing(site, words)];
    return [{ kind: 'environment', of, role: roleAt(words, site.at), at: site.at, end: site.end }];
  };
  return [
    ...said.map(({ at, of, site }): Thing => {
      const word = saidName(words[at]?.text ?? '');
      const isNear = comparableName(ownName(of)) !== word && !isShort(word);
      return { kind: 'environment', of, role: roleAt(words, at) ?? roleOfSite(site, at), at, end: at + 1, isNear };
    }),
    ...sites.flatMap(ofSite),
  ];
}

/** `production` and `stage` for `live` and `staging`. */
const isShort = (word: string): boolean => /^(?:prod(?:uction)?|st(?:a?ge?))$/i.test(word);

/** The environment of these that is called so, or nearly so; `production` is the only live one. */
function ownIn(around: readonly Environment[], word: string): Environment | undefined {
  const said = saidName(word);
  const exact = around.find((one) => comparableName(ownName(one)) === said);
  if (exact) return exact;
  if (said.startsWith('prod') && isShort(said)) {
    const [live, another] = around.filter((one) => one.live);
    return another === undefined ? live : undefined;
  }
  if (isShort(said)) return around.find((one) => ownName(one).toLowerCase() === 'staging');
  // Letters, not numbers: `staging2` may be another one.
  const isNear = (own: string): boolean => own[0] === said[0] && edits(own, said) === 1;
  const near = /^\p{L}{5,}$/u.test(said) ? around.filter((one) => isNear(comparableName(ownName(one)))) : [];
  return near.length === 1 ? near[0] : undefined;
}

function siteThing({ at, end, all }: SaidSite, words: readonly Spoken[]): Thing {
  const [first] = all;
  const site = { id: (first && siteOf(first)) ?? '', name: first?.site?.name ?? '' };
  return { kind: 'site', text: site.name, of: meantBySite(all), site, role: roleAt(words, at), at, end };
}

/** The environments of the site of the only environments that were named in full. */
function siteOfNamed(things: readonly Thing[], names: NamesSaid): readonly Environment[] | undefined {
  const named = things.flatMap((thing) => (thing.kind === 'environment' ? [thing.of] : []));
  const [first] = named;
  if (first?.site === undefined || new Set(named.map(siteOf)).size > 1) return undefined;
  return names.site([first.site.name]);
}

const maxNameWords = 4;

function siteAt(words: readonly Spoken[], at: number, names: NamesSaid, isTaken: IsTaken): SaidSite | undefined {
  for (let length = Math.min(maxNameWords, words.length - at); length > 0; length -= 1) {
    if (length === 1 && isTaken.names(at)) return undefined;
    const all = names.site(words.slice(at, at + length).map(({ text }) => text));
    if (all.length > 0) return { at, end: at + length, all };
  }
  // `docs` alone is help, but `docs staging` is an environment.
  const isNamed = names.isOwnName(words[at + 1]?.text ?? '');
  const all = isTaken.parts(at) && !isNamed ? [] : names.partOfSite(words[at]?.text ?? '');
  return all.length > 0 ? { at, end: at + 1, all } : undefined;
}
