import { attempt } from '../../base/errors.ts';
import { code, joined, say, typed, type Text } from '../../words/text.ts';
import { choice, environment, flag, option, optional, word, type Input, withHint } from '../kit/fields.ts';
import { counted, listOr, type Page, readAt } from '../kit/page.ts';
import { report } from '../kit/report.ts';
import { allRules, inFull, withWords, type RedirectRule } from './rules.ts';

const fields = {
  env: environment(),
  search: optional({ ...word('Search'), takes: 'a path', hint: 'Only rules with these words.' }),
  regex: withHint('Reads the search as a regular expression.', flag('Search is an expression')),
  sort: withHint('What comes first.', option(choice('Sort by', ['domain', 'from', 'to', 'type']))),
  descending: withHint('Turns the order round.', flag('Descending')),
};
type FieldValues = Input<typeof fields>;

export const redirectsList = report({
  summary: 'List the redirects of an environment',
  button: 'List redirects',
  also: `
    redirect, redirect rule, url redirect, 301, redirect exist, where redirect, where redirect <path>, redirect
    <path>, where <path>, where <path> go, where <path> lead`,
  examples: ['acme-shop/live /blog --sort from'],
  fields,
  target: 'env',
  invalid: ({ search, regex, sort, descending }) => {
    if (descending && sort === undefined) {
      return {
        field: 'sort',
        says: say`There is nothing to sort by. Nothing was done.`,
        hint: say`Say ${code('--sort from')}.`,
      };
    }
    if (!regex) return undefined;
    if (search === undefined) {
      return {
        field: 'search',
        says: say`There is no expression to search for. Nothing was done.`,
        hint: say`Say it as a word: ${code('"^/old"')}.`,
      };
    }
    return attempt(() => new RegExp(search)) !== undefined
      ? undefined
      : {
          field: 'search',
          says: say`${code(search)} is not a regular expression. Nothing was done.`,
          hint: say`Leave ${code('--regex')} out to search for it as it stands.`,
        };
  },
  show: async ({ input, read, now }): Promise<Page> => {
    const { env, search, regex, sort, descending } = input;
    const { rules, whole } = await allRules(read, env, {
      ...(sort && { key: sort, order: descending ? 'descend' : 'ascend' }),
      ...(search !== undefined && { search_query: search, regex_search: regex ? 'true' : 'false' }),
    });
    // A regular expression can run very long on some texts, so only the host runs it.
    const found = sorted(regex ? rules : withWords(rules, search), sort, descending);
    const [domain, ...others] = new Set(found.map((rule) => rule.domain));
    // Shown once instead of in every line.
    const isOne = found.length > 1 && domain && others.length === 0;
    return {
      title: say`**${env.name} · redirects** · ${searchInWords(input)}${whole ? '' : 'at least '}${counted(found.length, 'redirect')}`,
      parts: listOr(
        emptyText(input),
        found.map((rule) => say`• ${inFull(isOne ? { ...rule, domain: null } : rule)}`),
        whole
          ? undefined
          : say`**I can't read all redirects of ${env.name},** or not every part of them, so something may be missing here.`,
      ),
      source: joined(
        [
          isOne ? `all of them for ${domain}` : undefined,
          readAt(now),
          regex ? 'the host tried the expression' : undefined,
        ],
        '; ',
      ),
      offers: [{ label: 'Add a redirect', opens: 'form', args: ['redirects', 'add', env.id] }],
    };
  },
});

const searchInWords = ({ search, regex }: FieldValues): Text =>
  search === undefined ? [] : regex ? say`matching ${code(search)} · ` : say`with “${search}” · `;

const emptyText = ({ env, search }: FieldValues): Text =>
  search === undefined
    ? say`${env.name} has no redirects. Add the first one with ${typed('redirects add')}.`
    : say`No redirect of ${env.name} matches. Leave the search out to see all of them.`;

/** Sorts the rules here too, because some hosts do not sort. */
function sorted(
  rules: readonly RedirectRule[],
  key: FieldValues['sort'],
  descending: boolean,
): readonly RedirectRule[] {
  if (key === undefined) return rules;
  const sign = descending ? -1 : 1;
  return rules.toSorted((one, other) => sign * order.compare(one[key] ?? '', other[key] ?? ''));
}

const order = new Intl.Collator('en');
