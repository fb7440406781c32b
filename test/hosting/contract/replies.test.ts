import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  getNextDownloadableBackup,
  listBackups,
  listFiles,
  getLogs,
  getAllowedIps,
} from '../../../src/hosting/contract/environment.ts';
import type { Read } from '../../../src/hosting/contract/call.ts';
import {
  listDnsRecords,
  getVerificationRecords,
  listDomains,
  listRedirects,
} from '../../../src/hosting/contract/domains.ts';
import { listSites, validateKey } from '../../../src/hosting/contract/sites.ts';
import { listCompanyThemes, listEnvironmentThemes } from '../../../src/hosting/contract/themes.ts';
import { uuid } from '../host.ts';

const env_id = uuid(1);
const backups = listBackups({ env_id });
const files = listFiles({ env_id });
const redirects = listRedirects({ env_id });
const dns = listDnsRecords({ domain_id: env_id });
const allowed = getAllowedIps({ env_id });
const themes = listCompanyThemes({ id: env_id });
const reads: readonly Read<unknown>[] = [
  backups,
  files,
  redirects,
  dns,
  allowed,
  themes,
  listEnvironmentThemes({ env_id }),
  getVerificationRecords({ site_domain_id: env_id }),
  listDomains({ company: env_id }),
  getLogs({ env_id, file_name: 'error' }),
  getNextDownloadableBackup({ env_id }),
  listSites({ company: env_id, include_environments: true }),
  validateKey({}),
];

describe('documented replies are read', () => {
  const theme = {
    name: 'twentytwenty',
    title: 'Twenty Twenty',
    description: '',
    latest_version: null,
    is_latest_version_vulnerable: false,
    environment_count: 1,
    update_count: 0,
    environments: [{ id: env_id, site_display_name: 'Acme Shop', display_name: 'Live', theme_status: 'active' }],
  };
  const rule = { from: '/a', to: 'https://b', type: 'permanent', domain: null, traffic_from_country: 'US' };
  const record = { type: 'A', name: 'www', ttl: 60, resource_records: [{ value: '192.0.2.1' }] };

  test.each([
    [
      themes,
      { company: { themes: { total: 1, last_updated_at: 'x', items: [theme] } } },
      { total: 1, items: { entries: [{ name: theme.name }], unread: 0 } },
    ],
    [
      redirects,
      { environment: { id: env_id, container_info: { redirect_rules: { rules: [rule], redirect_rules_count: 1 } } } },
      { rules: [rule], redirect_rules_count: 1 },
    ],
    [
      dns,
      { domain: { dns_records: [record] } },
      [{ ...record, resource_records: { entries: record.resource_records, unread: 0 } }],
    ],
    [allowed, { environment: { active_container: { sftp_ip_allowlist: ['192.0.2.1'] } } }, ['192.0.2.1']],
    [allowed, { environment: { active_container: { stfp_ip_allowlist: [] } } }, []],
    [
      allowed,
      { environment: { active_container: { sftp_ip_allowlist: ['192.0.2.1'], stfp_ip_allowlist: [] } } },
      ['192.0.2.1'],
    ],
    [
      files,
      { environment: { id: env_id, file_list: [{ name: 'a', path: 'a', children: [{ name: 'b', path: 'a/b' }] }] } },
      { entries: [{ name: 'a', path: 'a', children: [{ name: 'b', path: 'a/b' }] }], unread: 0 },
    ],
    [getNextDownloadableBackup({ env_id }), { is_backup_available: true, reset_at: 'soon' }, { reset_at: 'soon' }],
  ] satisfies [Read<unknown>, unknown, object][])('%#', (call, answer, expected) => {
    expect(call.reply.parse(answer)).toMatchObject(expected);
  });
});

describe('a missing or odd field loses only itself', () => {
  test('of a backup', () => {
    const odd = [{ id: 'x', name: null, note: 7, created_at: 'now', more: 1 }, 'no backup', null, { id: 2 }];
    expect(backups.reply.parse({ environment: { backups: odd } })).toEqual({ entries: [{}, { id: 2 }], unread: 2 });
  });

  test('of a file', () => {
    const odd = [
      { name: 1, children: 'none' },
      { name: 'b', children: [null, { path: 'b/c' }] },
    ];
    expect(files.reply.parse({ environment: { file_list: odd } }).entries).toEqual([
      { children: [], unread: 1 },
      { name: 'b', children: [{ path: 'b/c' }], unread: 1 },
    ]);
  });

  test('of a theme', () => {
    const items = [{ environments: [{ id: 1 }, 'x'] }, { name: 'y', environments: null }];
    expect(themes.reply.parse({ company: { themes: { items } } }).items.entries).toEqual([
      { environments: { entries: [{}], unread: 1 } },
      { name: 'y' },
    ]);
  });
});

test.each([
  [1_767_225_600_000, 1_767_225_600_000],
  [1_767_225_600, 1_767_225_600_000],
  [99_999_999_999, 99_999_999_999_000],
  [100_000_000_000, 100_000_000_000],
  [0, undefined],
  [-5, undefined],
  [1e300, undefined],
  ['2026-01-01', undefined],
  [null, undefined],
])('created_at %j is %s ms', (created_at, moment) => {
  const [backup] = backups.reply.parse({ environment: { backups: [{ created_at }] } }).entries;
  expect(backup?.created_at).toBe(moment);
});

describe('a list', () => {
  const absent = { environment: {}, domain: {}, company: { themes: {} } };
  const domains = listDomains({ company: env_id });
  const ownThemes = listEnvironmentThemes({ env_id });

  test.each([
    ['backups', backups, absent],
    ['backups, null', backups, { environment: { backups: null } }],
    ['files', files, absent],
    ['files, null', files, { environment: { file_list: null } }],
    ['themes', themes, absent],
    ['themes of an environment', ownThemes, { environment: { container_info: { wp_themes: { data: null } } } }],
    ['domains', domains, { company: { domains: null } }],
    ['sites', listSites({ company: env_id, include_environments: true }), { company: { sites: null } }],
  ] satisfies [string, Read<unknown>, unknown][])(
    'that is absent is an odd answer and never empty: %s',
    (_, call, answer) => {
      expect(call.reply.safeParse(answer).success).toBe(false);
    },
  );

  test.each([
    ['absent', {}, undefined],
    ['null', { resource_records: null }, undefined],
    ['another thing', { resource_records: '192.0.2.1' }, undefined],
    ['odd in part', { resource_records: [{ value: '192.0.2.1' }, { value: null }, null] }, 2],
    ['empty', { resource_records: [] }, 0],
  ])('inside an entry is unknown where it can not be read: %s', (_, more, unread) => {
    const [record] = dns.reply.parse({ domain: { dns_records: [{ type: 'A', name: 'www', ...more }] } });
    expect(record?.resource_records?.unread).toBe(unread);
  });

  test('is left out by some hosts: the domains of an environment, one kind of records', () => {
    const { sites, isWhole } = listSites({ company: env_id, include_environments: true }).reply.parse({
      company: { sites: [{ id: env_id, environments: [{ id: env_id }] }] },
    });
    expect([isWhole, sites[0]?.environments?.entries]).toEqual([true, [{ id: env_id }]]);
    const body = { site_domain: { pointing_records: [] } };
    expect(getVerificationRecords({ site_domain_id: env_id }).reply.parse(body)).toEqual({
      pointing_records: { entries: [], unread: 0 },
    });
  });

  test.each([
    ['the allowlist', allowed, { environment: { active_container: {} } }],
    ['the allowlist, null', allowed, { environment: { active_container: { sftp_ip_allowlist: null } } }],
    ['an odd address', allowed, { environment: { active_container: { sftp_ip_allowlist: ['192.0.2.1', 7] } } }],
    ['the rules', redirects, { environment: { container_info: { redirect_rules: {} } } }],
    ['an odd rule', redirects, { environment: { container_info: { redirect_rules: { rules: ['x'] } } } }],
    ['the records', dns, absent],
    ['another thing than backups', backups, { environment: { backups: {} } }],
    ['no environment', backups, {}],
  ] satisfies [string, Read<unknown>, unknown][])(
    'is an odd answer if a change may depend on it: %s',
    (_, call, answer) => {
      expect(call.reply.safeParse(answer).success).toBe(false);
    },
  );
});

test('__proto__ is treated as an unknown field', () => {
  const answer: unknown = JSON.parse(
    '{"environment":{"__proto__":{"backups":[1]},"backups":[{"__proto__":{"name":"x"},"id":1}]}}',
  );
  const [backup] = backups.reply.parse(answer).entries;
  expect(backup).toEqual({ id: 1 });
  expect(backup?.name).toBeUndefined();
  expect(Object.getPrototypeOf({})).toBe(Object.prototype);
});

test('no JSON answer throws, for any call', () => {
  fc.assert(
    fc.property(fc.constantFrom(...reads), fc.jsonValue({ maxDepth: 6 }), (call, answer) => {
      expect(() => call.reply.safeParse(answer)).not.toThrow();
    }),
  );
});
