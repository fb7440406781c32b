import { describe, expect, test } from 'vitest';
import { startHosting } from '../../src/playground/hosting/server.ts';
import { canaries, inScenario } from './scenario.ts';

describe.concurrent('the host', () => {
  test(
    'is busy (429): the bot waits as long as it is asked to, and the second write counts',
    inScenario({}, async (scenario) => {
      scenario.hosting.faults.add({ kind: 'status', method: 'POST', status: 429, headers: { 'retry-after': '2' } });
      const change = await scenario.person('ana').asks('/site cache clear acme-shop/staging');
      await change.tells("The host is busy (429) and took nothing. Nothing was sent. I'll try again at");
      await change.tells('the host reports it finished');
      const [first, second, ...more] = scenario.writes();
      expect(more).toEqual([]);
      expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(2_000);
    }),
  );

  test(
    'is busy three times: nothing was sent, the change ends, and it can be asked again',
    inScenario({}, async (scenario) => {
      scenario.hosting.faults.add({
        kind: 'status',
        method: 'POST',
        status: 429,
        body: { message: 'Too many requests', status: 429 },
        times: 'always',
        headers: { 'retry-after': '1' },
      });
      const change = await scenario.person('ana').asks('/site cache clear acme-shop/staging');
      const over = await change.tells(/^⛔ Nothing was sent\. The host is busy \(429\).* It says: “Too many requests”/);
      expect(over.controls.map(({ label }) => label)).toEqual(['Ask again']);
      expect(scenario.writes()).toHaveLength(3);
    }),
  );

  test(
    'is down: nothing was sent, the card says why it waits, and at its time it expires with a way to ask again',
    inScenario({}, async (scenario) => {
      await scenario.hosting.close();
      scenario.advanceTime(10_000);
      const change = await scenario.person('ana').asks('/site cache clear acme-shop/staging');
      await change.shows(
        /Not sent yet\. .* So I can't check that acme-shop\/staging is still there\. I keep trying until /,
      );
      scenario.runSql('update changes set expires_at = 1, due_at = 1 where number = ?', change.number);
      const over = await change.tells(/⛔ Nothing was sent\. It was not sent in time\./);
      expect(over.controls.map(({ label }) => label)).toEqual(['Ask again']);
      await change.shows(/^⛔/);
    }),
  );

  test(
    'is down and comes back: the change goes on by itself, once',
    inScenario({}, async (scenario) => {
      await scenario.hosting.close();
      const change = await scenario.person('ana').asks('/site cache clear acme-shop/staging');
      await change.shows('Not sent yet');
      const port = Number(new URL(scenario.hosting.url).port);
      const back = await startHosting({ port, key: canaries.hosting, durations: { 'cache:clear': 0 }, notKnownFor: 0 });
      try {
        await change.tells('the host reports it finished');
        const [last, ...before] = change.replies().toReversed();
        expect(last?.text).toMatch(/^✅ Done after /);
        for (const { text } of before) expect(text).toMatch(/Nothing was sent\. I'll try again at /);
        expect(back.journal.entries().filter(({ method }) => method === 'POST')).toHaveLength(1);
      } finally {
        await back.close();
      }
    }),
  );

  test(
    'fails while a form reads from it: the form says so, and nothing is sent',
    inScenario({}, async (scenario) => {
      scenario.hosting.faults.add({ kind: 'status', method: 'GET', section: '4.17', status: 500, times: 'always' });
      const ana = scenario.person('ana');
      await ana.says('/site allowlist add acme-shop/live 198.51.100.4');
      await ana.form(/The host answered 500 \(tried \d times in \d+ s\)\. Nothing was changed/);
      expect(scenario.writes()).toEqual([]);
    }),
  );

  const push = '/site push acme-shop/staging acme-shop/live --database';
  const atOnce = { hosting: { durations: { 'environments:push': 0 } } };

  test(
    'lacks the site in one listing: a click on Approve decides nothing, an approved change waits, and it is sent once',
    inScenario(atOnce, async (scenario) => {
      const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
      const change = await ana.requests(push);
      scenario.advanceTime(10_000);
      scenario.omitSiteOnce('acme-shop');
      const click = await chi.clicks(change.card(), 'Approve');
      await click.hears(
        "acme-shop/live isn't on the host's newest list of sites. One list is not enough to call it gone.",
      );
      await change.shows(/^⏳/);
      scenario.advanceTime(10_000);
      await chi.clicks(change.card(), 'Approve');
      await scenario.holdBeforeSend(change.number);
      scenario.advanceTime(10_000);
      scenario.omitSiteOnce('acme-shop');
      scenario.makeDue(change.number);
      await change.shows(
        "Not sent yet. acme-shop/live isn't on the host's newest list of sites. One list is not enough to call it gone.",
      );
      expect(scenario.writes()).toEqual([]);
      scenario.advanceTime(10_000);
      scenario.makeDue(change.number);
      await change.tells('✅ Done after');
      expect(scenario.writes()).toHaveLength(1);
      for (const { text } of change.replies()) expect(text).not.toMatch(/invalidated|gone|⛔/);
    }),
  );

  test(
    'lacks the site for good: an approved change waits until three lists over a minute lack it, and is then invalidated',
    inScenario(atOnce, async (scenario) => {
      const change = await scenario.person('ana').requests(push);
      await scenario.person('chi').clicks(change.card(), 'Approve');
      await scenario.holdBeforeSend(change.number);
      const live = scenario.hosting.world.environmentNamed('acme-shop/live');
      if (live) scenario.hosting.world.removeEnvironment(live);
      scenario.advanceTime(10_000);
      scenario.makeDue(change.number);
      await change.shows(
        "Not sent yet. acme-shop/live isn't on the host's newest list of sites. One list is not enough to call it gone.",
      );
      for (let lists = 2; lists <= 3; lists += 1) {
        scenario.advanceTime(30_000);
        scenario.makeDue(change.number);
        await scenario.refreshListing();
      }
      await change.tells(/⛔ Nothing was sent\. acme-shop\/live is gone/);
      expect(scenario.writes()).toEqual([]);
    }),
  );

  test(
    'answers 500 for its sites from then on: an earlier listing is no evidence, at the click or before the write',
    inScenario(atOnce, async (scenario) => {
      const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
      const change = await ana.requests(push);
      const goesAway = (): void => {
        scenario.advanceTime(600_000);
        scenario.hosting.faults.add({ kind: 'status', status: 500, method: 'GET', path: '/sites', times: 'always' });
      };
      const unknown = "So I can't check that acme-shop/live is still there.";
      goesAway();
      await (await chi.clicks(change.card(), 'Approve')).hears(unknown);
      await change.shows(/^⏳/);
      scenario.hosting.faults.remove();
      scenario.advanceTime(60_000);
      await chi.clicks(change.card(), 'Approve');
      await scenario.holdBeforeSend(change.number);
      goesAway();
      scenario.makeDue(change.number);
      await change.shows(
        /Not sent yet\. .* So I can't check that acme-shop\/live is still there\. I keep trying until /,
      );
      expect(scenario.writes()).toEqual([]);
    }),
  );

  test(
    'renames the source of a push: the change is invalidated, and not sent under the old name',
    inScenario(atOnce, async (scenario) => {
      const change = await scenario.person('ana').requests(push);
      const site = scenario.hosting.world.sites.find(({ name }) => name === 'acme-shop');
      const environments = (site?.environments ?? []).map(({ id, name, displayName }) => ({
        id,
        name: name === 'staging' ? 'dev' : name,
        display_name: displayName,
      }));
      const body = { company: { sites: [{ id: site?.id, name: 'acme-shop', environments }] } };
      scenario.advanceTime(10_000);
      scenario.hosting.faults.add({
        kind: 'status',
        method: 'GET',
        path: '/sites',
        status: 200,
        body,
        times: 'always',
      });
      const click = await scenario.person('chi').clicks(change.card(), 'Approve');
      await click.hears('acme-shop/staging is called acme-shop/dev now.');
      expect(scenario.writes()).toEqual([]);
    }),
  );

  test(
    'lacks the site until an approved change expires: the thread says why it waited',
    inScenario(atOnce, async (scenario) => {
      const change = await scenario.person('ana').requests(push);
      await scenario.person('chi').clicks(change.card(), 'Approve');
      await scenario.holdBeforeSend(change.number);
      scenario.advanceTime(10_000);
      scenario.omitSiteOnce('acme-shop');
      scenario.makeDue(change.number);
      await change.shows(
        "Not sent yet. acme-shop/live isn't on the host's newest list of sites. One list is not enough to call it gone.",
      );
      scenario.runSql('update changes set expires_at = 1, due_at = 1 where number = ?', change.number);
      await change.tells(
        /⛔ Nothing was sent\. It was not sent in time\. .*acme-shop\/live isn't on the host's newest list/s,
      );
      expect(scenario.writes()).toEqual([]);
    }),
  );
});
