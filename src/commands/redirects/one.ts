import type { Offer, Words } from '../../errors.ts';
import type { Environment } from '../../hosting/contract/target.ts';
import { beginning, code, say } from '../../text.ts';
import type { Wrong } from '../kit/action.ts';
import { folded } from '../kit/values/hostnames.ts';
import type { Sources } from '../kit/sources.ts';
import { anywhere, canBeSaid, fromPath, selectors } from './fields.ts';
import { allRules, brief, canBeNamed, notWhole, placeOf, spoken, spokenAll, type Rule } from './rules.ts';

/** How one rule is picked out: by its path, and by its place where several have that path. */
export type Picked = {
  readonly env: Environment;
  readonly from: string;
  readonly domain?: string | undefined;
  readonly country?: string | undefined;
  readonly city?: string | undefined;
};

const maxCandidates = 5;

/** The rules that are meant; only one should be. */
export function meant(rules: readonly Rule[], { from, domain, country, city }: Picked): readonly Rule[] {
  return rules.filter((rule) => {
    const place = placeOf(rule);
    return (
      rule.from === from && fits(domain, place.domain, folded) && fits(country, place.country) && fits(city, place.city)
    );
  });
}

const fits = (said: string | undefined, is: string, fold = (text: string) => text.toLowerCase()): boolean =>
  said === undefined || is === (said === anywhere ? '' : fold(said));

/** Says why it cannot be told which rule is meant, or why it cannot be named; `words` say it again of one of them. */
export function notOne(
  picked: Picked,
  { found, whole }: { readonly found: readonly Rule[]; readonly whole: boolean },
  words: (selected: Words) => Words,
): Wrong<'from'> | undefined {
  const { env } = picked;
  if (!whole) return { field: 'from', ...notWhole(env) };
  const from = code(brief(picked.from));
  const [rule] = found;
  if (rule === undefined) {
    const isSelected = [picked.domain, picked.country, picked.city].some((one) => one !== undefined);
    const says = say`${env.name} has no redirect from ${from}${isSelected ? ' with that domain, country and city' : ''}. Nothing was changed.`;
    const offers = [{ label: 'List its redirects', words: ['redirects', 'list', env.id] }];
    return { field: 'from', says, hint: say`${code('redirects list')} shows the paths it has.`, offers };
  }
  if (found.length > 1) {
    const offers = candidates(found, words);
    const says = say`${env.name} has ${found.length} redirects from ${from}: ${spokenAll(found, maxCandidates)}. Nothing was changed.`;
    const hint =
      offers.length > 0
        ? say`Which one? Say its ${code('--domain')}, ${code('--country')} or ${code('--city')}; ${code(anywhere)} is the one that names none.`
        : 'They cannot be told apart here: change them in the panel of the host.';
    return { field: 'from', says, hint, offers };
  }
  if (canBeNamed(rule)) return undefined;
  const says = say`The redirect from ${from} has characters that cannot be sent to the host, or is too long. Nothing was changed.`;
  return { field: 'from', says, hint: 'Change it in the panel of the host.' };
}

/** A button for each rule that its place alone tells from the others. */
function candidates(found: readonly Rule[], words: (selected: Words) => Words): readonly Offer[] {
  const alike = Map.groupBy(found, (rule) => selectorsOf(rule)?.join('\n'));
  return [...alike.values()]
    .flatMap(([rule, ...others]) => {
      const selected = rule && selectorsOf(rule);
      return rule && selected && others.length === 0 ? [{ label: labelOf(rule), words: words(selected) }] : [];
    })
    .slice(0, maxCandidates);
}

/** A button has room for so much. */
function labelOf(rule: Rule): string {
  const text = spoken(rule);
  return text.length > 75 ? `${beginning(text, 74)}…` : text;
}

/** The options that pick exactly this rule from all of its path; undefined where words cannot say it. */
export function selectorsOf(rule: Pick<Rule, 'from'> & Partial<Rule>): Words | undefined {
  const { domain, country, city } = placeOf(rule);
  if (!canBeSaid(fromPath, rule.from ?? '') || domain === anywhere || city === anywhere) return undefined;
  const said = {
    domain: domain || anywhere,
    country: country.toUpperCase() || anywhere,
    city: rule.traffic_from_city?.trim() || anywhere,
  };
  const all = [
    canBeSaid(selectors.domain, said.domain),
    canBeSaid(selectors.country, said.country),
    canBeSaid(selectors.city, said.city),
  ];
  return all.every(Boolean) ? Object.entries(said).map(([name, value]) => `--${name}=${value}`) : undefined;
}

/** The paths that a form offers: those of the rules of its environment. */
export const fromOfItsRules = {
  on: ['env'],
  choices: async ({
    input: { env },
    read,
  }: { readonly input: { readonly env?: Environment } } & Sources): Promise<Words> => {
    if (env === undefined) return [];
    const { rules } = await allRules(read, env);
    return [...new Set(rules.flatMap(({ from }) => (from ? [from] : [])))];
  },
} as const;
