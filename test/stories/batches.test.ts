import { describe, expect, test, vi } from 'vitest';
import { address, submitBatch, carePlan, manySites, namesOfMany, policy, writeCounts } from './batch.ts';
import { inScenario, patienceMs } from './scenario.ts';

/** One command for many environments: what is reviewed, who lets it begin, and what it says. */

const add = `/site allowlist add set:care-plan ${address}`;
const clear = '/site cache clear set:care-plan';

describe.concurrent('the review of a batch', () => {
  test(
    'names all, live or not; each is written once, those that are not live begin first, and the thread says it once',
    inScenario({ policy }, async (scenario) => {
      const ana = scenario.person('ana');
      const review = await ana.opens('/site cache clear acme-*/*', 'Leave out');
      expect(review.text).toContain('Live: 3 · acme-blog/live, acme-docs/live, acme-shop/live');
      expect(review.text).toContain('Not live: 3 · acme-blog/staging, acme-docs/staging, acme-shop/staging');
      const card = await ana.confirms();
      await card.tells('All are done.');
      await card.shows('6 of 6 done');
      const names = scenario.rows('select target_name from changes where batch = ? order by number', card.number);
      const inOrder = ['staging', 'live'].flatMap((env) =>
        ['blog', 'docs', 'shop'].map((site) => `acme-${site}/${env}`),
      );
      expect(names.map((row) => row['target_name'])).toEqual(inOrder);
      expect(writeCounts(scenario, inOrder)).toEqual(inOrder.map(() => 1));
      expect(card.replies()).toHaveLength(1);
    }),
  );

  test(
    'what the host took and nobody can verify is accepted, not done',
    inScenario({ policy }, async (scenario) => {
      const { hosting, rows, runSql } = scenario;
      hosting.faults.add({ kind: 'status', method: 'GET', path: '/operations/*', status: 500, times: 'always' });
      const card = await submitBatch(scenario.person('ana'), clear);
      const accepted = () => rows('select number from changes where batch = ? and operation is not null', card.number);
      await scenario.slack.until(() => accepted().length === carePlan.length || undefined, patienceMs);
      const long = JSON.stringify({ since: 0, looks: 9, known: false, failures: 0 });
      // Again if a look that was under way has put its own state in its place.
      await vi.waitFor(
        () => {
          runSql(
            'update changes set poll_state = ?, due_at = 1 where batch = ? and settled_at is null',
            long,
            card.number,
          );
          const open = rows('select number from changes where batch = ? and settled_at is null', card.number);
          if (open.length > 0) throw new Error('the changes are still followed');
        },
        { timeout: patienceMs, interval: 200 },
      );
      await card.tells('The host accepted all of them. Not all can be verified from here.');
      await card.shows('0 of 4 done · 4 accepted');
      expect(rows('select state from changes where number = ?', card.number)).toEqual([{ state: 'accepted' }]);
      expect(writeCounts(scenario, carePlan)).toEqual([1, 1, 1, 1]);
    }),
  );

  test(
    'says which of them the asker may not change; what is left out in the form is not sent either',
    inScenario({ policy }, async (scenario) => {
      const [ana, rob] = [scenario.person('ana'), scenario.person('rob')];
      const review = await rob.opens('/site cache clear set:care-plan', 'Leave out');
      expect(review.text).toContain('Live: 2 · acme-docs/live, acme-shop/live');
      expect(review.text).toContain('You may not change: 2 · acme-blog/live, harbor-events/live: left out');
      const robs = await rob.confirms();
      await robs.tells('All are done.');
      expect(writeCounts(scenario, carePlan)).toEqual([0, 1, 1, 0]);
      const anas = await submitBatch(ana, clear, { 'Leave out': ['acme-docs/live', 'acme-shop/live'] });
      await anas.shows('2 of 2 done');
      expect(writeCounts(scenario, carePlan)).toEqual([1, 1, 1, 1]);
      // The one that is left is no batch.
      const one = await submitBatch(ana, clear, { 'Leave out': carePlan.slice(1) });
      await one.tells('the host reports it finished');
      expect(writeCounts(scenario, carePlan)).toEqual([2, 1, 1, 1]);
      await ana.opens(clear, 'Leave out');
      const none = await ana.submits({ 'Leave out': carePlan });
      await none.hears('Every environment was left out. Nothing was done.');
      expect(scenario.writes()).toHaveLength(5);
    }),
  );

  test(
    'is shown again if the host has changed meanwhile, without what had nothing to do before',
    inScenario({ policy }, async (scenario) => {
      const ana = scenario.person('ana');
      await submitBatch(ana, `/site allowlist add acme-docs/live,harbor-events/live ${address} 192.0.2.9`).then(
        async (first) => {
          await scenario.person('chi').clicks(first.card(), 'Approve');
          await first.tells('All are done.');
        },
      );
      const remove = `/site allowlist remove acme-*/live,harbor-events/live ${address}`;
      const review = await ana.opens(remove, 'Leave out');
      expect(review.text).toContain('Live: 2 · acme-docs/live, harbor-events/live');
      expect(review.text).toMatch(
        /Not possible there, or done already: 2, left out: acme-blog\/live.*acme-shop\/live/s,
      );
      // acme-blog/live has it from now on too, and harbor-events/live another one.
      const other = await scenario.person('ben').requests('/site allowlist add harbor-events/live 192.0.2.7');
      await scenario.person('chi').clicks(other.card(), 'Approve');
      await scenario.becomes(other.number, 'done');
      const more = await scenario.person('ben').requests(`/site allowlist add acme-blog/live ${address} 192.0.2.9`);
      await scenario.person('chi').clicks(more.card(), 'Approve');
      await scenario.becomes(more.number, 'done');
      const before = scenario.writes().length;
      await ana.submits();
      const again = await ana.form('This changed while you were reading it. Nothing was done yet.');
      expect(again.text).toContain('Live: 2 · acme-docs/live, harbor-events/live');
      expect(scenario.writes()).toHaveLength(before);
      const card = await ana.confirms();
      await card.shows('2 of 2 done');
      expect(scenario.writes()).toHaveLength(before + 2);
    }),
  );

  test(
    'names what is sent: a site that the name fits meanwhile is not added',
    inScenario({ policy }, async (scenario) => {
      const ana = scenario.person('ana');
      await ana.opens('/site cache clear acme-*/live', 'Leave out');
      const site = scenario.hosting.world.sites.find(({ name }) => name === 'lumen-studio');
      if (site === undefined) throw new Error('there is no lumen-studio');
      Object.assign(site, { name: 'acme-new' });
      await scenario.refreshListing();
      const card = await ana.confirms();
      await card.shows('3 of 3 done');
      expect(writeCounts(scenario, ['acme-blog/live', 'acme-docs/live', 'acme-shop/live', 'acme-new/live'])).toEqual([
        1, 1, 1, 0,
      ]);
      const next = await ana.opens('/site cache clear acme-*/live', 'Leave out');
      expect(next.text).toContain('Live: 4 · ');
    }),
  );

  test(
    'is not made of what could not be looked at, nor with what is for one environment; a dry run shows every request',
    inScenario({ policy }, async (scenario) => {
      const ana = scenario.person('ana');
      const id = scenario.hosting.world.environmentNamed('acme-shop/live')?.id;
      scenario.hosting.faults.add({
        kind: 'status',
        status: 503,
        times: 'always',
        path: `/sites/environments/${id}/ssh/get-allowed-ips`,
      });
      const refused = await ana.opens(add, 'acme-shop/live:');
      expect(refused.text).not.toContain('Leave out');
      scenario.hosting.faults.remove();
      await scenario.slack.closeModal(ana.id, true);
      await (
        await ana.says(`${clear} --queue`)
      ).hears('A place in the queue is for one environment at a time. Nothing was done.');
      await (
        await ana.says(`${clear} --hand-on`)
      ).hears('Handing a request on is for one environment at a time. Nothing was done.');
      await ana.opens(`${add} --for 1h`, 'Name one, or leave out --for: then it stays until somebody removes it.');
      await scenario.slack.closeModal(ana.id, true);
      const dry = await (
        await ana.says(`${clear} --dry-run`)
      ).hears('Dry run: Clear the cache of 4 environments · nothing was sent');
      expect(dry.text.match(/POST \/sites\/tools\/clear-cache/g)).toHaveLength(4);
      expect(scenario.writes()).toEqual([]);
      expect(scenario.rows('select number from changes')).toEqual([]);
    }),
  );
});

describe.concurrent('the approval of a batch', () => {
  test(
    'one click of an approver lets all begin; not of its requester, a reader or a guest; it can be declined and expires',
    inScenario({ policy }, async (scenario) => {
      const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
      const card = await submitBatch(ana, add);
      await (await ana.clicks(card.card(), 'Approve')).hears('This is your own change');
      await (
        await scenario.person('rob').clicks(card.card(), 'Approve')
      ).hears("You're not among the people who can approve it");
      await (
        await scenario.person('gus').clicks(card.card(), 'Approve')
      ).hears('Guests of this workspace may not use Sitehand');
      expect(scenario.writes()).toEqual([]);
      await chi.clicks(card.card(), 'Approve');
      await card.tells('All are done.');
      expect(writeCounts(scenario, carePlan)).toEqual([1, 1, 1, 1]);
      expect(card.replies()).toHaveLength(3);

      const declined = await submitBatch(ana, '/site allowlist add set:care-plan 192.0.2.1');
      await chi.clicks(declined.card(), 'Decline…');
      await chi.form('Reason');
      await chi.submits({ Reason: 'not today' });
      await declined.tells('Declined');
      const late = await submitBatch(ana, '/site allowlist add set:care-plan 192.0.2.2');
      scenario.runSql('update changes set expires_at = 1, due_at = 1 where number = ?', late.number);
      await late.tells("It wasn't approved in time.");
      await scenario.becomes(declined.number, 'declined');
      await scenario.becomes(late.number, 'expired');
      expect(writeCounts(scenario, carePlan)).toEqual([1, 1, 1, 1]);
    }),
  );

  test(
    'needs every approval that one of its environments needs',
    inScenario(
      {
        policy: `
version: 1
live: ["*/live"]
groups: { developers: [U01ANA], shop: [U03CHI], blog: [U04DEE] }
rules:
  - { allow: [read], to: everyone }
  - { allow: ["cache clear"], to: [developers], where: ["acme-shop/*"], approval: { by: [shop], count: 1, expires: 1h } }
  - { allow: ["cache clear"], to: [developers], where: ["acme-blog/*"], approval: { by: [blog], count: 1, expires: 2h } }
  - { allow: ["cache clear"], to: [developers], where: ["acme-docs/*"] }
channels: { ops: C0OPS }
`,
      },
      async (scenario) => {
        const ana = scenario.person('ana');
        const card = await submitBatch(ana, '/site cache clear acme-*/live');
        await scenario.person('chi').clicks(card.card(), 'Approve');
        await card.tells('One more approval is needed.');
        expect(scenario.writes()).toEqual([]);
        await scenario.person('dee').clicks(card.card(), 'Approve');
        await card.tells('All are done.');
        expect(writeCounts(scenario, ['acme-shop/live', 'acme-blog/live', 'acme-docs/live'])).toEqual([1, 1, 1]);
      },
    ),
  );
});

test(
  'a batch asks Slack about its people for all of its changes together, also about user groups',
  inScenario(
    {
      policy: policy
        .replace(
          'groups: { developers: [U01ANA, U02BEN], leads: [U03CHI, U04DEE],',
          'groups: { developers: [S0DEVS], leads: [S0LEADS],',
        )
        .replace(
          '{ allow: ["cache clear"], to: [developers] }',
          '{ allow: ["cache clear"], to: [developers], approval: { by: [leads], count: 1, expires: 1h } }',
        ),
      hosting: { plan: manySites(24), durations: { 'cache:clear': 0 } },
    },
    async (scenario) => {
      const asked = (): number =>
        scenario.slack.calls().filter(({ method }) => ['usergroups.users.list', 'users.info'].includes(method)).length;
      const card = await submitBatch(scenario.person('ana'), '/site cache clear many-*/live');
      await scenario.person('chi').clicks(card.card(), 'Approve');
      await scenario.hosting.until(() => scenario.writes()[0], patienceMs);
      const before = asked();
      await card.tells('All are done.');
      expect(writeCounts(scenario, namesOfMany(24))).toEqual(namesOfMany(24).map(() => 1));
      // Two people and two groups, again after fifteen seconds each; App Home may ask as well.
      expect(asked() - before).toBeLessThan(24);
    },
  ),
);

test(
  'a batch counts as one of the five changes that may wait for approval',
  inScenario({ policy }, async (scenario) => {
    const ana = scenario.person('ana');
    for (const end of [1, 2, 3, 4, 5]) await submitBatch(ana, `/site allowlist add set:care-plan 192.0.2.${end}`);
    await ana.opens('/site allowlist add set:care-plan 192.0.2.6', 'Leave out');
    await (await ana.submits()).hears('You already have 5 changes waiting for approval');
    expect(scenario.rows("select 1 from changes where state = 'waiting'")).toHaveLength(5);
  }),
);

test(
  'the status of each of its environments shows a batch that waits for approval',
  inScenario({ policy }, async (scenario) => {
    const ana = scenario.person('ana');
    const batch = await submitBatch(ana, add);
    const about = await (await ana.says('/site status acme-shop/live')).hears(/acme-shop\/live · /);
    expect(about.text).toMatch(
      new RegExp(`• Lock and open changes: \\n +⏳ waiting: Let .* #${batch.number}, asked by @Ana `),
    );
    const other = await (await ana.says('/site status lumen-studio/live')).hears(/lumen-studio\/live · /);
    expect(other.text).not.toContain('Lock and open changes');
    const waiting = await (
      await ana.says('/site changes acme-shop/live --waiting')
    ).hears(/of acme-shop\/live waiting/);
    expect(waiting.text).toContain(`#${batch.number}`);
    const ofChi = await (
      await scenario.person('chi').says('/site changes acme-shop/live --waiting --mine')
    ).hears(/Your changes of acme-shop\/live waiting/);
    expect(ofChi.text).not.toContain(`#${batch.number}`);
    const none = await (
      await ana.says('/site changes lumen-studio/live --waiting')
    ).hears(/of lumen-studio\/live waiting/);
    expect(none.text).not.toContain(`#${batch.number}`);
  }),
);

test(
  'once a batch has begun the change of an environment, its status shows that change alone',
  inScenario({ policy, hosting: { durations: { 'cache:clear': 600_000 } } }, async (scenario) => {
    const ana = scenario.person('ana');
    const batch = await submitBatch(ana, '/site cache clear set:care-plan');
    await batch.shows('4 under way');
    const about = await (await ana.says('/site status acme-shop/live')).hears(/acme-shop\/live · /);
    expect(about.text).toMatch(/Lock and open changes: [^\n]*\n +▶️ [^\n]*Clear the cache of acme-shop\/live #\d+/);
    expect(about.text).not.toContain('Clear the cache of 4 environments');
  }),
);

test(
  'a batch that was asked for last is the first of the open changes in a status',
  inScenario({ policy }, async (scenario) => {
    const ana = scenario.person('ana');
    for (const end of [1, 2, 3]) await ana.requests(`/site allowlist add acme-shop/live 192.0.2.${end}`);
    const batch = await submitBatch(ana, add);
    const about = await (await ana.says('/site status acme-shop/live')).hears(/acme-shop\/live · /);
    expect(about.text).toMatch(
      new RegExp(`Lock and open changes: \\n +⏳ waiting: Let .* #${batch.number}, asked by @Ana `),
    );
    expect(about.text).toMatch(/and 1 other$/m);
  }),
);
