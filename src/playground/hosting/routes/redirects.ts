import { z } from 'zod';
import { type Dialect, digits, direction, paged, type Route } from '../endpoint.ts';
import { missing, Refused } from '../refused.ts';
import { nothing, ok } from '../reply.ts';
import type { Environment, RedirectRule } from '../resources.ts';

const maxRules = 5_000;
const text = z.string().max(2_000);
const isTarget = (to: string): boolean => to.startsWith('/') || /^https?:\/\/[^\s/]/i.test(to);
const sortKey = z.enum(['domain', 'from', 'to', 'type']);
const yesNo = z.enum(['true', 'false']);

const type = z.enum(['permanent', 'redirect']);
const orNothing = (value: string | null | undefined): string => value ?? '';
const silent = text.nullish().transform(orNothing);

/** Rules in requests. The document requires no field, and its list of identifying fields lacks `type`. */
const lenient = {
  rule: ruleOf({ type: type.default('permanent'), domain: silent, cell: silent }),
  named: ruleOf({ type: type.optional(), domain: silent, cell: silent }, text),
};
/** The public service requires all fields but visitors' places. Null means none; an empty text is invalid. */
const nullable = text.min(1).nullable();
const strict = {
  rule: ruleOf({ type, domain: nullable.transform(orNothing), cell: nullable.optional().transform(orNothing) }),
  named: ruleOf({ type, domain: nullable.transform(orNothing), cell: nullable.optional().transform(orNothing) }, text),
};
type NamedRule = z.infer<typeof lenient.named>;

function ruleOf<T extends z.ZodType, D extends z.ZodType, C extends z.ZodType>(
  of: { readonly type: T; readonly domain: D; readonly cell: C },
  path?: z.ZodString,
) {
  return z.object({
    from: path ?? text.startsWith('/'),
    to: path ?? text.refine(isTarget, 'a path or a URL'),
    type: of.type,
    domain: of.domain,
    traffic_from_country: of.cell,
    traffic_from_country_name: of.cell,
    traffic_from_city: of.cell,
    displayed_location: of.cell,
  });
}

const listing = z.object({
  limit: digits.optional(),
  offset: digits.optional(),
  key: sortKey.optional(),
  order: direction.optional(),
  search_query: z.string().max(500).optional(),
  regex_search: yesNo.optional(),
});
type Listing = z.infer<typeof listing>;

const view = { limit: z.int().nonnegative().optional(), offset: z.int().nonnegative().optional() };
const search = {
  key: sortKey.optional(),
  order: direction.optional(),
  search_query: text.optional(),
  regex_search: yesNo.optional(),
};
const updates = { document: updateOf(lenient), kinsta: updateOf(strict) };
type Update = z.infer<typeof updates.document>;

function updateOf(shapes: typeof lenient | typeof strict) {
  const shared = { ...view, ...search };
  const named = z.array<z.ZodType<NamedRule>>(shapes.named).max(maxRules);
  const new_value: z.ZodType<RedirectRule> = shapes.rule;
  return z.discriminatedUnion('action_type', [
    z.object({ ...shared, action_type: z.literal('NEW'), new_value, rules_to_update: named.optional() }),
    z.object({ ...shared, action_type: z.literal('UPDATE'), new_value, rules_to_update: named.min(1) }),
    z.object({ ...shared, action_type: z.literal('DELETE'), rules_to_update: named.min(1) }),
    z.object({ ...shared, action_type: z.literal('DELETE_ALL'), rules_to_update: named.optional() }),
  ]);
}

/** The redirect rules of an environment. */
export const redirectRoutes: readonly Route[] = [
  {
    section: '4.2',
    method: 'GET',
    path: '/sites/environments/{env_id}/redirect-rules',
    errors: [400, 401, 404, 500],
    answer: (call, { world, dialect }) => {
      const wanted = call.query(listing);
      const { id, redirects } = world.environment(call.uuid());
      const found = sorted(redirects.filter(matching(wanted)), wanted);
      const defaultLimit = dialect === 'kinsta' ? 10 : undefined;
      const rules = paged(found, wanted.offset, wanted.limit ?? defaultLimit).map((one) => listedRule(one, dialect));
      const redirect_rules = { rules, redirect_rules_count: found.length };
      return ok({ environment: { id, container_info: { redirect_rules } } });
    },
  },
  {
    section: '4.3',
    method: 'POST',
    path: '/sites/environments/{env_id}/redirect-rules',
    errors: [400, 401, 404, 500],
    answer: (call, { world, dialect }) => {
      const id = call.uuid();
      const update = call.body(updates[dialect]);
      const environment = world.environment(id);
      environment.redirects = changed(environment, update);
      return nothing;
    },
  },
];

/** The public service sends null for an empty field. */
const listedRule = (rule: RedirectRule, dialect: Dialect): object =>
  dialect === 'document'
    ? rule
    : Object.fromEntries(Object.entries(rule).map(([name, value]) => [name, value === '' ? null : value]));

function changed({ redirects }: Environment, update: Update): RedirectRule[] {
  if (update.action_type === 'DELETE_ALL') return [];
  if (update.action_type === 'NEW') return unique([...redirects, update.new_value]);
  const matches = update.rules_to_update.map((name) => redirects.filter((one) => isNamed(one, name)));
  if (matches.some((rules) => rules.length === 0)) missing('redirect rule');
  const touched = new Set(matches.flat());
  if (update.action_type === 'DELETE') return redirects.filter((one) => !touched.has(one));
  return unique(redirects.map((one) => (touched.has(one) ? { ...update.new_value } : one)));
}

/** Rules have no id, so two with equal values would be indistinguishable. */
function unique(rules: readonly RedirectRule[]): RedirectRule[] {
  const distinct = rules.filter((one, at) => rules.findIndex((other) => isNamed(other, one)) === at);
  if (distinct.length > maxRules) throw new Refused('malformed', `at most ${maxRules} rules`);
  return distinct;
}

function isNamed(one: RedirectRule, name: NamedRule): boolean {
  return (
    one.from === name.from &&
    one.to === name.to &&
    one.domain === name.domain &&
    one.traffic_from_country === name.traffic_from_country &&
    one.traffic_from_country_name === name.traffic_from_country_name &&
    one.traffic_from_city === name.traffic_from_city &&
    one.displayed_location === name.displayed_location &&
    (name.type === undefined || one.type === name.type)
  );
}

function matching({ search_query: query = '', regex_search }: Listing): (one: RedirectRule) => boolean {
  const searched = (one: RedirectRule): string[] => [one.domain, one.from, one.to];
  if (regex_search !== 'true') {
    const needle = query.toLowerCase();
    return (one) => searched(one).some((field) => field.toLowerCase().includes(needle));
  }
  const pattern = expression(query);
  return (one) => searched(one).some((field) => pattern.test(field));
}

function expression(source: string): RegExp {
  try {
    return new RegExp(source);
  } catch {
    throw new Refused('address', 'search_query is not a regular expression');
  }
}

function sorted(rules: readonly RedirectRule[], { key, order }: Listing): RedirectRule[] {
  if (key === undefined) return [...rules];
  const sign = order === 'descend' ? -1 : 1;
  return rules.toSorted((a, b) => sign * a[key].localeCompare(b[key]));
}
