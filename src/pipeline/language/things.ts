import { isIP } from 'node:net';
import { distance } from 'fastest-levenshtein';
import { parseDuration, showDuration } from '../../duration.ts';
import type { Domain, Environment } from '../../hosting/contract/target.ts';
import { meantBySite, ownName, siteOf, type NamesSaid } from './names-said.ts';
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
  | {
      readonly kind: 'address' | 'path' | 'number' | 'count' | 'change' | 'person' | 'text' | 'unknown name';
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
  const near = said.length < 5 ? [] : around.filter((one) => distance(ownName(one).toLowerCase(), said) === 1);
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
const article = new Set(['the', 'our', 'my', 'site', 'environment']);

function roleAt(words: readonly Spoken[], at: number): Role {
  const before = words[at - 1]?.text.toLowerCase() ?? '';
  if (article.has(before)) return roleAt(words, at - 1);
  if (beforeSource.has(before)) return 'from';
  return beforeTarget.has(before) ? 'onto' : undefined;
}

/** What a single word is by its shape alone. */
const shapes: readonly (readonly ['person' | 'change' | 'many' | 'path' | 'text' | 'unknown name', RegExp])[] = [
  ['person', /^@[UW][A-Z\d]{2,20}$/],
  ['change', /^#\d{1,15}$/],
  ['many', /^set:\S|^[^\s/,]+\/?[^\s/,]*\*|^\*[^\s/,]*\/|^[^\s/,]+\/[^\s/,]+,/iu],
  ['path', /^\/(?!\/)/],
  ['text', /^[\w.-]+=\S+$/],
  // With a dot before the slash it is an address.
  ['unknown name', /^[\p{L}\p{N}_-]+\/[\p{L}\p{N}_-]+$/u],
];

const beforeText = /^(?:grep|matching|containing|contains)$/i;

/** What a word, or a few, are by themselves. */
function plainThing(words: readonly Spoken[], at: number, names: NamesSaid, isTaken: IsTaken): Found | undefined {
  const word = words[at];
  if (word === undefined) return undefined;
  const { text, quoted } = word;
  const one = (thing: Unplaced): Found => ({ thing, length: 1 });
  const of = names.environment(text);
  if (of) return one({ kind: 'environment', of, role: roleAt(words, at) });
  if (quoted) return one({ kind: 'text', text });
  const wanted = words[at + 1]?.text;
  if (beforeText.test(text) && wanted !== undefined) return { thing: { kind: 'text', text: wanted }, length: 2 };
  const option = /^--(\p{L}[\p{L}\p{N}-]*)(?:=([^]*))?$/u.exec(quoted ? '' : text);
  if (option) return one({ kind: 'option', name: (option[1] ?? '').toLowerCase(), value: option[2] });
  const kind = isAddress(text) ? 'address' : shapes.find(([, shape]) => shape.test(text))?.[0];
  if (kind) return one({ kind, text });
  const counted = isTaken.parts(at) ? numberAt(words, at, 'counted') : (spanAt(words, at) ?? numberAt(words, at));
  return everyAt(words, at, names) ?? hostAt(text, names) ?? counted;
}

/** `all sites`, `every environment`, `all live ones`. */
function everyAt(words: readonly Spoken[], at: number, names: NamesSaid): Found | undefined {
  const first = words[at]?.text.toLowerCase() ?? '';
  if (first === 'everywhere') return { thing: { kind: 'many', text: '*/*' }, length: 1 };
  if (!['all', 'every', 'each'].includes(first)) return undefined;
  let next = at + 1;
  while (/^(?:of|the|our|my|your)$/i.test(words[next]?.text ?? '')) next += 1;
  const own = words[next]?.text ?? '';
  const isOwn = names.isOwnName(own);
  const noun = words[isOwn ? next + 1 : next]?.key ?? '';
  const hasNoun = ['sit', 'websit', 'environment', 'env', 'shop', 'stor', 'on'].includes(noun);
  if (!isOwn && !hasNoun) return undefined;
  const text = isOwn ? `*/${own.toLowerCase()}` : '*/*';
  return { thing: { kind: 'many', text }, length: next - at + Number(isOwn) + Number(hasNoun) };
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

const leads: ReadonlyMap<string, 'for' | 'since' | 'until'> = new Map([
  ['for', 'for'],
  ['since', 'since'],
  ['after', 'since'],
  ['last', 'since'],
  ['past', 'since'],
  ['until', 'until'],
  ['till', 'until'],
  ['before', 'until'],
]);
const between = new Set(['the', 'in', 'within', 'over', 'during', 'about']);
const wholeUnits: Readonly<Record<string, string>> = { minute: '1m', hour: '1h', day: '1d', week: '7d' };

/** A length of time or a moment, with the words that lead to it: `for 2 hours`, `since yesterday`, `in the last hour`. */
function spanAt(words: readonly Spoken[], at: number): Found | undefined {
  let role: 'for' | 'since' | 'until' | undefined;
  let next = at;
  const text = (): string => words[next]?.text.toLowerCase() ?? '';
  while (next - at < 4 && (leads.has(text()) || between.has(text()))) {
    role = leads.get(text()) ?? role;
    next += 1;
  }
  const isLed = role !== undefined || next === at;
  const amount = isLed ? amountAt(words, next, role !== undefined) : undefined;
  if (amount === undefined) return undefined;
  const end = next + amount.length;
  const isPast = words[end]?.key === 'ago' || amount.isMoment;
  const length = end - at + (words[end]?.key === 'ago' ? 1 : 0);
  return { thing: { kind: 'time', text: amount.text, role: role ?? (isPast ? 'since' : undefined) }, length };
}

type Amount = { readonly text: string; readonly length: number; readonly isMoment: boolean };

/** How people write times, at the beginning of a text. */
const moment = /^(?:today|yesterday|\d{4}-\d\d-\d\d(?: \d{1,2}:\d\d)?|(?:[01]?\d|2[0-3]):[0-5]\d)(?= |$)/;
const oneUnit = /^(an? |one |this )?(minute|hour|day|week)(?= |$)/;
const weeks = /^(\d{1,3}) ?(?:w|weeks?)(?= |$)/;

const small: Readonly<Record<string, string>> = {
  two: '2',
  three: '3',
  four: '4',
  five: '5',
  six: '6',
  seven: '7',
  eight: '8',
  ten: '10',
  twelve: '12',
  thirty: '30',
};

/** `isLed`: a word before it says that a time follows, so `hour` alone is one. */
function amountAt(words: readonly Spoken[], at: number, isLed: boolean): Amount | undefined {
  const next = words.slice(at, at + 3).map(({ text }) => small[text.toLowerCase()] ?? text.toLowerCase());
  const line = next.join(' ');
  const amount = (said: string, text = said, isMoment = false): Amount => ({
    text,
    length: said.split(' ').length,
    isMoment,
  });
  const [clock] = moment.exec(line) ?? [];
  if (clock !== undefined) return amount(clock, clock, true);
  const [one, article, unit = ''] = oneUnit.exec(line) ?? [];
  if (one !== undefined && (isLed || article !== undefined)) return amount(one, wholeUnits[unit]);
  const [half] = /^half an? hour/.exec(line) ?? [];
  if (half !== undefined) return amount(half, '30m');
  const [several, number] = weeks.exec(line) ?? [];
  if (several !== undefined) return amount(several, `${Number(number) * 7}d`);
  const length = [2, 1].find(
    (count) => count <= next.length && parseDuration(next.slice(0, count).join(' ')) !== undefined,
  );
  const text = next.slice(0, length).join(' ');
  return length === undefined ? undefined : amount(text, showDuration(parseDuration(text) ?? 0));
}

/** `50 lines`, `last 50`, or a number alone, unless only what is `counted` is one: `500` can be an error. */
function numberAt(words: readonly Spoken[], at: number, only?: 'counted'): Found | undefined {
  const isLast = words[at]?.key === 'last';
  const text = words[isLast ? at + 1 : at]?.text ?? '';
  if (!/^\d{1,7}$/.test(text)) return undefined;
  const isCount = /^(?:lines?|entr(?:y|ies)|rows?)$/i.test(words[at + (isLast ? 2 : 1)]?.text ?? '');
  if (only && !isCount) return undefined;
  const length = 1 + Number(isLast) + Number(isCount);
  return { thing: { kind: isCount || isLast ? 'count' : 'number', text }, length };
}
