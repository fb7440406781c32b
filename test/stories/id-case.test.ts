import { describe, expect, test } from 'vitest';
import { inScenario, type Scenario } from './scenario.ts';

/** A host that spells its ids in lower case in some answers and in upper case in others. They are the same ids. */

const policy = `
version: 1
live: ['*/live']
groups:
  developers: [U01ANA, U02BEN]
  leads: [U03CHI]
rules:
  - { allow: [read, 'allowlist add', 'allowlist remove'], to: [developers, leads] }
  - { allow: [push], to: [developers], approval: { by: [leads], count: 1, expires: 1h } }
channels: { ops: C0OPS }
`;
const hosting = { durations: { 'environments:push': 0 } };
const push = '/site push acme-shop/staging acme-shop/live --files';

/** Makes the host answer these paths with ids in capitals. Resolves to a function that ends it. */
async function inCapitals(scenario: Scenario, path: string): Promise<() => Promise<void>> {
  const { id } = scenario.hosting.faults.add({ kind: 'capital-ids', method: 'GET', path, times: 'always' });
  await scenario.refreshListing();
  return async () => {
    scenario.hosting.faults.remove(id);
    await scenario.refreshListing();
  };
}

describe.concurrent.each(['/sites', '/**'])('ids in capitals in the answers of %s', (path) => {
  test(
    'promise 1: a second change of an environment is refused, however its id is spelled, and each push is sent once',
    inScenario({ policy, hosting }, async (scenario) => {
      const [ana, ben, chi] = [scenario.person('ana'), scenario.person('ben'), scenario.person('chi')];
      const first = await ana.requests(push);
      let small = await inCapitals(scenario, path);
      await chi.clicks(first.card(), 'Approve');
      await scenario.holdBeforeSend(first.number);
      const second = await ben.requests(push);
      const locked = `is busy: @Ana's push (#${first.number}) is waiting to be sent.`;
      await (await chi.clicks(second.card(), 'Approve')).hears(locked);
      await ben.says('/site allowlist add acme-shop/live 198.51.100.4');
      await ben.form('List before');
      await (await ben.submits()).hears(locked);
      await small();
      await (await chi.clicks(second.card(), 'Approve')).hears(locked);
      expect(scenario.writes()).toEqual([]);

      scenario.makeDue(first.number);
      await first.tells('✅ Done after');
      small = await inCapitals(scenario, path);
      await chi.clicks(second.card(), 'Approve');
      await scenario.holdBeforeSend(second.number);
      await small();
      scenario.makeDue(second.number);
      await second.tells('✅ Done after');
      const { id, siteId } = scenario.hosting.world.environmentNamed('acme-shop/live') ?? {};
      expect(scenario.writes().map(({ path, body }) => ({ path, body }))).toMatchObject(
        [1, 2].map(() => ({ path: `/sites/${siteId}/environments`, body: { target_env_id: id } })),
      );
      for (const { text } of [...first.replies(), ...second.replies()]) expect(text).not.toContain('⛔');
    }),
  );
});
