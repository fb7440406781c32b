import { beforeAll, afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { routes } from '../../../src/playground/hosting/routes/table.ts';
import { companyId, domainId, seededId } from '../../../src/playground/hosting/seed/ids.ts';
import { type HostingStandIn, startHosting } from '../../../src/playground/hosting/server.ts';
import { at, call, exchange, live, nowhere, shop, staging, start } from './calling.ts';

let hosting: HostingStandIn;
beforeAll(async () => {
  hosting = await startHosting();
});
afterAll(() => hosting.close());

const messages = {
  400: 'Bad request format',
  401: 'No or invalid API key provided to the request',
  404: 'Could not find data or the user does not have permissions to retrieve it',
  500: 'Error occurred while processing your request',
};
type Refused = keyof typeof messages;

/** The whole world as text, which a refusal must not change. */
const world = (): string => JSON.stringify([hosting.world, hosting.operations.list()]);

async function refuses(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH',
  path: string,
  status: Refused,
  sent: Parameters<typeof call>[3] = {},
): Promise<void> {
  const before = world();
  const answer = await call(hosting, method, path, sent);
  expect(answer).toMatchObject({ status, body: { status, message: messages[status] } });
  expect(world()).toBe(before);
}

describe('without the key', () => {
  const everywhere = routes.map(({ method, path }) => [method, path.replace(/\{\w+\}/, live)] as const);
  test.each(everywhere)('%s %s is 401', async (method, path) => {
    await refuses(method, path, 401, { headers: { authorization: 'Bearer wrong' } });
  });

  test.each(['', 'Bearer', 'Bearer ', 'Basic cGxheWdyb3VuZA==', 'playground-hosting-key'])(
    'with "%s" instead it is 401',
    (authorization) => refuses('GET', `/domains?company=${companyId}`, 401, { headers: { authorization } }),
  );
});

describe('missing resources', () => {
  const env = `/sites/environments/${nowhere}`;
  const named = { environment_id: nowhere };
  test.each([
    ['GET', `/company/${nowhere}/wp-themes`, 404, undefined],
    ['GET', `${env}/redirect-rules`, 404, undefined],
    ['POST', `${env}/redirect-rules`, 404, { action_type: 'DELETE_ALL' }],
    ['POST', `${env}/domains`, 400, { domain_name: 'a.example' }],
    ['GET', `/sites/environments/domains/${nowhere}/verification-records`, 404, undefined],
    ['PUT', `/domains/${nowhere}/dns-records`, 400, { type: 'A', name: 'x' }],
    ['GET', `/domains/${nowhere}/dns-records`, 500, undefined],
    ['GET', `/domains?company=${nowhere}`, 404, undefined],
    ['POST', '/sites/clone', 400, { company: companyId, display_name: 'x', source_env_id: nowhere }],
    ['POST', '/sites/clone', 400, { company: nowhere, display_name: 'x', source_env_id: live }],
    ['PUT', `/sites/${nowhere}/environments`, 400, { source_env_id: staging, target_env_id: live }],
    ['PUT', `/sites/${shop}/environments`, 400, { source_env_id: nowhere, target_env_id: live }],
    ['PUT', `/sites/${shop}/environments`, 400, { source_env_id: staging, target_env_id: seededId('acme-blog/live') }],
    ['DELETE', env, 400, undefined],
    ['PUT', '/sites/cdn/image-optimization', 500, { ...named, image_optimization_type: 'off' }],
    ['POST', '/sites/tools/clear-cache', 500, named],
    ['PUT', `${env}/themes/bulk-update`, 404, { themes: [{ name: 'kiln' }] }],
    ['PUT', `/sites/environments/${live}/themes/bulk-update`, 404, { themes: [{ name: 'kiln' }, { name: 'nope' }] }],
    ['GET', `${env}/themes`, 404, undefined],
    ['POST', `${env}/ssh/change-expiration-interval`, 400, { exp_interval: 'never' }],
    ['POST', `${env}/ssh/set-allowed-ips`, 400, { ip_allowlist: [] }],
    ['GET', `${env}/ssh/get-allowed-ips`, 404, undefined],
    ['POST', `${env}/ssh/set-password-status`, 400, { is_enabled: true }],
    ['GET', `${env}/logs?file_name=error`, 404, undefined],
    ['GET', `${env}/file-list`, 404, undefined],
    ['GET', `${env}/next-downloadable-backup-available`, 404, undefined],
    ['GET', `${env}/backups`, 404, undefined],
  ] as const)('%s %s is %i', (method, path, status, body) => refuses(method, path, status, { body }));
});

describe('refusals of the public service that the document leaves open', () => {
  const env = `/sites/environments/${live}`;
  const rule = { from: '/summer', to: '/sale/', type: 'permanent', domain: null };
  const { domain: _, ...noDomain } = rule;
  const { type: __, ...noType } = rule;
  const add = (new_value: object) => ({ action_type: 'NEW', new_value });
  const remove = (one: object) => ({ action_type: 'DELETE', rules_to_update: [one] });
  test.each([
    ['a new redirect without its domain', 'POST', `${env}/redirect-rules`, add(noDomain)],
    ['a new redirect without its type', 'POST', `${env}/redirect-rules`, add(noType)],
    ['a redirect named without its domain', 'POST', `${env}/redirect-rules`, remove(noDomain)],
    ['a redirect named without its type', 'POST', `${env}/redirect-rules`, remove(noType)],
    ['a TTL below 300', 'PUT', `/domains/${domainId(1)}/dns-records`, { type: 'A', name: 'x.example', ttl: 299 }],
  ] as const)('%s', async (_, method, path, body) => {
    const [strict, lenient] = await Promise.all([start({ dialect: 'kinsta' }), start()]);
    const setUp = { body: add(rule) };
    for (const hosting of [strict, lenient]) await call(hosting, 'POST', `${env}/redirect-rules`, setUp);
    expect((await call(strict, method, path, { body })).status).toBe(400);
    expect((await call(lenient, method, path, { body })).status).toBeLessThan(300);
  });

  test('it sends null for empty fields of a redirect, takes null for them, and lists ten by default', async () => {
    const hosting = await start({ dialect: 'kinsta' });
    await call(hosting, 'POST', `${env}/redirect-rules`, { body: add(rule) });
    const { body } = await call(hosting, 'GET', `${env}/redirect-rules?search_query=/sale/`);
    const [listed] = rulesIn.parse(at(body, 'environment', 'container_info', 'redirect_rules', 'rules'));
    expect(listed).toMatchObject({ ...rule, traffic_from_country: null });
    const named = { body: remove({ ...listed, domain: '' }) };
    expect((await call(hosting, 'POST', `${env}/redirect-rules`, named)).status).toBe(400);
    expect((await call(hosting, 'POST', `${env}/redirect-rules`, { body: remove({ ...listed }) })).status).toBe(200);
    const all = (await call(hosting, 'GET', `${env}/redirect-rules`)).body;
    expect(at(all, 'environment', 'container_info', 'redirect_rules', 'rules')).toHaveLength(10);
  });
});

test('the public service accepts an update of themes with 202 only in the body', async () => {
  const update = { body: { themes: [{ name: 'meridian' }] } };
  const path = `/sites/environments/${live}/themes/bulk-update`;
  const answer = await call(await start({ dialect: 'kinsta' }), 'PUT', path, update);
  expect(answer).toMatchObject({ status: 200, body: { status: 202 } });
});
const rulesIn = z.array(z.record(z.string(), z.unknown()));

describe('malformed requests', () => {
  const env = `/sites/environments/${live}`;
  const push = { source_env_id: staging, target_env_id: live };
  const redirect = { from: '/a', to: '/b' };
  test.each([
    ['GET', `/company/${companyId}/wp-themes`, 500, { status: 'broken' }],
    ['GET', `/company/${companyId}/wp-themes`, 500, { order_by: { field: 'name' } }],
    ['GET', '/company/acme/wp-themes', 404, undefined],
    ['GET', `${env}/redirect-rules?limit=many`, 400, undefined],
    ['GET', `${env}/redirect-rules?key=country`, 400, undefined],
    ['GET', `${env}/redirect-rules?order=up`, 400, undefined],
    ['GET', `${env}/redirect-rules?regex_search=yes`, 400, undefined],
    ['GET', `${env}/redirect-rules?regex_search=true&search_query=%28`, 400, undefined],
    ['POST', `${env}/redirect-rules`, 400, {}],
    ['POST', `${env}/redirect-rules`, 400, { action_type: 'REMOVE' }],
    ['POST', `${env}/redirect-rules`, 400, { action_type: 'NEW' }],
    ['POST', `${env}/redirect-rules`, 400, { action_type: 'NEW', new_value: { ...redirect, type: 'temporary' } }],
    ['POST', `${env}/redirect-rules`, 400, { action_type: 'NEW', new_value: { ...redirect, from: 'a' } }],
    ['POST', `${env}/redirect-rules`, 400, { action_type: 'NEW', new_value: { ...redirect, to: 'javascript:1' } }],
    ['POST', `${env}/redirect-rules`, 400, { action_type: 'DELETE', rules_to_update: [] }],
    ['POST', `${env}/redirect-rules`, 404, { action_type: 'DELETE', rules_to_update: [redirect] }],
    ['POST', `${env}/domains`, 400, { domain_name: 'no domain' }],
    ['POST', `${env}/domains`, 400, { domain_name: 'a.example', setup_type: 'slow' }],
    ['POST', `${env}/domains`, 400, { domain_name: 'a.example', is_wildcardless: true, add_with_www_subdomain: true }],
    ['PUT', `/domains/${domainId(1)}/dns-records`, 400, { name: 'x' }],
    ['PUT', `/domains/${domainId(1)}/dns-records`, 400, { type: 'A', name: 'x', ttl: -1 }],
    ['PUT', `/domains/${domainId(1)}/dns-records`, 400, { type: 'A', name: 'x', ttl: 2 ** 31 }],
    ['PUT', `/domains/${domainId(1)}/dns-records`, 400, { type: 'A', name: 'x', new_resource_records: ['192.0.2.1'] }],
    ['GET', '/domains', 404, undefined],
    ['POST', '/sites/clone', 400, { company: companyId, display_name: ' ', source_env_id: live }],
    ['PUT', `/sites/${shop}/environments`, 400, { ...push, target_env_id: staging }],
    ['PUT', `/sites/${shop}/environments`, 400, { ...push, push_db: 'true' }],
    ['PUT', `/sites/${shop}/environments`, 400, { ...push, push_files_option: 'SPECIFIC_FILES' }],
    ['PUT', `/sites/${shop}/environments`, 400, { ...push, file_list: ['/etc/passwd'] }],
    ['PUT', `/sites/${shop}/environments`, 400, { ...push, file_list: ['wp-content/../../x'] }],
    ['DELETE', '/sites/environments/acme-shop', 400, undefined],
    ['PUT', '/sites/cdn/image-optimization', 500, { environment_id: live, image_optimization_type: 'best' }],
    ['POST', '/sites/tools/clear-cache', 500, { environment: live }],
    ['PUT', `${env}/themes/bulk-update`, 500, { themes: ['kiln'] }],
    ['POST', `${env}/ssh/change-expiration-interval`, 400, { exp_interval: 'days_8' }],
    ['POST', `${env}/ssh/change-expiration-interval`, 400, {}],
    ...['10.0.0.256', '010.0.0.1', '10.0.0.0/33', '10.0.0.1/', '1.2.3.4/08', 'fe80::1%eth0', 'a.example', ''].map(
      (address) => ['POST', `${env}/ssh/set-allowed-ips`, 400, { ip_allowlist: [address] }] as const,
    ),
    ['POST', `${env}/ssh/set-allowed-ips`, 400, { ip_allowlist: '10.0.0.1' }],
    ['POST', `${env}/ssh/set-password-status`, 400, { is_enabled: 'yes' }],
    ['GET', `${env}/logs`, 400, undefined],
    ['GET', `${env}/logs?file_name=kinsta-cache-perf`, 400, undefined],
    ['GET', `${env}/logs?file_name=error&lines=20001`, 400, undefined],
    ['GET', `${env}/logs?file_name=error&lines=0`, 400, undefined],
    ['GET', `${env}/logs?file_name=error&from=yesterday`, 400, undefined],
    ['GET', '/sites/environments/%E0%A4%A/logs?file_name=error', 400, undefined],
    ['GET', '/sites/environments/live/file-list', 404, undefined],
  ] as const)('%s %s is %i: %j', (method, path, status, body) => refuses(method, path, status, { body }));

  test.each([
    ['not JSON', { raw: '{"is_enabled":' }],
    ['an empty body', { raw: '' }],
    ['a list', { raw: '[]' }],
    ['another type', { body: { is_enabled: true }, headers: { 'content-type': 'text/plain' } }],
  ])('%s is 400', (_what, sent) => refuses('POST', `${env}/ssh/set-password-status`, 400, sent));

  test('a body with an announced size of over 8 MiB is refused unread', async () => {
    const head = ['PUT /v2/sites/cdn/image-optimization HTTP/1.1', 'host: x', `authorization: Bearer ${hosting.key}`];
    const { text } = await exchange(hosting, [...head, 'content-length: 9000000', '', ''].join('\r\n'));
    expect(text).toMatch(/^HTTP\/1\.1 500 [^]*connection: close[^]*"the body is too large"/i);
  });
});

describe('unknown paths', () => {
  test.each([
    ['GET', '/'],
    ['GET', '/nope'],
    ['GET', `/sites/environments/${live}/logs/`],
    ['PATCH', `/sites/environments/${live}`],
    ['POST', `/sites/environments/${live}/backups`],
  ] as const)('%s %s is 404', (method, path) => refuses(method, path, 404));

  test('nothing is served outside /v2', async () => {
    const root = { url: hosting.url.replace(/\/v2$/, ''), key: hosting.key };
    expect((await call(root, 'GET', `/domains?company=${companyId}`)).status).toBe(404);
    expect((await call(root, 'GET', `/v2x/domains?company=${companyId}`)).status).toBe(404);
  });
});
