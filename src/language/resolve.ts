import { cached } from '../base/caches.ts';
import { isName } from '../commands/kit/action.ts';
import { catalogue, type Command } from '../commands/index.ts';
import type { Field, NameKind } from '../commands/kit/fields.ts';
import { didYouMean, near, toldApart } from '../words/similar-names.ts';
import { offering, Refusal, type Args } from '../base/errors.ts';
import type { Domain, Environment, Environments, NamedSite } from '../hosting/contract/target.ts';
import { bold, code, joined, list, say, typed, type Text } from '../words/text.ts';
import { isOpen, environmentsNamed, namesMany, type EnvironmentNames } from './many-environments.ts';
import { comparableName } from '../policy/pattern.ts';
import { searchIn, type NamedItem } from './name-search.ts';
import type { ParsedCommand } from './bind-arguments.ts';
import { argsOf, type Extra } from './usage.ts';
import { inForm, maxCandidates, offerOf, whichOne } from './which-one.ts';

/** The names that a person may read, and so may use. */
export type KnownNames = EnvironmentNames & { readonly domains: readonly Domain[] };

/** A parsed command with its values by field, the fields still missing, and those that cannot be read. */
export type Resolved = {
  readonly parsed: ParsedCommand;
  readonly input: Readonly<Record<string, unknown>>;
  readonly missing: readonly string[];
  readonly problems: readonly { readonly field: string; readonly refusal: Refusal }[];
};

/** Reads every field and looks names up in `names`. Never guesses. Refusals become `problems`; none is thrown. */
export function resolve(parsed: ParsedCommand, names: KnownNames): Resolved {
  const input: Record<string, unknown> = {};
  const missing: string[] = [];
  const problems: { field: string; refusal: Refusal }[] = [];
  for (const [name, field] of Object.entries(parsed.command.fields)) {
    const words = (parsed.given[name] ?? []).filter((word) => word.trim() !== '');
    try {
      if (words.length > 0) input[name] = isName(field) ? find(field, words, names, parsed, name) : field.read(words);
      else if (!isName(field) && field.absent !== undefined) input[name] = field.absent;
      else if (!field.optional) missing.push(name);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      problems.push({ field: name, refusal: withChoice(error, parsed, name, words) });
    }
  }
  return { parsed, input, missing, problems };
}

/** The refusal of a misspelt choice, with the nearest one as a button. */
function withChoice(refusal: Refusal, parsed: ParsedCommand, name: string, [typed = '']: readonly string[]): Refusal {
  const field = parsed.command.fields[name];
  if (field?.kind !== 'plain' || field.choices === undefined || refusal.offers.length > 0) return refusal;
  const [nearest] = near(typed.toLowerCase().slice(0, 40), field.choices);
  if (nearest === undefined || typeof field.absent === 'boolean') return refusal;
  const args = argsOf(
    parsed.path,
    parsed.command.fields,
    (key) => (key === name ? [nearest] : (parsed.given[key] ?? [])),
    parsed,
  );
  return offering(refusal, [inForm(parsed, { label: `${field.label}: ${nearest}`, args })]);
}

/**
 * Arguments for the same command, with ids instead of names: for storage, buttons and forms. They keep the time,
 * the canary and the id of the handed-on request.
 */
export const canonicalArgs = ({ parsed, input }: Pick<Resolved, 'parsed' | 'input'>, extra: Extra = {}): Args =>
  argsOf(parsed.path, parsed.command.fields, (name) => shownAs(parsed.command.fields[name], input[name]), {
    ...extra,
    when: parsed.when,
    canary: parsed.canary,
    breakGlass: parsed.breakGlass,
    handedOn: parsed.handedOn,
  });

/** The arguments by which a change is stored and found: what it does, without when, by whose request or which right. */
export const storedArgs = ({ parsed, input }: Pick<Resolved, 'parsed' | 'input'>): string => {
  const unsaid = { when: undefined, breakGlass: undefined, handedOn: undefined };
  return JSON.stringify(canonicalArgs({ parsed: { ...parsed, ...unsaid }, input }));
};

/** The words for a field's value. */
export function shownAs(field: Field | undefined, value: unknown): Args {
  if (value === undefined || field === undefined) return [];
  if (!isName(field)) return field.show(value);
  if (areEnvironments(value)) return [value.all.map(({ id }) => id).join(',')];
  return isNamed(value) || isSite(value) ? [value.id] : [];
}

/** Whether an input value is a target. */
export const isNamed = (value: unknown): value is Environment | Domain =>
  isOfKind(value, 'environment') || isOfKind(value, 'domain');

export const areEnvironments = (value: unknown): value is Environments =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'environments';

export const isSite = (value: unknown): value is NamedSite => isOfKind(value, 'site');

const isOfKind = (value: unknown, kind: NamedItem['kind']): boolean =>
  typeof value === 'object' && value !== null && 'kind' in value && 'id' in value && value.kind === kind;

/** The names that a field of this kind can hold. */
export function namedBy({ kind, orDomain }: NameKind, names: KnownNames): readonly NamedItem[] {
  if (kind === 'site') return sitesIn(names);
  if (orDomain) return environmentsAndDomainsIn(names);
  return kind === 'domain' ? names.domains : names.environments;
}

/** Cached, because a search builds an index of each list. */
const environmentsAndDomainsIn = cached(({ environments, domains }: KnownNames): readonly NamedItem[] => [
  ...environments,
  ...domains,
]);

/** The sites of these environments, each once, in the same order. Cached for the same reason as above. */
const sitesIn = cached(({ environments }: KnownNames): readonly NamedSite[] => {
  const found = new Map<string, NamedSite>();
  for (const { site } of environments) {
    if (site === undefined) continue;
    const id = site.id ?? site.name;
    if (!found.has(id)) found.set(id, { kind: 'site', id, name: site.name });
  }
  return [...found.values()];
});

/** The environments of a site, by its id, or by its name where the host lists no sites. */
export const environmentsOfSite = ({ environments }: KnownNames, id: string): readonly Environment[] =>
  environments.filter(({ site }) => (site?.id ?? site?.name) === id);

function find(
  field: NameKind,
  words: readonly string[],
  names: KnownNames,
  parsed: ParsedCommand,
  name: string,
): NamedItem | Environments {
  const all = namedBy(field, names);
  const [typed = '', ...more] = words;
  const exact = more.length > 0 ? [] : searchIn(all).exact(typed);
  if (exact.length === 1 && exact[0]) return exact[0];
  if (exact.length === 0 && namesMany(words)) return manyNamed(field, words, names, parsed, name);
  const which = (candidates: readonly NamedItem[]): Refusal =>
    whichOne(typed, candidates, parsed, name, names.environments);
  if (exact.length > 1) throw which(exact);
  const partial = searchIn(all).containing(typed, all.length);
  if (partial.length > 0 && typed.length > 1) throw which(partial);
  throw unknownAmong(all, typed, names, parsed, name);
}

/** What a pattern, a list or a set means for a field that takes many. Throws `Refusal` for others. */
function manyNamed(
  field: NameKind,
  words: readonly string[],
  names: KnownNames,
  parsed: ParsedCommand,
  name: string,
): NamedItem | Environments {
  if (field.orMany) return environmentsNamed(words, names);
  if (!takesMany(parsed.command, name)) throw takesOne(parsed, field);
  const many = environmentsNamed(words, names);
  const [only, ...more] = many.all;
  // Show what a set or `*` means before running it, even if it matches one.
  return only && more.length === 0 && !isOpen(words) ? only : many;
}

/** The refusal of a name that is not among these, with those nearest to it, or the environments of its site. */
function unknownAmong(
  all: readonly NamedItem[],
  typed: string,
  { trouble, domains }: KnownNames,
  parsed: ParsedCommand,
  name: string,
): Refusal {
  const host = hostIn(typed);
  const known = all.map((one) => comparableName(one.name));
  const same = searchIn(all).exact(host);
  const nearest = near(comparableName(host), known).flatMap((close) => searchIn(all).exact(close));
  const ofDomain = environmentsOf(host, all, domains);
  // A known domain is no typo.
  const meant = (same.length > 0 ? same : ofDomain.length > 0 ? [] : nearest).slice(0, 3);
  const unknown = unknownName(parsed, name, meant, trouble);
  const siblings = meant.length > 0 || trouble ? [] : ofDomain.length > 0 ? ofDomain : environmentsBeside(host, all);
  if (siblings.length === 0) return unknown;
  const shown = siblings.slice(0, maxCandidates - 1);
  const nameOf = toldApart(siblings);
  const siblingNames = list(siblings.map(nameOf), shown.length, 'bold');
  const offers = shown.map((one) => inForm(parsed, offerOf(parsed, name, one, nameOf(one))));
  const sites = new Set(siblings.map((one) => one.name.replace(/\/.*/, '')));
  return offering(unknown, offers, say`${sites.size > 1 ? 'Its sites have' : 'Its site has'} ${siblingNames}.`);
}

/** The domain in an address such as `https://acme.com/shop`; any other text as it is. */
const hostIn = (typed: string): string => /^https?:\/\/([^/?#:]+)/i.exec(typed)?.[1] ?? typed;

/** The environments of the site that has this domain. The host may list it at several. */
function environmentsOf(host: string, all: readonly NamedItem[], domains: readonly Domain[]): readonly NamedItem[] {
  const sites = searchIn(domains)
    .exact(host)
    .flatMap((domain) => (domain.kind === 'domain' && domain.site ? [domain.site.name] : []));
  return [...new Set(sites)].flatMap((site) => environmentsBeside(`${site}/`, all));
}

/** The environments of the site that begins this name. */
function environmentsBeside(typed: string, all: readonly NamedItem[]): readonly NamedItem[] {
  const site = comparableName(/^[^/]+\//.exec(typed)?.[0] ?? '');
  return site === ''
    ? []
    : all.filter((one) => one.kind === 'environment' && comparableName(one.name).startsWith(site));
}

/** Whether this field of an action can name the environments of a batch. */
export const takesMany = (command: Command, field: string): boolean =>
  command.shape === 'action' && command.batch !== undefined && command.target === field;

function takesOne({ path }: ParsedCommand, { kind }: NameKind): Refusal {
  const takeMany = [...catalogue].filter(([, command]) =>
    Object.entries<Field>(command.fields).some(
      ([name, field]) => isName(field) && (field.orMany || takesMany(command, name)),
    ),
  );
  return new Refusal(
    say`${code(path)} takes one ${kind} at a time, and this names several or has a ${code('*')}. Nothing was done.`,
    {
      hint: say`These take many environments: ${joined(
        takeMany.map(([one]) => code(one)),
        ', ',
      )}.`,
    },
  );
}

/**
 * The refusal of a name that doesn't exist or that the person may not read, in the same words for both. With
 * `trouble`, it says that the name may exist.
 */
export function unknownName(
  parsed: ParsedCommand,
  name: string,
  meant: readonly NamedItem[] = [],
  trouble?: Text,
): Refusal {
  const [said = ''] = parsed.given[name] ?? [];
  const notLatin = /[^\p{ASCII}]/u.test(said) ? ' It has letters that are not plain Latin.' : '';
  const field = parsed.command.fields[name];
  const kind = field?.kind ?? 'target';
  const kinds = field !== undefined && isName(field) && field.orDomain ? 'environments and domains' : `${kind}s`;
  const word = code(said.slice(0, 80));
  const nameOf = toldApart(meant);
  return new Refusal(
    trouble
      ? say`I can't tell whether there is ${kind === 'environment' ? 'an' : 'a'} ${kind} ${word}. ${trouble} Nothing was done.`
      : say`I can't find ${word} among the ${kinds} you can see.${notLatin} Nothing was done.`,
    {
      field: name,
      hint:
        meant.length > 0
          ? didYouMean(meant.map((one) => bold(nameOf(one))))
          : trouble
            ? 'Try again in a minute.'
            : say`${typed('environments')} lists what you can name.`,
      offers: meant.map((one) => offerOf(parsed, name, one, nameOf(one))),
      isLater: trouble !== undefined,
    },
  );
}
