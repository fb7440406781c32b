import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openScenario, patienceMs, reloadPolicy, stateOf, type Scenario } from './scenario.ts';

/** A release freeze: what it holds, when, and what it never holds. */

const rules = `version: 1
live: ['*/live']
groups:
  developers: [U01ANA, U02BEN, U05FAY]
  leads: [U03CHI]
  heads: [U04DEE]
sets: { shops: ["acme-*/live"] }
rules:
  - { allow: [read], to: everyone }
  - { allow: [routine, allowlist add, allowlist remove, redirects add, redirects remove], to: [developers, leads] }
  - { allow: [push], to: [developers, leads], approval: { by: [leads, heads], expires: 1h } }
  - { allow: [lock], to: [leads] }
`;
const day = (offset: number): string => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
/** In force from yesterday until tomorrow, of what \`more\` says. */
const freeze = (more: string): string => `${rules}
freezes:
  - { name: peak, reason: Peak trading, from: ${day(-1)} 00:00, to: ${day(2)} 00:00, zone: UTC, ${more} }
`;
const live = 'where: ["acme-shop/live"]';
const excepted = freeze(`${live}, except: { to: [leads], approval: { by: [heads] } }`);

describe('a freeze', { concurrent: false }, () => {
  let scenario: Scenario;
  beforeAll(async () => {
    scenario = await openScenario({ policy: rules, hosting: { durations: { 'environments:push': 0 } } });
  });
  afterAll(() => scenario.close());

  const pushes = '/site push acme-shop/staging acme-shop/live --files';
  const inFreeze = /acme-shop\/live is in a freeze until .*: peak \(Peak trading\)\./;
  const writesTo = (environment: string) => scenario.writes(environment).length;

  test('is told before anything is typed, and refuses what is asked for in it; the rest goes on', async () => {
    await reloadPolicy(scenario, excepted);
    const ana = scenario.person('ana');
    const before = writesTo('acme-shop/live');
    const line = '/site cache clear acme-shop/live';
    const refusal = await (
      await ana.says(line)
    ).hears(new RegExp(`${inFreeze.source} It excepts leads, if they ask for it themselves\\. Nothing was sent\\.`));
    const form = await ana.opensFrom(refusal, 'Ask for the end of the freeze…', '⏰ It is for');
    expect(form.text).not.toContain('freeze');
    const later = await ana.confirms();
    await later.shows(/It is to be sent .*When {2}/s);
    await ana.clicks(later.card(), 'Cancel');
    const dry = await (await ana.says(`${line} --dry-run`)).hears(inFreeze);
    expect(dry.text).toContain('without --dry-run it is refused, because of the freeze');
    await (
      await scenario.person('chi').says('/site can cache clear acme-shop/live')
    ).hears(/An exception lets this through\.[^]*It needs approval by @Dee/);
    const everywhere = /Freeze: acme-shop\/live: peak \(Peak trading\), until .*, except for leads/;
    await (await ana.says('/site can cache clear')).hears(everywhere);
    await (await ana.says('/site status acme-shop/*')).hears(everywhere);
    await ana.opens('/site redirects add acme-shop/live', inFreeze);
    await scenario.slack.closeModal(ana.id);
    await (await ana.says('/site can cache clear acme-shop/live')).hears(inFreeze);
    await (
      await ana.says('/site status acme-shop/live')
    ).hears(/Freeze: peak \(Peak trading\), until .*, except for leads/);
    await scenario.slack.home(ana.id);
    await scenario.slack.until(
      () => /Freezes[^]*peak \(Peak trading\), until/.test(scenario.slack.views(ana.id).home?.text ?? '') || undefined,
    );
    await (await ana.asks('/site cache clear acme-shop/staging')).tells(/✅/);
    expect(writesTo('acme-shop/live')).toBe(before);
  });

  test('leaves its environments out of a batch', async () => {
    const ana = scenario.person('ana');
    await ana.opens(
      '/site cache clear set:shops',
      /Clear the cache of 2 environments[^]*left out: acme-shop\/live: acme-shop\/live is in a freeze/,
    );
    const before = writesTo('acme-shop/live');
    const batch = await ana.confirms();
    await batch.tells(/✅/);
    expect(writesTo('acme-shop/live')).toBe(before);
  });

  test('that begins while a batch goes on ends its time, and is named', async () => {
    await reloadPolicy(scenario, rules);
    const ana = scenario.person('ana');
    await (await scenario.person('chi').says('/site lock acme-blog/live a release')).hears('is locked by you');
    await ana.opens('/site cache clear set:shops', 'Clear the cache of 3 environments');
    const batch = await ana.confirms();
    await scenario.becomes(batch.number, 'stopped');
    await reloadPolicy(scenario, excepted);
    const begun = Date.parse(`${day(-1)}T00:00Z`);
    scenario.runSql('update changes set expires_at = ?, due_at = 1 where number = ?', begun, batch.number);
    await batch.tells(/It is over, and not all are done\..* A freeze has begun: peak \(Peak trading\)\./);
    await batch.shows(/Ended[^]*A freeze has begun: peak/);
  });

  test('is lifted by its exception, with the approval that this adds', async () => {
    const chi = scenario.person('chi');
    const before = writesTo('acme-shop/live');
    const change = await chi.asks('/site cache clear acme-shop/live');
    await change.shows(/This is in a freeze: peak\. An exception lets this through\./);
    expect(stateOf(scenario, change)).toBe('waiting');
    await scenario.person('dee').clicks(change.card(), 'Approve');
    await change.tells(/✅|took/);
    expect(writesTo('acme-shop/live')).toBe(before + 1);
  });

  test('that begins before the click or the send makes it wait: neither invalidated nor sent, until it is over', async () => {
    await reloadPolicy(scenario, rules);
    const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
    const change = await ana.requests(pushes);
    const before = writesTo('acme-shop/live');
    await reloadPolicy(scenario, freeze(live));
    const told = await chi.clicks(change.card(), 'Approve');
    await told.hears(new RegExp(`${inFreeze.source} Your approval was not counted\\.`));
    expect(stateOf(scenario, change)).toBe('waiting');
    // Nobody is reminded to do what is refused.
    scenario.makeDue(change.number);
    const looked = 'select 1 from changes where number = ? and due_at > 1 and owner is null';
    await vi.waitFor(() => expect(scenario.rows(looked, change.number)).toHaveLength(1), { timeout: patienceMs });
    expect(scenario.rows(`select 1 from audit where change = ? and event = 'reminded'`, change.number)).toEqual([]);
    await reloadPolicy(scenario, rules);
    scenario.makeDue(change.number);
    await change.tells(/^⏳ @Chi or @Dee: this is still waiting for your approval/);
    await chi.clicks(change.card(), 'Approve');
    await scenario.holdBeforeSend(change.number);
    await reloadPolicy(scenario, freeze(live));
    scenario.makeDue(change.number);
    await change.shows(new RegExp(`Not sent yet\\. ${inFreeze.source}`));
    expect(writesTo('acme-shop/live')).toBe(before);
    await reloadPolicy(scenario, rules);
    scenario.makeDue(change.number);
    await change.tells(/✅/);
    expect(writesTo('acme-shop/live')).toBe(before + 1);
    const later = await ana.requests(`${pushes} --at "in 6 hours"`);
    await reloadPolicy(scenario, freeze(live));
    await (
      await chi.clicks(later.card(), 'Approve')
    ).hears(
      /acme-shop\/live will be in a freeze then, until .*: peak .* Your approval was not counted\. The freeze outlasts it/,
    );
    scenario.runSql('update changes set scheduled_at = 1, expires_at = 2, due_at = 1 where number = ?', later.number);
    await later.tells(new RegExp(`It wasn't approved in time\\. ${inFreeze.source}`));
  });

  test('never holds a way back, nor what takes access away; it holds making the change again, and granting more', async () => {
    await reloadPolicy(scenario, rules);
    const ana = scenario.person('ana');
    const confirms = async (line: string, words: RegExp) => {
      await ana.opens(line, words);
      return ana.confirms();
    };
    const added = await confirms('/site redirects add acme-shop/live /old https://acme-shop.example/new', /^Redirect/m);
    const proof = await added.tells(/✅/);
    const access = await confirms('/site allowlist add acme-shop/live 198.51.100.4', /^Let 198/m);
    await access.tells(/✅/);
    await reloadPolicy(scenario, freeze(live));
    await ana.opens('/site allowlist add acme-shop/live 198.51.100.5', inFreeze);
    const taken = await confirms('/site allowlist remove acme-shop/live 198.51.100.4', /^Take 198/m);
    const gone = await taken.tells(/✅/);
    await ana.opensFrom(gone, 'Undo', inFreeze);
    const can = await (
      await ana.says('/site can redirects remove acme-shop/live /old --domain=any --country=any --city=any')
    ).hears('You may run');
    expect(can.text).not.toContain('freeze');
    await ana.opensFrom(proof, 'Undo', /^Remove the redirect/m);
    const undone = await ana.confirms();
    await ana.opensFrom(await undone.tells(/✅/), 'Undo', inFreeze);
  });
});
