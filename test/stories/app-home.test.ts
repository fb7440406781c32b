import { describe, expect, test } from 'vitest';
import { policy as batchPolicy, manySites, submitBatch } from './batch.ts';
import { addCopies, ids, inScenario, patienceMs } from './scenario.ts';

/** Max is Chi's second account. */
const twoApprovals = `
version: 1
live: ['*/live']
groups: { developers: [U01ANA], leads: [U03CHI, U04DEE, U09MAX] }
people: { chi: [U03CHI, U09MAX] }
rules:
  - { allow: [read], to: everyone }
  - { allow: [push], to: [developers], approval: { by: [leads], count: 2 } }
`;

describe('App Home', () => {
  test(
    'promise 3: shows each person the changes that wait for them, and nobody can approve their own there',
    inScenario({ hosting: { durations: { 'environments:push': 0 } } }, async (scenario) => {
      const { slack } = scenario;
      const ana = scenario.person('ana');
      const homeOf = async (who: 'ana' | 'chi' | 'rob' | 'gus', words: string): Promise<string> => {
        await slack.home(ids[who]);
        return slack.until(() => {
          const text = slack.views(ids[who]).home?.text;
          return text?.includes(words) ? text : undefined;
        }, patienceMs);
      };
      expect(await homeOf('chi', 'Nothing is waiting for you.')).toContain(
        'Nothing that you can see has been asked for lately.',
      );
      const change = await ana.requests(
        '/site push acme-shop/staging acme-shop/live --files --reason "try the new theme"',
      );
      await change.shows('Waiting for approval');

      const waiting = await homeOf('chi', '⏳ Push acme-shop/staging → acme-shop/live: all files · #1');
      expect(waiting).toContain('All files of acme-shop/live will be replaced.');
      expect(waiting).toContain('You have no other open changes.');
      expect(slack.views(ids.chi).home?.controls.map(({ label }) => label)).not.toContain('Cancel');
      const mine = await homeOf('ana', 'Your open changes');
      expect(mine).toMatch(/Nothing is waiting for you[\s\S]*Push acme-shop\/staging → acme-shop\/live/);
      const own = slack.views(ids.ana).home?.controls.map(({ label }) => label) ?? [];
      expect(own).toContain('Cancel');
      expect(own.filter((label) => /Approve|Decline/.test(label))).toEqual([]);
      expect(await homeOf('rob', 'Recent changes')).toMatch(
        /Nothing is waiting for you[\s\S]*Recent changes[\s\S]*#1 {2}Asked by @Ana · “try the new theme” · .*\d:\d\d/,
      );
      expect(slack.views(ids.rob).home?.text).toContain('Environments you use will show up here.');
      expect(slack.views(ids.rob).home?.controls.map(({ label }) => label)).toEqual(['Help']);
      expect(await homeOf('gus', 'Guests of this workspace')).not.toContain('acme-shop');

      await slack.click(ids.chi, 'home', { label: 'Approve' });
      await change.tells('Approved by @Chi. Sending in 10 s.');
      // Also for somebody who may only read.
      for (const who of ['chi', 'rob'] as const)
        expect(await homeOf(who, 'Not sent yet: it can still be stopped')).toMatch(
          /^Can still be stopped\n.*Push acme[\s\S]*\[Stop\][\s\S]*\nNothing is waiting for you\./,
        );
      scenario.makeDue(1);
      await change.shows('✅');
      expect(scenario.writes()).toHaveLength(1);
      await homeOf('chi', '✅  Pushed acme-shop/staging → acme-shop/live');
    }),
  );

  test(
    'lists a person’s recent environments with buttons: reports answer in direct messages, changes open a form',
    inScenario({}, async (scenario) => {
      const { slack } = scenario;
      const ana = scenario.person('ana');
      await (await ana.says('/site backups list acme-shop/live')).hears('acme-shop/live · backups');
      await slack.home(ids.ana);
      await slack.until(
        () => (slack.views(ids.ana).home?.text.match(/Your sites\s+acme-shop\/live/) ? true : undefined),
        patienceMs,
      );
      await slack.click(ids.ana, 'home', { label: 'Backups' });
      await slack.until(
        () =>
          slack
            .messages({ channel: `D0${ids.ana}`, as: ids.ana })
            .find(({ text }) => text.includes('acme-shop/live · backups')),
        patienceMs,
      );
      await slack.click(ids.ana, 'home', { label: 'Clear the cache…' });
      await ana.form('Clear the page cache of an environment');
      expect(scenario.writes()).toHaveLength(0);
      await slack.home(ids.rob);
      await slack.until(() => slack.views(ids.rob).home, patienceMs);
      expect(slack.views(ids.rob).home?.text).not.toContain('acme-shop/live');
    }),
  );

  test(
    'lists a change of one’s own that one can close once, under what waits for a decision',
    inScenario({}, async (scenario) => {
      const { slack } = scenario;
      scenario.hosting.faults.add({ kind: 'status', method: 'POST', status: 500 });
      const change = await scenario.person('ana').asks('/site cache clear acme-shop/staging');
      await change.tells(/Outcome unknown/);
      await slack.home(ids.ana);
      const home = await slack.until(() => {
        const shown = slack.views(ids.ana).home;
        return shown?.text.includes('Waiting for your decision') ? shown : undefined;
      }, patienceMs);
      expect(home.controls.filter(({ label }) => label === 'It happened')).toHaveLength(1);
    }),
  );

  test(
    'is redrawn for people who have opened it: shown changes move on, and new ones appear',
    inScenario({ hosting: { durations: { 'environments:push': 0 } } }, async (scenario) => {
      const { slack } = scenario;
      const shows = (who: 'ana' | 'chi' | 'ben', words: RegExp): Promise<true> =>
        slack.until(() => (words.test(slack.views(ids[who]).home?.text ?? '') ? true : undefined), patienceMs);
      await slack.home(ids.chi);
      await shows('chi', /Nothing is waiting for you/);
      const change = await scenario.person('ana').requests('/site push acme-shop/live acme-shop/staging --files');
      await shows('chi', /Waiting for your decision\s+⏳ Push acme-shop/);
      await slack.click(ids.dee, { channel: change.channel, ts: change.ts }, { label: 'Approve' });
      await shows('chi', /Nothing is waiting for you[\s\S]*✅ +Pushed acme-shop/);
      expect(slack.views(ids.ben).home).toBeUndefined();
      expect(slack.calls().filter(({ method }) => method === 'views.publish').length).toBeLessThan(12);
    }),
  );

  test(
    'what somebody has approved does not wait for their other account',
    inScenario({ policy: twoApprovals }, async (scenario) => {
      const { slack } = scenario;
      const homeOf = async (id: string, words: string): Promise<string> => {
        await slack.home(id);
        return slack.until(() => {
          const text = slack.views(id).home?.text;
          return text?.includes(words) ? text : undefined;
        }, patienceMs);
      };
      slack.changePerson(ids.max, { deleted: false });
      const change = await scenario.person('ana').requests('/site push acme-shop/live acme-shop/staging --files');
      await homeOf(ids.max, '⏳ Push acme-shop/live → acme-shop/staging');
      await scenario.person('chi').clicks(change.card(), 'Approve');
      await change.tells('One more approval is needed.');
      await homeOf(ids.max, 'Nothing is waiting for you.');
      await homeOf(ids.dee, '⏳ Push acme-shop/live → acme-shop/staging');
    }),
  );

  test(
    'shows a batch in place of its changes, with the button that stops it',
    inScenario(
      {
        policy: batchPolicy.replace('"acme-*/live"', '"many-*/live"'),
        hosting: { plan: manySites(12), durations: { 'cache:clear': 600_000 } },
      },
      async (scenario) => {
        const { slack } = scenario;
        const batch = await submitBatch(scenario.person('ana'), '/site cache clear many-*/live');
        await batch.shows('8 under way');
        await slack.home(ids.ana);
        const shows = (label: string): Promise<string> =>
          slack.until(() => {
            const home = slack.views(ids.ana).home;
            return home?.controls.some((one) => one.label === label) ? home.text : undefined;
          }, patienceMs);
        expect((await shows('Stop')).match(/· #\d+/g)).toEqual([`· #${batch.number}`, `· #${batch.number}`]);
        await slack.click(ids.ana, 'home', { label: 'Stop' });
        await batch.tells('Stopped by @Ana.');
      },
    ),
  );

  test(
    'is redrawn when the unknown outcome of an old batch is closed on the card of the batch',
    inScenario({ policy: batchPolicy }, async (scenario) => {
      const { slack, rows, runSql } = scenario;
      const ana = scenario.person('ana');
      scenario.hosting.faults.add({ kind: 'status', method: 'POST', status: 500, times: 1 });
      const batch = await submitBatch(ana, '/site cache clear set:care-plan');
      const card = await batch.shows('3 of 4 done · 1 unknown');
      const [done = {}] = rows("select number from changes where state = 'done'");
      runSql("update changes set state = 'ended', settled_at = 1, due_at = null where number = ?", batch.number);
      runSql("update changes set sent_at = 1 where state = 'unknown'");
      // The batch is not among the recent changes any more.
      addCopies(scenario, Number(done['number']), 12);
      await slack.home(ana.id);
      const shows = (words: RegExp) =>
        slack.until(() => (words.test(slack.views(ana.id).home?.text ?? '') ? true : undefined), patienceMs);
      await shows(/Waiting for your decision\s+⚠️/);
      const button = card.controls.find(({ label }) => label.startsWith('It happened'));
      await ana.clicks(card, button?.label ?? '');
      await batch.shows('4 of 4 done');
      await shows(/Nothing is waiting for you/);
      // One that the host has not finished stands for itself, too, now that the batch is over.
      runSql("update changes set state = 'accepted', settled_at = null where number = ?", Number(done['number']));
      await slack.home(ana.id);
      await shows(/Your open changes\s+▶️/);
    }),
  );

  test(
    'says how many waiting changes it does not show, and where to see them, by the name of its command',
    inScenario({ environment: { SLACK_COMMAND: '/hosting' } }, async (scenario) => {
      const change = await scenario.person('ana').requests('/site push acme-shop/live acme-shop/staging --files');
      addCopies(scenario, change.number, 10);
      await scenario.slack.home(ids.chi);
      const home = await scenario.slack.until(() => scenario.slack.views(ids.chi).home, patienceMs);
      expect(home.text).toContain('And 3 more: /hosting changes --waiting.');
      expect(home.text).toContain('/hosting help shows what you can run; /hosting alone opens a form.');
      await scenario.slack.home(ids.ana);
      const own = await scenario.slack.until(() => scenario.slack.views(ids.ana).home, patienceMs);
      expect(own.text).toContain('And 6 more: /hosting changes --mine.');
    }),
  );

  test(
    'lists an open change of one’s own, however many were asked for since',
    inScenario({}, async (scenario) => {
      const ana = scenario.person('ana');
      const open = await ana.requests('/site push acme-shop/live acme-shop/staging --files');
      const settled = await ana.asks('/site cache clear acme-docs/staging');
      await settled.shows('✅');
      addCopies(scenario, settled.number, 100);
      await scenario.slack.home(ids.ana);
      const home = await scenario.slack.until(() => scenario.slack.views(ids.ana).home, patienceMs);
      expect(home.text).toMatch(new RegExp(`Your open changes\\s+⏳ Push [^\n]* · #${open.number}\\n`));
    }),
  );
});
