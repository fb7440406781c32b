import { expect, test } from 'vitest';
import { catalogue } from './catalogue.ts';

type Line = readonly [section: string, request: string, statuses: string, fields: string, operation?: string];

const redirects = 'limit offset key order search_query regex_search';

/**
 * The document, section by section, written by hand: request, statuses, names of query (?) and body fields, operation
 * kind.
 */
const document: readonly Line[] = [
  ['4.1', 'GET /company/{id}/wp-themes', '200 401 404 500', 'offset limit search status column order_by'],
  ['4.2', 'GET /sites/environments/{env_id}/redirect-rules', '200 400 401 404 500', `? ${redirects}`],
  [
    '4.3',
    'POST /sites/environments/{env_id}/redirect-rules',
    '200 400 401 404 500',
    `${redirects} action_type new_value rules_to_update`,
  ],
  [
    '4.4',
    'POST /sites/environments/{env_id}/domains',
    '202 400 401 500',
    'domain_name is_wildcardless add_with_www_subdomain setup_type custom_ssl_key custom_ssl_cert',
    'sites:add-domain',
  ],
  ['4.5', 'GET /sites/environments/domains/{site_domain_id}/verification-records', '200 401 404 500', ''],
  [
    '4.6',
    'PUT /domains/{domain_id}/dns-records',
    '202 400 401 500',
    'type name ttl new_resource_records removed_resource_records',
    'domains:update-dns-record',
  ],
  ['4.6a', 'GET /domains/{domain_id}/dns-records', '200 401 500', ''],
  ['4.7', 'GET /domains', '200 401 404 500', '? company'],
  ['4.8', 'POST /sites/clone', '202 400 401 500', 'company display_name source_env_id', 'site:clone'],
  [
    '4.9',
    'PUT /sites/{site_id}/environments',
    '202 400 401 500',
    'source_env_id target_env_id push_db push_files run_search_and_replace push_files_option file_list',
    'environments:push',
  ],
  ['4.10', 'DELETE /sites/environments/{env_id}', '202 400 401 500', '', 'environments:delete'],
  [
    '4.11',
    'PUT /sites/cdn/image-optimization',
    '202 401 500',
    'environment_id image_optimization_type',
    'cdn:update-image-optimization',
  ],
  ['4.12', 'POST /sites/tools/clear-cache', '202 401 500', 'environment_id', 'cache:clear'],
  ['4.13', 'PUT /sites/environments/{env_id}/themes/bulk-update', '202 401 404 500', 'themes', 'wp-themes:bulk-update'],
  ['4.14', 'GET /sites/environments/{env_id}/themes', '200 401 404 500', ''],
  ['4.15', 'POST /sites/environments/{env_id}/ssh/change-expiration-interval', '200 400 401 500', 'exp_interval'],
  ['4.16', 'POST /sites/environments/{env_id}/ssh/set-allowed-ips', '200 400 401 500', 'ip_allowlist'],
  ['4.17', 'GET /sites/environments/{env_id}/ssh/get-allowed-ips', '200 400 401 404 500', ''],
  ['4.18', 'POST /sites/environments/{env_id}/ssh/set-password-status', '200 400 401 500', 'is_enabled'],
  ['4.19', 'GET /sites/environments/{env_id}/logs', '200 400 401 404 500', '? file_name lines from to search'],
  ['4.20', 'GET /sites/environments/{env_id}/file-list', '200 401 404 500', ''],
  ['4.21', 'GET /sites/environments/{env_id}/next-downloadable-backup-available', '200 401 404 500', ''],
  ['4.22', 'GET /sites/environments/{env_id}/backups', '200 401 404 500', ''],
];

const beyond: readonly Line[] = [
  ['operation', 'GET /operations/{operation_id}', '200 202 404 500', ''],
  ['sites', 'GET /sites', '200 404', '? company include_environments'],
  ['validate', 'GET /validate', '200 404', ''],
  ['restart-php', 'POST /sites/tools/restart-php', '202 404', 'environment_id'],
  ['wp-themes', 'GET /sites/environments/{env_id}/wp-themes', '200 404', ''],
];

const lines = (optional: boolean): readonly Line[] =>
  catalogue
    .filter((endpoint) => (endpoint.optional ?? false) === optional)
    .map(({ section, method, path, statuses, query, body, operation }) => {
      const fields = [...(query.length > 0 ? ['?', ...query] : []), ...body].join(' ');
      const line = [section, `${method} ${path}`, statuses.join(' '), fields] as const;
      return operation === undefined ? line : [...line, operation];
    });

test('the contract matches the document, section by section', () => {
  expect(document).toHaveLength(23);
  expect(lines(false)).toEqual(document);
});

test('and has five endpoints beyond it', () => {
  expect(lines(true)).toEqual(beyond);
});
