import { afterEach, expect, test } from 'vitest';
import { HostTrouble } from '../../src/hosting/client.ts';
import { watching } from '../../src/hosting/contract/call.ts';
import type { PipelineContext } from '../../src/talk/context.ts';
import { digestNote } from '../../src/waiting/digests.ts';
import { readDigest } from '../../src/waiting/digest-reading.ts';
import { openDatabase, type Database } from '../../src/storage/database.ts';
import { takeLocks } from '../../src/storage/locks.ts';
import { setTimer } from '../../src/storage/timers.ts';
import { drawNote } from '../../src/block-kit/blocks.ts';
import type { Digest } from '../../src/storage/waiting.ts';
import { plain, say } from '../../src/words/text.ts';
import { insertChange, unreviewed } from '../../src/storage/changes.ts';
import { sample, save } from '../storage/samples.ts';
import type { Look } from '../../src/site-check/reading.ts';
import {
  ana,
  blog,
  company,
  contextWith,
  live,
  names,
  noSites,
  policyFrom,
  policyOf,
  staging,
  uuid,
} from '../fixtures.ts';

const now = Date.UTC(2026, 10, 23, 9);
const day = 86_400_000;
let database: Database | undefined;
afterEach(() => database?.close());

const theme = (...environments: readonly object[]) => ({ name: 'kiln', environments });
const themesOf = (...items: readonly object[]) => ({ company: { themes: { total: items.length, items } } });
const backupsOf = (...at: readonly (number | undefined)[]) => ({
  environment: { backups: at.map((created_at) => ({ type: 'scheduled', created_at })) },
});

const aDigest: Digest = {
  id: 7,
  kind: 'digest',
  uuid: null,
  target: 'digest',
  targets: '[]',
  sites: '[]',
  requester: ana.id,
  requester_name: 'Ana',
  channel: 'C1',
  zone: 'UTC',
  created_at: 1,
  expires_at: now + day,
  turn_at: null,
  tried_at: null,
  due_at: now,
  ended_at: null,
  owner: null,
  lease_until: null,
};

type Told = { certificateDays: number } | { why: string; isOfSite: boolean } | { why: string } | 'no encryption';

/** The live environment has these domains, and a reading of each shows this. Every page that is read is noted in `read`. */
function sitesWith(domains: Readonly<Record<string, Told>>, read: string[] = []): Partial<PipelineContext> {
  const lookAt = (address: string, as: Look['as']): Look => {
    const told = domains[new URL(address).host] ?? 'no encryption';
    if (told !== 'no encryption' && 'why' in told)
      return 'isOfSite' in told
        ? { address, as, kind: 'no answer', ...told }
        : { address, as, kind: 'not checked', ...told };
    const certificateDays = told === 'no encryption' ? undefined : told.certificateDays;
    const page = {
      firstByteMs: 1,
      ms: 1,
      finalAddress: address,
      title: undefined,
      trouble: undefined,
      cache: undefined,
    };
    return { address, as, kind: 'answered', status: 200, ...page, certificateDays };
  };
  return {
    listing: () => ({
      ...noSites.listing(),
      environmentDomains: Object.keys(domains).map((name) => ({ id: uuid(70), name, environmentId: live.id })),
    }),
    siteCheck: {
      ...noSites.siteCheck,
      read: async ({ addresses }, { onBehalfOf } = {}) => {
        expect([onBehalfOf, addresses.length <= 4]).toEqual([watching, true]);
        read.push(...addresses);
        return { at: now, missing: [], looks: addresses.map((address) => lookAt(address, 'visitor')) };
      },
    },
  };
}
const wellSite = sitesWith({ 'acme.example': { certificateDays: 14 } });

/** What a digest says; `host` answers by the path that is read. */
async function digestOf(
  host: (path: string) => object,
  given: (of: Database) => Promise<void> = async () => undefined,
  sites: Partial<PipelineContext> = wellSite,
) {
  database = await openDatabase('sqlite::memory:', { now: () => now });
  await given(database);
  const context = contextWith({
    database,
    policy: () => policyOf('{ allow: [read], to: [developers], where: ["acme-shop/*"] }'),
    company: () => company,
    names: () => names,
    read: async (call, onBehalfOf) => {
      expect(onBehalfOf).toBe(watching);
      return call.reply.parse(host(call.path));
    },
    onTrouble: () => undefined,
    ...sites,
  } satisfies Partial<PipelineContext>);
  const stopping = new AbortController().signal;
  const { found, unread } = await readDigest(context, ana, [live, staging], { now, stopping });
  return {
    ...Object.fromEntries(Object.entries(found).map(([part, lines]) => [part, lines.map(plain)])),
    unread: unread.map(plain),
  };
}
const well = (path: string): object =>
  path.includes('themes')
    ? themesOf(theme(...[live, staging].map(({ id }) => ({ id, is_theme_version_vulnerable: false }))))
    : backupsOf(now - day);
const parts = [
  'Changes with an unknown outcome',
  'Sent by break-glass and not reviewed',
  'Vulnerable themes',
  'Old backups',
  'Certificates that expire',
  'Locks without end',
  'Timed access that ends within a week',
  'Changes that wait for approval',
];
const nothing = Object.fromEntries(parts.map((part) => [part, []]));

test('environments without trouble are not mentioned', async () => {
  expect(await digestOf(well)).toEqual({ ...nothing, unread: [] });
});

test('data that the host does not send is reported as not read', async () => {
  const said = await digestOf((path) => {
    if (path.includes('themes')) return themesOf(theme({ id: live.id, theme_version: '1.0' }));
    if (path.includes(live.id)) throw new HostTrouble({ kind: 'time-out', says: 'no' }, { attempts: 1, elapsedMs: 1 });
    return backupsOf(now - 3 * day, undefined);
  });
  expect(said).toEqual({
    ...nothing,
    unread: [
      "Vulnerable themes: the host doesn't tell about all themes of acme-shop/live, acme-shop/staging.",
      "Backups of acme-shop/live: The host didn't answer in time.",
      "Backups of acme-shop/staging: The host doesn't say how old the newest one is.",
    ],
  });
});

test('the same trouble is reported once, whatever the host says about it each time', async () => {
  const { unread } = await digestOf((path) => {
    if (path.includes('themes')) return themesOf(theme({ id: live.id, theme_version: '1.0' }));
    const words = `request ${path.includes(live.id) ? '1a' : '2b'}`;
    throw new HostTrouble({ kind: 'server error', status: 502, says: 'no', words }, { attempts: 1, elapsedMs: 1 });
  });
  expect(unread.slice(1)).toEqual([
    'Backups of acme-shop/live, acme-shop/staging: The host answered 502. It says: “request 1a”.',
  ]);
});

test('what needs a look is reported without names, addresses and titles, and only for these environments', async () => {
  const host = (path: string): object =>
    path.includes('themes')
      ? themesOf(theme({ id: live.id, theme_version: '1.0', is_theme_version_vulnerable: true }, { id: blog.id }))
      : path.includes(live.id)
        ? backupsOf(now - 3 * day, now - day - 1)
        : backupsOf();
  const said = await digestOf(host, async (of) => {
    const on = (env: typeof live) => ({ target: `environment:${env.id}`, target_name: env.name });
    const about = (...envs: readonly object[]) => ({ targets: JSON.stringify(envs) });
    await save(of, { ...on(live), ...about(live), state: 'unknown', lost_at: now - day });
    await save(of, { ...on(staging), ...about(staging), created_at: now });
    await save(of, { ...on(staging), ...about(staging, blog) });
    await save(of, { ...on(blog), ...about(blog) });
    await save(of, { ...on(live), ...about(live), state: 'done', settled_at: 1 });
    const over = { state: 'done', settled_at: now - day, post_review: unreviewed } as const;
    await save(of, { ...on(live), ...about(live, staging), ...over });
    await save(of, { ...on(blog), ...about(blog), ...over });
    await save(of, { ...on(live), ...about(live), ...over, post_review: '{"by":"U03CHI","at":1,"says":"x"}' });
    const timer = { target_key: `environment:${live.id}`, target: JSON.stringify(live), addresses: '["198.51.100.4"]' };
    const who = { may_empty: 0, requester: 'U1', requester_name: 'Ana', requester_team: 'T1', channel: 'C1' } as const;
    await of.transaction(async (tx) => {
      await setTimer(tx, { ...timer, ...who, change: 1, ends_at: now + 7 * day });
      await setTimer(tx, { ...timer, ...who, change: 2, ends_at: now + 7 * day + 1 });
      await takeLocks(tx, [`environment:${live.id}`], { person: 'U1', reason: 'a secret' }, now);
      await takeLocks(tx, [`environment:${staging.id}`], { person: 'U1', reason: 'x', until: now + day }, now);
    });
  });
  expect(said).toEqual({
    ...nothing,
    'Changes with an unknown outcome': ['acme-shop/live: #1 cache clear, since 2026-11-22 09:00 UTC'],
    'Sent by break-glass and not reviewed': ['acme-shop/live: #6 cache clear, since 1970-01-01 00:00 UTC'],
    'Vulnerable themes': ['acme-shop/live: kiln 1.0'],
    'Old backups': [
      'acme-shop/live: the newest is from 2026-11-22 08:59 UTC, 24 h ago',
      'acme-shop/staging: the host lists none',
    ],
    'Locks without end': ['acme-shop/live: since 2026-11-23 09:00 UTC'],
    'Timed access that ends within a week': ['acme-shop/live: #1 until 2026-11-30 09:00 UTC'],
    'Changes that wait for approval': ['acme-shop/staging: #2 cache clear, since 2026-11-23 09:00 UTC'],
    unread: [
      "Vulnerable themes: the host doesn't tell about all themes of acme-shop/staging.",
      'Changes: 1 change that its owner may not read.',
    ],
  });
});

test('a batch that waits is reported for each of its environments, and no other one is named', async () => {
  const said = await digestOf(well, async (of) => {
    const batch = (...targets: readonly object[]) => {
      const progress = JSON.stringify({ items: targets.map(() => ({})), passedOver: [] });
      return save(of, { target: 'batch', targets: JSON.stringify(targets), progress, created_at: now });
    };
    await batch(live, staging);
    await batch(live, blog);
    await batch(blog);
  });
  expect(said).toEqual({
    ...nothing,
    'Changes that wait for approval': [
      'acme-shop/live: #1 cache clear, since 2026-11-23 09:00 UTC',
      'acme-shop/staging: #1 cache clear, since 2026-11-23 09:00 UTC',
    ],
    unread: ['Changes: 1 change that its owner may not read.'],
  });
});

test('a digest that read only some of the open changes says so', async () => {
  const said = await digestOf(well, async (of) => {
    await of.transaction(async (tx) => {
      for (let at = 0; at < 100; at += 1)
        await insertChange(tx, { ...sample, target: `environment:${live.id}`, state: 'approved' });
    });
  });
  expect(said).toEqual({ ...nothing, unread: ['Changes: there may be more of acme-shop/live.'] });
});

test('certificates that expire within two weeks are reported, from one page of each domain; unknown ones are not read', async () => {
  const read: string[] = [];
  const tell = (domains: Parameters<typeof sitesWith>[0]) => digestOf(well, undefined, sitesWith(domains, read));
  expect(
    await tell({
      'a.example': { certificateDays: 13 },
      'b.example': { why: 'has a certificate that has expired', isOfSite: true },
      'c.example': { certificateDays: 200 },
    }),
  ).toEqual({
    ...nothing,
    'Certificates that expire': [
      'acme-shop/live: a.example has a certificate for 13 more days',
      'acme-shop/live: b.example has a certificate that has expired',
    ],
    unread: [],
  });
  expect(read).toEqual(['https://a.example/', 'https://b.example/', 'https://c.example/']);
  const many = await tell({
    'a.example': { why: 'had not answered after 7.0 s', isOfSite: true },
    'b.example': { why: 'the name leads into a private network' },
    'c.example': 'no encryption',
    'd.example': { certificateDays: 1 },
  });
  expect(many).toEqual({
    ...nothing,
    unread: [
      'Certificates of a.example: it had not answered after 7.0 s',
      'Certificates of b.example: not asked, because the name leads into a private network',
      'Certificates of c.example: it answered without encryption',
      'Certificates of 1 more domain than one digest reads.',
    ],
  });
  const off = policyFrom('version: 1\nrules: []\nchecks: off');
  read.length = 0;
  expect(
    await digestOf(well, undefined, { ...sitesWith({ 'a.example': { certificateDays: 1 } }, read), policy: () => off }),
  ).toMatchObject({ unread: ['Certificates of acme-shop/live: the policy turns checks of it off'] });
  expect(await digestOf(well, undefined, noSites)).toMatchObject({
    unread: [expect.stringMatching(/^Certificates of acme-shop\/live: the host names no domain/)],
  });
  expect(read).toEqual([]);
});

test('themes and backups that can not be read are reported as not read', async () => {
  const said = await digestOf((path) => {
    if (path.includes('themes')) {
      const fine = { is_theme_version_vulnerable: false };
      const items = [theme({ id: live.id, ...fine }, { id: staging.id, ...fine }), null];
      return { company: { themes: { items } } };
    }
    return { environment: { backups: path.includes(live.id) ? [null] : [null, { created_at: now }] } };
  });
  expect(said).toEqual({
    ...nothing,
    unread: [
      "Vulnerable themes: the host doesn't tell about all themes of acme-shop/live, acme-shop/staging.",
      "Backups of acme-shop/live, acme-shop/staging: The host doesn't say how old the newest one is.",
    ],
  });
});

test('a backup from the future is no proof of a new one', async () => {
  const said = await digestOf((path) =>
    path.includes('themes') ? well(path) : backupsOf(now - 30 * day, path.includes(live.id) ? now : now + 2 * day),
  );
  expect(said).toEqual({
    ...nothing,
    unread: ['Backups of acme-shop/staging: The host dates the newest one in the future.'],
  });
});

test.each([
  [60, 1, '1: 0'],
  [60, 9, 'and 7 more'],
  [900, 9, '9, too many for one message'],
])('a digest with lines of %i characters, %i in each part, names every part', (length, many, words) => {
  const lines = Array.from({ length: many }, (_, at) => say`${'x'.repeat(length)}1: ${at}`);
  const found = Object.fromEntries(parts.map((part) => [part, lines]));
  const digest = { ...aDigest, targets: JSON.stringify([live]) };
  const standing = {
    kind: 'may',
    owner: ana,
    envs: [live],
    about: [live.name],
    missing: [],
    hidden: 0,
    tooMany: 0,
    trouble: undefined,
  } as const;
  const { blocks } = drawNote(digestNote(digest, standing, { found, unread: lines }, now));
  const drawn = JSON.stringify(blocks);
  for (const part of [...parts, 'Not read', 'Digest #7 of Ana']) expect(drawn).toContain(part);
  expect(drawn).toContain(words);
  expect(drawn).not.toContain('more characters');
});
