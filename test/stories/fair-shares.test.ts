import { describe, expect, test } from 'vitest';
import { inScenario, ids, patienceMs } from './scenario.ts';
import { threeSeconds } from './three-seconds.ts';

/** Fault 42: one person asks for more than their share, and the others do not notice. */

/** The log reads that one person may have: two that run and forty that wait. Further ones are refused. */
const share = 42;
const requests = share + 18;

const own = "You already have a lot running, so I didn't start this one. Nothing was done.";

const everybodyMay = `
version: 1
live: ['*/live']
groups: {}
rules: [{ allow: [read, routine], to: everyone }]
channels: {}
`;

/** One person with two accounts. */
const joined = `${everybodyMay}people: { rob: [${ids.rob}, ${ids.fay}] }\n`;

// Sequential, because each would delay the others.
describe('one person asks for more than their share', () => {
  test(
    'sixty log reads that hang: the others read, pause, resume and write as usual',
    inScenario({}, async (scenario) => {
      const [ben, chi] = [scenario.person('ben'), scenario.person('chi')];
      const hung = scenario.hosting.world.environmentNamed('acme-shop/live');
      const path = `/sites/environments/${hung?.id}/logs`;
      scenario.hosting.faults.add({ kind: 'hang', method: 'GET', path, times: 'always' });
      const inTime = threeSeconds();
      const many = Array.from({ length: requests }, () =>
        scenario.slack.command(ids.rob, 'C0GENERAL', '/site logs acme-shop/live error'),
      );
      inTime(...(await Promise.all(many)));
      const refusals = () =>
        scenario.slack.messages({ channel: 'C0GENERAL', as: ids.rob }).filter(({ text }) => text.includes(own));
      await scenario.slack.until(() => refusals().length === requests - share || undefined, patienceMs);

      const read = await ben.says('/site logs acme-docs/live error --lines 50');
      await read.hears('acme-docs/live · error log');
      const paused = await chi.says('/site pause we look into it');
      await paused.hears('Sending is paused: I send nothing from now on');
      await (await chi.says('/site resume')).hears('Sending is on again');
      const cleared = await ben.asks('/site cache clear acme-docs/staging');
      await cleared.tells('the host reports it finished');
      // Two at a time, so other people's connections stay free.
      const asked = scenario.hosting.journal.entries().filter((entry) => entry.path === path);
      expect(asked.length).toBeLessThanOrEqual(2 * 3);
    }),
  );

  test(
    'a burst of reports uses up its part of the requests a minute: a change is sent at once all the same',
    inScenario({ environment: { HOSTING_REQUESTS_PER_MINUTE: '40' } }, async (scenario) => {
      const line = '/site backups list acme-docs/live';
      await Promise.all(Array.from({ length: 40 }, () => scenario.slack.command(ids.rob, 'C0GENERAL', line)));
      const later = () =>
        scenario.slack
          .messages({ channel: 'C0GENERAL', as: ids.rob })
          .filter(({ text }) => text.includes('none is free for this now. There is room again in'));
      await scenario.slack.until(() => later().length >= 10 || undefined, patienceMs);
      const cleared = await scenario.person('ben').asks('/site cache clear acme-docs/staging');
      await cleared.tells('the host reports it finished');
      await (await scenario.person('ben').says('/site allowlist find 192.0.2.1')).hears('So I stopped asking it.');
      expect(scenario.hosting.journal.entries().length).toBeLessThanOrEqual(40);
    }),
  );

  test(
    'sixty log reads that hang, by two accounts of one person: no more than one person’s share',
    inScenario({ policy: joined }, async (scenario) => {
      const hung = scenario.hosting.world.environmentNamed('acme-shop/live');
      const path = `/sites/environments/${hung?.id}/logs`;
      scenario.hosting.faults.add({ kind: 'hang', method: 'GET', path, times: 'always' });
      const both = [ids.rob, ids.fay];
      const inTime = threeSeconds();
      const many = Array.from({ length: requests }, (_, at) =>
        scenario.slack.command(both[at % 2] ?? ids.rob, 'C0GENERAL', '/site logs acme-shop/live error'),
      );
      inTime(...(await Promise.all(many)));
      const refusals = () =>
        both.flatMap((as) =>
          scenario.slack
            .messages({ channel: 'C0GENERAL', as })
            .filter(({ text, ephemeral }) => ephemeral && text.includes(own)),
        );
      await scenario.slack.until(() => refusals().length >= requests - share || undefined, patienceMs);
      const read = await scenario.person('ben').says('/site logs acme-docs/live error --lines 50');
      await read.hears('acme-docs/live · error log');
      expect(refusals()).toHaveLength(requests - share);
      for (const { text } of refusals()) expect(text).toContain('Not run: logs acme-shop/live error. Try again when');
      const asked = scenario.hosting.journal.entries().filter((entry) => entry.path === path);
      expect(asked.length).toBeLessThanOrEqual(2 * 3);
    }),
  );

  test(
    'a person whose share is used up can still pause and resume, which have a share of their own',
    inScenario({}, async (scenario) => {
      const chi = scenario.person('chi');
      const hung = scenario.hosting.world.environmentNamed('acme-shop/staging');
      const path = `/sites/environments/${hung?.id}/ssh/get-allowed-ips`;
      scenario.hosting.faults.add({ kind: 'hang', method: 'GET', path, times: 'always' });
      const line = '/site allowlist add acme-shop/staging 198.51.100.4';
      const inTime = threeSeconds();
      const many = Array.from({ length: 60 }, () => scenario.slack.command(chi.id, 'C0GENERAL', line));
      inTime(...(await Promise.all(many)));
      const refusals = () =>
        scenario.slack.messages({ channel: 'C0GENERAL', as: chi.id }).filter(({ text }) => text.includes(own));
      await scenario.slack.until(() => refusals().length >= 60 - 48 || undefined, patienceMs);
      const long = await chi.says(`/site whoami password=hunter22 &lt;!channel&gt; ${'x'.repeat(300)}`, 'C0GENERAL');
      const away = await long.hears(own);
      expect(away.text).toMatch(/Not run: whoami "?password=\*\*\* .*!channel.* x{9,80}…\. Try again when/);
      expect(away.text).not.toContain('hunter22');
      await (await chi.says('/site pause all of it')).hears('Sending is paused: I send nothing from now on');
      await (await chi.says('/site resume')).hears('Sending is on again');
    }),
  );

  test(
    'twenty writes that hang: another person’s change is sent and followed',
    inScenario({ hosting: { durations: { 'cache:clear': 0 } } }, async (scenario) => {
      const [ana, ben] = [scenario.person('ana'), scenario.person('ben')];
      scenario.hosting.faults.add({ kind: 'hang', section: '4.12', times: 4 });
      const line = '/site cache clear acme-shop/staging';
      for (const { acked } of await Promise.all(
        Array.from({ length: 20 }, () => scenario.slack.command(ana.id, 'C0GENERAL', line)),
      ))
        expect(acked).toBe(true);
      const sent = () => scenario.writes('acme-shop/staging').length;
      await scenario.slack.until(() => sent() === 4 || undefined, patienceMs);
      const cleared = await ben.asks('/site cache clear acme-docs/staging');
      await cleared.tells('the host reports it finished');
      expect(sent()).toBe(4);
    }),
  );

  test(
    'writes that hang, by two accounts of one person: four in total are at the host',
    inScenario({ hosting: { durations: { 'cache:clear': 0 } }, policy: joined }, async (scenario) => {
      scenario.hosting.faults.add({ kind: 'hang', section: '4.12', times: 'always' });
      const line = '/site cache clear acme-shop/staging';
      const many = Array.from({ length: 20 }, (_, at) =>
        scenario.slack.command(at % 2 === 0 ? ids.rob : ids.fay, 'C0GENERAL', line),
      );
      for (const { acked } of await Promise.all(many)) expect(acked).toBe(true);
      const sent = () => scenario.writes('acme-shop/staging').length;
      await scenario.slack.until(() => sent() >= 4 || undefined, patienceMs);
      scenario.hosting.faults.remove();
      const cleared = await scenario.person('ben').asks('/site cache clear acme-docs/staging');
      await cleared.tells('the host reports it finished');
      expect(sent()).toBe(4);
    }),
  );

  test(
    'writes of five people that hang: places are kept free for others',
    inScenario({ hosting: { durations: { 'cache:clear': 0 } }, policy: everybodyMay }, async (scenario) => {
      const requesters = [ids.ana, ids.ben, ids.chi, ids.dee, ids.fay];
      scenario.hosting.faults.add({ kind: 'hang', section: '4.12', times: 'always' });
      await Promise.all(
        requesters.flatMap((requester) =>
          Array.from({ length: 5 }, () =>
            scenario.slack.command(requester, 'C0GENERAL', '/site cache clear acme-shop/staging'),
          ),
        ),
      );
      const sent = () => scenario.writes('acme-shop/staging').length;
      await scenario.slack.until(() => sent() >= 16 || undefined, patienceMs);
      await scenario.person('rob').asks('/site cache clear acme-docs/staging');
      await scenario.hosting.until(() => scenario.writes('acme-docs/staging')[0], patienceMs);
      // Sixteen in turns, plus one of the fifth person if the other four have all sixteen.
      expect(sent()).toBeLessThanOrEqual(17);
    }),
  );

  test(
    'twenty writes at once: meanwhile another person’s change is sent, and they approve one',
    inScenario({ hosting: { durations: { 'cache:clear': 0, 'environments:push': 0 } } }, async (scenario) => {
      const [ana, ben, chi] = [scenario.person('ana'), scenario.person('ben'), scenario.person('chi')];
      const batch = Promise.all(Array.from({ length: 20 }, () => ana.says('/site cache clear acme-shop/staging')));
      const push = await ben.requests('/site push acme-docs/staging acme-docs/live --files');
      const cleared = await ben.asks('/site cache clear acme-docs/staging');
      await cleared.tells('the host reports it finished');
      await chi.clicks(push.card(), 'Approve');
      await push.tells('Sending in 10 s.');
      for (const { outcome } of await batch) expect(outcome.acked).toBe(true);
      await scenario.slack.until(() => scenario.writes('acme-shop/staging').length === 20 || undefined, patienceMs);
    }),
  );

  test(
    'many timed accesses of one person end while the host hangs: another person’s is removed meanwhile',
    inScenario({ policy: everybodyMay.replace('routine', 'routine, sensitive') }, async (scenario) => {
      const [ana, rob] = [scenario.person('ana'), scenario.person('rob')];
      for (const last of [1, 2, 3, 4, 5]) {
        const line = `/site allowlist add acme-shop/staging 203.0.113.${last} --for 5m`;
        await (await rob.asks(line, 'C0GENERAL')).tells(`✅ 203.0.113.${last} is on the SSH allowlist`);
      }
      const letIn = await ana.asks('/site allowlist add acme-docs/staging 198.51.100.4 --for 5m', 'C0GENERAL');
      await letIn.tells('✅ 198.51.100.4 is on the SSH allowlist');
      const id = scenario.hosting.world.environmentNamed('acme-shop/staging')?.id;
      const path = `/sites/environments/${id}/ssh/get-allowed-ips`;
      scenario.hosting.faults.add({ kind: 'hang', method: 'GET', path, times: 'always' });
      const asked = () => scenario.hosting.journal.entries().filter((entry) => entry.path === path).length;
      const before = asked();
      scenario.runSql('update timers set due_at = 1 where requester = ?', rob.id);
      await scenario.hosting.until(() => asked() > before || undefined, patienceMs);
      scenario.runSql('update timers set due_at = 2 where requester = ?', ana.id);
      await scenario.hosting.until(() => scenario.writes('acme-docs/staging')[1], patienceMs);
      // The requests of the others still hang.
      expect(scenario.rows('select id from timers where last_note is not null')).toEqual([]);
    }),
  );
});
