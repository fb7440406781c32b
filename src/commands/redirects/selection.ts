import type { Offer, Args } from '../../base/errors.ts';
import type { Environment } from '../../hosting/contract/target.ts';
import { code, say, typed } from '../../words/text.ts';
import type { Invalid } from '../kit/action.ts';
import type { Input } from '../kit/fields.ts';
import { comparableHostname } from '../kit/values/hostnames.ts';
import type { Sources } from '../kit/sources.ts';
import { anyScope, readsBack, fromPath, ruleSelectors } from './fields.ts';
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
