import { describe, expect, test } from 'vitest';
import type { FaultRequest } from '../../src/playground/hosting/faults.ts';
import { inScenario, type Scenario } from './scenario.ts';

/** How a host in trouble answers the request for its sites. It answers everything else as usual. */
const troubles: readonly (readonly [
  string,
  Pick<Extract<FaultRequest, { kind: 'status' }>, 'status' | 'body' | 'text'>,
])[] = [
  ['503', { status: 503 }],
  ['a 404 page of a gateway', { status: 404, text: '<html><body>no such page</body></html>' }],
  ['an empty list', { status: 200, body: { company: { sites: [] } } }],
  ['a list without the environments', { status: 200, body: { company: { sites: [{ name: 'acme-shop' }] } } }],
];

/** Restarts the bot while the host answers like this, until `mend`. */
async function restart({ hosting, stop, start }: Scenario, trouble: (typeof troubles)[number][1]): Promise<() => void> {
  await stop();
  hosting.faults.add({ kind: 'status', method: 'GET', path: '/sites', times: 'always', ...trouble });
  await start({}, 'connected');
  return () => void hosting.faults.remove();
}

const cannotTell = /I can't check that acme-shop\/live is still there|acme-shop\/live isn't on the host's newest list/;

describe.concurrent.each(troubles)(
  'the bot restarts while the host answers %s for the list of its sites',
  (_, trouble) => {
    test(
      'a click on Approve decides nothing; an approved change waits; neither is invalidated, and each is sent once afterwards',
      inScenario({ hosting: { durations: { 'environments:push': 0 } } }, async (scenario) => {
        const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
        const push = await ana.requests('/site push acme-shop/staging acme-shop/live --database');
        let mend = await restart(scenario, trouble);
        const click = await chi.clicks(push.card(), 'Approve');
        await click.hears(cannotTell);
        await push.shows(/^⏳/);
        mend();
        await scenario.refreshListing();
        await chi.clicks(push.card(), 'Approve');
        await scenario.holdBeforeSend(push.number);
        mend = await restart(scenario, trouble);
        scenario.makeDue(push.number);
        await push.shows(cannotTell);
        expect(scenario.writes()).toEqual([]);
        mend();
        scenario.makeDue(push.number);
        await push.tells('✅ Done after');
        expect(scenario.writes()).toHaveLength(1);
        for (const { text } of push.replies()) expect(text).not.toMatch(/invalidated|gone|⛔/);
      }),
    );

    test(
      'it is ready, because a load balancer must let pause through, and a named site is reported as unclear',
      inScenario({}, async (scenario) => {
        await restart(scenario, trouble);
        expect((await fetch(`http://127.0.0.1:${scenario.port()}/readyz`)).status).toBe(200);
        await (await scenario.person('dee').says('/site pause')).hears('paused');
        const said = await scenario.person('ana').says('/site cache clear acme-shop/live');
        await said.hears(/I can't tell whether there is an environment acme-shop\/live\. .* Nothing was done\./);
        const listed = await scenario.person('ana').says('/site environments');
        await listed.hears("Environments and domains · 14 domains; I don't know the sites right now");
        const none = await scenario.person('ana').says('/site environments acme-shop/');
        const page = await none.hears("Environments and domains with “acme-shop/” · I don't know the sites right now");
        expect(page.text).not.toMatch(/0 names|I found nothing with that name/);
        expect(scenario.writes()).toEqual([]);
      }),
    );

    test(
      'an accepted change that no read has proven keeps its planned removal',
      inScenario({}, async (scenario) => {
        const { hosting, rows, runSql: rewrite } = scenario;
        hosting.faults.add({ kind: 'status', method: 'GET', section: '4.17', status: 500, times: 'always', skip: 2 });
        const added = await scenario.person('ana').asks('/site allowlist add acme-shop/staging 198.51.100.4 --for 5m');
        await added.tells('The host accepted it');
        await restart(scenario, trouble);
        const long = { since: 0, looks: 9, known: false, failures: 0 };
        rewrite('update changes set poll_state = ?, due_at = 1 where number = ?', JSON.stringify(long), added.number);
        await added.tells("I couldn't read it back, so I can't tell what came of it.");
        expect(rows('select change from timers where due_at is not null')).toEqual([{ change: added.number }]);
      }),
    );
  },
);
