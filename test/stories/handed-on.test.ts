import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { VisibleMessage } from '../../src/playground/slack/shapes.ts';
import { setBackKey } from '../../src/storage/timeline.ts';
import { freshPostgres, noPostgres, postgresRuns } from '../postgres.ts';
import { type Words, labelsOf } from './people.ts';
import { inScenario, openScenario, patienceMs, type Scenario, reloadPolicy } from './scenario.ts';

/** Who may not run a command asks somebody who may: who is told, who runs it, who approves it, and how it ends. */

const policy = `
version: 1
live: ['*/live']
groups:
  leads: [U03CHI, U04DEE]
  developers: [U01ANA, U02BEN]
rules:
  - { allow: [read], to: [leads, developers] }
  - { allow: [read], to: everyone, where: ["acme-docs/*", "acme-shop/*"] }
  - { allow: [routine], to: [developers] }
  - { allow: [push], to: [developers], approval: { by: [leads], count: 1, expires: 1h } }
  - { allow: [push], to: [developers], where: ["acme-shop/*"], approval: { by: [leads], reason: { match: '[*]now[*]' } } }
channels:
  ops: G0BAKERY
`;
const hosting = { durations: { 'environments:push': 0, 'cache:clear': 0 } } as const;
const ask = 'Ask somebody who may';
const run = (name: string): string => `Run it for ${name}…`;

const inChannel = (scenario: Scenario, words: Words): Promise<VisibleMessage> =>
  scenario.person('ana').reads(words, 'C0ACME');
const steps = (scenario: Scenario): readonly unknown[] =>
  scenario.rows("select event from audit where event like 'hand%' order by seq").map(({ event }) => event);

test(
  'whoever was asked directly and may no longer read it sees nothing of it, and not how it ends',
  inScenario({ policy, hosting }, async (scenario) => {
    const [ana, ben, chi] = [scenario.person('ana'), scenario.person('ben'), scenario.person('chi')];
    const refused = await (await chi.says('/site cache clear acme-blog/live --reason SECRET')).hears('You may not run');
    await chi.clicks(refused, ask);
    const [own, hers] = [await ben.reads('SECRET'), await ana.reads('SECRET')];
    await reloadPolicy(scenario, policy.replace('[U01ANA, U02BEN]', '[U01ANA]'));
    await ben.reads("You may no longer see what this was about, so I've taken out what was here.");
    await ana.clicks(hers, run('Chi'));
    await ana.form('acme-blog/live');
    await (await ana.confirms({}, 'C0ACME')).tells('reports it finished');
    await ana.reads('▶️ @Ana runs it as #1.');
    await vi.waitFor(
      () =>
        expect(scenario.rows("select 1 from messages where key like 'hand_on%' and due_at is not null")).toEqual([]),
      { timeout: patienceMs },
    );
    const now = scenario.slack.messages({ channel: ben.direct, as: ben.id });
    expect(now.map(({ ts, text, controls }) => [ts, /SECRET|runs it/.test(text), controls])).toEqual([
      [own.ts, false, []],
    ]);
  }),
);

describe('a request that is handed on', () => {
  let scenario: Scenario;
  beforeAll(async () => {
    scenario = await openScenario({ policy, hosting });
  });
  afterAll(() => scenario.close());

  test('is run as somebody’s own, and who handed it on cannot approve it', async () => {
    const [ana, ben, chi, dee] = (['ana', 'ben', 'chi', 'dee'] as const).map((name) => scenario.person(name));
    if (!ana || !ben || !chi || !dee) throw new Error('they are all there');
    const hostile = '<!channel> *now* _&amp;_';
    const refused = await (
      await chi.says(`/site push acme-shop/staging acme-shop/live --files --reason "${hostile}"`)
    ).hears('You may not run push on acme-shop/live.');
    expect(labelsOf(refused)).toEqual([ask]);
    await (
      await chi.clicks(refused, ask)
    ).hears(/^I asked @(Ana and @Ben|Ben and @Ana) directly and in #\S+\. [^]*Nothing was sent yet\./);
    const offered = await inChannel(scenario, /@Chi asks somebody who may: push on acme-shop\/live\./);
    expect(offered.text).toContain('acme-shop/staging');
    expect(offered.text).toContain(hostile);
    expect(offered.text).toMatch(/@(Ana or @Ben|Ben or @Ana) may run it\./);
    expect(JSON.stringify(offered.notification)).not.toMatch(/<(@|!(?!date))/);
    const direct = await ben.reads('@Chi asks somebody who may');
    await ana.reads('@Chi asks somebody who may');
    await (await chi.clicks(refused, ask)).hears("You've already asked for this. It can be run until");
    // She sees the button in the channel too, but it is not for her.
    const own = await (await chi.clicks(offered, run('Chi'))).hears('You may not run push on acme-shop/live.');
    expect(labelsOf(own)).toEqual([]);

    await ben.clicks(direct, run('Chi'));
    await ana.clicks(offered, run('Chi'));
    await ben.form('Nothing is sent until it is approved');
    await ana.form('Nothing is sent until it is approved');
    const typed = { 'Type acme-shop/live to confirm': 'acme-shop/live' };
    const { errors } = await ben.submits({ ...typed, Reason: 'Chi wants it' });
    expect(errors['field:reason']).toContain('The rules want a match of [*]now[*] in the reason. Nothing was done.');
    const change = await ben.confirms({ ...typed, Reason: hostile }, 'C0ACME');
    expect(change.card().text).toContain('Asked by @Ben, handed on by @Chi');
    const late = await ana.submits(typed);
    await late.hears('@Ben has already run this as #1. Nothing was done.');
    for (const [person, channel] of [
      [ben, undefined],
      [ana, undefined],
      [chi, 'C0ACME'],
    ] as const) {
      const left = await person.reads('▶️ @Ben runs it as #1.', channel);
      expect(labelsOf(left)).toEqual([]);
    }
    expect(scenario.rows('select requester, handed_on_by from changes')).toEqual([
      { requester: ben.id, handed_on_by: chi.id },
    ]);
    expect(scenario.rows("select 1 from changes where args like '%handed%'")).toEqual([]);
    expect(change.card().text).toMatch(/Approve +@Dee, until/);
    const copy = await dee.reads(/^⏳ Push /);
    await (await chi.says('/site change 1')).hears('handed on by @Chi');
    const all = scenario.slack.messages({ channel: chi.direct, as: chi.id });
    expect(all.filter(({ text }) => text.startsWith('⏳ Push'))).toEqual([]);
    expect(scenario.writes()).toEqual([]);
    await dee.clicks(copy, 'Approve');
    await scenario.becomes(1, 'done');
    expect(scenario.writes()).toHaveLength(1);
    expect(steps(scenario)).toEqual(['hand_on', 'hand_on_used']);
  });

  test('who handed it on cannot approve it; a routine request needs no approval but is still reviewed', async () => {
    const [ben, chi] = [scenario.person('ben'), scenario.person('chi')];
    const before = scenario.writes().length;
    const refused = await (
      await chi.says('/site push acme-docs/staging acme-docs/live --files')
    ).hears('You may not run');
    await chi.clicks(refused, ask);
    const offered = await inChannel(scenario, '@Chi asks somebody who may: push on acme-docs/live.');
    await ben.clicks(offered, run('Chi'));
    await ben.form('Nothing is sent until it is approved');
    const change = await ben.confirms({ 'Type acme-docs/live to confirm': 'acme-docs/live' });
    await (await chi.clicks(change.card(), 'Approve')).hears('You handed this on, so it counts as yours too.');
    await (await ben.clicks(change.card(), 'Approve')).hears('This is your own change');
    expect(scenario.writes()).toHaveLength(before);
    const clear = await (await chi.says('/site cache clear acme-docs/live')).hears('You may not run cache clear');
    await chi.clicks(clear, ask);
    await ben.clicks(await inChannel(scenario, '@Chi asks somebody who may: cache clear'), run('Chi'));
    await ben.form('acme-docs/live');
    expect(scenario.writes()).toHaveLength(before);
    await (await ben.confirms()).tells('reports it finished');
    expect(scenario.writes()).toHaveLength(before + 1);
  });

  test('a hidden target reveals nothing: no button, and the option says the same', async () => {
    const rob = scenario.person('rob');
    const clear = '/site cache clear acme-blog/live';
    const [hidden, handed, missing] = await Promise.all(
      [clear, `${clear} --hand-on`, '/site cache clear acme-nothing/live --hand-on'].map(async (line) =>
        (await rob.says(line)).hears('Nothing was done'),
      ),
    );
    expect(labelsOf(hidden ?? { controls: [] })).not.toContain(ask);
    expect(handed?.text).toBe(hidden?.text);
    expect(missing?.text.replaceAll('acme-nothing', 'acme-blog')).toBe(hidden?.text);
    expect(scenario.rows("select id from waiting where requester = 'U06ROB'")).toEqual([]);
  });

  test('after an hour it has expired: its messages say so, and a review that was open is refused', async () => {
    const [ben, rob] = [scenario.person('ben'), scenario.person('rob')];
    const before = scenario.rows('select number from changes').length;
    await (await rob.says('/site cache clear acme-shop/live --hand-on')).hears(/^I asked /);
    const offered = await inChannel(scenario, '@Rob asks somebody who may: cache clear');
    await ben.clicks(offered, run('Rob'));
    await ben.form('acme-shop/live');
    scenario.runSql('update waiting set expires_at = 1, due_at = 1 where ended_at is null');
    await (await ben.submits()).hears(/It has expired: it could be run until .+\. Nothing was done\./);
    const over = await inChannel(scenario, /@Rob asks [^]*⌛ Nobody ran it in time\. Nothing was sent\./);
    expect(labelsOf(over)).toEqual([]);
    expect(scenario.rows('select number from changes')).toHaveLength(before);
    expect(steps(scenario).at(-1)).toBe('hand_on_end');
  });

  test('rights that are lost between the click and the submit are refused', async () => {
    const [ben, rob] = [scenario.person('ben'), scenario.person('rob')];
    const before = scenario.rows('select number from changes').length;
    await (await rob.says('/site cache clear acme-shop/staging --hand-on')).hears(/^I asked /);
    await ben.clicks(
      await inChannel(scenario, '@Rob asks somebody who may: cache clear on acme-shop/staging'),
      run('Rob'),
    );
    await ben.form('acme-shop/staging');
    await reloadPolicy(scenario, policy.replace('[routine], to: [developers]', '[routine], to: [leads]'));
    await ben.submits();
    await ben.form('You may not run cache clear on acme-shop/staging');
    expect(scenario.rows('select number from changes')).toHaveLength(before);
    expect(scenario.rows("select id from waiting where requester = 'U06ROB' and ended_at is null")).toHaveLength(1);
  });
});

describe('a request that is handed on where Slack tells little', () => {
  const byGroup = `
version: 1
groups: { devs: [S0DEVS], juniors: [U06ROB] }
rules:
  - { allow: [read], to: everyone }
  - { allow: [routine], to: [devs] }
  - { deny: [routine], to: [juniors] }
`;
  const clear = '/site cache clear acme-shop/live --hand-on';

  test(
    'in direct messages, only people who certainly may know of it are asked; nobody hands on more than five in an hour',
    inScenario({ policy: byGroup, hosting }, async (own) => {
      const [ana, rob] = [own.person('ana'), own.person('rob')];
      const told = await (await rob.says(clear, rob.direct)).hears(/^I asked /);
      expect(told.text).toMatch(/^I asked (@Ana and @Ben|@Ben and @Ana) directly\. /);
      await ana.clicks(await ana.reads('@Rob asks somebody who may'), run('Rob'));
      await ana.form('acme-shop/live');
      await ana.submits();
      await own.becomes(1, 'done');
      expect(own.rows("select distinct kind from messages where key like 'hand_on:%'")).toEqual([{ kind: 'direct' }]);
      for (const name of ['acme-shop/staging', 'acme-blog/live', 'acme-docs/live', 'acme-docs/staging'])
        await (await rob.says(`/site cache clear ${name} --hand-on`, rob.direct)).hears(/^I asked /);
      await (
        await rob.says('/site cache clear acme-blog/staging --hand-on')
      ).hears("You've asked others 5 times within 1 h. Nobody was asked, and nothing was sent.");
      own.runSql('update waiting set created_at = created_at - 3600001');
      await (await rob.says('/site cache clear acme-blog/staging --hand-on')).hears(/^I asked /);
    }),
  );

  test(
    'if Slack does not say who may run it, the answer is later, never nobody; in a channel the group is named',
    inScenario({ policy: byGroup, hosting }, async (own) => {
      const rob = own.person('rob');
      own.slack.disableGroup('S0DEVS');
      own.advanceTime(120_000);
      const later = await (await rob.says(clear, rob.direct)).hears("I can't tell right now who may do this.");
      expect(later.text).toMatch(
        /who is in the user group S0DEVS\. Nobody was asked, and nothing was sent\..*Try again/s,
      );
      await (await rob.says(clear)).hears(/^I asked in #\S+\./);
      const offered = await inChannel(own, '@Rob asks somebody who may');
      expect(offered.text).toContain("Slack doesn't tell me who is in the user group S0DEVS. They may run it. ");
      await reloadPolicy(own, byGroup.replace('[S0DEVS]', '[U02BEN]').replace('everyone', '[devs, juniors]'));
      const { id } = own.slack.faults.add({ method: 'users.info', kind: 'status', status: 503 });
      await (
        await rob.says('/site cache clear acme-shop/staging --hand-on')
      ).hears("Slack doesn't answer about everybody who may.");
      own.slack.faults.remove(id);
      await reloadPolicy(own, byGroup.replace('[S0DEVS]', '[U06ROB]'));
      await (
        await rob.says('/site cache clear acme-shop/staging --hand-on')
      ).hears("I can't find anybody else who may do this. Nobody was asked, and nothing was sent.");
    }),
  );

  test(
    'a database that was set back ends it: it may have been run already',
    inScenario({ policy: byGroup, hosting }, async (own) => {
      const [ben, rob] = [own.person('ben'), own.person('rob')];
      await (await rob.says(clear)).hears(/^I asked /);
      const offered = await inChannel(own, '@Rob asks somebody who may');
      await ben.clicks(offered, run('Rob'));
      await ben.form('acme-shop/live');
      const value = JSON.stringify({ kind: 'restored', from: 1, at: 2 });
      own.runSql('insert into kv (key, value, at) values (?, ?, 1)', setBackKey, value);
      const sent = await ben.submits();
      await sent.hears(
        "My database was set back, so this can't be run from here any more. It may have been run already.",
      );
      const over = await inChannel(own, /⚠️ My database was set back, so this can't be run from here any more/);
      expect(labelsOf(over)).toEqual([]);
      expect(own.writes()).toEqual([]);
      expect(own.rows('select number from changes')).toEqual([]);
    }),
  );
});

describe.skipIf(!postgresRuns)(`two replicas${noPostgres}`, () => {
  test('run what was handed on once, whoever presses', async () => {
    const url = await freshPostgres();
    const sql = new Client({ connectionString: url });
    await sql.connect();
    try {
      const options = { policy, hosting, environment: { DATABASE_URL: url }, start: false } as const;
      await inScenario(options, async (scenario) => {
        await Promise.all([scenario.start(), scenario.start()]);
        const [ana, ben, chi] = (['ana', 'ben', 'chi'] as const).map((name) => scenario.person(name));
        if (!ana || !ben || !chi) throw new Error('they are all there');
        await (await chi.says('/site cache clear acme-shop/live --hand-on')).hears(/^I asked /);
        const offered = await inChannel(scenario, '@Chi asks somebody who may');
        await Promise.all([ana.clicks(offered, run('Chi')), ben.clicks(offered, run('Chi'))]);
        await Promise.all([ana.form('acme-shop/live'), ben.form('acme-shop/live')]);
        await Promise.all([ana.submits(), ben.submits()]);
        await inChannel(scenario, /▶️ @(Ana|Ben) runs it as #\d+\./);
        const told = (): boolean =>
          [ana, ben].some(({ id }) =>
            scenario.slack
              .messages({ channel: 'C0ACME', as: id })
              .some(({ text }) => text.includes('has already run this as #')),
          );
        await scenario.slack.until(() => told() || undefined, patienceMs);
        await vi.waitFor(() => expect(scenario.writes()).toHaveLength(1), { timeout: patienceMs });
        expect((await sql.query('select handed_on_by from changes')).rows).toEqual([{ handed_on_by: chi.id }]);
      })();
    } finally {
      await sql.end();
    }
  });
});
