import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { inScenario, openScenario, type Scenario } from './scenario.ts';

const policy = `
version: 1
live: ['*/live']
groups: { developers: [U01ANA, U02BEN], leads: [U03CHI], writers: [U05FAY], readers: [U06ROB] }
rules:
  - { allow: [read], to: [developers, leads, writers, readers] }
  - { allow: [routine, 'allowlist add'], to: [developers] }
  - { allow: [push], to: [developers], approval: { by: [leads], count: 1, expires: 1h } }
  - { allow: [use], to: [developers] }
  - { allow: [use], to: [writers], where: ['acme-blog/*'] }
channels:
  C0ACME: { sites: ['acme-*'] }
`;
const announcement = 'This channel is now bound to acme-shop, set by @Ana. Here live means acme-shop/live.';

const detailsOf = (row: Record<string, unknown> | undefined): Record<string, unknown> =>
  z.record(z.string(), z.unknown()).parse(JSON.parse(String(row?.['details'])));

describe('a channel that is bound to a site', () => {
  let scenario: Scenario;
  beforeAll(async () => {
    scenario = await openScenario({ policy, hosting: { durations: { 'cache:clear': 0 } } });
    const said = await scenario.person('ana').says('/site use acme-shop', 'C0GENERAL');
    await said.hears('This channel is now bound to acme-shop');
    await scenario.slack.until(() => inChannel('C0GENERAL').find((text) => text.startsWith(announcement)));
  });
  afterAll(() => scenario.close());

  const inChannel = (channel: string): readonly string[] =>
    scenario.slack.messages({ channel, as: 'U01ANA' }).flatMap(({ text, ephemeral }) => (ephemeral ? [] : [text]));
  const lines = () => scenario.rows("select actor, details from audit where event = 'use' order by seq");

  test('says so once, with an audit line; binding it again changes nothing', async () => {
    const before = lines().length;
    const again = await scenario.person('ben').says('/site use ACME-shop', 'C0GENERAL');
    await again.hears('This channel is already bound to acme-shop. Nothing was changed.');
    expect(inChannel('C0GENERAL').filter((text) => text.includes('This channel is now bound to'))).toHaveLength(1);
    expect(lines()).toHaveLength(before);
    const [line] = lines();
    expect(line?.['actor']).toBe('U01ANA');
    const { authorization, request, ...details } = detailsOf(line);
    const targets = ['acme-shop/live', 'acme-shop/staging'].map((name) => expect.objectContaining({ name }) as unknown);
    expect(details).toEqual({ channel: 'C0GENERAL', site: 'acme-shop', name: 'Ana', targets });
    expect(authorization).toContain('approval');
    expect(request).toMatch(/^r-[0-9a-f]{10}$/);
  });

  test('resolves a bare environment name to its site; another channel does not', async () => {
    const ana = scenario.person('ana');
    const change = await ana.asks('/site cache clear live', 'C0GENERAL');
    expect(change.card().text).toContain('Clear the cache of acme-shop/live');
    await (await ana.says('/site backups list STAGING', 'C0GENERAL')).hears('acme-shop/staging · backups');
    const before = scenario.writes().length;
    const elsewhere = await ana.says('/site cache clear live', 'C0OPS');
    await elsewhere.hears('Which one? Nothing was done.');
    const unknown = await ana.says('/site cache clear preview', 'C0GENERAL');
    await unknown.hears("I can't find preview among the environments you can see.");
    expect(scenario.writes()).toHaveLength(before);
  });

  test.each([
    'push staging live --files',
    'push acme-shop/staging live --database',
    'push live acme-shop/staging --files',
    'delete live',
  ])('needs whole names for destructive commands: %s', async (words) => {
    const said = await scenario.person('ana').says(`/site ${words}`, 'C0GENERAL');
    const refused = await said.hears('can destroy data, so it needs the full name');
    expect(refused.text).toContain('Nothing was done.');
    expect(refused.text).toContain('Write it as site/environment.');
    expect(scenario.slack.views('U01ANA').modals).toEqual([]);
  });

  test('in the thread of a change, a bare name means the change’s site, not the channel’s', async () => {
    const ben = scenario.person('ben');
    const change = await ben.asks('/site cache clear lumen-studio/staging', 'C0GENERAL');
    // A reply can arrive before the bot has saved where the card is.
    await scenario.change(change.number, 'ben');
    await (await ben.mentions('backups list live', 'C0GENERAL', change.ts)).hears('lumen-studio/live · backups');
    await (await ben.mentions('backups list', 'C0GENERAL', change.ts)).hears('lumen-studio/staging · backups');
    await (await ben.mentions('backups list live', 'C0GENERAL')).hears('acme-shop/live · backups');
    const other = await scenario.slack.say(ben.id, 'C0GENERAL', 'What about live?');
    const inThread = await ben.mentions('backups list live', 'C0GENERAL', other.ts);
    await inThread.hears('Which one? Nothing was done.');
  });

  test('shows what it is bound to', async () => {
    const said = await scenario.person('rob').says('/site whoami', 'C0GENERAL');
    await said.hears('U06ROB');
    await (
      await scenario.person('ben').says('/site use', 'C0GENERAL')
    ).hears('This channel is bound to acme-shop, by @Ana');
    await (await scenario.person('ben').says('/site use', 'C0OPS')).hears("This channel isn't bound to a site");
  });
});

describe('who may bind a channel, and where', () => {
  let scenario: Scenario;
  beforeAll(async () => {
    scenario = await openScenario({ policy });
  });
  afterAll(() => scenario.close());
  const bindings = () => scenario.rows("select key from kv where key like 'channel_site:%'");

  test.each<[string, 'rob' | 'fay' | 'gus' | 'ana', string, string, string]>([
    ['whom no rule allows it', 'rob', '/site use acme-shop', 'C0GENERAL', 'You may not use use.'],
    [
      'whom one allows it elsewhere',
      'fay',
      '/site use acme-shop',
      'C0GENERAL',
      'You may not bind a channel to acme-shop.',
    ],
    ['a guest', 'gus', '/site use acme-shop', 'C0ACME', 'Guests of this workspace may not use Sitehand.'],
    ['a channel for other sites', 'ana', '/site use north-bakery', 'C0ACME', 'This channel is for other sites.'],
    ['a shared channel', 'ana', '/site use acme-shop', 'C0SHARED', 'is shared with another organisation'],
    ['direct messages', 'ana', '/site use acme-shop', 'D0U01ANA', 'Only a channel can be bound to a site.'],
    ['a site that is not there', 'ana', '/site use acme-shp', 'C0GENERAL', 'Did you mean acme-shop?'],
    ['an environment', 'ana', '/site use acme-shop/live', 'C0GENERAL', 'among the sites you can see'],
  ])('refused: %s', async (_, name, line, channel, why) => {
    const said = await scenario.person(name).says(line, channel);
    const refused = await said.hears(why);
    expect(refused.text).toContain('Nothing was done.');
    expect(bindings()).toEqual([]);
  });

  test('the shortcut has no channel, so it binds nothing', async () => {
    const ana = scenario.person('ana');
    await scenario.slack.shortcut(ana.id, 'pick');
    await ana.form('What do you want to do?');
    await ana.submits({ Command: 'More…' });
    await ana.submits({ Command: 'use' });
    await ana.form('Bind this channel to a site');
    await ana.submits({ Site: 'acme-shop' });
    await scenario.slack.until(() =>
      scenario.slack.messages({ channel: ana.direct, as: ana.id }).find(({ text }) => text.includes('Only a channel')),
    );
    expect(bindings()).toEqual([]);
  });

  test('can says who may', async () => {
    const ana = scenario.person('ana');
    const own = await ana.says('/site can use acme-shop', 'C0OPS');
    await own.hears('You may run use');
    await (await ana.says('/site can @rob use acme-shop', 'C0OPS')).hears('@Rob may not run use');
    await (await scenario.person('fay').says('/site can use acme-blog', 'C0OPS')).hears('You may run use');
    await (await scenario.person('fay').says('/site can use acme-shop', 'C0OPS')).hears('You may not run use');
  });

  test('a form binds it to another site, and somebody who may unbinds it', async () => {
    const [ana, ben, fay] = [scenario.person('ana'), scenario.person('ben'), scenario.person('fay')];
    await (await fay.says('/site use acme-blog', 'C0OPS')).hears('This channel is now bound to acme-blog');
    await (await ben.says('/site use lumen-studio', 'C0OPS')).hears('This channel is now bound to lumen-studio');
    await (await fay.says('/site use --forget', 'C0OPS')).hears('You may not unbind this channel from lumen-studio.');
    await (await ana.says('/site backups list live', 'C0OPS')).hears('lumen-studio/live · backups');
    const forgotten = await ana.says('/site use --forget', 'C0OPS');
    await forgotten.hears('This channel is no longer bound to lumen-studio');
    await scenario.slack.until(() =>
      scenario.slack
        .messages({ channel: 'C0OPS', as: ana.id })
        .find(({ text }) => text.startsWith('@Ana unbound this channel from lumen-studio.')),
    );
    await (await ana.says('/site backups list live', 'C0OPS')).hears('Which one? Nothing was done.');
    await (
      await ana.says('/site use --forget', 'C0OPS')
    ).hears("This channel wasn't bound to a site. Nothing was changed.");
    expect(bindings()).toEqual([]);
    const auditLines = scenario.rows("select actor, details from audit where event = 'use' order by seq");
    expect(auditLines.map((row) => [row['actor'], detailsOf(row)['site'], detailsOf(row)['before']])).toEqual([
      ['U05FAY', 'acme-blog', undefined],
      ['U02BEN', 'lumen-studio', 'acme-blog'],
      ['U01ANA', undefined, 'lumen-studio'],
    ]);
  });
});

test(
  'a renamed site is known by its new name, and the binding of a deleted site can be removed',
  inScenario({ policy }, async (scenario) => {
    const { world } = scenario.hosting;
    const [ana, fay] = [scenario.person('ana'), scenario.person('fay')];
    await (await ana.says('/site use lumen-studio', 'C0GENERAL')).hears('This channel is now bound to lumen-studio');
    const site = world.sites.find(({ name }) => name === 'lumen-studio');
    Object.assign(site ?? {}, { name: 'lumen-lab', displayName: 'Lumen Lab' });
    await scenario.refreshListing();
    await (await ana.says('/site backups list live', 'C0GENERAL')).hears('lumen-lab/live · backups');
    const bound = await ana.says('/site use', 'C0GENERAL');
    await bound.hears('This channel is bound to lumen-lab, by @Ana');
    world.sites.splice(
      world.sites.findIndex(({ name }) => name === 'lumen-lab'),
      1,
    );
    await scenario.refreshListing();
    await (await ana.says('/site backups list live', 'C0GENERAL')).hears('Which one? Nothing was done.');
    await (await fay.says('/site use --forget', 'C0GENERAL')).hears('This channel is no longer bound to lumen-studio');
  }),
);
