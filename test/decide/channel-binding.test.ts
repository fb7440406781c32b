import { expect, it } from 'vitest';
import { createChangeStore } from '../../src/change/change-store.ts';
import type { Channel, Person } from '../../src/access/access-check.ts';
import { bindingFor, bindingOf } from '../../src/decide/channel-binding.ts';
import type { KnownNames } from '../../src/language/resolve.ts';
import { mayRead } from '../../src/policy/policy.ts';
import { Refusal } from '../../src/base/errors.ts';
import { listAudit } from '../../src/storage/audit.ts';
import type { Database } from '../../src/storage/database.ts';
import { receive } from '../../src/storage/inbox.ts';
import { say } from '../../src/words/text.ts';
import { describeBoth } from '../storage/describe-both.ts';
import { ana, chi, company, dee, environment, names, policyOf, refusalText, uuid, contextWith } from '../fixtures.ts';

const policy = policyOf(
  '{ allow: [read], to: [developers, leads] }',
  '{ allow: [use], to: [developers] }',
  '{ allow: [use], to: [leads], where: ["acme-blog/*"] }',
);
const blogSite = { kind: 'site', id: uuid(901), name: 'acme-blog' } as const;
const shopSite = { kind: 'site', id: uuid(900), name: 'acme-shop' } as const;
const blogEnv = { ...environment('acme-blog/live', 3), site: { id: blogSite.id, name: blogSite.name } };
const all = { ...names, environments: [blogEnv, ...names.environments.slice(1)] };

type Where = { readonly channel?: string | undefined; readonly shared?: boolean; readonly inbox?: string };
type Binding = ReturnType<typeof bindingFor>;

function binding(database: Database, person: Person = ana, where: Where = {}, listed: KnownNames = all): Binding {
  const { channel = 'C1', shared = false, inbox } = where;
  const { installation } = database;
  const changeStore = createChangeStore({ auditKey: undefined, installation, onEvent: () => undefined });
  const may = (who: Person | undefined) => ({
    environments: listed.environments.filter((one) => who === undefined || mayRead(policy, who, one)),
    domains: listed.domains,
    trouble: listed.trouble,
  });
  const channelOf = async (id: string): Promise<Channel> => ({ id, shared });
  const context = contextWith({
    channelOf,
    database,
    changeStore,
    policy: () => policy,
    company: () => company,
    names: may,
  });
  const here = 'channel' in where ? where.channel : channel;
  return bindingFor(context, { person, authorization: undefined, inbox, saidIn: async () => here });
}

const notices = async ({ db }: Database): Promise<readonly (readonly [string | null, string | null])[]> =>
  (await db.selectFrom('messages').selectAll().where('kind', '=', 'notice').orderBy('id').execute()).map(
    ({ recipient, body }) => [recipient, body],
  );
const refused = async (work: Promise<unknown>): Promise<string> => {
  const outcome: unknown = await work.catch((error: unknown) => error);
  if (!(outcome instanceof Refusal)) throw new Error(`nothing was refused: ${JSON.stringify(outcome)}`);
  return refusalText(outcome);
};

describeBoth('a channel', (open) => {
  it('is bound, audited and announced in one transaction; binding it again does nothing', async () => {
    const database = await open({ now: () => 1_000 });
    expect(await binding(database).bound()).toBeUndefined();
    expect(await binding(database).use(shopSite)).toBe(true);
    expect(await binding(database).use(shopSite)).toBe(false);
    expect(await bindingOf(database.db, 'C1')).toEqual({ site: shopSite.id, name: 'acme-shop', by: ana.id });
    expect(await bindingOf(database.db, 'C2')).toBeUndefined();
    expect(await notices(database)).toEqual([['C1', expect.stringContaining('acme-shop')]]);
    const lines = await listAudit(database.db, { limit: 9 });
    expect(lines).toMatchObject([{ event: 'use', actor: ana.id, change: null, at: 1_000 }]);
  });

  it('bound by two people at once gets one of the sites, and each is told the result', async () => {
    const database = await open();
    const done = await Promise.all([binding(database).use(shopSite), binding(database, chi).use(blogSite)]);
    expect(done).toEqual([true, true]);
    const bound = await bindingOf(database.db, 'C1');
    const last = (await listAudit(database.db, { limit: 9 }))[0];
    expect(last?.actor).toBe(bound?.by);
    expect(await notices(database)).toHaveLength(2);
  });

  it('shows the site by the name it has now', async () => {
    const database = await open();
    await binding(database).use(shopSite);
    const renamed = all.environments.map((one) => ({ ...one, site: { id: one.site?.id, name: 'new-shop' } }));
    expect((await binding(database, ana, {}, { ...all, environments: renamed }).bound())?.name).toBe('new-shop');
    expect((await binding(database, ana, {}, { ...all, environments: [] }).bound())?.name).toBe('acme-shop');
  });

  it('is unbound by people who may bind that site, or by anybody once the site is deleted', async () => {
    const database = await open();
    await binding(database).use(shopSite);
    expect(await refused(binding(database, chi).forget())).toContain('You may not unbind this channel from acme-shop.');
    const away = { environments: [], domains: [], trouble: say`The host answered 503.` };
    const unknown = await refused(binding(database, chi, {}, away).forget());
    expect(unknown).toContain(
      "I can't tell whether you may unbind this channel from acme-shop. The host answered 503.",
    );
    expect(await bindingOf(database.db, 'C1')).toBeDefined();
    expect(await binding(database, chi, {}, { ...all, environments: [] }).forget()).toMatchObject({
      name: 'acme-shop',
    });
    expect(await binding(database).forget()).toBeUndefined();
    expect(await notices(database)).toHaveLength(2);
  });

  it.each<[string, Person, Where, typeof blogSite | typeof shopSite, string]>([
    ['direct messages', ana, { channel: 'D1' }, shopSite, 'Only a channel'],
    ['a person', ana, { channel: 'U01ANA' }, shopSite, 'Only a channel'],
    ['nowhere', ana, { channel: undefined }, shopSite, 'Only a channel'],
    ['a shared channel', ana, { shared: true }, shopSite, 'is shared with another organisation'],
    ['a lead with another site', dee, {}, shopSite, 'You may not bind a channel to acme-shop.'],
  ])('is not bound: %s', async (_, person, where, site, why) => {
    const database = await open();
    const says = await refused(Promise.resolve().then(() => binding(database, person, where).use(site)));
    expect(says).toContain(why);
    expect(says).toContain('Nothing was done.');
    expect(await notices(database)).toEqual([]);
    expect(await listAudit(database.db, { limit: 9 })).toEqual([]);
  });

  it('stays as it was if the delivery was answered already', async () => {
    const database = await open({ now: () => 1_000 });
    const row = { key: 'k', kind: 'command', person: ana.id, channel: 'C1', content: 'use acme-shop' } as const;
    const leased = { ...row, owner: 'o', lease_until: 2_000, received_at: 1_000 };
    await database.transaction((tx) => receive(tx, leased));
    expect(await binding(database, ana, { inbox: 'k' }).use(shopSite)).toBe(true);
    expect(await refused(binding(database, ana, { inbox: 'k' }).forget())).toContain(
      'I was delayed and have already told you so.',
    );
    expect(await bindingOf(database.db, 'C1')).toBeDefined();
  });
});
