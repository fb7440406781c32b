import type { Args } from '../../base/errors.ts';
import type { Environment } from '../../hosting/contract/target.ts';
import { updateRedirects } from '../../hosting/contract/domains.ts';
import { code, say } from '../../words/text.ts';
import { action } from '../kit/action.ts';
import { environment } from '../kit/fields.ts';
import {
  readsBack,
  listedFrom,
  fromPath,
  scopeFields,
  ruleSelectors,
  redirectTarget,
  fromOfItsRules,
  selectedRules,
  wrongRule,
  type FoundRules,
} from './fields.ts';
import { loopFrom } from './loops.ts';
import {
  allRules,
  brief,
  sortedRules,
  inRequest,
  isKnownRule,
  isSame,
  ofType,
  ruleInShort,
  typeOf,
  visitorsOf,
  type RedirectRule,
} from './rules.ts';

export const redirectsRemove = action({
  summary: 'Remove a redirect',
  button: 'Remove a redirect',
  also: `
    remove redirect <path>, get rid redirect, stop redirect, stop redirect <path>, unredirect, unredirect <path>,
    no longer redirect, redirect away`,
  examples: ['acme-shop/live /old-shop'],
  risk: 'sensitive',
  shows: ['redirects list'],
  mayBreakSite: true,
  fields: { env: environment(), from: listedFrom, ...ruleSelectors },
  target: 'env',
  dependent: { from: fromOfItsRules },
  look: async ({ input, read }): Promise<FoundRules> => {
    const { rules, whole } = await allRules(read, input.env);
    const found = selectedRules(rules, input);
    const [rule] = found;
    return { whole, found, looped: rule !== undefined && loopFrom(rule, rules) !== undefined };
  },
  impossible: ({ input, snapshot }) =>
    wrongRule(input, snapshot, (selected) => ['redirects', 'remove', input.env.id, input.from, ...selected]),
  preconditions: ({ snapshot: { whole, found } }) => ({ whole, found: sortedRules(found) }),
  call: ({ input, snapshot: { found } }) =>
    updateRedirects({ env_id: input.env.id, action_type: 'DELETE', rules_to_update: found.map(inRequest) }),
  card: ({ input: { env, from }, snapshot: { found } }) => ({
    title: say`Remove the redirect from ${code(brief(from))} on ${env.name}`,
    done: say`Removed the redirect from ${code(brief(from))} on ${env.name}`,
    facts: factsOf(found[0]),
  }),
  proof: ({ input: { env }, snapshot: { found }, current }) => {
    const left = current.found.filter((rule) => !isKnownRule(rule) || found.some((gone) => isSame(gone, rule)));
    const what = found.map(ruleInShort).join('; ');
    return current.whole && left.length === 0
      ? { verdict: 'yes', says: say`${env.name} no longer has the redirect ${what}` }
      : {
          verdict: 'not yet',
          isUnclear: left.every((rule) => !isKnownRule(rule) || rule.hasUnread),
          says: say`${env.name} may still have the redirect ${what}`,
        };
  },
  undo: ({ input: { env }, snapshot: { found, looped } }) =>
    looped || !found[0] ? undefined : undoArgs(env, found[0]),
});

const factsOf = (rule: RedirectRule | undefined) => ({
  From: code(rule?.from || brief(rule?.from)),
  To: code(rule?.to || brief(rule?.to)),
  Type: rule && ofType(rule),
  Domain: rule && (rule.domain || 'all'),
  'Visitors from': rule && (visitorsOf(rule) || 'anywhere'),
});

/** Undo only if the whole rule can be typed: that may fail for the host's spelling of a domain, country or city. */
function undoArgs({ id }: Environment, rule: RedirectRule): Args | undefined {
  const [from, to, type] = [rule.from ?? '', rule.to ?? '', typeOf(rule)];
  const parts = [
    [scopeFields.domain, 'domain', rule.domain],
    [scopeFields.country, 'country', rule.traffic_from_country],
    [scopeFields.city, 'city', rule.traffic_from_city],
  ] as const;
  const given = parts.flatMap(([field, name, value]) => (value ? [{ field, name, value }] : []));
  const canBeAdded =
    readsBack(fromPath, from) &&
    readsBack(redirectTarget, to) &&
    !rule.traffic_from_country_name &&
    !rule.displayed_location &&
    given.every(({ field, value }) => readsBack(field, value));
  if (!canBeAdded || type === undefined) return undefined;
  const options = given.map(({ name, value }) => `--${name}=${value}`);
  return ['redirects', 'add', id, from, to, `--type=${type}`, ...options];
}
