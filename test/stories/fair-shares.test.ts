import { describe, expect, test } from 'vitest';
import { inHouse, ids, patienceMs } from './house.ts';

/** Fault 42: one person asks for more than anybody can have, and the others do not notice. */

const own = 'You have as much under way as one person can. Nothing was done by this.';

describe.concurrent('one person asks for all that there is', () => {
  test(
    '200 log reads that hang: the others read, pause, resume and write as ever',
    inHouse({}, async (house) => {
      const [ben, chi] = [house.person('ben'), house.person('chi')];
      const hung = house.hosting.world.named('acme-shop/live');
      const path = `/sites/environments/${hung?.id}/logs`;
      house.hosting.faults.add({ kind: 'hang', method: 'GET', path, times: 'always' });
      const many = Array.from({ length: 200 }, () =>
        house.slack.command(ids.rob, 'C0GENERAL', '/site logs acme-shop/live error'),
      );
      for (const { acked, ms } of await Promise.all(many)) expect([acked, ms < 3_000]).toEqual([true, true]);
      const toldTo = () =>
        house.slack.messages({ channel: 'C0GENERAL', as: ids.rob }).filter(({ text }) => text.includes(own));
      await house.slack.until(() => toldTo().length === 200 - 42 || undefined, patienceMs);

      const read = await ben.says('/site logs acme-docs/live error');
      await read.hears('acme-docs/live · error log');
      const paused = await chi.says('/site pause we look into it');
      await paused.hears('Nothing is sent from now on');
      await (await chi.says('/site resume')).hears('Sending goes on');
      const cleared = await ben.asks('/site cache clear acme-docs/staging');
      await cleared.tells('the host reports it finished');
      // Two at a time, and nobody else's connections.
      const asked = house.hosting.journal.entries().filter((entry) => entry.path === path);
      expect(asked.length).toBeLessThanOrEqual(2 * 3);
    }),
  );

  test(
    'a hundred writes: at most fifty are on their way, and another asks, is sent and can decide meanwhile',
    inHouse({ hosting: { durations: { 'cache:clear': 0, 'environments:push': 0 } } }, async (house) => {
      const [ana, ben, chi] = [house.person('ana'), house.person('ben'), house.person('chi')];
      await (await chi.says('/site pause first they pile up')).hears('Nothing is sent from now on');
      const clear = '/site cache clear acme-shop/staging';
      const count = (state: string): unknown =>
        house.rows("select count(*) as amount from changes where asker = 'U01ANA' and state = ?", state)[0]?.['amount'];
      // As many as one person can have under way, and then as many again.
      for (const _ of [1, 2]) {
        const batch = await Promise.all(Array.from({ length: 40 }, () => ana.says(clear)));
        for (const { outcome } of batch) expect(outcome.acked).toBe(true);
        await house.slack.until(
          () => house.rows('select 1 from inbox where closed_at is null').length === 0 || undefined,
          patienceMs,
        );
      }
      expect(count('approved')).toBe(50);
      const refused = await ana.says(clear);
      await refused.hears('50 changes of yours are on their way to the host already. Nothing was asked.');

      const push = await ben.wants('/site push acme-docs/staging acme-docs/live --files');
      const cleared = await ben.asks('/site cache clear acme-docs/staging');
      await (await chi.says('/site resume')).hears('Sending goes on');
      await cleared.tells('the host reports it finished');
      await chi.clicks(push.card(), 'Approve');
      await push.tells('✅ Done after');
      await house.slack.until(() => count('approved') === 0 || undefined, patienceMs);
    }),
  );
});
