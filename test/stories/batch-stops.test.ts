import { describe, expect, test } from 'vitest';
import { address, submitBatch, carePlan, eventually, manySites, namesOfMany, policy, writeCounts } from './batch.ts';
import { inScenario, patienceMs, type Scenario } from './scenario.ts';
import type { ChangeThread } from './people.ts';

/** What stops a batch, what is sent after a stop, and who lets it go on. */

const thirty = {
  policy: policy.replace('"acme-*/live"', '"many-*/live"'),
  hosting: { plan: manySites(30), durations: { 'cache:clear': 0 } },
} as const;
const all = namesOfMany(30);
const clear = '/site cache clear many-*/live';

const sum = (numbers: readonly number[]): number => numbers.reduce((one, other) => one + other, 0);
const chiId = 'U03CHI';
const labelsOf = (card: ChangeThread): string => card.card().text.slice(card.card().text.lastIndexOf('\n'));

describe.concurrent('a batch stops', () => {
  test.each([
    { what: 'the host rejects one', fault: { kind: 'status', status: 422 }, standing: '1 failed' },
    { what: 'the outcome of one is unknown', fault: { kind: 'status', status: 500 }, standing: '1 unknown' },
  ] as const)(
    'if $what: nothing more is sent, the card names it, and only its asker lets the others follow',
    async ({ fault, standing }) =>
      inScenario(thirty, async (scenario) => {
        const [ana, rob] = [scenario.person('ana'), scenario.person('rob')];
        scenario.hosting.faults.add({ ...fault, method: 'POST', skip: 3 });
        const card = await submitBatch(ana, clear);
        await card.tells('did not end well');
        await scenario.becomes(card.number, 'stopped');
        await card.shows(standing);
        await card.shows('[Go on]');
        const hit = scenario.writes().find(({ status }) => status === fault.status);
        const name = all.find((one) =>
          JSON.stringify(hit?.body).includes(scenario.hosting.world.environmentNamed(one)?.id ?? '-'),
        );
        expect(card.card().text).toContain(name);
        const sent = scenario.writes().length;
        expect(sent).toBeLessThanOrEqual(12);
        await (await rob.clicks(card.card(), 'Go on')).hears('Only @Ana can let it go on');
        expect(scenario.writes()).toHaveLength(sent);
        await ana.clicks(card.card(), 'Go on');
        await eventually(scenario, 'all to be tried', () => sum(writeCounts(scenario, all)) === 30);
        expect(writeCounts(scenario, all)).toEqual(all.map(() => 1));
        await card.shows('29 of 30 done');
        expect(card.replies().length).toBeLessThanOrEqual(3);
      })(),
  );

  test(
    'if a person stops it: what was begun and not sent stays unsent, through pauses, and any number of stops is one reply',
    inScenario(thirty, async (scenario) => {
      const [ana, rob, chi] = [scenario.person('ana'), scenario.person('rob'), scenario.person('chi')];
      scenario.hosting.faults.add({ kind: 'delay', method: 'POST', ms: 600_000, times: 'always' });
      const card = await submitBatch(ana, clear);
      await scenario.hosting.until(() => scenario.writes()[3], patienceMs);
      await (await chi.says('/site pause')).hears(/paused/i);
      await eventually(
        scenario,
        'eight begun',
        () => scenario.rows('select 1 from changes where batch = 1').length === 8,
      );
      await card.shows('[Stop]');
      await rob.clicks(card.card(), 'Stop');
      await card.tells('Stopped by @Rob.');
      await card.shows('[Go on]');
      const sent = scenario.writes().length;
      expect(sent).toBeLessThan(8);
      await (await chi.says('/site resume')).hears(/resume|goes on|ended the pause/i);
      scenario.hosting.faults.remove();
      scenario.hosting.faults.release();
      await card.shows(`${sent} of 30 done`);
      await card.tells(`${sent} of 30 done · ${30 - sent} to do`);
      // Nothing of it is left that could be sent.
      expect(scenario.rows(`select 1 from changes where batch = 1 and settled_at is null`)).toEqual([]);
      expect(scenario.writes()).toHaveLength(sent);
      for (let turn = 0; turn < 2; turn += 1) {
        await ana.clicks(card.card(), 'Go on');
        await scenario.becomes(card.number, 'running');
        await eventually(scenario, 'Stop on the card', () => labelsOf(card).includes('[Stop]'));
        await rob.clicks(card.card(), 'Stop');
        await scenario.becomes(card.number, 'stopped');
        await eventually(scenario, 'End it on the card', () => labelsOf(card).includes('[End it]'));
      }
      await ana.clicks(card.card(), 'End it');
      await card.tells('It is over, and not all are done.');
      await scenario.becomes(card.number, 'ended');
      expect(card.replies()).toHaveLength(2);
      expect(Math.max(...writeCounts(scenario, all))).toBe(1);
      await card.shows(`${scenario.writes().length} of 30 done`);
    }),
  );

  test(
    'by a person’s lock only for that environment: it names them, and can be retried',
    inScenario({ policy }, async (scenario) => {
      const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
      await (await chi.says('/site lock acme-docs/live a look around')).hears('locked');
      const card = await submitBatch(ana, '/site cache clear set:care-plan');
      await card.tells('All were tried, and not all are done.');
      await card.shows(/acme-docs\/live.*locked by @Chi/s);
      await card.shows('[Retry those not sent]');
      expect(writeCounts(scenario, carePlan)).toEqual([1, 0, 1, 1]);
      await ana.clicks(card.card(), 'Retry those not sent');
      await eventually(scenario, 'it to stop again', () =>
        JSON.stringify(
          scenario.rows('select count(*) as n from audit where change = ? and event = ?', card.number, 'halt'),
        ).includes('2'),
      );
      expect(writeCounts(scenario, carePlan)).toEqual([1, 0, 1, 1]);
      await (await chi.says('/site unlock acme-docs/live')).hears('unlocked');
      await card.shows('[Retry those not sent]');
      await ana.clicks(card.card(), 'Retry those not sent');
      await card.tells('All are done.');
      expect(writeCounts(scenario, carePlan)).toEqual([1, 1, 1, 1]);
      await card.shows('4 of 4 done');
    }),
  );

  test(
    'not because one environment was changed meanwhile: that one is not sent, the others are',
    inScenario({ policy }, async (scenario) => {
      const [ana, ben, chi] = [scenario.person('ana'), scenario.person('ben'), scenario.person('chi')];
      const card = await submitBatch(ana, `/site allowlist add set:care-plan ${address}`);
      const other = await ben.requests('/site allowlist add acme-docs/live 192.0.2.7');
      await chi.clicks(other.card(), 'Approve');
      await scenario.becomes(other.number, 'done');
      await chi.clicks(card.card(), 'Approve');
      await card.tells('What changed in the meantime needs a new review: please ask for it anew.');
      await card.shows(
        /3 of 4 done · 1 changed meanwhile.*acme-docs\/live.*Somebody changed acme-docs\/live in the meantime/s,
      );
      expect(writeCounts(scenario, carePlan)).toEqual([1, 1, 1, 1]);
      // What was pinned does not fit any more, so nothing is left that this batch could do.
      await scenario.becomes(card.number, 'ended');
      await card.tells('It is over, and not all are done.');
      expect(card.card().text).not.toContain('[Retry those not sent]');
    }),
  );

  test(
    'if its requester loses the right: nothing more is sent; during a pause of all sending it only waits',
    inScenario(thirty, async (scenario) => {
      const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
      scenario.hosting.faults.add({ kind: 'delay', method: 'POST', ms: 600_000, times: 'always' });
      const card = await submitBatch(ana, clear);
      await scenario.hosting.until(() => scenario.writes()[1], patienceMs);
      await (await chi.says('/site pause')).hears(/paused/i);
      scenario.hosting.faults.remove();
      scenario.hosting.faults.release();
      const open = () =>
        scenario.rows(
          `select 1 from changes where batch = ? and state in ('sending', 'accepted') and settled_at is null`,
          card.number,
        );
      await eventually(scenario, 'nothing to be sent', () => open().length === 0);
      const sent = scenario.writes().length;
      expect(sent).toBeLessThanOrEqual(8);
      const [{ state } = {}] = scenario.rows('select state from changes where number = ?', card.number);
      expect(state).toBe('running');
      await card.shows('Nothing more is sent for now. All sending is paused. Its time runs on.');
      await (await chi.says('/site resume')).hears(/resume|goes on|ended the pause/i);
      await eventually(scenario, 'it to go on', () => scenario.writes().length > sent);
      await card.shows('Running.');
      scenario.hosting.faults.add({ kind: 'delay', method: 'POST', ms: 600_000, times: 'always' });
      await scenario.writePolicy(thirty.policy.replace('developers: [U01ANA, U02BEN]', 'developers: [U02BEN]'));
      await eventually(
        scenario,
        'the rules to be read',
        () => scenario.rows(`select 1 from audit where event = 'policy'`).length === 2,
      );
      const last = scenario.writes().length;
      scenario.hosting.faults.remove();
      scenario.hosting.faults.release();
      await scenario.becomes(card.number, 'stopped');
      await card.tells('did not end well');
      await card.shows('no longer allowed to do this');
      // Those that had passed their last check.
      expect(scenario.writes().length).toBeLessThanOrEqual(last + 8);
      expect(scenario.writes().length).toBeLessThan(30);
      expect(Math.max(...writeCounts(scenario, all))).toBe(1);
    }),
  );

  test(
    'for good when its time is over, and an unknown outcome is closed by its own button, also then',
    inScenario(thirty, async (scenario) => {
      const [ana, rob] = [scenario.person('ana'), scenario.person('rob')];
      scenario.hosting.faults.add({ kind: 'status', status: 500, method: 'POST' });
      const card = await submitBatch(ana, clear);
      await scenario.becomes(card.number, 'stopped');
      await card.shows('1 unknown');
      const hit = scenario.writes().find(({ status }) => status === 500);
      const name =
        all.find((one) =>
          JSON.stringify(hit?.body).includes(scenario.hosting.world.environmentNamed(one)?.id ?? '-'),
        ) ?? '';
      await scenario.slack.until(
        () => scenario.slack.messages({ channel: 'C0OPS', as: chiId }).find(({ text }) => text.includes(name)),
        patienceMs,
      );
      const sent = scenario.writes().length;
      scenario.runSql('update changes set expires_at = 1, due_at = 1 where number = ?', card.number);
      await eventually(scenario, 'no button to go on', () => !labelsOf(card).includes('[Go on'));
      await card.shows(`[It happened: ${name}]`);
      scenario.runSql(`update changes set sent_at = 1 where state = 'unknown'`);
      await (
        await rob.clicks(card.card(), `It happened: ${name}`)
      ).hears("The rules don't let you do this yourself, so you can't close it.");
      await card.shows(`[It happened: ${name}]`);
      await ana.clicks(card.card(), `It happened: ${name}`);
      await eventually(
        scenario,
        'it to be closed',
        () => scenario.rows(`select 1 from changes where state = 'happened'`).length === 1,
      );
      await card.tells('It is over, and not all are done.');
      await card.shows(`${sent} of 30 done`);
      expect(labelsOf(card)).not.toContain('It happened');
      expect(scenario.writes()).toHaveLength(sent);
      expect(card.replies()).toHaveLength(2);
    }),
  );

  test(
    'if it needed an approval, only somebody who may approve it lets it go on, and its history names the environments left out',
    inScenario({ ...thirty, hosting: { ...thirty.hosting, plan: manySites(12) } }, async (scenario) => {
      const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
      const names = namesOfMany(12);
      scenario.hosting.faults.add({ kind: 'status', status: 422, method: 'POST' });
      const card = await submitBatch(ana, `/site allowlist add many-*/live ${address}`);
      await chi.clicks(card.card(), 'Approve');
      await scenario.becomes(card.number, 'stopped');
      await card.shows('[Go on without some…]');
      const before = writeCounts(scenario, names);
      await (
        await ana.clicks(card.card(), 'Go on')
      ).hears('It needed an approval, so somebody who may approve it has to let it go on.');
      await chi.clicks(card.card(), 'Go on without some…');
      await chi.form('Leave out');
      await chi.submits({ 'Leave out': ['many-011/live'] });
      await scenario.becomes(card.number, 'ended');
      await card.shows('10 of 12');
      const after = writeCounts(scenario, names);
      expect(Math.max(...after)).toBe(1);
      expect(after.at(-1)).toBe(0);
      expect(sum(before)).toBeLessThan(sum(after));
      const story = await (await ana.says(`/site change ${card.number}`)).hears('let it go on');
      expect(story.text).toContain('let it go on without many-011/live');
    }),
  );

  test(
    'with an unknown outcome: people are reminded of it until it is closed, also after its time',
    inScenario(thirty, async (scenario) => {
      const ana = scenario.person('ana');
      scenario.hosting.faults.add({ kind: 'status', status: 500, method: 'POST' });
      const card = await submitBatch(ana, clear);
      await card.tells('What is unknown');
      const inOps = (): number =>
        scenario.slack.messages({ channel: 'C0OPS', as: chiId }).filter(({ text }) => text.includes('1 unknown'))
          .length;
      await eventually(scenario, 'at rest', () => /reminders/.test(progressOf(scenario, card)));
      const told = inOps();
      scenario.runSql(
        `update changes set expires_at = 1, due_at = 1, progress = json_set(progress, '$.reminders.nextAt', 1)
         where number = ?`,
        card.number,
      );
      await scenario.slack.until(() => inOps() > told || undefined, patienceMs);
      expect(card.replies()).toHaveLength(1);
    }),
  );
});

const progressOf = (scenario: Scenario, { number }: ChangeThread): string =>
  String(scenario.rows('select progress from changes where number = ?', number)[0]?.['progress']);
