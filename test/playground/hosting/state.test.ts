import { assert, asyncProperty, integer } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  companyId,
  domainId,
  environmentNames,
  seededId,
  siteNames,
} from '../../../src/playground/hosting/seed/ids.ts';
import { at, call, live, paths, settled, shop, staging, start } from './calling.ts';

const named = z.array(z.looseObject({ name: z.string() }));
const rules = z.array(z.looseObject({ from: z.string(), to: z.string(), type: z.string() }));
type Rules = z.infer<typeof rules>;

const env = `/sites/environments/${live}`;
const plain = {
  traffic_from_country: '',
  traffic_from_country_name: '',
  traffic_from_city: '',
  displayed_location: '',
};

test('the seeded ids are the same on every start', async () => {
  const { world } = await start();
  for (const site of siteNames) {
    expect(world.site(seededId(site)).name).toBe(site);
    for (const name of environmentNames)
      expect(world.environmentNamed(`${site}/${name}`)?.id).toBe(seededId(`${site}/${name}`));
  }
  expect(new Set(world.environments().map(({ id }) => id)).size).toBe(12);
  expect(() => seededId('acme-shop/nope')).toThrow('not seeded');
  expect(() => seededId('nope')).toThrow('not seeded');
});

test('the same seed gives the same world, another seed a different one', async () => {
  const now = (): number => Date.UTC(2025, 10, 21, 9);
  const rulesFor = async (seed: string): Promise<unknown> =>
    (await call(await start({ seed, now }), 'GET', `${env}/redirect-rules`)).body;
  expect(await rulesFor('one')).toEqual(await rulesFor('one'));
  expect(await rulesFor('one')).not.toEqual(await rulesFor('two'));
});

describe('a push', () => {
  const push = (more: object) => ({ source_env_id: staging, target_env_id: live, ...more });

  test('of everything makes the target equal to the source, after a backup', async () => {
    const hosting = await start();
    const [source, target] = [hosting.world.environment(staging), hosting.world.environment(live)];
    const backups = target.backups.length;
    target.themes.push({ name: 'canopy', version: '2.1.0', status: 'inactive', updateStatus: null, autoUpdate: null });
    expect(paths(target.files)).toContain('release-41.txt');
    await call(hosting, 'PUT', `/sites/${shop}/environments`, { body: push({}) });
    expect(target.backups[0]).toMatchObject({ type: 'system-generated' });
    expect(target.backups).toHaveLength(backups + 1);
    await settled(hosting);
    expect(target.files).toEqual(source.files);
    expect(target.redirects).toEqual(source.redirects);
    expect(target.themes).toEqual(source.themes);
    expect(target.database.from).toBe('acme-shop/staging');
    expect(target.allowlist).not.toEqual(source.allowlist);
  });

  test('of some files copies those, their theme, and the redirects', async () => {
    const hosting = await start();
    const target = hosting.world.environment(live);
    const body = push({
      push_db: false,
      push_files_option: 'SPECIFIC_FILES',
      file_list: ['wp-content/themes/storefront-plus', 'release-42.txt', 'not-there.txt'],
    });
    await call(hosting, 'PUT', `/sites/${shop}/environments`, { body });
    await settled(hosting);
    expect(paths(target.files)).toEqual(expect.arrayContaining(['release-41.txt', 'release-42.txt']));
    expect(paths(target.files)).not.toContain('not-there.txt');
    const versions = Object.fromEntries(target.themes.map(({ name, version }) => [name, version]));
    expect(versions).toMatchObject({ 'storefront-plus': '4.3.0', meridian: '5.9.9' });
    expect(target.redirects).toEqual(hosting.world.environment(staging).redirects);
    expect(target.database.from).toBe('acme-shop/live');
  });

  test('of the database alone keeps the files', async () => {
    const hosting = await start();
    const target = hosting.world.environment(live);
    const before = structuredClone(target.files);
    await call(hosting, 'PUT', `/sites/${shop}/environments`, { body: push({ push_files: false }) });
    await settled(hosting);
    expect(target.files).toEqual(before);
    expect(target.database.from).toBe('acme-shop/staging');
  });

  test('that fails changes nothing on the target except for the backup', async () => {
    const hosting = await start();
    const target = hosting.world.environment(live);
    const { backups: _backups, ...before } = structuredClone(target);
    hosting.operations.plan('environments:push', 'fail');
    await call(hosting, 'PUT', `/sites/${shop}/environments`, { body: push({}) });
    await settled(hosting);
    expect(hosting.operations.list()).toMatchObject([{ state: 'failed' }]);
    expect(target).toMatchObject(before);
  });
});

test('a deleted environment is gone, with its domains; the second delete finds nothing', async () => {
  const hosting = await start();
  expect((await call(hosting, 'DELETE', `/sites/environments/${staging}`)).status).toBe(202);
  await settled(hosting);
  expect((await call(hosting, 'GET', `/sites/environments/${staging}/backups`)).status).toBe(404);
  expect((await call(hosting, 'DELETE', `/sites/environments/${staging}`)).status).toBe(400);
  const listed = JSON.stringify((await call(hosting, 'GET', `/domains?company=${companyId}`)).body);
  expect(listed).not.toContain('staging-acme-shop');
  expect(hosting.world.environmentNamed('acme-shop/live')).toBeDefined();
});

test('a clone is a new site with a live environment, a domain and the themes of its source', async () => {
  const hosting = await start();
  const body = { company: companyId, display_name: 'Acme Shop, Winter', source_env_id: live };
  await call(hosting, 'POST', '/sites/clone', { body });
  await settled(hosting);
  const copy = hosting.world.environmentNamed('acme-shop-winter/live');
  expect(copy?.themes).toEqual(hosting.world.environment(live).themes);
  const { body: domains } = await call(hosting, 'GET', `/domains?company=${companyId}`);
  expect(at(domains, 'company', 'domains')).toContainEqual(
    expect.objectContaining({ name: 'acme-shop-winter.sitehost.example', site_id: copy?.siteId }),
  );
  await call(hosting, 'POST', '/sites/clone', { body });
  await settled(hosting);
  expect(hosting.operations.list().map(({ state }) => state)).toEqual(['finished', 'failed']);
});

describe('redirect rules', () => {
  const post = (body: object) => ({ body });
  const read = async (hosting: Awaited<ReturnType<typeof start>>, query = ''): Promise<Rules> => {
    const { body } = await call(hosting, 'GET', `${env}/redirect-rules${query}`);
    return rules.parse(at(body, 'environment', 'container_info', 'redirect_rules', 'rules'));
  };
  const fresh = { from: '/summer', to: '/sale/', type: 'redirect', domain: 'acme.example', ...plain };

  test('are added once, changed and removed by their whole value', async () => {
    const hosting = await start();
    const before = await read(hosting);
    const write = async (body: object): Promise<number> =>
      (await call(hosting, 'POST', `${env}/redirect-rules`, post(body))).status;
    expect(await write({ action_type: 'NEW', new_value: fresh })).toBe(200);
    expect(await write({ action_type: 'NEW', new_value: fresh })).toBe(200);
    expect(await read(hosting)).toEqual([...before, fresh]);
    const changed = { ...fresh, to: '/winter-sale/' };
    expect(await write({ action_type: 'UPDATE', rules_to_update: [fresh], new_value: changed })).toBe(200);
    expect(await read(hosting)).toEqual([...before, changed]);
    expect(await write({ action_type: 'DELETE', rules_to_update: [fresh] })).toBe(404);
    const { type: _type, ...withoutType } = changed;
    expect(await write({ action_type: 'DELETE', rules_to_update: [withoutType] })).toBe(200);
    expect(await read(hosting)).toEqual(before);
    expect(await write({ action_type: 'DELETE_ALL' })).toBe(200);
    expect(await read(hosting)).toEqual([]);
  });

  test('are all kept if one of the rules to remove does not exist', async () => {
    const hosting = await start();
    const before = await read(hosting);
    const body = { action_type: 'DELETE', rules_to_update: [before[0], fresh] };
    expect((await call(hosting, 'POST', `${env}/redirect-rules`, { body })).status).toBe(404);
    expect(await read(hosting)).toEqual(before);
  });

  test('are searched, sorted and paged', async () => {
    const hosting = await start();
    const all = await read(hosting);
    const found = await read(hosting, '?search_query=ARCHIVE');
    expect(found).toEqual(all.filter(({ to }) => to.includes('archive')));
    const pattern = encodeURIComponent('^/(old-shop|jobs)$');
    expect((await read(hosting, `?regex_search=true&search_query=${pattern}`)).map(({ from }) => from)).toEqual([
      '/old-shop',
      '/jobs',
    ]);
    const froms = (await read(hosting, '?key=from&order=descend')).map(({ from }) => from);
    expect(froms).toEqual(froms.toSorted((a, b) => b.localeCompare(a)));
    await assert(
      asyncProperty(integer({ min: 1, max: 50 }), async (limit) => {
        const pages: Rules = [];
        for (let offset = 0; offset < all.length; offset += limit)
          pages.push(...(await read(hosting, `?limit=${limit}&offset=${offset}`)));
        expect(pages).toEqual(all);
      }),
      { numRuns: 8 },
    );
  });
});

test('an allowlist is read back as it was set, with ranges and IPv6', async () => {
  const hosting = await start();
  const ip_allowlist = ['192.0.2.7', '10.0.0.0/8', '2001:db8::1', '2001:db8::/32', '::ffff:10.0.0.1', '0.0.0.0/0'];
  for (const list of [ip_allowlist, []]) {
    await call(hosting, 'POST', `${env}/ssh/set-allowed-ips`, { body: { ip_allowlist: list } });
    const { body } = await call(hosting, 'GET', `${env}/ssh/get-allowed-ips`);
    expect(body).toEqual({ environment: { active_container: { sftp_ip_allowlist: list } } });
  }
});

test('values are added to a record set and removed, and an empty set disappears', async () => {
  const hosting = await start();
  const path = `/domains/${domainId(1)}/dns-records`;
  const values = (...list: string[]) => list.map((value) => ({ value }));
  const set = async (change: object): Promise<unknown> => {
    await call(hosting, 'PUT', path, { body: { type: 'A', name: 'new.acme-shop.example', ...change } });
    await settled(hosting);
    const records = at((await call(hosting, 'GET', path)).body, 'domain', 'dns_records');
    return named.parse(records).find(({ name }) => name === 'new.acme-shop.example');
  };
  const record = { type: 'A', name: 'new.acme-shop.example' };
  expect(await set({ ttl: 60, new_resource_records: values('192.0.2.1', '192.0.2.2') })).toEqual({
    ...record,
    ttl: 60,
    resource_records: values('192.0.2.1', '192.0.2.2'),
  });
  expect(await set({ removed_resource_records: values('192.0.2.1') })).toEqual({
    ...record,
    ttl: 60,
    resource_records: values('192.0.2.2'),
  });
  expect(await set({ ttl: 300 })).toEqual({ ...record, ttl: 300, resource_records: values('192.0.2.2') });
  expect(await set({ removed_resource_records: values('192.0.2.2') })).toBeUndefined();
});

test('an added domain is listed, not active until the records that verify it are set; adding it again fails', async () => {
  const hosting = await start();
  const add = async (): Promise<void> => {
    await call(hosting, 'POST', `${env}/domains`, {
      body: { domain_name: 'winter.example', add_with_www_subdomain: true },
    });
    await settled(hosting);
  };
  await add();
  const added = hosting.world.domains.find(({ name }) => name === 'winter.example');
  expect(added).toMatchObject({ siteId: shop, isActive: false });
  const { body } = await call(hosting, 'GET', `/sites/environments/domains/${added?.id}/verification-records`);
  expect(at(body, 'site_domain', 'pointing_records')).toContainEqual({
    name: 'www.winter.example',
    value: 'winter.example',
    type: 'CNAME',
  });
  await add();
  expect(hosting.operations.list().map(({ state }) => state)).toEqual(['finished', 'failed']);
  const verified: unknown[] = [];
  for (const { type, name, value } of added?.verification ?? []) {
    const body = { type, name, ttl: 60, new_resource_records: [{ value }] };
    await call(hosting, 'PUT', `/domains/${added?.id}/dns-records`, { body });
    await settled(hosting);
    verified.push(added?.isActive);
  }
  expect(verified).toEqual([false, true]);
});

test('themes are filtered, sorted, paged; updated ones are up to date', async () => {
  const hosting = await start();
  const list = async (body?: object): Promise<string[]> => {
    const answer = await call(hosting, 'GET', `/company/${companyId}/wp-themes`, { body });
    return named.parse(at(answer.body, 'company', 'themes', 'items')).map(({ name }) => name);
  };
  const all = await list();
  expect(all).toHaveLength(8);
  expect(await list({ offset: 2, limit: 3 })).toEqual(all.slice(2, 5));
  expect(await list({ search: 'PAPER' })).toEqual(['paperwhite']);
  expect(await list({ column: 'vulnerable' })).toEqual(['harvest', 'lattice', 'meridian', 'storefront-plus']);
  expect(await list({ status: 'active' })).toEqual(all.filter((name) => name !== 'kiln' && name !== 'meridian'));
  expect(await list({ status: 'inactive', column: 'updatesAvailable' })).toContain('kiln');
  expect(await list({ order_by: { field: 'name', order: 'descend' } })).toEqual(all.toReversed());
  expect((await list({ order_by: { field: 'environments', order: 'descend' } }))[0]).toBe('kiln');
  await call(hosting, 'PUT', `${env}/themes/bulk-update`, { body: { themes: [{ name: 'storefront-plus' }] } });
  await settled(hosting);
  const { body } = await call(hosting, 'GET', `${env}/themes`);
  const updated = { name: 'storefront-plus', version: '4.3.0', update: 'none', update_status: 'updated' };
  expect(at(body, 'environment', 'container_info', 'wp_themes', 'data')).toContainEqual(
    expect.objectContaining(updated),
  );
  expect(await list({ search: 'storefront', column: 'vulnerable' })).toEqual([]);
});

test('SSH settings and images are kept', async () => {
  const hosting = await start();
  await call(hosting, 'POST', `${env}/ssh/set-password-status`, { body: { is_enabled: false } });
  await call(hosting, 'POST', `${env}/ssh/change-expiration-interval`, { body: { exp_interval: 'hours_24' } });
  const body = { environment_id: live.toUpperCase(), image_optimization_type: 'lossless' };
  await call(hosting, 'PUT', '/sites/cdn/image-optimization', { body });
  await settled(hosting);
  expect(hosting.world.environment(live)).toMatchObject({
    passwordEnabled: false,
    passwordExpiry: 'hours_24',
    images: 'lossless',
  });
});
