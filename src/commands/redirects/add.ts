import { updateRedirects } from '../../hosting/contract/domains.ts';
import { code, list, say, typed } from '../../words/text.ts';
import { action, type Invalid } from '../kit/action.ts';
import { environment, type Input } from '../kit/fields.ts';
import { fromPath, scopeFields, redirectTarget, type, selectorsOf } from './fields.ts';
import { loopRefusal, loopFrom, mayBeSame, slashWarning } from './loops.ts';
import {
  allRules,
  brief,
  sortedRules,
  inFull,
  isSame,
  incompleteListing,
  ofType,
  samePlace,
  ruleInShort,
  spokenAll,
  toHost,
  type RedirectRule,
} from './rules.ts';

const fields = { env: environment(), from: fromPath, to: redirectTarget, type, ...scopeFields };
type FieldValues = Input<typeof fields>;
/** The rules with the same path, and the rules of a loop back to it; null: there is no loop. */
type Snapshot = {
  readonly whole: boolean;
  readonly same: readonly RedirectRule[];
  readonly loop: readonly RedirectRule[] | null;
};

export const redirectsAdd = action({
  summary: 'Redirect a path',
  button: 'Add a redirect',
  also: `
    redirect <path> <path>, <path> <path>, set up redirect, make redirect, 301 <path> <path>, send <path> <path>,
    go <path> <path>, lead <path> <path>, point <path> <path>, redirect <path> <host>, send <path> <host>`,
  examples: ['acme-shop/live /old /new', 'acme-shop/live /summer-sale /shop --type redirect'],
  risk: 'sensitive',
  mayBreakSite: true,
  fields,
  target: 'env',
  invalid: ({ from, to }) =>
    from === to ? { field: 'to', says: say`From and to are both ${code(brief(from))}. Nothing was done.` } : undefined,
  isDoubtful: ({ from, to }) => mayBeSame(from, to),
  look: async ({ input, read }): Promise<Snapshot> => {
    const { rules, whole } = await allRules(read, input.env);
    return {
      whole,
      same: rules.filter(({ from }) => from === input.from),
      loop: loopFrom(ruleOf(input), rules) ?? null,
    };
  },
  impossible: ({ input, snapshot }) => impossible(input, snapshot),
  preconditions: ({ snapshot }) => ({ ...snapshot, same: sortedRules(snapshot.same) }),
  call: ({ input }) => updateRedirects({ env_id: input.env.id, action_type: 'NEW', new_value: ruleOf(input) }),
  card: ({ input, snapshot }) => ({
    title: say`Redirect ${code(brief(input.from))} → ${code(brief(input.to))} on ${input.env.name}`,
    done: say`Redirected ${code(brief(input.from))} → ${code(brief(input.to))} on ${input.env.name}`,
    warning: slashWarning(input.from, input.to),
    facts: {
      From: code(input.from),
      To: code(input.to),
      ...toHost(input.to),
      Type: ofType(ruleOf(input)),
      Domain: input.domain ?? 'all',
      'Visitors from': [input.city, input.country].filter(Boolean).join(', ') || 'anywhere',
      'Same path elsewhere': snapshot.same.length > 0 ? list(snapshot.same.map(inFull), 5, undefined, '; ') : undefined,
    },
  }),
  proof: ({ input, current }) =>
    current.same.some((rule) => !rule.hasUnread && isSame(rule, ruleOf(input)))
      ? { verdict: 'yes', says: say`${input.env.name} has the redirect ${ruleInShort(ruleOf(input))}` }
      : {
          verdict: 'not yet',
          isUnclear: !current.whole,
          says: say`${input.env.name} does not list the redirect ${ruleInShort(ruleOf(input))}`,
        },
  undo: ({ input }) => {
    const selected = selectorsOf(ruleOf(input));
    return selected && ['redirects', 'remove', input.env.id, input.from, ...selected];
  },
});

const ruleOf = ({ from, to, type, domain, country, city }: FieldValues) => ({
  from,
  to,
  type: type ?? 'permanent',
  domain: domain ?? null,
  ...(country !== undefined && { traffic_from_country: country }),
  ...(city !== undefined && { traffic_from_city: city }),
});

function impossible(input: FieldValues, { whole, same, loop }: Snapshot): Invalid<keyof FieldValues> | undefined {
  const { env, from, to } = input;
  const wanted = ruleOf(input);
  if (!whole) return { field: 'from', ...incompleteListing(env) };
  if (same.some((rule) => isSame(rule, wanted))) {
    return {
      field: 'from',
      says: say`${env.name} already has the redirect ${ruleInShort(wanted)}. Nothing was changed.`,
    };
  }
  const clash = same.filter((rule) => samePlace(rule, wanted));
  if (clash.length === 0) return loop === null ? undefined : { field: 'to', ...loopRefusal(from, loop) };
  const selected = clash.length === 1 ? selectorsOf(wanted) : undefined;
  const args = ['redirects', 'edit', env.id, from, `--to=${to}`, `--type=${wanted.type}`, ...(selected ?? [])];
  return {
    field: 'from',
    says: say`${env.name} already redirects that path: ${spokenAll(clash)}. Nothing was changed.`,
    hint: say`${typed('redirects edit')} changes where it leads.`,
    offers: selected ? [{ label: 'Change where it leads', opens: 'form', args }] : [],
  };
}
