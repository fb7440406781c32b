import { isIP } from 'node:net';
import { edits } from '../../nearest-words.ts';
import type { Domain, Environment } from '../../hosting/contract/target.ts';
import { meantBySite, ownName, siteOf, type NamesSaid } from './names-said.ts';
import { numberAt, spanAt } from './spans.ts';
import type { Spoken } from './spoken.ts';

/** What a line is about, recognised by what it is, wherever it stands. */

/** Where an environment is in a push: what stands before it says so. */
type Role = 'from' | 'onto' | undefined;

/** A thing, and the words that say it: from `at` to before `end`. */
export type Thing = { readonly at: number; readonly end: number } & (
  | { readonly kind: 'environment'; readonly of: Environment; readonly role: Role }
  /** Only its site was said; `of` is the environment that is meant, if that is certain. */
  | {
      readonly kind: 'site';
      readonly of: Environment | undefined;
      readonly text: string;
      readonly site: { readonly id: string; readonly name: string };
      readonly role: Role;
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
  | { readonly kind: 'time'; readonly text: string; readonly role: 'for' | 'since' | 'until' | undefined }
  | { readonly kind: 'option'; readonly name: string; readonly value: string | undefined }
  | { readonly kind: 'path'; readonly text: string; readonly role: Role }
  | {
      readonly kind: 'address' | 'number' | 'count' | 'change' | 'person' | 'visitor' | 'text' | 'unknown name';
      readonly text: string;
    }
);

/** Where a line is said. */
export type Place = {
  /** Whether it was certainly said to Sitehand, as a slash command is; in a mention people also talk to each other. */
  readonly isAddressed?: boolean;
  /** The target of the change that its thread is about, by name or id. */
  readonly target?: string;
  /** That target, if it is an environment that the person sees. */
  readonly environment?: Environment;
  /** Whether that change waits for approval. */
  readonly isWaiting?: boolean;
  /** The environments of the site of that change or of the channel that this person sees. */
  readonly site?: readonly Environment[];
};

/** The things that a line says, in order, and the words that say them. */
export type Said = { readonly things: readonly Thing[]; readonly covered: ReadonlySet<number> };

type Unplaced<T = Thing> = T extends Thing ? Omit<T, 'at' | 'end'> : never;
type Found = { readonly thing: Unplaced; readonly length: number };
type SaidSite = { readonly at: number; readonly end: number; readonly all: readonly Environment[] };

/** Whether the word at an index is one that commands are called by: then it names no site, or is no part of its name. */
type IsTaken = Readonly<Record<'names' | 'parts', (at: number) => boolean>>;

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
  const all = [...things, ...named];
  return {
    things: all.toSorted((one, other) => one.at - other.at),
    covered: new Set([...all, ...sites].flatMap(({ at, end }) => Array.from({ length: end - at }, (_, on) => at + on))),
  };
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
    ...said.map(({ at, of }): Thing => ({ kind: 'environment', of, role: roleAt(words, at), at, end: at + 1 })),
    ...sites.flatMap(ofSite),
  ];
}

/** The environment of these that is called so, or nearly so; `production` is the only live one. */
function ownIn(around: readonly Environment[], word: string): Environment | undefined {
  const said = word.toLowerCase();
  const exact = around.find((one) => ownName(one).toLowerCase() === said);
  if (exact) return exact;
  if (/^prod(?:uction)?$/.test(said)) {
    const [live, another] = around.filter((one) => one.live);
    return another === undefined ? live : undefined;
  }
  const near = said.length < 5 ? [] : around.filter((one) => edits(ownName(one).toLowerCase(), said) === 1);
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

const beforeSource = new Set(['from', 'with', 'by']);
const beforeTarget = new Set([
  'to',
  'into',
  'onto',
  'over',
  '->',
  '-->',
  '=>',
  '>',
  '→',
  '⇒',
  '➡',
  '➡️',
  ':arrow_right:',
]);
/** Whether this word says which of two environments the next one is. */
export const saysRole = (text: string): boolean =>
  beforeSource.has(text.toLowerCase()) || beforeTarget.has(text.toLowerCase());

const article = new Set(['the', 'our', 'my', 'its', 'their', 'his', 'her', 'site', 'environment']);

/** The word that says which of two it is: the nearest one before it, up to the name before. */
function roleAt(words: readonly Spoken[], at: number): Role {
  const before = words[at - 1]?.text.toLowerCase() ?? '';
  if (article.has(before)) return roleAt(words, at - 1);
  if (beforeSource.has(before)) return 'from';
  return beforeTarget.has(before) ? 'onto' : undefined;
}

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
function plainThing(words: readonly Spoken[], at: number, names: NamesSaid, isTaken: IsTaken): Found | undefined {
  const word = words[at];
  if (word === undefined) return undefined;
  const { text, quoted } = word;
  const of = names.environment(text) ?? joined(text, names);
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
  const kind = isAddress(text) ? 'address' : isPerson(text) ? 'person' : shapes.find(([, shape]) => shape.test(text))?.[0];
  if (kind === 'path') return { thing: { kind, text, role: undefined }, length: 1 };
  return kind && { thing: { kind, text }, length: 1 };
}

/** What is searched for, the word after `grep`, or a name of several words: `as Acme Relaunch`. */
function textAt(words: readonly Spoken[], at: number): Found | undefined {
  if (beforeName.test(words[at]?.text ?? '')) {
    const named = words.slice(at + 1).findIndex(({ text, clause }) => clause !== words[at]?.clause || !/^[\p{Lu}\d]/u.test(text));
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
  const of = domain?.site && meantBySite(names.site([domain.site.name]));
  return { thing: { kind: 'host', text, domain, of }, length: 1 };
}
