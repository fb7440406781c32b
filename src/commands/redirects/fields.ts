import { attempt, Refusal, type Offer, type Args } from '../../base/errors.ts';
import { redirectTypes } from '../../hosting/contract/domains.ts';
import { code, codeOf, say, unseen, typed } from '../../words/text.ts';
import { choice, option, wordField, word, type PlainField, type Input } from '../kit/fields.ts';
import { hostnameIn, comparableHostname } from '../kit/values/hostnames.ts';
import type { Environment } from '../../hosting/contract/target.ts';
import type { Invalid } from '../kit/action.ts';
import type { Sources } from '../kit/sources.ts';
import {
  allRules,
  brief,
  canBeNamed,
  incompleteListing,
  ruleScope,
  ruleInShort,
  spokenAll,
  type RedirectRule,
} from './rules.ts';

/** How people say which redirect rule they mean: the fields of a rule, and those that select one of several. */

const maxLength = 2_000;
const maxCityLength = 100;
/** The word that selects the rule for every domain, or for visitors from anywhere. */
const anyScope = 'any';

/** The path that is redirected. */
export const fromPath = wordField('From', {
  takes: 'a path',
  takesTokens: true,
  example: '/old',
  hint: 'The path that people open.',
  read: ([first = '']) => {
    const wrong = wrongInAny(first) ?? (first.startsWith('/') ? undefined : 'does not begin with /');
    if (wrong === undefined) return first;
    throw refused('From', first, wrong, 'Write the path alone: /old. A domain goes into its own field.');
  },
});

/** The path of an existing rule, which may have any form. */
export const listedFrom = {
  ...word('From', maxLength),
  takes: 'a path',
  takesTokens: true,
  hint: 'The path that is redirected now.',
} as const;

/** The target of a redirect: a path, or an address with its host. */
export const redirectTarget = wordField('To', {
  takes: 'a path',
  takesTokens: true,
  example: '/new or https://acme.com/new',
  hint: 'Where they are led: a path of the site, or a whole address.',
  read: ([first = '']) => {
    const wrong = wrongInAny(first) ?? wrongTarget(first);
    if (wrong === undefined) return first;
    throw refused('To', first, wrong, 'Write a path of the same site, /new, or a whole address, https://acme.com/new.');
  },
});

const types = {
  ...choice('Type', redirectTypes),
  means: { '301': 'permanent', '302': 'redirect', temporary: 'redirect', forever: 'permanent' },
};
/** The status codes that lists and cards show. */
const codes: ReadonlyMap<string, string> = new Map([
  ['301', 'permanent'],
  ['302', 'redirect'],
]);
/** The type of a redirect, as its name or its status code. */
export const type = option({
  ...types,
  hint: 'permanent is a 301, which browsers remember; redirect is a 302.',
  read: (words) => types.read(words.map((word) => codes.get(word) ?? word)),
});

/** A field for a domain, country or city. `read` returns the value, or a clause that says what is wrong. */
const place = (
  label: string,
  { example, all, mayBeAny }: { readonly example: string; readonly all: string; readonly mayBeAny: boolean },
  read: (word: string) => ReturnType<typeof hostnameIn>,
): PlainField<string, true> => {
  const field = wordField(label, {
    example,
    hint: mayBeAny
      ? `Only where several rules have this path; ${anyScope}: the one for all ${all}`
      : `Only for requests of this ${label.toLowerCase()}; left out, for all ${all}`,
    read: ([first = '']) => {
      if (mayBeAny && isAny(first)) return anyScope;
      const found = read(first);
      if ('name' in found) return found.name;
      const otherwise = mayBeAny ? `${anyScope} for the rule for all ${all}` : `leave it out for all ${all}`;
      throw refused(label, first, found.wrong, `Write it like ${example}, or ${otherwise}.`);
    },
  });
  return option(field);
};

const domain = (mayBeAny: boolean): PlainField<string, true> =>
  place('Domain', { example: 'acme.com', all: 'domains', mayBeAny }, (word) => {
    // The host may list a domain with its scheme, which doesn't affect the selected rule.
    const [scheme = ''] = /^https?:\/\//i.exec(word) ?? [];
    const read = hostnameIn(scheme === '' ? word : word.slice(scheme.length).replace(/\/$/, ''));
    return 'name' in read && !mayBeAny ? { name: `${scheme.toLowerCase()}${read.name}` } : read;
  });

const country = (mayBeAny: boolean): PlainField<string, true> =>
  place('Country', { example: 'DE', all: 'countries', mayBeAny }, (word) =>
    /^[a-z]{2}$/i.test(word.trim())
      ? { name: word.trim().toUpperCase() }
      : { wrong: 'is not a country code of two letters' },
  );

const city = (mayBeAny: boolean): PlainField<string, true> =>
  place('City', { example: 'Berlin', all: 'cities', mayBeAny }, (word) => {
    const name = word.trim();
    const isName = name !== '' && name.length <= maxCityLength && !isAny(name) && !/\p{Cc}/u.test(name);
    return isName && unseen.exec(name) === null ? { name } : { wrong: 'is not the name of a city' };
  });

const isAny = (word: string): boolean => word.trim().toLowerCase() === anyScope;

/** The fields that limit which requests a new rule covers. */
export const scopeFields = { domain: domain(false), country: country(false), city: city(false) };

/** The same fields, to select one of several rules with the same path; `any` selects the rule without that limit. */
export const ruleSelectors = { domain: domain(true), country: country(true), city: city(true) };

/** Whether the field reads this value back unchanged. */
export const readsBack = (field: PlainField<string>, value: string): boolean =>
  attempt(() => field.read([value])) === value;

const refused = (label: string, said: string, wrong: string, hint: string): Refusal =>
  new Refusal(say`${label}: ${code(said.slice(0, 80))} ${wrong}. Nothing was done.`, { hint });

function wrongInAny(text: string): string | undefined {
  const [hidden] = unseen.exec(text) ?? [];
  if (hidden !== undefined) return `has a character in it that cannot be seen (${codeOf(hidden)})`;
  if (text.length > maxLength) return `has more than ${maxLength} characters`;
  if (/[\s\p{Cc}]/u.test(text)) return 'has a space or a line break in it';
  if (/[-=\u2010-\u2015]>|[→⇒⇨⟶⟹➔➙➜➝➞➡]/u.test(text)) return 'has an arrow in it; a space is enough between the two';
  // Browsers read a backslash as a slash, so `/\acme.com` would lead to another host.
  return text.includes('\\') ? 'has a backslash in it' : undefined;
}

function wrongTarget(text: string): string | undefined {
  if (text.startsWith('//')) return 'leads to another host without saying how';
  if (text.startsWith('/')) return undefined;
  if (!/^https?:\/\/[^/?#]/i.test(text) || !URL.canParse(text))
    return 'is neither a path nor an address that begins with https:// or http://';
  return /^https?:\/\/[^/?#]*@/i.test(text) ? 'has a name before its host' : undefined;
}

/** Selects one rule: by its path, and also by its place if several rules have that path. */
type RuleSelection = Input<typeof ruleSelectors> & { readonly env: Environment; readonly from: string };

/** What a look finds about the selected rules. */
export type FoundRules = {
  readonly whole: boolean;
  readonly found: readonly RedirectRule[];
  /** Whether the rule is part of a loop, so that it could not be put back. */
  readonly looped: boolean;
};

const maxCandidates = 5;

/** The selected rules; there should be exactly one. */
export function selectedRules(
  rules: readonly RedirectRule[],
  { from, domain, country, city }: RuleSelection,
): readonly RedirectRule[] {
  return rules.filter((rule) => {
    const place = ruleScope(rule);
    return (
      rule.from === from &&
      fits(domain, place.domain, comparableHostname) &&
      fits(country, place.country) &&
      fits(city, place.city)
    );
  });
}

const fits = (said: string | undefined, is: string, fold = (text: string) => text.toLowerCase()): boolean =>
  said === undefined || is === (said === anyScope ? '' : fold(said));

/** Why not exactly one rule is selected, or why it can't be sent. `argsFor` builds the command for one candidate. */
export function wrongRule(
  picked: RuleSelection,
  { found, whole }: FoundRules,
  argsFor: (selected: Args) => Args,
): Invalid<'from'> | undefined {
  const { env } = picked;
  if (!whole) return { field: 'from', ...incompleteListing(env) };
  const from = code(brief(picked.from));
  const [rule] = found;
  if (rule === undefined) {
    const isSelected = [picked.domain, picked.country, picked.city].some((one) => one !== undefined);
    const says = say`${env.name} has no redirect from ${from}${isSelected ? ' with that domain, country and city' : ''}. Nothing was changed.`;
    const offers = [{ label: 'List its redirects', args: ['redirects', 'list', env.id] }];
    return { field: 'from', says, hint: say`${typed('redirects list')} shows the paths it has.`, offers };
  }
  if (found.length > 1) {
    const offers = candidates(found, argsFor);
    const says = say`${env.name} has ${found.length} redirects from ${from}: ${spokenAll(found)}. Nothing was changed.`;
    const hint =
      offers.length > 0
        ? say`Which one? Add its ${code('--domain')}, ${code('--country')} or ${code('--city')}; ${code(anyScope)} is the one that names none.`
        : "I can't tell them apart: change them in the host's panel.";
    return { field: 'from', says, hint, offers };
  }
  if (canBeNamed(rule)) return undefined;
  const says = say`The redirect from ${from} has characters that cannot be sent to the host, or is too long. Nothing was changed.`;
  return { field: 'from', says, hint: "Change it in the host's panel." };
}

/** A button for each rule whose place differs from the others'. */
function candidates(found: readonly RedirectRule[], argsFor: (selected: Args) => Args): readonly Offer[] {
  const alike = Map.groupBy(found, (rule) => selectorsOf(rule)?.join('\n'));
  return [...alike.values()]
    .flatMap(([rule, ...others]) => {
      const selected = rule && selectorsOf(rule);
      return rule && selected && others.length === 0 ? [{ label: ruleInShort(rule), args: argsFor(selected) }] : [];
    })
    .slice(0, maxCandidates);
}

/** The options that select exactly this rule among the rules with its path; undefined if they can't be typed. */
export function selectorsOf(rule: Pick<RedirectRule, 'from'> & Partial<RedirectRule>): Args | undefined {
  const { domain, country, city } = ruleScope(rule);
  if (!readsBack(fromPath, rule.from ?? '') || domain === anyScope || city === anyScope) return undefined;
  const options = {
    domain: domain || anyScope,
    country: country.toUpperCase() || anyScope,
    city: rule.traffic_from_city?.trim() || anyScope,
  };
  const names = ['domain', 'country', 'city'] as const;
  const isSayable = names.every((name) => readsBack(ruleSelectors[name], options[name]));
  return isSayable ? names.map((name) => `--${name}=${options[name]}`) : undefined;
}

/** The form's choices: the paths of the environment's rules. */
export const fromOfItsRules = {
  on: ['env'],
  choices: async ({ input, read }: { readonly input: { readonly env?: Environment } } & Sources): Promise<Args> => {
    if (input.env === undefined) return [];
    const { rules } = await allRules(read, input.env);
    return [...new Set(rules.flatMap(({ from }) => (from ? [from] : [])))];
  },
} as const;
