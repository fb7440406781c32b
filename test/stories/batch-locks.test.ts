import { expect, test } from 'vitest';
import { submitBatch, eventually, manySites, namesOfMany, policy } from './batch.ts';
import { inScenario } from './scenario.ts';

/** A batch and the locks of others. */

test(
  'a target that is locked after its change was begun is skipped and named, keeps no other from its turn, and can be retried',
  inScenario(
    {
      policy: policy.replace('"acme-*/live"', '"many-*/live"'),
      hosting: { plan: manySites(10), durations: { 'cache:clear': 0 } },
    },
    async (scenario) => {
      const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
      const busy = { kind: 'status', status: 429, headers: { 'retry-after': '600' }, method: 'POST' } as const;
      scenario.hosting.faults.add({ ...busy, times: 8 });
      const taken = () => scenario.writes().filter(({ status }) => status !== 429).length;
      const card = await submitBatch(ana, '/site cache clear many-*/live');
      const [first = '', ...others] = namesOfMany(10);
      const putOff = () => scenario.rows("select 1 from changes where state = 'approved' and throttle_count = 1");
      await eventually(scenario, 'eight to be put off', () => putOff().length === 8);
      await (await chi.says(`/site lock ${first} a look around`)).hears('locked');
      expect(taken()).toBe(0);

      scenario.runSql('update changes set due_at = 1 where target_name = ?', first);
      await card.shows(/many-000\/live · #2 many-000\/live is locked by @Chi.*“a look around”.*Nothing was sent/);
      await eventually(scenario, 'the next two to have their turn', () => taken() === 2);
      expect(scenario.rows('select state from changes where target_name = ?', first)).toEqual([{ state: 'cancelled' }]);

      for (const name of others)
        scenario.runSql("update changes set due_at = 1 where target_name = ? and state = 'approved'", name);
      await card.tells('All were tried, and not all are done.');
      await card.shows('9 of 10 done · 1 not sent');
      await (await chi.says(`/site unlock ${first}`)).hears('unlocked');
      await card.shows('[Retry those not sent]');
      await ana.clicks(card.card(), 'Retry those not sent');
      await card.tells('All are done.');
      expect(taken()).toBe(10);
    },
  ),
);
