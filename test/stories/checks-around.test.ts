import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Client } from 'pg';
import { makeDatabase, noPostgres, postgresRuns } from '../postgres.ts';
import { inScenario, openScenario, patienceMs, type Scenario } from './scenario.ts';
import type { ChangeThread } from './people.ts';

/** A site is read before what can break it, and after. Three readings take twenty seconds, so the stories run at once. */

const policy = `
version: 1
live: ['*/live']
groups: { developers: [U01ANA, U02BEN, U04DEE, U05FAY, U06ROB], leads: [U03CHI] }
rules:
  - { allow: [read], to: everyone }
  - { allow: [routine], to: [developers] }
  - { allow: ['domains add'], to: [developers] }
  - { allow: [push], to: [developers], approval: { by: [leads], count: 1, expires: 1h } }
checks:
  lumen-studio: off
`;

const soon = { timeout: patienceMs, interval: 100 };

/** What `change` shows of the site, once its readings are over. */
async function siteOf(scenario: Scenario, { number }: ChangeThread): Promise<string> {
  await vi.waitFor(() => {
    const [kept] = scenario.rows('select value from kv where key = ?', `site check:${number}`);
    if (!String(kept?.['value']).includes('"verdict"')) throw new Error(`#${number} is not read yet`);
  }, soon);
  return storyOf(scenario, number);
}

const storyOf = async (scenario: Scenario, number: number): Promise<string> => {
  const asked = await scenario.person('ana').says(`/site change ${number}`);
  return (await asked.hears(new RegExp(`· #${number}\\n[^]*Site before: `))).text;
};

const texts = (change: ChangeThread): readonly string[] => change.replies().map(({ text }) => text);
const inThree = 'in 3 of 3 readings';

describe.concurrent('the site is read before and after', () => {
  let scenario: Scenario;
  beforeAll(async () => {
    scenario = await openScenario({ policy, hosting: { durations: { 'environments:push': 0, 'cache:clear': 0 } } });
  });
  afterAll(() => scenario.close());

  test('a push that breaks it is reported once, with the log since the push; the push still counts as done', async () => {
    scenario.site.break('acme-shop/live', 'push');
    const ana = scenario.person('ana');
    await ana.opens('/site push acme-shop/staging acme-shop/live --files', 'All files of acme-shop/live');
    const change = await ana.confirms({ 'Type acme-shop/live to confirm': 'acme-shop/live' });
    // Read before anybody has approved it.
    await vi.waitFor(async () => expect(await storyOf(scenario, change.number)).toContain('Site before: well'), soon);
    await scenario.person('chi').clicks(change.card(), 'Approve');
    await scenario.holdBeforeSend(change.number);
    scenario.makeDue(change.number);
    await change.tells(/^✅ Done after /);
    const verdict = await change.tells(
      /acme-shop\/live was 200 in (?:under )?\d\.\d s before, and is now 500 \(WordPress reports a critical error\), in 3 of 3 readings/,
    );
    expect(verdict.text).toContain('https://acme-shop.example/');
    expect(verdict.controls.map(({ label }) => label)).toEqual(['Error log since the push', 'Status']);
    const log = await ana.clicks(verdict, 'Error log since the push');
    await log.hears('acme-shop/live');
    await change.shows('✅ Pushed');
    const story = await siteOf(scenario, change);
    expect(story).toMatch(/Site before: well in one reading: 200 in (?:under )?\d\.\d s \(https:/);
    expect(story).toMatch(/Site after: bad in 3 of 3 readings: 500 \(WordPress/);
    expect(texts(change).filter((text) => text.includes(inThree))).toHaveLength(1);
    expect(scenario.writes('acme-shop/live')).toHaveLength(1);
  });

  test('a site that stays well is not mentioned', async () => {
    const change = await scenario.person('ben').asks('/site cache clear acme-blog/live');
    await change.tells('the host reports it finished');
    expect(await siteOf(scenario, change)).toMatch(/Site after: well in 3 of 3 readings: 200 in/);
    expect(texts(change)).toEqual([expect.stringContaining('the host reports it finished')]);
  });

  test('a site that was bad before is reported as such, also in the thread of a routine change', async () => {
    scenario.site.break('acme-docs/live', 'database');
    const change = await scenario.person('dee').asks('/site cache clear acme-docs/live');
    const verdict = await change.tells(
      `acme-docs/live is now 200, but WordPress cannot reach its database, ${inThree}`,
    );
    expect(verdict.text).toContain('It was bad before too, in one reading: 200, but');
    expect(verdict.text).not.toContain('was 200');
  });

  test('a site that was bad and is well after the change is reported, also in the thread of a routine change', async () => {
    // Only the reading before: as a visitor, and past the cache.
    scenario.site.faults.add({ kind: 'status', path: '/staging-acme-blog.sitehost.example/', status: 500, times: 2 });
    const change = await scenario.person('rob').asks('/site cache clear acme-blog/staging');
    const verdict = await change.tells('acme-blog/staging is well again');
    expect(verdict.text).toMatch(
      /200 in .*, in 3 of 3 readings .* Before, it was 500 \(the page is empty\), in one reading\./,
    );
  });

  test('a site that hangs delays the change by three seconds at most, and nothing is claimed about it', async () => {
    scenario.site.faults.add({ kind: 'hang', path: '/harbor-events.example/', times: 'always' });
    const change = await scenario.person('fay').asks('/site cache clear harbor-events/live');
    await change.tells('the host reports it finished');
    const [write, ...more] = scenario.writes('harbor-events/live');
    expect(more).toEqual([]);
    const visit = scenario.site.journal.entries().find(({ headers }) => headers['host'] === 'harbor-events.example');
    // A look by itself would take eight.
    expect((write?.at ?? Infinity) - (visit?.at ?? 0)).toBeLessThan(7_000);
    expect(await storyOf(scenario, change.number)).toMatch(/Site before: unknown in one reading: without an answer/);
  });

  // Apart: its fault would meet the write of another.
  test(
    'an unknown outcome stays unknown, whatever the site is like, and its thread reports the site',
    { concurrent: false },
    async () => {
      const { id } = scenario.hosting.world.environmentNamed('north-bakery/live') ?? {};
      scenario.site.break('north-bakery/live', 'error');
      scenario.hosting.faults.add({ kind: 'reset', at: 'before-headers', section: '4.12', times: 1 });
      const change = await scenario.person('ana').asks('/site cache clear north-bakery/live', 'C0GENERAL');
      const unknown = await change.tells('Outcome unknown');
      const verdict = await change.tells(
        `north-bakery/live is now 500 (WordPress reports a critical error), ${inThree}`,
      );
      expect(verdict.text).toContain('It was bad before too');
      expect(verdict.controls.map(({ label }) => label)).toEqual(['Error log since then', 'Status']);
      expect(unknown.controls.map(({ label }) => label)).toContain('It happened');
      expect(scenario.rows('select state, target from changes where number = ?', change.number)).toEqual([
        { state: 'unknown', target: `environment:${id}` },
      ]);
      expect(await siteOf(scenario, change)).toMatch(/Site before: bad in one[^]*Site after: bad in 3 of 3/);
    },
  );

  test('a domain that is added: the environment is read, and the new name only once the host has verified it', async () => {
    scenario.site.break('acme-shop/staging', 'empty');
    const ben = scenario.person('ben');
    const change = await ben.asks('/site domains add acme-shop/staging tickets.acme-shop.example', 'C0GENERAL');
    await change.tells(/^✅ /);
    await change.tells(`acme-shop/staging is now 200, but the page is empty, ${inThree}`);
    expect(await siteOf(scenario, change)).toMatch(/Site before: bad in one[^]*Site after: bad in 3 of 3/);
    const visits = scenario.site.journal.entries().map(({ headers }) => headers['host']);
    expect(visits).not.toContain('tickets.acme-shop.example');
  });

  test('a site that is turned off in the policy is not read', async () => {
    const change = await scenario.person('rob').asks('/site cache clear lumen-studio/live');
    await change.tells('the host reports it finished');
    expect(await storyOf(scenario, change.number)).toContain('Site before: not read\nSite after: not read');
    const visits = scenario.site.journal.entries().map(({ headers }) => headers['host']);
    expect(visits).not.toContain('lumen-studio.example');
  });
});

test.concurrent(
  'readings that a kill interrupts are not repeated: nothing is claimed, and the history says so',
  inScenario({ policy, ownProcess: 'all' }, async (scenario) => {
    scenario.site.break('acme-shop/live', 'error');
    const change = await scenario.person('ana').asks('/site cache clear acme-shop/live');
    await change.tells('the host reports it finished');
    await vi.waitFor(() => {
      const [kept] = scenario.rows('select value from kv where key = ?', `site check:${change.number}`);
      if (!String(kept?.['value']).includes('"begun"')) throw new Error('the readings have not begun');
    }, soon);
    await scenario.kill();
    await scenario.start();
    const story = await storyOf(scenario, change.number);
    expect(story).toContain('Site before: bad in one reading: 500');
    expect(story).toContain('Site after: unknown: I started reading it, but have no result');
    // The last reply itself may be posted twice: the kill may come before its place is saved.
    expect(texts(change).filter((text) => text.includes('readings'))).toEqual([]);
  }),
);

test.skipIf(!postgresRuns).concurrent(`two replicas tell the verdict once${noPostgres}`, async () => {
  const url = (await makeDatabase()).href;
  const sql = new Client({ connectionString: url });
  await sql.connect();
  const story = async (scenario: Scenario): Promise<void> => {
    await Promise.all([scenario.start(), scenario.start()]);
    scenario.site.break('acme-shop/live', 'error');
    const change = await scenario.person('ana').asks('/site cache clear acme-shop/live');
    await change.tells(`acme-shop/live is now 500 (WordPress reports a critical error), ${inThree}`);
    const { rows } = await sql.query(`select 1 from audit where event = 'site_checked'`);
    expect(rows).toHaveLength(1);
    expect(texts(change).filter((text) => text.includes(inThree))).toHaveLength(1);
  };
  try {
    await inScenario({ policy, environment: { DATABASE_URL: url }, start: false }, story)();
  } finally {
    await sql.end();
  }
});

test
  .skipIf(!postgresRuns)
  .concurrent(`a replica that dies between readings is not replaced: nothing is claimed${noPostgres}`, async () => {
    const url = (await makeDatabase()).href;
    const sql = new Client({ connectionString: url });
    await sql.connect();
    const keptOf = async ({ number }: ChangeThread): Promise<string> => {
      const { rows } = await sql.query<{ value: string }>('select value from kv where key = $1', [
        `site check:${number}`,
      ]);
      return rows[0]?.value ?? '';
    };
    const story = async (scenario: Scenario): Promise<void> => {
      const first = await scenario.start();
      scenario.site.break('acme-shop/live', 'error');
      const change = await scenario.person('ana').asks('/site cache clear acme-shop/live');
      await vi.waitFor(async () => expect(await keptOf(change)).toContain('"begun"'), soon);
      await scenario.start();
      await first.end('SIGKILL');
      // It may have died while it posted, and the next posts there wait for that lease.
      await sql.query('update messages set lease_until = 1 where owner is not null');
      await change.tells('the host reports it finished');
      // The other replica works: its own change is read to the end, later than the lost readings would have been.
      const later = await scenario.person('ben').asks('/site cache clear acme-blog/live');
      await vi.waitFor(async () => expect(await keptOf(later)).toContain('"verdict"'), soon);
      expect(await keptOf(change)).toContain('"begun"');
      expect(texts(change).filter((text) => text.includes('readings'))).toEqual([]);
      expect(await storyOf(scenario, change.number)).toContain('Site after: unknown: I started reading it');
    };
    try {
      await inScenario({ policy, environment: { DATABASE_URL: url }, ownProcess: 'the first', start: false }, story)();
    } finally {
      await sql.end();
    }
  });
