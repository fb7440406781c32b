import { expect, test, vi } from 'vitest';
import { setBackKey } from '../../src/storage/timeline.ts';
import { inScenario, patienceMs, type Scenario } from './scenario.ts';

const policy = `
version: 1
live: ['*/live']
groups:
  developers: [U01ANA]
  leads: [U03CHI, U04DEE]
  heads: [U05FAY]
rules:
  - { allow: [read], to: everyone }
  - { allow: [routine, sensitive], to: [developers] }
  - { allow: [push], to: [developers], approval: { by: [leads], then: { after: 5m, by: [heads] } }, breakGlass: true }
  - { allow: [resume, pause], to: [leads] }
channels:
  ops: C0OPS
`;
const options = { policy, hosting: { durations: { 'environments:push': 0 } } } as const;

/** Restarts the bot on its database as a restore from a backup leaves it. */
async function restore({ stop, start, runSql: rewrite }: Scenario): Promise<void> {
  await stop();
  const from = Date.UTC(2026, 0, 2, 3, 4);
  const value = JSON.stringify({ kind: 'restored', from, at: from + 60_000 });
  rewrite('insert into kv (key, value, at) values (?, ?, 1)', setBackKey, value);
  await start();
}

test(
  'promise 1: restored while a push can be stopped: it is asked again, and a new approval sends it once, with a new Stop',
  inScenario(options, async (scenario) => {
    const [ana, chi, dee] = [scenario.person('ana'), scenario.person('chi'), scenario.person('dee')];
    const change = await ana.requests('/site push acme-shop/staging acme-shop/live --database');
    const waiting = change.card();
    await chi.clicks(waiting, 'Approve');
    await scenario.holdBeforeSend(change.number);
    await ana.opens(
      '/site push acme-blog/staging acme-blog/live --files --break-glass --reason down',
      '🚨 Break-glass',
    );
    const emergency = await ana.confirms({ 'Type acme-blog/live to confirm': 'acme-blog/live' });
    await scenario.holdBeforeSend(emergency.number);
    await restore(scenario);

    await emergency.tells(
      /@Chi or @Dee \(from .* also heads\): I'm asking again.*restored from a backup of 2026-01-02/,
    );
    await emergency.shows(/🚨 Break-glass.*may have been sent without approval\n/);
    await ana.clicks(emergency.card(), 'Cancel');
    await emergency.shows(/may have been sent without approval; nobody has reviewed it yet/);
    await change.tells(/@Chi or @Dee \(from .* also heads\): I'm asking again.*restored from a backup of 2026-01-02/);
    const asked = await change.shows('Waiting for approval again.');
    expect(asked.text).not.toContain('Approved by');
    await dee.clicks(asked, 'Approve');
    await change.tells('Approved by @Dee. All sending is paused.');
    await (await chi.says('/site resume')).hears('I ended the pause that Sitehand started');
    expect(scenario.writes()).toHaveLength(0);
    const stop = `select key from messages where key like '1:stop:%' and ts is not null`;
    await vi.waitFor(() => expect(scenario.rows(stop)).toHaveLength(1), { timeout: patienceMs });
    scenario.runSql(`update changes set due_at = 1 where owner is null and due_at > 1`);
    await change.tells('the host reports it finished');
    expect(scenario.writes()).toHaveLength(1);
    expect(change.replies().filter(({ text }) => text.includes('[Approve]'))).toEqual([]);
  }),
);

test(
  'promise 1: restored while a timer takes access off: it is taken off once, after somebody has resumed',
  inScenario(options, async (scenario) => {
    const ana = scenario.person('ana');
    const grant = await ana.asks('/site allowlist add acme-shop/staging 198.51.100.4 --for 5m');
    await grant.tells('ends');
    scenario.hosting.faults.add({ kind: 'status', method: 'POST', status: 429, headers: { 'retry-after': '60' } });
    scenario.runSql('update timers set due_at = 1');
    await vi.waitFor(
      () => expect(scenario.rows(`select 1 from audit where change = 2 and event = 'throttle'`)).toHaveLength(1),
      { timeout: patienceMs },
    );
    await restore(scenario);

    const removal = await scenario.change(2);
    await removal.tells('The timer of #1 reads the list again first, and takes off only what is still on it.');
    await scenario.becomes(2, 'superseded');
    const before = scenario.writes().length;
    await (await scenario.person('chi').says('/site resume')).hears('I ended the pause that Sitehand started');
    scenario.runSql('update timers set due_at = 1 where owner is null');
    await grant.tells("#2 didn't do it");
    scenario.runSql('update timers set due_at = 1 where owner is null');
    await grant.tells('The access of 198.51.100.4 to acme-shop/staging is over');
    expect(scenario.writes()).toHaveLength(before + 1);
  }),
);
