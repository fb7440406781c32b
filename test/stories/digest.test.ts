import { Client } from 'pg';
import { describe, expect, test, vi } from 'vitest';
import type { VisibleMessage } from '../../src/playground/slack/shapes.ts';
import { expectSoon } from './people.ts';
import { makeDatabase, noPostgres, postgresRuns } from '../postgres.ts';
import { ids, inScenario, patienceMs, reloadPolicy, type Scenario } from './scenario.ts';

const day = 86_400_000;
const waiting = { timeout: patienceMs, interval: 50 };

/** Whether Ana and Ben may have a digest is a matter of Slack's user group. */
const policy = `
version: 1
live: ['*/live']
groups:
  devs: [S0DEVS]
  readers: [U01ANA, U02BEN, U06ROB]
rules:
  - { allow: [read], to: [readers] }
  - { allow: [digest, use, lock, unlock], to: [devs] }
  - { allow: ['cache clear'], to: [readers], approval: { by: [readers], count: 1, expires: 4h } }
channels:
  C0ACME: { sites: ['acme-*'] }
`;

const heard = (own: Scenario, channel = 'C0ACME'): readonly VisibleMessage[] =>
  own.slack.messages({ channel, as: ids.ana }).filter((one) => !one.ephemeral);
const hears = (own: Scenario, words: RegExp, channel?: string): Promise<VisibleMessage> =>
  expectSoon(
    own.slack,
    `${words}`,
    () => heard(own, channel).find(({ text }) => words.test(text)),
    () => heard(own, channel).map(({ text }) => text),
  );
const column = (own: Scenario, of: string): unknown => own.rows(`select ${of} as it from waiting`)[0]?.['it'];

/** Makes the digest due, and resolves when it was told, put off or ended. */
async function due(own: Scenario): Promise<void> {
  own.runSql('update waiting set due_at = 1 where ended_at is null');
  await vi.waitFor(() => expect([column(own, 'due_at'), column(own, 'owner')]).not.toEqual([1, null]), waiting);
  await vi.waitFor(() => expect(column(own, 'owner')).toBeNull(), waiting);
}
const start = async (own: Scenario, words = 'acme-shop'): Promise<void> =>
  void (await (await own.person('ana').says(`/site digest ${words}`)).hears(/Digest #\d+ of .* is on/));

function worldOf({ hosting }: Scenario, name: string) {
  const env = hosting.world.environmentNamed(name);
  if (env === undefined) throw new Error(`no ${name}`);
  return env;
}

describe('a weekly digest', () => {
  test(
    'reports once what needs a look, and what could not be read',
    inScenario({ policy }, async (own) => {
      await (await own.person('ana').says('/site use acme-shop')).hears(/is now bound/);
      await start(own, '');
      await hears(own, /Ana turned on a weekly digest of acme-shop here.*every Monday at 09:00 \(Europe\/Lisbon\)/s);
      const at = new Date(Number(column(own, 'due_at')));
      const local = at.toLocaleString('en-GB', {
        timeZone: 'Europe/Lisbon',
        weekday: 'long',
        timeStyle: undefined,
        hour: '2-digit',
        minute: '2-digit',
      });
      expect(local).toMatch(/^Monday.*09:00$/);
      for (const backup of worldOf(own, 'acme-shop/staging').backups) backup.created_at -= 3 * day;
      const path = `/sites/environments/${worldOf(own, 'acme-shop/live').id}/backups`;
      const fault = own.hosting.faults.add({ kind: 'status', method: 'GET', path, times: 'always', status: 500 }).id;
      await (await own.person('ana').says('/site lock acme-shop/live -- until it is repaired')).hears(/locked/i);
      await due(own);
      const { text } = await hears(own, /^Digest of acme-shop/);
      expect(text).toMatch(/Not read\n• Backups of acme-shop\/live: .*500/);
      expect(text).toContain('• Certificates of acme-shop/live: the policy turns checks of it off');
      expect(text).toMatch(/Vulnerable themes\n• acme-shop\/live: .*storefront-plus 4\.1\.2/);
      expect(text).toMatch(/Old backups\n• acme-shop\/staging: the newest is from .* days ago/);
      expect(text).toMatch(/Locks without end\n• acme-shop\/live: since/);
      expect(text).not.toMatch(/repaired|nothing needs a look|@Ana/);
      // Again in the same week, as after a clock that was set back: the same message.
      own.hosting.faults.remove(fault);
      await due(own);
      await vi.waitFor(
        () => expect(own.rows(`select version from messages where key like 'digest:%'`)).toEqual([{ version: 2 }]),
        waiting,
      );
      await own.slack.until(
        () => heard(own).find(({ text: now }) => now.startsWith('Digest of') && !now.includes('Backups of')),
        patienceMs,
      );
      expect(heard(own).filter((one) => one.text.startsWith('Digest of'))).toHaveLength(1);
      await own.stop();
      await own.start();
      const listed = await own.person('ben').says('/site watches');
      await listed.hears(/Digest of acme-shop/);
      await own.person('ben').clicks(await hears(own, /turned on a weekly digest/), 'Stop');
      await hears(own, /Digest #1 of acme-shop was stopped by Ben/);
      expect(
        own.rows(`select event from audit where event like 'digest%' order by seq`).map(({ event }) => event),
      ).toEqual(['digest_start', 'digest_told', 'digest_told', 'digest_stop']);
    }),
  );

  test(
    'says in one line that nothing needs a look; a second one here, and names that cannot be found, are refused',
    inScenario({ policy }, async (own) => {
      const refused = async (words: string, why: RegExp, channel?: string): Promise<void> =>
        void (await (await own.person('ana').says(`/site digest ${words}`, channel)).hears(why));
      const unbound = await (await own.person('ana').says('/site digest')).hears(/isn't bound to a site/);
      await own.person('ana').clicks(unbound, 'Name the sites…');
      await own.person('ana').form('Sites');
      await refused('acme-shop nowhere', /can't find nowhere among the sites and environments/);
      await refused('north-bakery', /This channel is for other sites/);
      await refused('acme-shop', /doesn't have me as a member/, 'C0RANDOM');
      const rob = await own.person('rob').says('/site digest acme-shop');
      await rob.hears(/You may not (?:use|run) digest/);
      await start(own, 'acme-docs/staging');
      await refused('acme-shop', /Digest #1 already does this in this channel/);
      await due(own);
      const { text } = await hears(own, /^Digest of acme-docs\/staging/);
      expect(text).toMatch(/: nothing needs a look · 1 environment: acme-docs\/staging\n\[Stop\]$/);
    }),
  );

  test(
    'is titled by what it covers: not by what its owner may no longer read, and a channel for other sites hears nothing of that',
    inScenario({ policy }, async (own) => {
      await start(own, 'acme-docs acme-shop');
      const less = policy.replace('channels:', "  - { deny: [read], to: [devs], where: ['acme-shop/*'] }\nchannels:");
      await reloadPolicy(own, less.replace("['acme-*']", "['acme-docs']"));
      const before = heard(own).length;
      await due(own);
      await hears(own, /^Digest of acme-docs, /);
      for (let lists = 0; lists < 20; lists += 1) own.omitSiteOnce('acme-shop');
      await own.refreshListing();
      await due(own);
      await vi.waitFor(
        () =>
          expect(own.rows(`select delivered_version as it from messages where key like 'digest:%'`)).toEqual([
            { it: 2 },
          ]),
        waiting,
      );
      own.runSql('update waiting set expires_at = 2');
      await due(own);
      await own.person('ana').reads(/^Digest #1 has ended\. You may no longer see what it was about\.$/);
      expect(
        heard(own)
          .slice(before)
          .map(({ text }) => text)
          .join(),
      ).not.toContain('acme-shop');
      expect(heard(own)).toHaveLength(before + 1);
    }),
  );

  test(
    'is put off while rights are unknown, left out after a day, and ends with the right',
    inScenario({ policy }, async (own) => {
      await start(own);
      own.slack.disableGroup('S0DEVS');
      own.advanceTime(120_000);
      await due(own);
      const reads = own.hosting.journal.entries().filter(({ path }) => /backups|themes/.test(path));
      expect(reads).toEqual([]);
      const week = (): readonly string[] =>
        heard(own).flatMap(({ text }) => (/^(?:Digest of|There's no digest)/.test(text) ? [text] : []));
      expect([week(), column(own, 'tried_at')]).toEqual([[], expect.any(Number)]);
      own.runSql('update waiting set tried_at = tried_at - ?', day);
      await due(own);
      await hears(
        own,
        /There's no digest of acme-shop this week\. Slack doesn't tell me who is in .*S0DEVS.*The next one comes/s,
      );
      expect([week().length, column(own, 'tried_at')]).toEqual([1, null]);
      own.slack.disableGroup('S0DEVS', false);
      await own.writePolicy(policy.replace('allow: [digest,', 'allow: ['));
      await vi.waitFor(() => expect(own.log()).toContain('policy'), waiting);
      own.advanceTime(120_000);
      await vi.waitFor(async () => {
        await due(own);
        expect(column(own, 'ended_at')).not.toBeNull();
      }, waiting);
      await hears(own, /Digest #1 of acme-shop has ended: Ana is no longer allowed to read it/);
    }),
  );
});

describe.skipIf(!postgresRuns)(`a digest of two replicas on one PostgreSQL${noPostgres}`, () => {
  test('is told once', async () => {
    const url = (await makeDatabase()).href;
    const sql = new Client({ connectionString: url });
    await sql.connect();
    const story = inScenario({ policy, environment: { DATABASE_URL: url }, start: false }, async (own) => {
      await Promise.all([own.start(), own.start()]);
      await start(own, 'acme-docs/staging');
      await sql.query('update waiting set due_at = 1');
      await hears(own, /^Digest of acme-docs\/staging/);
      const { rows } = await sql.query(`select version from messages where key like 'digest:%'`);
      expect(rows.map(({ version }) => Number(version))).toEqual([1]);
      const told = await sql.query(`select 1 from audit where event = 'digest_told'`);
      expect(told.rowCount).toBe(1);
    });
    try {
      await story();
    } finally {
      await sql.end();
    }
  });
});
