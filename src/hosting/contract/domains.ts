import { z } from 'zod';
import { names, values } from '../dialect.ts';
import { readEndpoint, writeEndpoint } from './call.ts';
import {
  cell,
  filledLine,
  trueOrFalse,
  flagCell,
  idCell,
  partialList,
  secretReference,
  textCell,
  uuid,
  line,
  numberCell,
  wholeList,
  wholeNumber,
  sortOrder,
} from './fields.ts';

/** What stands in front of an environment: its domains, their certificates and DNS records, and its redirects. */

const companyDomain = z.object({ id: idCell, name: textCell, site_id: idCell, is_active: flagCell });
const setupRecord = z.object({ name: textCell, value: textCell, type: textCell });
export type CompanyDomain = z.output<typeof companyDomain>;

/** The ways to set up a domain: at once, or without downtime for one that already has visitors. */
export const setupTypes = values.setupTypes;

/** 4.4. Key and certificate are references: a stored call contains neither. */
export const addDomain = writeEndpoint({
  section: '4.4',
  method: 'POST',
  path: '/sites/environments/{env_id}/domains',
  body: {
    domain_name: filledLine.max(253),
    is_wildcardless: trueOrFalse.optional(),
    add_with_www_subdomain: trueOrFalse.optional(),
    setup_type: z.enum(setupTypes).optional(),
    custom_ssl_key: secretReference.optional(),
    custom_ssl_cert: secretReference.optional(),
  },
  operation: 'sites:add-domain',
  statuses: [202, 400, 401, 500],
  unsound: (domain) => {
    if (domain.is_wildcardless && domain.add_with_www_subdomain) return 'www cannot be added without the wildcard';
    if (!domain.custom_ssl_key !== !domain.custom_ssl_cert) return 'a certificate and its key come together';
    return undefined;
  },
});

const setupRecords = z.object({
  site_domain: z.object({
    verification_records: cell(partialList(setupRecord)),
    pointing_records: cell(partialList(setupRecord)),
  }),
});

/** 4.5. `site_domain_id` is the `id` of 4.7. */
export const getVerificationRecords = readEndpoint({
  section: '4.5',
  path: '/sites/environments/domains/{site_domain_id}/verification-records',
  statuses: [200, 401, 404, 500],
  reply: setupRecords.transform(({ site_domain }) => site_domain),
});

/** 4.7. `site_id` may be missing. */
export const listDomains = readEndpoint({
  section: '4.7',
  path: '/domains',
  query: { [names.company]: uuid },
  statuses: [200, 401, 404, 500],
  reply: z
    .object({ company: z.object({ domains: partialList(companyDomain) }) })
    .transform(({ company }) => company.domains),
});

/** A secret as a call refers to it: its name, and the hash of its value when the call was made. */
export type SecretReference = z.output<typeof secretReference>;

/** A certificate on this machine with its key. Neither is sent through Slack or stored in the database. */
export type Certificate = {
  readonly key: SecretReference;
  readonly chain: SecretReference;
  /** The domains it covers, including wildcards. */
  readonly names: readonly string[];
  /** Epoch milliseconds. */
  readonly validUntil: number;
};

const dnsRecord = z.object({
  type: textCell,
  name: textCell,
  /** Seconds. */
  ttl: numberCell,
  /** Undefined: not known. */
  resource_records: cell(partialList(z.object({ value: z.string() }))),
});

const recordValues = z
  .array(z.strictObject({ value: filledLine }))
  .max(500)
  .readonly();

/** 4.6. `ttl` in seconds, within what DNS itself allows. */
export const updateDnsRecord = writeEndpoint({
  section: '4.6',
  method: 'PUT',
  path: '/domains/{domain_id}/dns-records',
  body: {
    type: filledLine.max(16),
    name: line.max(255),
    ttl: z.int().min(0).max(2_147_483_647),
    new_resource_records: recordValues,
    removed_resource_records: recordValues,
  },
  operation: 'domains:update-dns-record',
  statuses: [202, 400, 401, 500],
});

/** 4.6a. Changes rely on this list, so a missing one is an odd answer. */
export const listDnsRecords = readEndpoint({
  section: '4.6a',
  path: '/domains/{domain_id}/dns-records',
  statuses: [200, 401, 500],
  reply: z
    .object({ domain: z.object({ dns_records: wholeList(dnsRecord) }) })
    .transform(({ domain }) => domain.dns_records),
});

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
const ruleRow = z.object(ruleCells);
/** A cell that is there and can't be read is not the same as one that is empty: `hasUnread`. */
const redirectRule = z.looseObject({}).transform((raw) => {
  const rule = ruleRow.parse(raw);
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
