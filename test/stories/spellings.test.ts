import { describe, expect, test } from 'vitest';
import { inHouse, type House } from './house.ts';

/** A host that spells its ids now in small letters, now in capitals: the same ids all the same. */

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

/** From now on the host answers so with ids in capitals; ended by what it resolves with. */
async function inCapitals(house: House, path: string): Promise<() => Promise<void>> {
  const { id } = house.hosting.faults.add({ kind: 'capital-ids', method: 'GET', path, times: 'always' });
  await house.listsAnew();
  return async () => {
    house.hosting.faults.remove(id);
    await house.listsAnew();
  };
}

describe.concurrent.each(['/sites', '/**'])('ids in capitals in the answers of %s', (path) => {
  test(
    'promise 1: who comes second to an environment is refused, however it is spelled, and each push is sent once',
    inHouse({ policy, hosting }, async (house) => {
      const [ana, ben, chi] = [house.person('ana'), house.person('ben'), house.person('chi')];
      const first = await ana.wants(push);
      let small = await inCapitals(house, path);
      await chi.clicks(first.card(), 'Approve');
      await house.holds(first.number);
      const second = await ben.wants(push);
      const locked = `is locked by #${first.number}`;
      await (await chi.clicks(second.card(), 'Approve')).hears(locked);
      await ben.says('/site allowlist add acme-shop/live 198.51.100.4');
      await ben.form('List before');
      await ben.submits();
      await ben.form(locked);
      await small();
      await (await chi.clicks(second.card(), 'Approve')).hears(locked);
      expect(house.writes()).toEqual([]);

      house.lets(first.number);
      await first.tells('✅ Done after');
      small = await inCapitals(house, path);
      await chi.clicks(second.card(), 'Approve');
      await house.holds(second.number);
      await small();
      house.lets(second.number);
      await second.tells('✅ Done after');
      const { id, siteId } = house.hosting.world.named('acme-shop/live') ?? {};
      expect(house.writes().map(({ path, body }) => ({ path, body }))).toMatchObject(
        [1, 2].map(() => ({ path: `/sites/${siteId}/environments`, body: { target_env_id: id } })),
      );
      for (const { text } of [...first.replies(), ...second.replies()]) expect(text).not.toContain('⛔');
    }),
  );
});

test(
  'promise 1: what an older Sitehand wrote in capitals is found after the upgrade: its locks hold, its timer ends, it is sent once',
  inHouse({ policy, hosting }, async (house) => {
    const [ana, ben, chi] = [house.person('ana'), house.person('ben'), house.person('chi')];
    const address = '198.51.100.4';
    const added = await ana.asks(`/site allowlist add acme-blog/staging ${address} --for 1h`);
    await added.tells(`✅ ${address} is on the SSH allowlist`);
    const first = await ana.wants(push);
    const second = await ben.wants(push);
    await chi.clicks(first.card(), 'Approve');
    await house.holds(first.number);
    await house.stop();
    for (const environment of house.hosting.world.environments()) {
      for (const id of [environment.id, environment.siteId]) {
        for (const column of [
          'changes.target',
          'changes.targets',
          'changes.words',
          'locks.target',
          'timers.target',
          'timers.target_key',
        ]) {
          const [table, name] = column.split('.');
          house.rewrite(`update ${table} set ${name} = replace(${name}, ?, upper(?))`, id, id);
        }
      }
    }
    const indexes = ['messages_to_decide', 'messages_of_requester'];
    const ofTheTrail = ['audit_of_target', 'audit_of_target_by_actor', 'audit_of_keys'];
    for (const index of [...indexes, ...ofTheTrail]) house.rewrite(`drop index ${index}`);
    house.rewrite('create index audit_of_deeds on audit (seq) where change is null');
    for (const column of [
      'timers drop column times_missing',
      'messages drop column requester',
      'messages drop column decides',
      'audit drop column target',
    ])
      house.rewrite(`alter table ${column}`);
    house.rewrite("delete from migrations where step >= (select step from migrations where name = 'small ids')");
    await house.start();
    await (await chi.clicks(second.card(), 'Approve')).hears(`is locked by #${first.number}`);
    house.lets(first.number);
    await first.tells('✅ Done after');
    await house.person('ben').asks(`/site allowlist remove acme-blog/staging ${address} --empty`);
    await added.tells(/took it off the list/);
    expect(house.writes('acme-shop/live')).toHaveLength(1);
    expect(house.rows('select end_reason from timers')).toEqual([{ end_reason: 'removed' }]);
  }),
);
