import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { routes } from '../../../src/playground/hosting/routes/table.ts';
import { companyId, domainId } from '../../../src/playground/hosting/seed/ids.ts';
import { call, live, shop, staging, start } from './calling.ts';

const id = z.guid();
const text = z.string();
const orNull = text.nullable();
const environment = (fields: z.ZodRawShape) => z.strictObject({ environment: z.strictObject(fields) });

const accepted = (prefix: string) => {
  const operation = new RegExp(`^${prefix}-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`);
  return z.strictObject({ message: text, status: z.literal(202), operation_id: text.regex(operation) });
};
const nothing = z.strictObject({ result: z.null() });

const themeEntry = z.strictObject({
  id,
  site_display_name: text,
  display_name: text,
  theme_status: text,
  theme_update: orNull,
  theme_version: text,
  is_theme_version_vulnerable: z.boolean(),
  theme_update_version: orNull,
  is_theme_update_version_vulnerable: z.boolean(),
  theme_update_status: orNull,
  auto_update_type: z.enum(['Platform Auto Update', 'Service Automatic Update']).nullable(),
});
const companyTheme = z.strictObject({
  name: text,
  title: text,
  description: text,
  latest_version: orNull,
  is_latest_version_vulnerable: z.boolean(),
  environment_count: z.number(),
  update_count: z.number(),
  environments: z.array(themeEntry).min(1),
});
const companyThemes = z.strictObject({
  company: z.strictObject({
    themes: z.strictObject({
      total: z.number(),
      last_updated_at: z.iso.datetime(),
      items: z.array(companyTheme).min(1),
    }),
  }),
});
const legacyTheme = z.strictObject({
  name: text,
  title: text,
  status: text,
  version: text,
  update: text,
  update_version: text,
  update_status: text,
});
const rule = z.strictObject({
  from: text.startsWith('/'),
  to: text,
  type: text,
  domain: text,
  traffic_from_country: text,
  traffic_from_country_name: text,
  traffic_from_city: text,
  displayed_location: text,
});
const rules = environment({
  id,
  container_info: z.strictObject({
    redirect_rules: z.strictObject({ rules: z.array(rule).min(24), redirect_rules_count: z.number().min(24) }),
  }),
});
const shown = z.array(z.strictObject({ name: text, value: text, type: text })).min(1);
const value = z.strictObject({ value: text });
const dns = z.strictObject({ type: text, name: text, ttl: z.int(), resource_records: z.array(value).min(1) });
const domain = z.strictObject({ id, name: text, site_id: id, is_active: z.boolean() });
const file = z.strictObject({ name: text, path: text, children: z.array(z.unknown()).optional() });
const backup = z.strictObject({ id: z.int(), name: text, note: text, type: text, created_at: z.int().min(1e12) });

type Row = readonly [
  section: string,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body: object | undefined,
  status: 200 | 202,
  shape: z.ZodType,
];
const at = `/sites/environments/${live}`;
const aDomain = domainId(1);

/** Every endpoint of the document, called once as its section says. */
const rows: readonly Row[] = [
  ['4.1', 'GET', `/company/${companyId}/wp-themes`, { limit: 3 }, 200, companyThemes],
  ['4.2', 'GET', `${at}/redirect-rules`, undefined, 200, rules],
  ['4.3', 'POST', `${at}/redirect-rules`, { action_type: 'DELETE_ALL' }, 200, nothing],
  ['4.4', 'POST', `${at}/domains`, { domain_name: 'more.example' }, 202, accepted('sites:add-domain')],
  [
    '4.5',
    'GET',
    `/sites/environments/domains/${aDomain}/verification-records`,
    undefined,
    200,
    z.strictObject({ site_domain: z.strictObject({ verification_records: shown, pointing_records: shown }) }),
  ],
  [
    '4.6',
    'PUT',
    `/domains/${aDomain}/dns-records`,
    { type: 'A', name: 'acme-shop.example', ttl: 60 },
    202,
    accepted('domains:update-dns-record'),
  ],
  [
    '4.6a',
    'GET',
    `/domains/${aDomain}/dns-records`,
    undefined,
    200,
    z.strictObject({ domain: z.strictObject({ dns_records: z.array(dns).min(1) }) }),
  ],
  [
    '4.7',
    'GET',
    `/domains?company=${companyId}`,
    undefined,
    200,
    z.strictObject({ company: z.strictObject({ domains: z.array(domain).min(12) }) }),
  ],
  [
    '4.8',
    'POST',
    '/sites/clone',
    { company: companyId, display_name: 'Copy', source_env_id: live },
    202,
    accepted('site:clone'),
  ],
  [
    '4.9',
    'PUT',
    `/sites/${shop}/environments`,
    { source_env_id: staging, target_env_id: live },
    202,
    accepted('environments:push'),
  ],
  ['4.10', 'DELETE', `/sites/environments/${staging}`, undefined, 202, accepted('environments:delete')],
  [
    '4.11',
    'PUT',
    '/sites/cdn/image-optimization',
    { environment_id: live, image_optimization_type: 'lossy' },
    202,
    accepted('cdn:update-image-optimization'),
  ],
  ['4.12', 'POST', '/sites/tools/clear-cache', { environment_id: live }, 202, accepted('cache:clear')],
  [
    '4.13',
    'PUT',
    `${at}/themes/bulk-update`,
    { themes: [{ name: 'meridian' }] },
    202,
    accepted('wp-themes:bulk-update'),
  ],
  [
    '4.14',
    'GET',
    `${at}/themes`,
    undefined,
    200,
    environment({
      id,
      container_info: z.strictObject({ id, wp_themes: z.strictObject({ data: z.array(legacyTheme).min(1) }) }),
    }),
  ],
  ['4.15', 'POST', `${at}/ssh/change-expiration-interval`, { exp_interval: 'days_7' }, 200, nothing],
  ['4.16', 'POST', `${at}/ssh/set-allowed-ips`, { ip_allowlist: ['192.0.2.1'] }, 200, nothing],
  [
    '4.17',
    'GET',
    `${at}/ssh/get-allowed-ips`,
    undefined,
    200,
    environment({ active_container: z.strictObject({ sftp_ip_allowlist: z.array(text).min(1) }) }),
  ],
  ['4.18', 'POST', `${at}/ssh/set-password-status`, { is_enabled: false }, 200, nothing],
  [
    '4.19',
    'GET',
    `${at}/logs?file_name=access&lines=10`,
    undefined,
    200,
    environment({ container_info: z.strictObject({ logs: text.min(1) }) }),
  ],
  ['4.20', 'GET', `${at}/file-list`, undefined, 200, environment({ id, file_list: z.array(file).min(1) })],
  [
    '4.21',
    'GET',
    `${at}/next-downloadable-backup-available`,
    undefined,
    200,
    z.strictObject({ is_backup_available: z.boolean(), reset_at: text.regex(/GMT$/) }),
  ],
  [
    '4.22',
    'GET',
    `${at}/backups`,
    undefined,
    200,
    environment({ display_name: text, backups: z.array(backup).min(3) }),
  ],
];

describe('all endpoints of the document', () => {
  test.each(rows)('%s %s %s', async (section, method, path, body, status, shape) => {
    const hosting = await start();
    const answer = await call(hosting, method, path, { body });
    expect(answer).toMatchObject({ status });
    expect(shape.safeParse(answer.body).error?.issues ?? []).toEqual([]);
    expect(hosting.journal.entries()).toMatchObject([{ section, status, state: 'answered' }]);
  });

  test('are listed once each in the table of routes and here', () => {
    const sections = ['4.6a', ...Array.from({ length: 22 }, (_, index) => `4.${index + 1}`)].toSorted();
    expect(rows.map(([section]) => section).toSorted()).toEqual(sections);
    const routed = routes.map(({ section }) => section).filter((section) => section !== 'beyond');
    expect(routed.toSorted()).toEqual(sections);
  });
});
