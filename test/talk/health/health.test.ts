import { expect, it, test, vi } from 'vitest';
import { about } from '../../../src/commands/builtin/about.ts';
import { doctor } from '../../../src/commands/builtin/doctor.ts';
import { createSiteCheck } from '../../../src/site-check/site-check.ts';
import { HostTrouble } from '../../../src/hosting/client.ts';
import type { Listing } from '../../../src/hosting/names.ts';
import { roomState } from '../../../src/talk/health/database.ts';
import { aboutPage } from '../../../src/talk/build-info.ts';
import { type Check, doctorPage } from '../../../src/talk/health/check-result.ts';
import { healthOf } from '../../../src/talk/health/health.ts';
import { createChangeStore } from '../../../src/change/change-store.ts';
import { sendAll, type DeliveryResult } from '../../../src/audit/audit-out.ts';
import { policyInForceKey } from '../../../src/audit/policy-history.ts';
import { appendAudit } from '../../../src/storage/audit.ts';
import { enqueueMessage } from '../../../src/storage/messages.ts';
import { writeKv } from '../../../src/storage/kv.ts';
import { unreviewed } from '../../../src/storage/changes.ts';
import { insertWaiting } from '../../../src/storage/waiting.ts';
import { openDatabase, type Database } from '../../../src/storage/database.ts';
import { inline, plain } from '../../../src/words/text.ts';
import { describeBoth } from '../../storage/describe-both.ts';
import { sampleWatch, save } from '../../storage/samples.ts';
import { policyFrom, uuid, contextWith, emptyListing } from '../../fixtures.ts';
import type { PipelineContext } from '../../../src/talk/context.ts';

const day = 86_400_000;
const now = 20_000 * day;
const listing: Listing = { ...emptyListing, at: now - 60_000, company: { id: uuid(99) } };
const trouble = (kind: HostTrouble['kind'], status: number | undefined): HostTrouble =>
  new HostTrouble(
    { kind, says: 'secret-words of the host', ...(status !== undefined && { status }) },
    { attempts: 1, elapsedMs: 5 },
  );

const withOps = policyFrom(
  'version: 1\ngroups: { developers: [U01ANA], leads: [U03CHI] }\nrules:\n  - { allow: [read], to: [developers] }\nchannels: { ops: C0OPS }\n',
);
const healthy = (database: Database, more: Partial<PipelineContext> = {}): PipelineContext =>
  contextWith({
    database,
    policy: () => withOps,
    policyIsBroken: () => false,
    membersOf: () => Promise.resolve(['U01ANA']),
    groupTrouble: () => undefined,
    read: async (call) => call.reply.parse({ expires_at: new Date(now + 100 * day).toISOString() }),
    listing: () => listing,
    freshenNames: () => Promise.resolve(now - 65_000),
    dialect: 'document',
    unencrypted: [],
    unverified: [],
    isHostHere: false,
    siteCheck: createSiteCheck({ now: () => now }),
    auditOut: undefined,
    askSlack: () => Promise.resolve({ botUserId: 'UBOT' }),
    lookAt: () => Promise.resolve({ kind: 'seen', shared: false, archived: false, member: true, isPrivate: false }),
    ...more,
  });
const shown = ({ ok, says, hint }: Check): string =>
  `${ok === undefined ? '❔' : ok ? '✅' : '⚠️'} ${plain(says)}${hint ? ` → ${plain(inline(hint))}` : ''}`;
async function found(context: PipelineContext): Promise<Readonly<Record<string, string>>> {
  return Object.fromEntries((await healthOf(context)).map((check) => [check.what, shown(check)]));
}

describeBoth('health', (open) => {
  it('covers everything that Sitehand depends on', async () => {
    const database = await open({ now: () => now });
    const all = Object.entries(await found(healthy(database)));
    const expected: readonly (readonly [string, RegExp])[] = [
      ['Slack', /^✅ answers; I am @UBOT$/],
      ['Hosting API', /^✅ answers; the sites were last listed 2024-10-03 23:59 UTC$/],
      ['Key of the hosting API', /^✅ valid until 2025-01-12 /],
      ['Encryption', /^✅ nothing leaves this machine/],
      ['Site checks', /^✅ they ask the sites themselves/],
      ['Database', /^✅ (?:sqlite|postgres) answers in \d+ ms$/],
      [
        'Stored data',
        /^✅ \d+ kB(?:, of which \w+ \d+ kB, \w+ \d+ kB, \w+ \d+ kB)?; 0 audit lines, about 0 changes(?:; [\d.]+ [GT]B free)?$/,
      ],
      ['Replicas', /^✅ (?:one process, because the database is SQLite|0 live)$/],
      ['Rules', /^✅ [\da-f]{8} in force, 2 groups$/],
      ['Slack user groups', /^✅ the rules name none$/],
      ['Ops channel', /^✅ accepts posts, as far as I can see$/],
      ['Sending', /^✅ approved changes are sent$/],
      ['Changes', /^✅ 0 waiting, 0 approved, 0 running, 0 unknown$/],
      ['Reviews', /^✅ nothing sent by break-glass is left to review$/],
      ['Work', /^✅ nothing is overdue$/],
      ['Audit trail', /^✅ the last check found nothing wrong$/],
      ['Versions', /^✅ Sitehand \d+\.\d+\.\d+ on Node \d+/],
    ];
    expect(all.map(([what]) => what)).toEqual(expected.map(([what]) => what));
    for (const [at, [, says]] of expected.entries()) expect(all[at]?.[1]).toMatch(says);
  });

  it('counts changes, and says what to do about unknown outcomes, a pause or delays', async () => {
    const database = await open({ now: () => now });
    for (const ago of [3, 2, 1, 0, 4, 5]) await save(database, { state: 'unknown', lost_at: now - ago * day });
    await save(database, { state: 'waiting', due_at: now + 1 });
    await save(database, { state: 'accepted', due_at: now - 61_000 });
    await save(database, { state: 'done', settled_at: now, due_at: null });
    const pause = JSON.stringify({ by: 'U03CHI', name: 'Chi', why: 'a secret reason', at: now });
    await database.transaction((tx) => writeKv(tx, { key: 'pause', value: pause, at: now }));
    const { Changes, Sending, Work } = await found(healthy(database));
    const named = '#1 since 2024-10-01 00:00 UTC, #2 since 2024-10-02 00:00 UTC, #3 since';
    expect(Changes).toContain(`⚠️ 1 waiting, 0 approved, 1 running, 6 unknown: ${named}`);
    expect(Changes).toMatch(/, #5 since [^,]*, 1 more → Please check the host/);
    expect(Sending).toMatch(/^⚠️ paused by @U03CHI .* → Whoever may resume can end the pause with \/site resume\.$/);
    expect(Sending).not.toContain('secret');
    expect(Work).toContain('⚠️ the oldest has been due since 2024-10-03 23:58 UTC');
  });

  it('counts what was sent by break-glass and not reviewed once it is over, and names the oldest', async () => {
    const database = await open({ now: () => now });
    const over = { state: 'done', due_at: null, post_review: unreviewed } as const;
    await save(database, { ...over, settled_at: now - day });
    await save(database, { ...over, settled_at: now - 2 * day });
    await save(database, { ...over, state: 'accepted', settled_at: null });
    await save(database, { ...over, settled_at: now - 3 * day, post_review: '{"by":"U03CHI","at":1,"says":"fine"}' });
    await save(database, { ...over, settled_at: now - 4 * day, post_review: null });
    const { Reviews } = await found(healthy(database));
    expect(Reviews).toContain('⚠️ 2 changes sent by break-glass and not reviewed, the oldest #2 since 2024-10-02');
    expect(Reviews).toContain('/site changes --unreviewed lists them');
  });

  it('says that the audit trail was found altered', async () => {
    const database = await open({ now: () => now });
    const value = JSON.stringify({ seq: 1, hash: 'f00d' });
    await database.transaction((tx) => writeKv(tx, { key: 'published_head', value, at: now }));
    const { 'Audit trail': trail } = await found(healthy(database));
    expect(trail).toMatch(
      /^⚠️ it was altered, as \/site audit verify shows → .* runs sitehand audit confirm on the machine\.$/,
    );
  });

  it('says that a watch is long overdue', async () => {
    const database = await open({ now: () => now });
    const due = async (at: number): Promise<string | undefined> => {
      await database.transaction((tx) => insertWaiting(tx, { ...sampleWatch, due_at: at }));
      return (await found(healthy(database)))['Work'];
    };
    expect(await due(now - 900_000)).toBe('✅ nothing is overdue');
    expect(await due(now - 900_001)).toMatch(/^⚠️ a watch has been due since 2024-10-03 23:44 UTC → .*many logs/);
  });

  it.each([
    [['SLACK_API_URL', 'HOSTING_API_URL'], [], /^⚠️ SLACK_API_URL and HOSTING_API_URL: no encryption .* → .*https:/],
    [['DATABASE_URL'], ['DATABASE_LISTEN_URL'], /^⚠️ DATABASE_URL: no .*; DATABASE_LISTEN_URL: no certificate/],
    [[], ['DATABASE_URL'], /^⚠️ DATABASE_URL: no certificate is checked.* → .*sslmode=verify-full/],
  ])('warns of what travels unencrypted (%j) or to anybody who answers (%j)', async (unencrypted, unverified, says) => {
    const { Encryption } = await found(healthy(await open({ now: () => now }), { unencrypted, unverified }));
    expect(Encryption).toMatch(says);
  });

  it('warns if site checks go elsewhere', async () => {
    const instead = { host: '127.0.0.1', port: 8080 };
    const siteCheck = createSiteCheck({ now: () => now, instead });
    const { 'Site checks': checks } = await found(healthy(await open({ now: () => now }), { siteCheck }));
    expect(checks).toMatch(/^⚠️ CHECK_CONNECT_TO sends all of them to 127\.0\.0\.1:8080, so .* → .*remove/);
    const here = healthy(await open({ now: () => now }), { siteCheck, isHostHere: true });
    expect((await found(here))['Site checks']).toMatch(/^✅ they go to 127\.0\.0\.1:8080/);
  });

  it('says whether the audit trail reaches its destination', async () => {
    let at = now;
    const database = await open({ now: () => at });
    let answer: DeliveryResult = { kind: 'taken' };
    const auditOut = { id: 'd1', name: 'audit.example', deliver: async () => answer };
    const sends = (delivered: DeliveryResult): Promise<void> => {
      answer = delivered;
      const of = { database, owner: 'a', destination: auditOut, onFailed: () => undefined, onTrouble: () => undefined };
      return sendAll(of, new AbortController().signal, true);
    };
    const seen = async () => (await found(healthy(database, { auditOut })))['Audit trail elsewhere'];
    const away: DeliveryResult = { kind: 'failed', why: 'it answered 500', lasting: false };
    expect(await seen()).toBe('✅ no lines yet');
    await database.transaction((tx) =>
      appendAudit(tx, { at: now, change: null, event: 'pause', actor: 'U1', details: '{}' }, undefined),
    );
    expect(await seen()).toBe('✅ on its way to audit.example: 1 line, since 2024-10-04 00:00 UTC');
    await sends(away);
    expect(await seen()).toMatch(/^❔ unknown: the last attempt to reach audit\.example failed: it answered 500\./);
    await sends({ kind: 'failed', why: 'it answered 401', lasting: true });
    expect(await seen()).toMatch(
      /^⚠️ doesn't reach audit\.example: it answered 401\. Waiting: 1 line, .* → Nothing is lost/,
    );
    await sends(away);
    at = now + 900_000;
    expect(await seen()).toMatch(/^⚠️ doesn't reach audit\.example: it answered 500\. Waiting/);
    await sends({ kind: 'taken' });
    expect(await seen()).toBe('✅ audit.example has taken every line');
  });

  it('does not complain about old lines that are still on their way to a new destination', async () => {
    const database = await open({ now: () => now });
    const line = { at: now - day, change: null, event: 'pause', actor: 'U1', details: '{}' };
    await database.transaction((tx) => appendAudit(tx, line, undefined));
    const seen: (string | undefined)[] = [];
    const look = async (): Promise<DeliveryResult> => {
      seen.push((await found(healthy(database, { auditOut: destination })))['Audit trail elsewhere']);
      return { kind: 'failed', why: 'it answered 500', lasting: false };
    };
    const destination = { id: 'd1', name: 'audit.example', deliver: look };
    const of = { database, owner: 'a', destination, onFailed: () => undefined, onTrouble: () => undefined };
    await look();
    await sendAll(of, new AbortController().signal);
    await look();
    expect(seen).toEqual([
      expect.stringMatching(/^❔ unknown: nothing says whether it reaches audit\.example now\. Waiting: 1 line/),
      expect.stringMatching(/^✅ on its way to audit\.example: 1 line/),
      expect.stringMatching(/^❔ unknown: the last attempt to reach audit\.example failed: it answered 500\./),
    ]);
  });

  it('says since when the trail is kept, and how many changes', async () => {
    const database = await open({ now: () => now });
    const store = createChangeStore({ auditKey: undefined, installation: '', onEvent: () => undefined });
    await save(database);
    await database.transaction((tx) =>
      store.note(tx, { event: 'x', by: 'sitehand', about: 'company', at: now - 3 * day }),
    );
    const { 'Stored data': data } = await found(healthy(database));
    expect(data).toContain('; 1 audit line since 2024-10-01 00:00 UTC, about 1 change');
  });

  it('counts a message that waits to be posted as queued work', async () => {
    const database = await open({ now: () => now });
    await database.transaction((tx) =>
      enqueueMessage(tx, { key: 'ops:x', kind: 'ops', body: '{}', at: now - 120_000 }),
    );
    expect((await found(healthy(database)))['Work']).toContain('⚠️ the oldest has been due');
  });

  it('says since when the policy is in force, and that a broken file is not', async () => {
    const database = await open({ now: () => now });
    const { hash } = healthy(database).policy();
    await database.transaction((tx) => writeKv(tx, { key: policyInForceKey, value: hash, at: now - day }));
    expect((await found(healthy(database)))['Rules']).toContain('in force since 2024-10-03');
    const broken = await found(healthy(database, { policyIsBroken: () => true }));
    expect(broken['Rules']).toMatch(/^⚠️ the file can't be used; [\da-f]{8} in force since .* → Its mistakes/);
  });

  it('reports every failure as a finding, without quoting it', async () => {
    const database = await open({ now: () => now });
    const fail = (): Promise<never> => Promise.reject(new Error('xoxb-secret'));
    const groups = policyFrom('version: 1\ngroups: { devs: [S0DEVS] }\nrules:\n  - { allow: [read], to: [devs] }\n');
    const logged: string[] = [];
    const onTrouble = (what: string): unknown => logged.push(what);
    const all = await found(
      healthy(database, { askSlack: fail, read: fail, membersOf: fail, policy: () => groups, onTrouble }),
    );
    expect(logged.toSorted()).toEqual(
      ['Hosting API', 'Key of the hosting API', 'Slack user groups'].map((one) => `checking: ${one}`),
    );
    expect(all['Slack']).toMatch(/^⚠️ doesn't say who I am → .*SLACK_BOT_TOKEN/);
    const failed = '❔ unknown: the check itself failed → My log says why.';
    expect(all['Key of the hosting API']).toBe(failed);
    expect(all['Slack user groups']).toBe(failed);
    expect(JSON.stringify(all)).not.toContain('secret');
    const empty = await found(healthy(database, { membersOf: () => Promise.resolve([]), policy: () => groups }));
    expect(empty['Slack user groups']).toMatch(/^⚠️ nobody is in S0DEVS → .*usergroups:read\.$/);
    const two = policyFrom(
      'version: 1\ngroups: { devs: [S0DEVS, S0LEADS] }\nrules:\n  - { allow: [read], to: [devs] }\n',
    );
    const unread = await found(
      healthy(database, {
        membersOf: async (group) => (group === 'S0DEVS' ? undefined : []),
        groupTrouble: () => 'subteam_disabled',
        policy: () => two,
      }),
    );
    expect(unread['Slack user groups']).toMatch(
      /^⚠️ Slack doesn't tell who is in S0DEVS \(subteam_disabled\); nobody is in S0LEADS → .*deny that to everybody/,
    );
  });

  it.each<[string, Partial<Listing>, string]>([
    ['not listed yet', { at: undefined }, '⚠️ the sites have not been listed yet'],
    ['silent since', { at: now - 66_000 }, '⚠️ has not answered for 4 s; the sites were last listed 2024-10-03 23:58'],
    ['in trouble', { trouble: trouble('server error', 502) }, '⚠️ The host answered 502. The sites were last listed'],
    ['too many', { cut: true }, '⚠️ it has more sites or domains than I can hold'],
  ])('checks the listing: %s', async (_, more, words) => {
    const database = await open({ now: () => now });
    const { 'Hosting API': host } = await found(healthy(database, { listing: () => ({ ...listing, ...more }) }));
    expect(host).toContain(words);
    expect(host).toContain(' → ');
    expect(host).not.toContain('secret');
  });

  it.each<[string, PipelineContext['read'], string]>([
    ['no such route', () => Promise.reject(trouble('not found', 404)), "✅ the host doesn't say when it expires"],
    ['not taken', () => Promise.reject(trouble('unauthorized', 401)), '⚠️ The host rejected my key (401)'],
    ['no host', () => Promise.reject(trouble('unreachable', undefined)), "❔ unknown: I can't reach the host."],
    ['no date', async (call) => call.reply.parse({}), "✅ accepted; the host doesn't say when it expires"],
    ['soon', expiring(now + 13 * day), '⚠️ expires '],
    ['over', expiring(now - 1), '⚠️ expired '],
    ['later', expiring(now + 15 * day), '✅ valid until'],
    ['soon, in milliseconds', keyExpiring(String(now + 13 * day)), '⚠️ expires 2024-10-17'],
    ['over, in milliseconds', keyExpiring(String(now - 1)), '⚠️ expired 2024-10-03'],
    ['later, in milliseconds', keyExpiring(String(now + 15 * day)), '✅ valid until 2024-10-19'],
    ['in seconds', keyExpiring(String((now + 15 * day) / 1_000)), '✅ valid until 2024-10-19'],
    ['in milliseconds, as a number', keyExpiring(now + 15 * day), '✅ valid until 2024-10-19'],
    ['never', keyExpiring(null), "✅ accepted; the host doesn't say when it expires"],
    ['garbage', keyExpiring('soon'), "✅ accepted; the host doesn't say when it expires"],
    ['digits that are no moment', keyExpiring('9'.repeat(30)), "✅ accepted; the host doesn't say when it expires"],
    ['nothing', keyExpiring(''), "✅ accepted; the host doesn't say when it expires"],
    ['zero', keyExpiring('0'), "✅ accepted; the host doesn't say when it expires"],
  ])('checks the key: %s', async (_, read, words) => {
    const database = await open({ now: () => now });
    expect((await found(healthy(database, { read })))['Key of the hosting API']).toContain(words);
  });

  it('is a table; passed checks have no advice', async () => {
    const database = await open({ now: () => now });
    const context = healthy(database, { askSlack: () => Promise.reject(new Error('no')) });
    const page = doctorPage(await healthOf(context));
    expect(plain(page.title)).toBe('⚠️ 1 of 17 checks needs a look');
    const [list] = page.parts;
    if (list?.kind !== 'list') throw new Error('no list');
    const marks = list.entries.map((entry) => plain(entry).split(' ')[0]);
    expect(marks).toEqual(['⚠️', ...Array.from({ length: 16 }, () => '✅')]);
    const shown = aboutPage(context);
    expect(plain(shown.title)).toMatch(/^Sitehand \d+\.\d+\.\d+ · /);
    expect(plain(inline(shown.source))).toMatch(
      new RegExp(`^MIT licence · host dialect document · (?:sqlite|postgres) · installation ${database.installation}$`),
    );
  });
});

function expiring(at: number): PipelineContext['read'] {
  return keyExpiring(new Date(at).toISOString());
}

function keyExpiring(expires_at: string | number | null): PipelineContext['read'] {
  return async (call) => call.reply.parse({ name: 'key', expires_at, company: uuid(99), status: 'active' });
}

test('a check without an answer in time is unknown, unless it checks whether there is an answer', async () => {
  const database = await openDatabase('sqlite::memory:');
  const silent = (): Promise<never> => new Promise(() => undefined);
  const groups = policyFrom(
    'version: 1\ngroups: { devs: [S0DEVS] }\nrules:\n  - { allow: [read], to: [devs] }\nchannels: { ops: C0OPS }\n',
  );
  const asked = { askSlack: silent, lookAt: silent, membersOf: silent, policy: () => groups };
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const finding = found(healthy({ ...database, now: silent }, { ...asked, freshenNames: silent }));
    await vi.advanceTimersByTimeAsync(5_000);
    const all = await finding;
    const silence = 'has not answered for 5 s → Try again in a minute. My log may say more.';
    expect(Object.fromEntries(Object.entries(all).filter(([, says]) => !says.startsWith('✅')))).toEqual({
      Slack: `⚠️ ${silence}`,
      'Hosting API': `⚠️ ${silence}`,
      'Key of the hosting API': `❔ unknown: the host or the database ${silence}`,
      'Slack user groups': `❔ unknown: Slack ${silence}`,
      'Ops channel': `❔ unknown: Slack or the database ${silence}`,
      Work: `❔ unknown: the database ${silence}`,
    });
  } finally {
    vi.useRealTimers();
    await database.close();
  }
});

test('a disk that is nearly full needs a look, in numbers that people read', () => {
  const sizes = { bytes: 1_234_567_890, lines: 1_203_112, since: undefined, changes: 80_211 };
  const tables = [{ name: 'audit', bytes: 800_000_000 }];
  expect(shown({ what: '', ...roomState({ ...sizes, tables, free: undefined }) })).toBe(
    '✅ 1.2 GB, of which audit 800 MB; 1,203,112 audit lines, about 80,211 changes',
  );
  expect(shown({ what: '', ...roomState({ ...sizes, tables: [], free: 499_999_999 }) })).toMatch(
    /^⚠️ 1\.2 GB; .*; 500 MB free → Please make room on the disk\. /,
  );
});

test('doctor answers only people who may read, about answers everybody', () => {
  expect([doctor.right, about.right]).toEqual(['read', 'anyone']);
});
