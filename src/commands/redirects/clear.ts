import { updateRedirects } from '../../hosting/contract/domains.ts';
import { list, say, type Text } from '../../words/text.ts';
import { action, type Invalid } from '../kit/action.ts';
import { environment, optional, word, type Input, withHint } from '../kit/fields.ts';
import { counted } from '../kit/page.ts';
import {
  allRules,
  canBeNamed,
  sortedRules,
  inFull,
  inRequest,
  incompleteListing,
  isKnownRule,
  ruleInShort,
  comparableRule,
  withWords,
  type RuleListing,
} from './rules.ts';

const shownRules = 10;
/** The most rules in one request. */
const maxNamed = 5_000;

const fields = {
  env: environment(),
  search: withHint('Only rules with these words; left out, all of them.', optional(word('Search'))),
};
type FieldValues = Input<typeof fields>;

export const redirectsClear = action({
  summary: 'Remove all redirects, or those that contain these words',
  button: 'Remove redirects',
  also: `
    remove all redirect, remove every redirect, clear all redirect, reset redirect`,
  examples: ['acme-shop/live /press'],
  risk: 'destructive',
  mayBreakSite: true,
  fields,
  target: 'env',
  look: async ({ input, read }): Promise<RuleListing> => {
    const { rules, whole } = await allRules(read, input.env);
    // Nobody knows whether the words are in a rule that can't be read.
    return {
      whole: whole && (input.search === undefined || rules.every(isKnownRule)),
      rules: withWords(rules, input.search),
    };
  },
  impossible: ({ input, snapshot }) => impossible(input, snapshot),
  preconditions: ({ snapshot: { whole, rules } }) => ({ whole, rules: sortedRules(rules) }),
  call: ({ input: { env, search }, snapshot: { rules } }) =>
    updateRedirects(
      search === undefined
        ? { env_id: env.id, action_type: 'DELETE_ALL' }
        : { env_id: env.id, action_type: 'DELETE', rules_to_update: rules.map(inRequest) },
    ),
  card: ({ input, snapshot: { rules } }) => ({
    title: say`Remove ${whichOf(input, rules.length)} of ${input.env.name}`,
    done: say`Removed ${whichOf(input, rules.length)} of ${input.env.name}`,
    warning: say`**${counted(rules.length, 'redirect')} of ${input.env.name} will be removed.** I can't undo this.`,
    facts: {
      Search: input.search === undefined ? 'none: all of them' : say`“${input.search}” in path, target or domain`,
      Redirects: list(rules.map(inFull), shownRules, undefined, '\n'),
    },
  }),
  proof: ({ input: { env }, snapshot: { rules }, current }) => {
    const gone = new Set(rules.map(comparableRule));
    const left = current.rules.filter((rule) => gone.has(comparableRule(rule))).length;
    const all = counted(rules.length, 'redirect');
    if (left > 0) return { verdict: 'not yet', says: say`${env.name} still lists ${left} of the ${all}` };
    return current.whole && current.rules.every(isKnownRule)
      ? { verdict: 'yes', says: say`${env.name} no longer has any of the ${all}` }
      : { verdict: 'not yet', isUnclear: true, says: say`${env.name} may still have some of the ${all}` };
  },
});

const whichOf = ({ search }: FieldValues, amount: number): Text =>
  search === undefined
    ? say`all ${counted(amount, 'redirect')}`
    : say`the ${counted(amount, 'redirect')} with “${search}”`;

function impossible(
  { env, search }: FieldValues,
  { whole, rules }: RuleListing,
): Invalid<keyof FieldValues> | undefined {
  if (!whole) return incompleteListing(env);
  if (rules.length === 0) {
    return search === undefined
      ? { says: say`${env.name} has no redirects. Nothing was changed.` }
      : {
          field: 'search',
          says: say`No redirect of ${env.name} has “${search}” in its path, target or domain. Nothing was changed.`,
          offers: [{ label: 'List its redirects', args: ['redirects', 'list', env.id] }],
        };
  }
  if (search === undefined) return undefined;
  if (rules.length > maxNamed) {
    const says = say`${counted(rules.length, 'redirect')} have “${search}” in them; at most ${maxNamed} can be named at once. Nothing was changed.`;
    return { field: 'search', says, hint: 'Search for something rarer.' };
  }
  const odd = rules.find((rule) => !canBeNamed(rule));
  if (odd === undefined) return undefined;
  const says = say`The redirect ${ruleInShort(odd)} has characters that cannot be sent to the host, or is too long. Nothing was changed.`;
  return { field: 'search', says, hint: "Search for something that leaves it out, or remove it in the host's panel." };
}
