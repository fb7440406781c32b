import { z } from 'zod';
import { names, values } from '../dialect.ts';
import { readEndpoint, writeEndpoint } from './endpoint.ts';
import { cell, wholeNumber, line, numberCell, sortOrder, wholeList } from './fields.ts';

/** Keeps null: a rule has no id and is identified by its whole value. */
const ruleCell = cell(z.string().nullable());
const ruleCells = {
  from: ruleCell,
  to: ruleCell,
  type: ruleCell,
  domain: ruleCell,
  traffic_from_country: ruleCell,
  traffic_from_country_name: ruleCell,
  traffic_from_city: ruleCell,
  displayed_location: ruleCell,
};
/** A cell that is there and can't be read is not the same as one that is empty: `hasUnread`. */
const redirectRule = z.looseObject({}).transform((raw) => {
  const rule = z.object(ruleCells).parse(raw);
  const isUnread = (name: string): boolean => raw[name] != null && typeof raw[name] !== 'string';
  return { ...rule, ...(Object.keys(ruleCells).some(isUnread) && { hasUnread: true as const }) };
});

/** The types of a new rule: permanent (301) or temporary (302). */
export const redirectTypes = values.redirectTypes;

const optionalText = line.nullish();
const ruleFields = {
  /** Required; null means all domains. It may include a scheme. */
  domain: line.nullable(),
  traffic_from_country: optionalText,
  traffic_from_country_name: optionalText,
  traffic_from_city: optionalText,
  displayed_location: optionalText,
};
/** An existing rule is named exactly as it was read, whatever its values. */
const namedRule = z.strictObject({ from: optionalText, to: optionalText, type: optionalText, ...ruleFields });
const newRule = z.strictObject({
  from: line.min(1),
  to: line.min(1),
  type: z.enum(redirectTypes),
  ...ruleFields,
});

const selection = {
  limit: wholeNumber.optional(),
  offset: wholeNumber.optional(),
  key: z.enum(['domain', 'from', 'to', 'type']).optional(),
  order: sortOrder.optional(),
  search_query: line.optional(),
  regex_search: z.enum(['true', 'false']).optional(),
};

/** 4.2 */
export const listRedirects = readEndpoint({
  section: '4.2',
  path: '/sites/environments/{env_id}/redirect-rules',
  query: selection,
  statuses: [200, 400, 401, 404, 500],
  reply: z
    .object({
      environment: z.object({
        container_info: z.object({
          redirect_rules: z.object({ rules: wholeList(redirectRule), redirect_rules_count: numberCell }),
        }),
      }),
    })
    .transform(({ environment }) => environment.container_info.redirect_rules),
});

/** 4.3. Creates, changes or removes rules, named whole in `rules_to_update`. `DELETE_ALL` empties the list. */
export const updateRedirects = writeEndpoint({
  section: '4.3',
  method: 'POST',
  path: '/sites/environments/{env_id}/redirect-rules',
  body: {
    ...selection,
    [names.ruleAction]: z.enum(['DELETE', 'DELETE_ALL', 'NEW', 'UPDATE']),
    [names.newRule]: newRule.optional(),
    rules_to_update: z.array(namedRule).max(5_000).readonly().optional(),
  },
  statuses: [200, 400, 401, 404, 500],
  unsound: ({ [names.ruleAction]: action, [names.newRule]: wanted, rules_to_update: named = [] }) => {
    const makes = action === 'NEW' || action === 'UPDATE';
    const picks = action === 'DELETE' || action === 'UPDATE';
    if (makes !== (wanted !== undefined)) return `${names.newRule} ${makes ? 'is missing' : 'says nothing here'}`;
    return picks === named.length > 0 ? undefined : `rules_to_update ${picks ? 'names no rule' : 'says nothing here'}`;
  },
});
