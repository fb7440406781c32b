import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { createDirectory, type Directory, type DirectoryOptions } from '../../src/hosting/directory.ts';
import { maxEnvironments } from '../../src/hosting/names.ts';
import { clientOf, http, startHost, uuid, type Host } from './host.ts';

const company = uuid(0xc0);
const [shop, blog] = [uuid(0x51), uuid(0x52)];
const [shopLive, shopStaging, blogLive] = [uuid(0xe1), uuid(0xe2), uuid(0xe3)];
const noOverrides = { environments: [], sites: [] };

const sites = {
  company: {
    sites: [
      {
        id: shop,
        name: 'acme-shop',
        display_name: 'Acme Shop',
        environments: [
          { id: shopStaging, name: 'staging', display_name: 'Staging' },
          { id: shopLive, name: 'live', display_name: 'Live' },
          { name: 'without an id' },
        ],
      },
      { id: blog, name: 'acme-blog', display_name: 'Acme Blog', environments: [{ id: blogLive, name: 'live' }] },
    ],
  },
};
const domains = {
  company: {
    domains: [
      { id: uuid(0xd1), name: 'acme.example', site_id: shop, is_active: true },
      { id: uuid(0xd2), name: 'nowhere.example', site_id: null },
      { name: 'without-id.example' },
    ],
  },
};
const inTheme = (id: string, site_display_name: string, display_name: string): object => ({
  id,
  site_display_name,
  display_name,
});
const themes = [
  { name: 'a', environments: [inTheme(shopLive, 'Acme Shop', 'Live'), inTheme(shopStaging, 'Acme Shop', 'Staging')] },
  { name: 'b', environments: [inTheme(shopLive, 'Acme Shop', 'Live'), inTheme(blogLive, ' Ácme / Blog ', 'Live')] },
];
const page = (items: readonly object[], total: number): object => ({ company: { themes: { total, items } } });

/** The host's answer on each path: a status, or 200 with this body. Tests change it. */
type Answers = Map<string, number | object>;
type World = {
  readonly host: Host;
  readonly answers: Answers;
  readonly directory: Directory;
  readonly troubles: string[];
  now: number;
};

async function world(
  answers: Readonly<Record<string, number | object>>,
  more: Partial<DirectoryOptions> = {},
): Promise<World> {
  const kept: Answers = new Map(Object.entries(answers));
  const host = await startHost((socket, { path, body }) => {
    const name = path.split('?')[0]?.split('/').at(-1) ?? '';
    const offset = /"offset":(\d+)/.exec(body)?.[1] ?? '0';
    const answer = kept.get(`${name}@${offset}`) ?? kept.get(name) ?? 404;
    socket.write(typeof answer === 'number' ? http(answer) : http(200, JSON.stringify(answer)));
  });
  const client = clientOf(host.url, { budgets: { reads: { tries: 1 } } });
  const troubles: string[] = [];
  const clock = { now: 1_000_000 };
  const directory = createDirectory({
    read: client.read,
    company,
    overrides: () => noOverrides,
    now: () => clock.now,
    onTrouble: ({ kind }) => troubles.push(kind),
    ...more,
  });
  onTestFinished(() => directory.close());
  return Object.assign(clock, { host, answers: kept, directory, troubles });
}

const namesIn = ({ directory }: World): readonly string[] =>
  directory.listing().environments.map(({ site, name }) => `${site?.name}/${name}`);
const asked = ({ host }: World): readonly string[] =>
  host.requests.map(({ path }) => path.split('?')[0]?.slice(3) ?? '');

describe('at a host that lists its sites', () => {
  test('a listing that is seconds old is reused, an older one is read again', async () => {
    const it = await world({ sites, domains });
    await it.directory.refresh();
    const first = asked(it).length;
    await it.directory.freshen();
    expect(asked(it)).toHaveLength(first);
    it.now += 2_000;
    await it.directory.freshen();
    expect(asked(it)).toHaveLength(2 * first);
  });

  test('everything has a name', async () => {
    const it = await world({ sites, domains });
    expect(it.directory.listing()).toMatchObject({
      at: undefined,
      environments: [],
      domains: [],
      company: { id: company },
    });
    await it.directory.refresh();
    const listing = it.directory.listing();
    expect(listing).toMatchObject({ at: 1_000_000, cut: false, trouble: undefined });
    expect(listing.environments).toContainEqual({
      id: shopLive,
      name: 'live',
      displayName: 'Live',
      site: { id: shop, name: 'acme-shop', displayName: 'Acme Shop' },
      named: 'by the host',
    });
    expect(namesIn(it)).toEqual(['acme-shop/staging', 'acme-shop/live', 'acme-blog/live']);
    expect(listing.domains).toMatchObject([
      { name: 'acme.example', site: { id: shop, name: 'acme-shop' } },
      { name: 'nowhere.example', site: undefined },
    ]);
    expect(it.host.requests[0]?.path).toContain(`company=${company}&include_environments=true`);
    expect(asked(it)).not.toContain(`/company/${company}/wp-themes`);
    expect(it.directory.listing()).toBe(listing);
  });

  test('promise 1: ids have one spelling, whichever the host uses', async () => {
    const capital = (list: object): object =>
      z.looseObject({}).parse(JSON.parse(JSON.stringify(list).replaceAll(/[\da-f-]{36}/g, (id) => id.toUpperCase())));
    const small = await world({ sites, domains });
    const large = await world({ sites: capital(sites), domains: capital(domains) });
    await Promise.all([small.directory.refresh(), large.directory.refresh()]);
    const { environments, domains: named } = small.directory.listing();
    expect(large.directory.listing()).toMatchObject({ environments, domains: named });
  });

  describe('at a host that lists domains with its sites', () => {
    const withDomains = (...listed: readonly (readonly [environment: string, id: string, name: string])[]): object => {
      const environment = (id: string, name: string): object => ({
        id,
        name,
        domains: [
          ...listed.filter(([of]) => of === id).map(([, id, name]) => ({ id, name, type: 'live' })),
          { name: 'without-id.example' },
          'odd',
        ],
      });
      const site = (id: string, name: string, environments: readonly object[]): object => ({ id, name, environments });
      return {
        company: {
          sites: [
            site(shop, 'acme-shop', [environment(shopLive, 'live'), environment(shopStaging, 'staging')]),
            site(blog, 'acme-blog', [environment(blogLive, 'live')]),
          ],
        },
      };
    };
    const listedWith = async (sites: object, more: Partial<DirectoryOptions> = {}) => {
      const it = await world({ sites, domains }, more);
      await it.directory.refresh();
      return it.directory
        .listing()
        .domains.map(({ id, name, site }) => ({ id, name, siteId: site?.id, site: site?.name }));
    };
    const acme = { id: uuid(0xd1), name: 'acme.example', siteId: shop, site: 'acme-shop' };
    const nowhere = { id: uuid(0xd2), name: 'nowhere.example', siteId: undefined, site: undefined };

    test('the ids of the company’s list are preferred, and the environment determines the site', async () => {
      const listed = withDomains([shopLive, uuid(0xa1), 'ACME.example'], [blogLive, uuid(0xa2), 'nowhere.example']);
      expect(await listedWith(listed)).toEqual([
        { ...acme, id: uuid(0xa1) },
        { id: uuid(0xa2), name: 'nowhere.example', siteId: blog, site: 'acme-blog' },
      ]);
    });

    test('a name that is listed twice determines no site', async () => {
      const listed = withDomains([shopLive, uuid(0xa1), 'acme.example'], [blogLive, uuid(0xa2), 'acme.example']);
      expect(await listedWith(listed)).toEqual([acme, nowhere]);
    });

    test('a name that only the sites list is not a domain of the company', async () => {
      expect(await listedWith(withDomains([shopLive, uuid(0xa1), 'other.example']))).toEqual([acme, nowhere]);
    });

    test('the policy can name the site', async () => {
      const overrides = { environments: [], sites: [{ id: blog, name: 'journal', environments: [blogLive] }] };
      const listed = withDomains([blogLive, uuid(0xa2), 'nowhere.example']);
      expect(await listedWith(listed, { overrides: () => overrides })).toEqual([
        acme,
        { id: uuid(0xa2), name: 'nowhere.example', siteId: blog, site: 'journal' },
      ]);
    });

    test('a malformed list of domains loses only the domains', async () => {
      const environments = [{ id: shopLive, name: 'live', domains: 'none' }];
      const odd = { company: { sites: [{ id: shop, name: 'acme-shop', environments }] } };
      expect(await listedWith(odd)).toEqual([acme, nowhere]);
    });
  });

  test('trouble removes no names, and is reported', async () => {
    const it = await world({ sites, domains });
    await it.directory.refresh();
    for (const [path, status, kind] of [
      ['sites', 500, 'server error'],
      ['sites', 404, 'not found'],
      ['domains', 401, 'unauthorized'],
    ] as const) {
      it.answers.set('sites', sites).set('domains', domains).set(path, status);
      it.now += 1_000;
      await it.directory.refresh();
      expect(it.directory.listing()).toMatchObject({ at: 1_000_000, trouble: { kind, status } });
      expect(namesIn(it)).toHaveLength(3);
      expect(it.directory.listing().domains).toHaveLength(2);
    }
    expect(it.troubles).toEqual(['server error', 'not found', 'unauthorized']);
    it.answers.set('domains', domains);
    await it.directory.refresh();
    expect(it.directory.listing()).toMatchObject({ at: 1_003_000, trouble: undefined });
  });

  test('trouble at the first read is trouble: names are not taken from themes, which have different ones', async () => {
    for (const status of [401, 403, 500, 503]) {
      const it = await world({ sites: status, domains, 'wp-themes': page(themes, 2) });
      await it.directory.refresh();
      expect(namesIn(it)).toEqual([]);
      expect(it.directory.listing()).toMatchObject({ at: undefined, sitesAt: undefined, trouble: { status } });
    }
  });

  test('a host that has listed its sites once is in trouble at a 404, after a restart as well', async () => {
    const onSites = vi.fn<() => void>();
    const it = await world({ sites, domains }, { onSites });
    await it.directory.refresh();
    expect(onSites).toHaveBeenCalledOnce();
    const next = await world({ sites: 404, domains, 'wp-themes': page(themes, 2) }, { listsSites: true });
    await next.directory.refresh();
    expect(namesIn(next)).toEqual([]);
    expect(next.directory.listing().trouble).toMatchObject({ status: 404 });
  });

  test('an empty list after a full one is trouble, and removes nothing', async () => {
    const it = await world({ sites, domains });
    await it.directory.refresh();
    const lists = { sites: { company: { sites: [] } }, domains: { company: { domains: [] } } };
    for (const [path, list] of Object.entries(lists)) {
      it.answers.set('sites', sites).set('domains', domains).set(path, list);
      await it.directory.refresh();
      expect(it.directory.listing().trouble?.message).toContain('an empty list');
      expect([namesIn(it).length, it.directory.listing().domains.length]).toEqual([3, 2]);
    }
  });

  test('trouble with one list does not block the other', async () => {
    const it = await world({ sites, domains: 500 });
    await it.directory.refresh();
    expect(namesIn(it)).toHaveLength(3);
    expect(it.directory.listing()).toMatchObject({ at: undefined, domains: [], trouble: { kind: 'server error' } });
  });

  test('a listing beyond the limit is cut, with a note', async () => {
    const environments = Array.from({ length: maxEnvironments + 1 }, (_, index) => ({
      id: uuid(index),
      name: `e${index}`,
    }));
    const many = { company: { sites: [{ id: shop, name: 'acme-shop', environments }] } };
    const it = await world({}, { read: async (call) => call.reply.parse(call.path === '/sites' ? many : domains) });
    await it.directory.refresh();
    expect(it.directory.listing().environments).toHaveLength(maxEnvironments);
    expect(it.directory.listing().cut).toBe(true);
  });
});

describe('whether a target is there', () => {
  const gone = { kind: 'environment', id: uuid(0xe9), name: 'shop/gone' } as const;
  const site = (environments: unknown): object => ({ company: { sites: [{ id: shop, name: 'shop', environments }] } });
  const whole = site([{ id: shopLive, name: 'live' }]);
  const wholeDomains = { company: { domains: [{ id: uuid(0xd1), name: 'acme.example' }] } };
  type Answered = Readonly<Record<string, number | object>>;
  type Asked = Parameters<Directory['presenceOf']>[0];
  /** The result for a target after each of these reads: seconds after the first read, and the host's answer. */
  const presences = async (looks: readonly (readonly [number, Answered])[], target: Asked = gone) => {
    const it = await world({ 'wp-themes': page(themes, 2), domains: wholeDomains });
    const seen: string[] = [];
    for (const [seconds, answers] of looks) {
      for (const [path, answer] of Object.entries({ domains: wholeDomains, ...answers })) it.answers.set(path, answer);
      it.now = 1_000_000 + 1_000 * seconds;
      await it.directory.refresh();
      seen.push(it.directory.presenceOf(target, it.now));
    }
    return seen;
  };
  /** The final result if the host answers this for two minutes. */
  const presence = async (answers: Answered, target?: Asked) => {
    const looks = [0, 30, 60, 90, 120].map((at) => [at, answers] as const);
    return (await presences(looks, target)).at(-1);
  };

  test('it is listed if one list has it, whatever else the host answers', async () => {
    expect(await presence({ sites, domains: 500 }, { ...gone, id: shopLive })).toBe('listed');
    expect(await presence({ sites: 500 }, { kind: 'domain', id: uuid(0xd1), name: 'x' })).toBe('listed');
    expect(await presence({ sites: 500, domains: 500 }, { kind: 'company', id: company, name: 'x' })).toBe('listed');
  });

  test('it is gone if the host lists all its sites without it', async () => {
    expect(await presence({ sites: whole })).toBe('gone');
    expect(await presence({ sites: whole, domains: 500 })).toBe('gone');
    expect(await presence({ sites: whole }, { kind: 'domain', id: uuid(0xd9), name: 'x' })).toBe('gone');
  });

  test('a domain is found by its name, whatever its earlier id', async () => {
    const domain = { kind: 'domain', id: uuid(0xd9), name: 'ACME.example' } as const;
    expect(await presence({ sites: whole }, domain)).toBe('listed');
  });

  test.each<[string, Readonly<Record<string, number | object>>]>([
    ['the host is away', { sites: 503, domains: 503 }],
    ['it lists no site', { sites: { company: { sites: [] } } }],
    ['its answer has no list of sites', { sites: { company: {} } }],
    ['names come from themes', { sites: 404 }],
    ['a site is listed without its environments', { sites: site(null) }],
    ['a site is listed with an empty list of environments', { sites: site([]) }],
    [
      'a site can not be read',
      {
        sites: {
          company: { sites: [{ id: shop, name: 'acme-shop', environments: [{ id: shopLive, name: 'live' }] }, null] },
        },
      },
    ],
    ['an environment can not be read', { sites: site([{ id: shopLive, name: 'live' }, null]) }],
    ['an environment is listed without its id', { sites: site([{ id: shopLive, name: 'live' }, { name: 'dev' }]) }],
  ])('it is unknown if %s', async (_, answers) => {
    expect(await presence(answers)).toBe('unknown');
  });

  test('a list older than the question proves nothing', async () => {
    const it = await world({ sites: whole, domains: wholeDomains });
    await it.directory.refresh();
    expect(it.directory.presenceOf(gone, it.now)).toBe('missing');
    expect(it.directory.presenceOf(gone, it.now + 1)).toBe('unknown');
  });

  const lacks = { sites: whole };
  const there = {
    sites: site([
      { id: shopLive, name: 'live' },
      { id: gone.id, name: 'gone' },
    ]),
  };
  test.each<[string, readonly (readonly [number, Answered])[], readonly string[]]>([
    ['one list', [[0, lacks]], ['missing']],
    [
      'two, a minute apart',
      [
        [0, lacks],
        [60, lacks],
      ],
      ['missing', 'missing'],
    ],
    [
      'three in less than a minute',
      [
        [0, lacks],
        [30, lacks],
        [59, lacks],
      ],
      ['missing', 'missing', 'missing'],
    ],
    [
      'three over a minute',
      [
        [0, lacks],
        [1, lacks],
        [60, lacks],
      ],
      ['missing', 'missing', 'gone'],
    ],
    [
      'one that has it in between',
      [
        [0, lacks],
        [30, there],
        [60, lacks],
        [90, lacks],
      ],
      ['missing', 'listed', 'missing', 'missing'],
    ],
    [
      'one that cannot be read in between',
      [
        [0, lacks],
        [30, { sites: 500 }],
        [60, lacks],
        [90, lacks],
      ],
      ['missing', 'unknown', 'missing', 'missing'],
    ],
    [
      'three after it was there',
      [
        [0, there],
        [30, lacks],
        [60, lacks],
        [90, lacks],
      ],
      ['listed', 'missing', 'missing', 'gone'],
    ],
  ])('promise 4: whether it is gone, by %s', async (_, looks, expected) => {
    expect(await presences(looks)).toEqual(expected);
  });

  test('fast lists need a minute to prove that it is gone', async () => {
    const seen = await presences(Array.from({ length: 40 }, (_, index) => [2 * index, lacks]));
    expect(seen.indexOf('gone')).toBe(30);
    expect(seen.slice(30).every((one) => one === 'gone')).toBe(true);
  });

  test('a domain is unknown if the list of domains cannot be read', async () => {
    const domain = { kind: 'domain', id: uuid(0xd9), name: 'x' } as const;
    expect(await presence({ sites: whole, domains: 500 }, domain)).toBe('unknown');
    expect(await presence({ sites: whole, domains: { company: { domains: [] } } }, domain)).toBe('unknown');
    expect(await presence({ sites: 500 }, domain)).toBe('unknown');
    const odd = { company: { domains: [...wholeDomains.company.domains, null] } };
    expect(await presence({ sites: whole, domains: odd }, domain)).toBe('unknown');
  });
});

describe('at a host that does not list its sites', () => {
  test('environments come from the themes, with their display names', async () => {
    const it = await world({ sites: 404, domains, 'wp-themes': page(themes, 2) });
    await it.directory.refresh();
    expect(namesIn(it)).toEqual(['acme-shop/live', 'acme-shop/staging', 'ácme-blog/live']);
    expect(it.directory.listing().environments[0]).toMatchObject({
      site: { id: undefined, displayName: 'Acme Shop' },
      named: 'by its display name',
    });
    expect(it.directory.listing()).toMatchObject({ at: 1_000_000, trouble: undefined });
  });

  test('the sites are requested again an hour later', async () => {
    const it = await world({ sites: 404, domains, 'wp-themes': page(themes, 2) });
    const times = (): number => asked(it).filter((path) => path === '/sites').length;
    await it.directory.refresh();
    it.now += 3_599_999;
    await it.directory.refresh();
    expect(times()).toBe(1);
    it.now += 1;
    it.answers.set('sites', sites);
    await it.directory.refresh();
    expect(times()).toBe(2);
    expect(namesIn(it)).toContain('acme-blog/live');
  });

  test('all pages of the themes are read', async () => {
    const it = await world({
      sites: 404,
      domains,
      'wp-themes@0': page(themes.slice(0, 1), 2),
      'wp-themes@1': page(themes.slice(1), 2),
    });
    await it.directory.refresh();
    expect(namesIn(it)).toHaveLength(3);
  });

  test.each([[2], [undefined], [99]])(
    'a deployment that ignores paging and says there are %s does not go on for ever',
    async (total) => {
      const it = await world({ sites: 404, domains, 'wp-themes': { company: { themes: { total, items: themes } } } });
      await it.directory.refresh();
      expect(namesIn(it)).toHaveLength(3);
      expect(asked(it).filter((path) => path.endsWith('wp-themes')).length).toBeLessThanOrEqual(2);
    },
  );
});

describe('names in the policy', () => {
  const overrides = {
    environments: [
      { id: shopLive, site: 'Shop', name: 'production' },
      { id: uuid(0xee), site: 'acme-docs', name: 'live' },
    ],
    sites: [
      { id: blog, name: 'acme-blog', environments: [blogLive] },
      { id: uuid(0x53), name: 'acme-docs', environments: [] },
    ],
  };

  test('override those of the host, and complete them', async () => {
    const it = await world({ sites: 404, domains, 'wp-themes': page(themes, 2) }, { overrides: () => overrides });
    await it.directory.refresh();
    expect(namesIn(it)).toEqual(['Shop/production', 'acme-shop/staging', 'acme-blog/live', 'acme-docs/live']);
    const [production, , ofBlog, docs] = it.directory.listing().environments;
    expect(production).toMatchObject({
      id: shopLive,
      displayName: 'Live',
      site: { id: undefined },
      named: 'by policy',
    });
    expect(ofBlog?.site?.id).toBe(blog);
    expect(docs).toMatchObject({ id: uuid(0xee), site: { id: uuid(0x53) } });
  });

  test('apply as soon as they change', async () => {
    let said: typeof overrides | typeof noOverrides = noOverrides;
    const it = await world({ sites, domains }, { overrides: () => said });
    await it.directory.refresh();
    expect(namesIn(it)).toContain('acme-shop/live');
    said = overrides;
    expect(namesIn(it)).toContain('Shop/production');
    expect(it.directory.listing().environments.find(({ id }) => id === shopLive)?.site?.id).toBe(shop);
  });
});

describe('the company', () => {
  test('is read from the key if it is not configured', async () => {
    const it = await world(
      { validate: { name: 'a key', company, status: 200 }, sites, domains },
      { company: undefined },
    );
    expect(it.directory.listing().company).toBeUndefined();
    await it.directory.refresh();
    await it.directory.refresh();
    expect(it.directory.listing()).toMatchObject({ company: { id: company }, trouble: undefined });
    expect(asked(it).filter((path) => path === '/validate')).toHaveLength(1);
  });

  test.each([[404], [{ name: 'a key' }], [{ company: 'no id' }]])(
    'is in trouble if the host answers %j',
    async (validate) => {
      const it = await world({ validate, sites, domains }, { company: undefined });
      await it.directory.refresh();
      expect(it.directory.listing()).toMatchObject({
        at: undefined,
        environments: [],
        trouble: { name: 'HostTrouble' },
      });
      expect(it.troubles).toHaveLength(1);
    },
  );
});

describe('refreshes in the background', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('simultaneous refreshes are one', async () => {
    const it = await world({ sites, domains });
    await Promise.all([it.directory.refresh(), it.directory.refresh(), it.directory.refresh()]);
    expect([...asked(it)].sort()).toEqual(['/domains', '/sites']);
  });

  test('happen at once, then at intervals, sooner after trouble, and not after closing', async () => {
    const it = await world({ sites, domains }, { refreshMs: 100_000 });
    const rounds = (): number => asked(it).filter((path) => path === '/sites').length;
    it.directory.start();
    await it.directory.refresh();
    await vi.advanceTimersByTimeAsync(99_999);
    expect(rounds()).toBe(1);
    it.answers.set('domains', 500);
    await vi.advanceTimersByTimeAsync(1);
    await it.directory.refresh();
    expect(rounds()).toBe(2);
    await vi.advanceTimersByTimeAsync(30_000);
    await it.directory.refresh();
    expect(rounds()).toBe(3);
    it.directory.close();
    await vi.advanceTimersByTimeAsync(1_000_000);
    expect(rounds()).toBe(3);
  });
});
