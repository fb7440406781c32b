import type { Args } from '../../base/errors.ts';
import { updateRedirects } from '../../hosting/contract/domains.ts';
import { code, say } from '../../words/text.ts';
import { action, type Invalid } from '../kit/action.ts';
import { environment, option, type Input } from '../kit/fields.ts';
import {
  listedFrom,
  readsBack,
  ruleSelectors,
  redirectTarget,
  type,
  fromOfItsRules,
  selectedRules,
  wrongRule,
  selectorsOf,
  type FoundRules,
} from './fields.ts';
import { loopRefusal, loopFrom, mayBeSame, slashWarning } from './loops.ts';
import {
  allRules,
  brief,
  sortedRules,
  inRequest,
  isSame,
  ofType,
  ruleInShort,
  toHost,
  typeOf,
  type RedirectRule,
} from './rules.ts';

const fields = { env: environment(), from: listedFrom, to: option(redirectTarget), type, ...ruleSelectors };
type FieldValues = Input<typeof fields>;
/** `loop`: the rules of a loop back from the new target; null: there is no loop. */
type Snapshot = FoundRules & { readonly loop: readonly RedirectRule[] | null };

export const redirectsEdit = action({
  summary: 'Change where a redirect leads, or its type',
  button: 'Change a redirect',
  also: `
    update redirect, fix redirect, wrong redirect, change redirect <path>, update redirect <path>, change redirect
    <path> <path>, update redirect <path> <path>, redirect <path> should now <path>, redirect now go <path> <path>,
    redirect <path> <path> instead`,
  examples: ['acme-shop/live /old-shop --to /shop'],
  risk: 'sensitive',
  shows: ['redirects list'],
  mayBreakSite: true,
  fields,
  target: 'env',
  dependent: { from: fromOfItsRules },
  invalid: ({ from, to, type }) => {
    if (from === to) return { field: 'to', says: say`From and to are both ${code(brief(from))}. Nothing was done.` };
    return to === undefined && type === undefined ? unsaid : undefined;
  },
  isDoubtful: ({ from, to }) => mayBeSame(from, to),
  look: async ({ input, read }): Promise<Snapshot> => {
    const { rules, whole } = await allRules(read, input.env);
    const found = selectedRules(rules, input);
    const [rule] = found;
    const others = rules.filter((other) => other !== rule);
    const back = (to: RedirectRule['to']) => (rule ? (loopFrom({ ...rule, to }, others) ?? null) : null);
    return { whole, found, loop: input.to === undefined ? null : back(input.to), looped: back(rule?.to) !== null };
  },
  impossible: ({ input, snapshot }) => impossible(input, snapshot),
  preconditions: ({ snapshot: { whole, found, loop } }) => ({ whole, found: sortedRules(found), loop }),
  call: ({ input, snapshot: { found } }) =>
    updateRedirects({
      env_id: input.env.id,
      action_type: 'UPDATE',
      new_value: changed(found[0], input),
      rules_to_update: found.map(inRequest),
    }),
  card: ({ input, snapshot: { found } }) => ({
    title: say`Change the redirect from ${code(brief(input.from))} on ${input.env.name}`,
    done: say`Changed the redirect from ${code(brief(input.from))} on ${input.env.name}`,
    warning: input.to === undefined ? undefined : slashWarning(input.from, input.to),
    facts: factsOf(input, found[0]),
  }),
  proof: ({ input, snapshot: { found }, current }) => {
    const wanted = changed(found[0], input);
    const isThere = current.found.some((rule) => isSame(rule, wanted));
    const left = current.found.filter((rule) => found[0] !== undefined && isSame(rule, found[0]));
    return current.whole && isThere && left.length === 0
      ? { verdict: 'yes', says: say`${input.env.name} has the redirect ${ruleInShort(wanted)}` }
      : {
          verdict: 'not yet',
          isUnclear: !current.whole && left.length === 0,
          says: say`${input.env.name} does not list the redirect ${ruleInShort(wanted)} in its place`,
        };
  },
  undo: ({ input, snapshot: { found, looped } }) =>
    looped && input.to !== undefined ? undefined : undoArgs(input, found[0]),
});

const unsaid: Invalid<keyof FieldValues> = {
  field: 'to',
  says: say`What should change? Nothing was done.`,
  hint: say`Where it leads (\`--to\`), its type (\`--type\`), or both.`,
  unsaid: true,
};

/** The whole rule after the change; values that are not given stay as they were read. */
const changed = (rule: RedirectRule | undefined, { from, to, type }: FieldValues) =>
  inRequest({
    ...rule,
    from,
    to: to ?? rule?.to ?? '',
    type: type ?? (rule && typeOf(rule)) ?? 'permanent',
  });

function impossible(input: FieldValues, snapshot: Snapshot): Invalid<keyof FieldValues> | undefined {
  const { env, from, to, type } = input;
  const options = [...(to === undefined ? [] : [`--to=${to}`]), ...(type === undefined ? [] : [`--type=${type}`])];
  const wrong = wrongRule(input, snapshot, (selected) => ['redirects', 'edit', env.id, from, ...options, ...selected]);
  const [rule] = snapshot.found;
  if (wrong || rule === undefined) return wrong;
  if (to === undefined && !rule.to) {
    return {
      field: 'to',
      says: say`The host doesn't tell me where ${code(brief(from))} leads. Nothing was changed.`,
      hint: say`Add it with ${code('--to')}.`,
    };
  }
  if (type === undefined && typeOf(rule) === undefined) {
    return {
      field: 'type',
      says: say`The host doesn't give ${ruleInShort(rule)} a type that I know. Nothing was changed.`,
      hint: say`Add it with ${code('--type')}.`,
    };
  }
  if (isSame(rule, changed(rule, input))) {
    return {
      field: to === undefined ? 'type' : 'to',
      says: say`${env.name} already has the redirect ${ruleInShort(rule)}. Nothing was changed.`,
    };
  }
  return snapshot.loop === null ? undefined : { field: 'to', ...loopRefusal(from, snapshot.loop) };
}

function factsOf(input: FieldValues, rule: RedirectRule | undefined) {
  if (rule === undefined) return { Redirect: 'none' };
  const wanted = changed(rule, input);
  return {
    Redirect: ruleInShort(rule),
    From: code(input.from),
    To: rule.to === wanted.to ? undefined : say`${code(rule.to || brief(rule.to))} → ${code(wanted.to)}`,
    ...(rule.to === wanted.to ? {} : toHost(wanted.to)),
    Type: rule.type === wanted.type ? undefined : say`${ofType(rule)} → ${ofType(wanted)}`,
  };
}

function undoArgs(input: FieldValues, rule: RedirectRule | undefined): Args | undefined {
  const selected = rule && selectorsOf(rule);
  const type = rule && typeOf(rule);
  if (!selected || !type || !readsBack(redirectTarget, rule.to ?? '')) return undefined;
  const wanted = changed(rule, input);
  const to = rule.to === wanted.to ? [] : [`--to=${rule.to}`];
  const kind = type === wanted.type ? [] : [`--type=${type}`];
  return ['redirects', 'edit', input.env.id, input.from, ...to, ...kind, ...selected];
}
