import { Client } from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { freePort } from '../../src/playground/paths-and-ports.ts';
import { setBackKey } from '../../src/storage/timeline.ts';
import { makeDatabase, noPostgres, postgresRuns } from '../postgres.ts';
import { labelsOf, type ChangeThread } from './people.ts';
import { ids, inScenario, patienceMs, reloadPolicy, type Scenario } from './scenario.ts';

/** What was sent by break-glass is looked at afterwards: who hears of it, where it is listed, and until when. */

const rules = (leads: string, breakGlass: string): string => `version: 1
live: ['*/live']
groups:
  developers: [U01ANA, U02BEN]
  leads: ${leads}
rules:
  - { allow: [read, audit], to: everyone }
  - { allow: [pause, resume], to: [developers] }
  - { allow: [digest, unlock, 'unlock --force'], to: [developers] }
  - { allow: [push, delete], to: [developers], approval: { by: [leads], expires: 1h }, breakGlass: ${breakGlass} }
`;
const usual = rules('[U03CHI, U04DEE]', 'true');
const hosting = { durations: { 'environments:push': 0 } } as const;
const waiting = { timeout: patienceMs, interval: 20 };
const day = 86_400_000;
const metricsPort = await freePort();

const pushTo = (from: string, to: string): string =>
  `/site push acme-shop/${from} acme-shop/${to} --files --break-glass --reason "the shop is down"`;
const push = pushTo('staging', 'live');
const named = { 'Type acme-shop/live to confirm': 'acme-shop/live' };
const glass = /🚨 Break-glass: this is sent without approval/;

/** Ana sends it by break-glass, and the host has done it. */
async function pushed(scenario: Scenario, line = push, typed: object = named): Promise<ChangeThread> {
  const ana = scenario.person('ana');
  await ana.opens(line, glass);
  const change = await ana.confirms({ ...typed });
  await scenario.holdBeforeSend(change.number);
  scenario.makeDue(change.number);
  await change.tells(/✅/);
  await change.shows(/nobody has reviewed it yet/);
  return change;
}

/** Makes the reminder due. Resolves when it was handled, with the days until the next one; null: it has ended. */
async function remind({ rows, runSql }: Scenario): Promise<number | null> {
  const row = () => rows(`select due_at, owner, ended_at from waiting where kind = 'post_review'`)[0] ?? {};
  runSql(`update waiting set due_at = 1 where kind = 'post_review' and ended_at is null`);
  await vi.waitFor(() => expect(row()).not.toMatchObject({ due_at: 1 }), waiting);
  await vi.waitFor(() => expect(row()).toMatchObject({ owner: null }), waiting);
  const { due_at: due } = row();
  return due === null ? null : Math.round((Number(due) - Date.now()) / day);
}
const reminded = ({ rows }: Scenario): number =>
  rows(`select 1 from audit where event = 'post_review_reminded'`).length;

const homeOf = async ({ slack }: Scenario, who: keyof typeof ids, words: RegExp) => {
  await slack.home(ids[who]);
  return slack.until(() => {
    const { home } = slack.views(ids[who]);
    return home && words.test(home.text) ? home : undefined;
  }, patienceMs);
};
const todo = /Waiting for your decision\s+✅ Pushed[^]*nobody has reviewed it yet[^]*\[Review…\][^]*Your open changes/;

async function review(scenario: Scenario, from: Parameters<typeof labelsOf>[0] & { channel: string; ts: string }) {
  const chi = scenario.person('chi');
  await chi.clicks(from, 'Review…');
  await chi.form('Review #1');
  await chi.submits({ 'What do you think of it?': 'Right call; add an alarm.' });
}

/** As after a restore from a backup. */
async function restore({ stop, start, runSql }: Scenario): Promise<void> {
  await stop();
  const from = Date.UTC(2026, 0, 2, 3, 4);
  const value = JSON.stringify({ kind: 'restored', from, at: from + 60_000 });
  runSql('insert into kv (key, value, at) values (?, ?, 1)', setBackKey, value);
  await start();
}

describe('what was sent by break-glass', () => {
  test(
    'is listed until somebody has reviewed it, and those who could have approved it are reminded once a day',
    inScenario({ policy: usual, hosting, environment: { METRICS_PORT: String(metricsPort) } }, async (scenario) => {
      const toReview = async (): Promise<string | undefined> =>
        /^sitehand_changes_to_review (\d+)$/m.exec(
          await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text(),
        )?.[1];
      const [ana, ben, chi] = [scenario.person('ana'), scenario.person('ben'), scenario.person('chi')];
      const change = await pushed(scenario);
      expect(await toReview()).toBe('1');
      await homeOf(scenario, 'chi', todo);
      const own = await homeOf(
        scenario,
        'ana',
        /Nothing is waiting for you[^]*Your open changes[^]*nobody has reviewed/,
      );
      expect(labelsOf(own)).not.toContain('Review…');
      // A right to unlock lets nobody review.
      const others = await homeOf(scenario, 'ben', /Nothing is waiting for you/);
      expect(labelsOf(others)).not.toContain('Review…');
      await (
        await ben.says('/site changes --unreviewed')
      ).hears(/sent by break-glass and not reviewed · 1 change[^]*#1/);
      await (
        await ben.says('/site doctor')
      ).hears(/Reviews: 1 change sent by break-glass and not reviewed, .* #1 since/);
      const page = await ben.says('/site change 1');
      expect(labelsOf(await page.hears(/🚨 Break-glass: sent without approval; nobody has reviewed it/))).toEqual([]);
      for (const line of ['/site change 1', '/site changes --unreviewed'])
        expect(labelsOf(await (await chi.says(line)).hears(/🚨/))).toContain('Review… #1');
      await (await ben.says('/site changes acme-shop/live --since 2h')).hears(/sent without approval; nobody has/);

      expect(await remind(scenario)).toBe(1);
      const words = /🔎 Still to review: sent without approval; nobody has reviewed it yet\. @Chi or @Dee: please look/;
      await change.tells(words);
      for (const who of [chi, scenario.person('dee')]) expect(labelsOf(await who.reads(words))).toContain('Review…');
      await scenario.stop();
      await scenario.start();
      const home = await homeOf(scenario, 'chi', todo);
      expect(home.text).toMatch(/Recent changes[^]*🚨 break-glass, not reviewed/);
      expect(reminded(scenario)).toBe(1);
      expect(await remind(scenario)).toBe(1);
      expect(reminded(scenario)).toBe(2);

      await review(scenario, (await homeOf(scenario, 'chi', todo)) && change.card());
      await change.tells('🔎 Reviewed by @Chi: “Right call; add an alarm.”');
      const told = await scenario
        .person('dee')
        .reads(/🚨 Break-glass[^]*✅[^]*🔎 Reviewed by @Chi: “Right call; add an alarm\.”/);
      expect(labelsOf(told)).not.toContain('Review…');
      expect(await remind(scenario)).toBeNull();
      expect(await toReview()).toBe('0');
      expect(reminded(scenario)).toBe(2);
      await homeOf(scenario, 'chi', /Nothing is waiting for you/);
      await homeOf(scenario, 'ana', /You have no open changes/);
      await (await ben.says('/site doctor')).hears(/Reviews: nothing sent by break-glass is left to review/);
      await (
        await ana.says('/site change 1')
      ).hears(
        /Break-glass: sent without approval; reviewed by @Chi, .*: “Right call[^]*reviewed it afterwards: “Right call/,
      );
    }),
  );

  test(
    'is still to be reviewed after a restore, by a button that works there',
    inScenario({ policy: usual, hosting }, async (scenario) => {
      const change = await pushed(scenario);
      await restore(scenario);
      expect(await remind(scenario)).toBe(1);
      await change.tells(/🔎 Still to review/);
      await review(scenario, await scenario.person('chi').reads(/#1[^]*🔎 Still to review/));
      await change.tells(/🔎 Reviewed by @Chi/);
      expect(scenario.writes()).toHaveLength(1);
    }),
  );

  test(
    'alone: its author cannot review it, a weekly word says that nobody else is named, and a lead who is named later does',
    inScenario({ policy: rules('[U01ANA]', 'alone'), hosting }, async (scenario) => {
      const ana = scenario.person('ana');
      const change = await pushed(scenario, pushTo('live', 'staging'), {});
      await ana.opensFrom(change.card(), 'Review…', /This is your own change, so somebody else has to review it/);
      const form = await ana.opens(pushTo('live', 'staging'), glass, ana.direct);
      expect(form.text).toContain('Nobody who could review it can be told, so it stays not reviewed for now.');
      const direct = await ana.confirms({}, ana.direct);
      await scenario.holdBeforeSend(direct.number);
      await ana.clicks(direct.card(), 'Stop');
      expect(await remind(scenario)).toBe(7);
      await change.tells(/🔎 Still to review: .* The policy names nobody else who could review it\./);
      await reloadPolicy(scenario, rules('[U01ANA, U03CHI]', 'alone'));
      expect(await remind(scenario)).toBe(1);
      const words = /🔎 Still to review: .* @Chi: please look at it/;
      await scenario.person('chi').reads(words);
      // Also if it names them in another group than it did then.
      const others = rules('[U01ANA]', 'alone').replace('by: [leads]', 'by: [bosses]');
      await reloadPolicy(scenario, others.replace('groups:', 'groups:\n  bosses: [U03CHI]'));
      expect(await remind(scenario)).toBe(1);
      await change.tells(words);
      await review(scenario, change.card());
      await change.tells(/🔎 Reviewed by @Chi/);
      expect(await remind(scenario)).toBeNull();
      expect(reminded(scenario)).toBe(3);
    }),
  );

  test(
    'alone works for nobody who is not: Max, who was deactivated, and who may be in a user group count as named',
    inScenario({ policy: rules('[U09MAX]', 'alone'), hosting }, async (scenario) => {
      const ana = scenario.person('ana');
      const refused = async (line: string, why: RegExp) => {
        const said = await ana.says(line);
        const find = () =>
          [...said.answers(), ...scenario.slack.views(ana.id).modals].find(({ text }) => why.test(text));
        await scenario.slack.until(find, patienceMs);
        await scenario.slack.closeModal(ana.id).catch(() => undefined);
      };
      const others = /The policy names others who can approve it, and lets you skip that only if you were alone/;
      await refused(push, others);
      scenario.slack.disableGroup('S0LEADS');
      await reloadPolicy(scenario, rules('[S0LEADS]', 'alone'));
      await refused(push, others);
      await reloadPolicy(scenario, rules('[U01ANA]', 'alone'));
      await refused(push, /Nobody alone may skip approval for what is destructive on live/);
      expect(scenario.writes()).toHaveLength(0);
      await reloadPolicy(scenario, rules('[U09MAX]', 'true'));
      const change = await pushed(scenario);
      expect(await remind(scenario)).toBe(1);
      await change.tells(/🔎 Still to review: .* Nobody who could review it can be told, so/);
    }),
  );
});

describe.skipIf(!postgresRuns)(`a review that two replicas on one PostgreSQL remind of${noPostgres}`, () => {
  test('is reminded of once', async () => {
    const url = (await makeDatabase()).href;
    const sql = new Client({ connectionString: url });
    await sql.connect();
    const options = { policy: usual, hosting, environment: { DATABASE_URL: url }, start: false } as const;
    const story = inScenario(options, async (scenario) => {
      await Promise.all([scenario.start(), scenario.start()]);
      const ana = scenario.person('ana');
      await ana.opens(push, glass);
      const change = await ana.confirms(named);
      const sent = async (): Promise<unknown> => {
        await sql.query(`update changes set due_at = 1 where state = 'approved' and owner is null`);
        return expect((await sql.query(`select 1 from changes where state = 'approved'`)).rowCount).toBe(0);
      };
      await vi.waitFor(sent, waiting);
      await change.tells(/✅/);
      await sql.query(`update waiting set due_at = 1 where kind = 'post_review'`);
      await change.tells(/🔎 Still to review/);
      const told = await sql.query(`select 1 from audit where event = 'post_review_reminded'`);
      expect(told.rowCount).toBe(1);
    });
    try {
      await story();
    } finally {
      await sql.end();
    }
  });
});
