import { request } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { HostingStandIn } from '../../../src/playground/hosting/server.ts';
import { seededId } from '../../../src/playground/hosting/seed/ids.ts';
import type { Break } from '../../../src/playground/site/breaks.ts';
import { type SiteOptions, type SiteStandIn, startSite } from '../../../src/playground/site/server.ts';
import { call, live, settled, shop, staging, start } from '../hosting/calling.ts';

type Seen = { readonly status: number | undefined; readonly text: string; readonly headers: Record<string, unknown> };
type Sites = { readonly hosting: HostingStandIn; readonly site: SiteStandIn };

async function open(options: SiteOptions = {}): Promise<Sites> {
  const hosting = await start();
  const site = await startSite(hosting.world, options);
  onTestFinished(() => site.close());
  return { hosting, site };
}

/** Visits a page as any client would, by the Host header. */
async function visit(site: SiteStandIn, address: string, headers: Record<string, string> = {}): Promise<Seen> {
  const slash = address.indexOf('/');
  const { promise, resolve, reject } = Promise.withResolvers<Seen>();
  const options = { path: address.slice(slash), headers: { host: address.slice(0, slash), ...headers }, agent: false };
  const sent = request(site.url, options, (answer) => {
    let text = '';
    answer.setEncoding('utf8').on('data', (part: string) => (text += part));
    answer.on('end', () => resolve({ status: answer.statusCode, text, headers: answer.headers }));
    answer.on('error', reject);
  });
  sent.on('error', reject);
  sent.end();
  return promise;
}

async function write(
  hosting: HostingStandIn,
  method: 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<void> {
  const { status } = await call(hosting, method, path, body === undefined ? {} : { body });
  expect(status).toBeLessThan(300);
  await settled(hosting);
}

const push = (hosting: HostingStandIn, parts: Record<string, unknown> = {}): Promise<void> =>
  write(hosting, 'PUT', `/sites/${shop}/environments`, { source_env_id: staging, target_env_id: live, ...parts });
const clearCache = (hosting: HostingStandIn): Promise<void> =>
  write(hosting, 'POST', '/sites/tools/clear-cache', { environment_id: live });

const home = 'acme-shop.example/';

describe('a visit', () => {
  test('shows the shop of a domain, with its cart and a checkout', async () => {
    const { site } = await open();
    const seen = await visit(site, home);
    expect(seen).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
    expect(seen.text).toContain('<title>Acme Shop</title>');
    expect(seen.text.match(/Add to cart/g)).toHaveLength(5);
    expect((await visit(site, 'acme-shop.example/checkout/')).text).toContain('<title>Checkout – Acme Shop</title>');
    expect(await visit(site, 'acme-shop.example/no-such-page')).toMatchObject({ status: 404 });
    expect((await visit(site, 'acme.example:80/')).text).toBe(seen.text);
    expect((await visit(site, 'ACME.example.localhost:4700/')).text).toBe(seen.text);
    expect((await visit(site, 'staging-acme-shop.sitehost.example/')).text).toContain('release-42');
  });

  test.each(['elsewhere.example', 'new.acme.example', '127.0.0.1', '<b>'])('finds nothing at %s', async (domain) => {
    const { site } = await open();
    const seen = await visit(site, `${domain}/`);
    expect(seen.status).toBe(404);
    expect(seen.text).toContain('There is no site at');
    expect(seen.text).not.toContain('<b>');
  });

  test('is served from the cache the second time, but not with a query or a cookie, or at the checkout', async () => {
    let now = 1_000_000;
    const { site } = await open({ now: () => now });
    const cacheOf = async (address: string, headers = {}): Promise<unknown> => {
      const { 'x-cache': cache, age } = (await visit(site, address, headers)).headers;
      return `${String(cache)} ${String(age)}`;
    };
    expect(await cacheOf(home)).toBe('MISS 0');
    now += 5_500;
    expect(await cacheOf(home)).toBe('HIT 5');
    expect(await cacheOf(home, { 'cache-control': 'no-cache' })).toBe('HIT 5');
    expect(await cacheOf(`${home}?past=1`)).toBe('MISS 0');
    expect(await cacheOf(home, { cookie: 'cart=1' })).toBe('MISS 0');
    for (const _ of [1, 2]) expect(await cacheOf('acme-shop.example/checkout/')).toBe('MISS 0');
    now += 3_600_000;
    expect(await cacheOf(home)).toBe('MISS 0');
  });

  test('is in the journal with its domain', async () => {
    const { site } = await open();
    await visit(site, `${home}?a=b`, { 'user-agent': 'Somebody' });
    await site.until(() => site.journal.entries()[0]?.state === 'answered' || undefined);
    expect(site.journal.entries()).toMatchObject([
      { path: '/', query: { a: 'b' }, headers: { host: 'acme-shop.example', 'user-agent': 'Somebody' }, status: 200 },
    ]);
  });
});

describe('what changes a site', () => {
  test('a push brings the other database, theme and files, and clears the cache', async () => {
    const { hosting, site } = await open();
    const before = await visit(site, home);
    expect(before.text).toMatch(/ver=4\.1\.2[^]*release-41/);
    await push(hosting, { push_db: false });
    const files = await visit(site, home);
    expect(files.text).toMatch(/ver=4\.3\.0[^]*release-42/);
    expect(files.headers).toMatchObject({ 'x-cache': 'MISS' });
    expect(files.text).not.toContain('Candle set');
    await push(hosting);
    expect((await visit(site, home)).text).toContain('Candle set');
  });

  test('a theme update, and clearing the cache', async () => {
    const { hosting, site } = await open();
    for (const _ of [1, 2]) await visit(site, home);
    await clearCache(hosting);
    expect((await visit(site, home)).headers).toMatchObject({ 'x-cache': 'MISS' });
    await write(hosting, 'PUT', `/sites/environments/${live}/themes/bulk-update`, {
      themes: [{ name: 'storefront-plus' }],
    });
    expect((await visit(site, home)).text).toContain('storefront-plus/style.css?ver=4.3.0');
  });

  test('redirect rules, for this domain and every visitor', async () => {
    const { hosting, site } = await open();
    expect(await visit(site, 'acme-shop.example/old-shop')).toMatchObject({
      status: 301,
      headers: { location: '/shop/' },
    });
    const everywhere = { domain: '', type: 'redirect' };
    const rules = [
      { ...everywhere, from: '/', to: 'https://evil.example/ü\r\nx: y' },
      { ...everywhere, from: '/shop', to: '/nowhere/', traffic_from_country: 'DE' },
    ];
    for (const new_value of rules) {
      const path = `/sites/environments/${live}/redirect-rules`;
      await write(hosting, 'POST', path, { action_type: 'NEW', new_value });
    }
    const { status, headers } = await visit(site, home);
    expect({ status, location: headers['location'], x: headers['x'] }).toEqual({
      status: 302,
      location: 'https://evil.example/%C3%BC%0D%0Ax:%20y',
      x: undefined,
    });
    expect(await visit(site, 'acme-shop.example/shop/')).toMatchObject({ status: 200 });
  });

  test('a clone has a site of its own; a deleted environment has none', async () => {
    const { hosting, site } = await open();
    await write(hosting, 'POST', '/sites/clone', {
      company: hosting.companyId,
      display_name: '<i>Copy',
      source_env_id: live,
    });
    const copy = hosting.world.sites.at(-1)?.environments[0]?.hostname ?? '';
    expect((await visit(site, `${copy}/`)).text).toContain('<title>&lt;i&gt;Copy</title>');
    await visit(site, 'staging-acme-shop.sitehost.example/');
    await write(hosting, 'DELETE', `/sites/environments/${staging}`);
    expect(await visit(site, 'staging-acme-shop.sitehost.example/')).toMatchObject({ status: 404 });
  });

  test('a domain answers once its A record leads here, and its www name if that leads to it', async () => {
    const { hosting, site } = await open();
    await write(hosting, 'POST', `/sites/environments/${live}/domains`, { domain_name: 'shop.example' });
    expect(await visit(site, 'shop.example/')).toMatchObject({ status: 404 });
    const id = hosting.world.domains.find(({ name }) => name === 'shop.example')?.id ?? '';
    const set = (type: string, name: string, value: string): Promise<void> =>
      write(hosting, 'PUT', `/domains/${id}/dns-records`, { type, name, new_resource_records: [{ value }] });
    await set('A', 'shop.example', '192.0.2.80');
    await set('CNAME', 'www.shop.example', 'shop.example');
    expect(await visit(site, 'shop.example/')).toMatchObject({ status: 200 });
    const www = await visit(site, 'www.shop.example/checkout/');
    expect(www).toMatchObject({ status: 301, headers: { location: '//shop.example/checkout/' } });
  });
});

describe('a broken site', () => {
  const sees = async (site: SiteStandIn, address = home): Promise<string> => {
    const { status, text } = await visit(site, address);
    const what = /critical error/.test(text) ? 'error' : /database connection/.test(text) ? 'database' : '';
    return text === '' ? `${status} empty` : `${status} ${what || 'page'}`;
  };

  test.each<[Break, string]>([
    ['error', '500 error'],
    ['database', '200 database'],
    ['empty', '200 empty'],
  ])('shows %s at once and is mended', async (what, shown) => {
    const { site } = await open();
    expect(await sees(site)).toBe('200 page');
    site.break('acme-shop/live', what);
    expect(await sees(site)).toBe(shown);
    expect(await sees(site, 'acme-shop.example/checkout/')).toBe(shown);
    expect(await sees(site, 'staging-acme-shop.sitehost.example/')).toBe('200 page');
    site.mend('acme-shop/live');
    expect(await sees(site)).toBe('200 page');
  });

  test('past the cache only, until the cache is cleared', async () => {
    const { hosting, site } = await open();
    site.break('acme-shop/live', 'past-cache');
    expect(await sees(site)).toBe('200 page');
    expect(await sees(site, `${home}?past=1`)).toBe('500 error');
    expect(await sees(site, 'acme-shop.example/checkout/')).toBe('500 error');
    await clearCache(hosting);
    expect(await sees(site)).toBe('500 error');
  });

  test('by the next push alone', async () => {
    const { hosting, site } = await open();
    site.break('acme-shop/live', 'push');
    expect(await sees(site)).toBe('200 page');
    await push(hosting);
    expect(await sees(site)).toBe('500 error');
    await push(hosting);
    expect(await sees(site)).toBe('200 page');
  });

  test('is slow until PHP is restarted', async () => {
    const { hosting, site } = await open({ slowMs: 100 });
    site.break('acme-shop/live', 'slow');
    const took = async (): Promise<number> => {
      const from = performance.now();
      await visit(site, `${home}?past=1`);
      return performance.now() - from;
    };
    expect(await took()).toBeGreaterThan(90);
    await write(hosting, 'POST', '/sites/tools/restart-php', { environment_id: live });
    expect(hosting.world.environment(live).broken).toEqual([]);
  });

  test.each<[string, Break, (hosting: HostingStandIn) => Promise<void>, string]>([
    ['files undo an error', 'error', (hosting) => push(hosting, { push_db: false }), '200 page'],
    ['the database alone does not', 'error', (hosting) => push(hosting, { push_files: false }), '500 error'],
    [
      'the broken plugin alone does',
      'error',
      (hosting) =>
        push(hosting, {
          push_db: false,
          push_files_option: 'SPECIFIC_FILES',
          file_list: ['wp-content/plugins/quick-cart'],
        }),
      '200 page',
    ],
    ['the database undoes its own error', 'database', (hosting) => push(hosting, { push_files: false }), '200 page'],
    ['files do not', 'database', (hosting) => push(hosting, { push_db: false }), '200 database'],
    [
      'a theme update fills an empty page',
      'empty',
      (hosting) =>
        write(hosting, 'PUT', `/sites/environments/${live}/themes/bulk-update`, {
          themes: [{ name: 'storefront-plus' }],
        }),
      '200 page',
    ],
    ['a cleared cache undoes nothing', 'error', clearCache, '500 error'],
  ])('%s', async (_what, broken, change, shown) => {
    const { hosting, site } = await open();
    site.break('acme-shop/live', broken);
    await change(hosting);
    expect(await sees(site)).toBe(shown);
  });

  test('breaks what it is pushed to', async () => {
    const { hosting, site } = await open();
    site.break('acme-shop/staging', 'error');
    await push(hosting);
    expect(await sees(site)).toBe('500 error');
  });

  test('writes its errors into the error log, which stays bounded', async () => {
    const { hosting, site } = await open();
    site.break('acme-shop/live', 'error');
    const written = (): number =>
      hosting.world.environment(live).written.filter(({ text }) => text.includes('cart_totals')).length;
    expect(written()).toBe(25);
    await sees(site);
    expect(written()).toBe(26);
    for (let turn = 0; turn < 100; turn += 1) site.break('acme-shop/live', 'error');
    expect(written()).toBe(2_000);
  });
});

describe('a hostile site', () => {
  test('redirects elsewhere, and sends thousands of headers', async () => {
    const { site } = await open();
    const to = 'http://169.254.169.254/';
    site.faults.add({ kind: 'status', path: `/${home}`, status: 302, headers: { location: to } });
    expect(await visit(site, home)).toMatchObject({ status: 302, headers: { location: to } });
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`x-${at}`, 'a']));
    site.faults.add({ kind: 'status', status: 200, headers: many });
    expect(Object.keys((await visit(site, home)).headers)).toContain('x-199');
    expect(await visit(site, home)).toMatchObject({ status: 200, headers: { 'x-cache': 'HIT' } });
  });

  test.each([
    { kind: 'huge-body' },
    { kind: 'gzip-bomb' },
    { kind: 'slow-body' },
    { kind: 'slow-headers' },
    { kind: 'endless-103' },
  ] as const)('sends $kind until its visitor leaves', async (fault) => {
    const { site } = await open();
    site.faults.add({ ...fault, path: '/acme-shop.example/**' });
    const { promise, resolve } = Promise.withResolvers<void>();
    const sent = request(site.url, { headers: { host: 'acme-shop.example' }, agent: false });
    sent.once('socket', (socket) =>
      socket.once('data', () => {
        sent.destroy();
        resolve();
      }),
    );
    sent.on('error', () => undefined);
    sent.end();
    await promise;
    await site.until(() => site.journal.entries()[0]?.state === 'cut' || undefined);
    expect(site.journal.entries()).toMatchObject([{ fault: fault.kind, state: 'cut' }]);
  });
});

describe('its control API', () => {
  const pull = ({ site }: Sites, method: string, path: string, body?: unknown) =>
    site.control({ method, path, query: new URLSearchParams(), body });

  test('breaks, lists and mends', async () => {
    const sites = await open();
    const broken = await pull(sites, 'POST', '/break', { environment: 'acme-shop/live', break: 'push' });
    expect(broken?.body).toContainEqual({
      name: 'acme-shop/live',
      domains: ['acme-shop.example', 'acme.example', 'new.acme.example'],
      url: `http://acme-shop.example.localhost:${new URL(sites.site.url).port}/`,
      broken: [],
      next_push_breaks: true,
    });
    await pull(sites, 'POST', '/break', { environment: 'acme-blog/live', break: 'slow' });
    const mended = await pull(sites, 'POST', '/mend');
    expect(JSON.stringify(mended?.body)).not.toMatch(/true|slow/);
    expect(await pull(sites, 'GET', '/environments')).toEqual(mended);
  });

  test.each<[string, unknown, string]>([
    ['/break', { environment: 'acme-shop/nowhere', break: 'error' }, 'there is no environment "acme-shop/nowhere".'],
    ['/break', { environment: 'acme-shop/live', break: 'fire' }, '"break" is wrong'],
    ['/mend', { environment: 'x' }, 'there is no environment "x".'],
    ['/faults', { kind: 'odd-202', shape: 'no-id' }, 'a site cannot play "odd-202".'],
  ])('refuses %s %j with one sentence', async (path, body, sentence) => {
    const answer = await pull(await open(), 'POST', path, body);
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining(sentence) as unknown } });
  });

  test('does not know what is not there', async () => {
    expect(await pull(await open(), 'GET', `/${seededId('acme-shop')}`)).toBeUndefined();
  });
});
