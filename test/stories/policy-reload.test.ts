import { describe, expect, test, vi } from 'vitest';
import { inScenario, patienceMs, reloadPolicy, type Scenario } from './scenario.ts';

/** How a new policy comes into force, and what becomes of what people were shown by the former one. */

const readers = `
version: 1
live: ['*/live']
checks: off
groups: { testers: [U05FAY] }
rules:
  - { allow: [read], to: everyone }
`;
const testersToo = `${readers}  - { allow: ['cache clear'], to: [testers], approval: none }\n`;

const trail = ({ rows }: Scenario): readonly Record<string, unknown>[] =>
  rows(
    `select seq, event, details ->> 'hash' as hash, details ->> 'text' as text,
      details ->> 'authorization' as authorization from audit order by seq`,
  );

test(
  'a policy is recorded before anything is decided by it, however short it is in force',
  inScenario({ policy: readers }, async (scenario) => {
    const fay = scenario.person('fay');
    expect(trail(scenario).map(({ text }) => text)).toEqual([readers]);
    await reloadPolicy(scenario, testersToo);
    const change = await fay.asks('/site cache clear acme-shop/staging');
    await reloadPolicy(scenario, readers);
    await (await fay.says('/site cache clear acme-shop/live')).hears('You may not run');
    const lines = trail(scenario);
    const policies = lines.filter(({ event }) => event === 'policy');
    expect(policies.map(({ text }) => text)).toEqual([readers, testersToo, readers]);
    const asked = lines.find(({ event }) => event === 'asked');
    expect(asked?.['authorization']).toContain(policies[1]?.['hash']);
    expect(Number(asked?.['seq'])).toBeGreaterThan(Number(policies[1]?.['seq']));
    await change.tells(/^✅ /);
  }),
);

test(
  'a policy that cannot be recorded does not apply until it is, which is tried again without another edit',
  inScenario({ policy: readers }, async (scenario) => {
    const fay = scenario.person('fay');
    scenario.runSql(
      `create trigger no_policy before insert on audit when new.event = 'policy'
        begin select raise(abort, 'the disk is full'); end`,
    );
    await scenario.writePolicy(testersToo);
    const refusals = (): number => scenario.log().split('the policy cannot be recorded; the former one still').length;
    await vi.waitFor(() => expect(refusals()).toBe(2), { timeout: patienceMs });
    await (await fay.says('/site cache clear acme-shop/staging')).hears('You may not run');
    scenario.runSql('drop trigger no_policy');
    await vi.waitFor(() => expect(scenario.log()).toContain('the policy was reloaded'), { timeout: patienceMs });
    await (await fay.asks('/site cache clear acme-shop/staging')).tells(/^✅ /);
    expect(refusals()).toBe(2);
  }),
);

describe('App Home', () => {
  const policy = `
version: 1
live: ['*/live']
groups: { developers: [U01ANA], leads: [U03CHI, U04DEE] }
rules:
  - { allow: [read], to: [developers, leads] }
  - { allow: [push], to: [developers], approval: { by: [leads], count: 1 } }
`;
  const push = '/site push acme-shop/staging acme-shop/live --files --reason SECRET-REASON';

  /** Dee sees in App Home that it waits for her. Then `loses` takes her rights, and her home is covered by itself. */
  const expectCovered = async (scenario: Scenario, loses: () => Promise<unknown>): Promise<void> => {
    const [ana, dee] = [scenario.person('ana'), scenario.person('dee')];
    await ana.requests(push);
    await scenario.slack.home(dee.id);
    const home = (has: boolean) =>
      scenario.slack.until(() => {
        const shown = scenario.slack.views(dee.id).home;
        return shown?.text.includes('SECRET-REASON') === has ? shown : undefined;
      }, patienceMs);
    expect((await home(true)).controls.map(({ label }) => label)).toContain('Approve');
    await loses();
    expect((await home(false)).controls.map(({ label }) => label)).toEqual(['Help']);
  };

  test(
    'is redrawn for whoever loses a right to a change of the rules',
    inScenario({ policy }, (scenario) =>
      expectCovered(scenario, () => reloadPolicy(scenario, policy.replace('[U03CHI, U04DEE]', '[U03CHI]'))),
    ),
  );

  test(
    'and the direct messages of whoever leaves a user group are redrawn without a change of the rules',
    inScenario({ policy: policy.replace('[U03CHI, U04DEE]', '[S0LEADS]') }, (scenario) =>
      expectCovered(scenario, async () => {
        const dee = scenario.person('dee');
        await dee.reads('SECRET-REASON');
        await scenario.slack.changeGroup('S0LEADS', ['U03CHI']);
        await dee.reads("You may no longer see #1, so I've taken out what was here.");
      }),
    ),
  );
});
