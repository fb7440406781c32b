import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FaultRequest } from '../../src/playground/hosting/faults.ts';
import type { VisibleMessage } from '../../src/playground/slack/shapes.ts';
import { recordsOf } from '../cells.ts';
import { ids, inScenario, openScenario, patienceMs, type Scenario, reloadPolicy } from './scenario.ts';
import { inTime, threeSeconds } from './three-seconds.ts';
import { labelsOf } from './people.ts';

/** Reports over many environments: what is found, and what could not be read or may not be seen. */

const policy = `
version: 1
groups: { developers: [U01ANA, U02BEN, U03CHI], some: [U06ROB] }
sets: { care-plan: ["acme-*/live", harbor-events/staging], quiet: ["north-bakery/*"] }
rules:
  - { allow: [read], to: [developers] }
  - { allow: [read], to: [some], where: ["acme-*/*"] }
  - { deny: ["backups list", "allowlist show"], to: [some], where: ["acme-docs/*"] }
  - { allow: [lock, "cache clear"], to: [developers] }
`;

const lines = ({ text }: VisibleMessage): readonly string[] => text.split('\n');
const hour = 3_600_000;

describe('many environments', () => {
  let scenario: Scenario;
  beforeAll(async () => {
    scenario = await openScenario({ policy });
    const { world } = scenario.hosting;
    const backups = (name: string) => world.environmentNamed(name)?.backups ?? [];
    backups('acme-shop/live').splice(0);
    for (const one of backups('acme-blog/live')) one.created_at -= 50 * hour;
    for (const one of backups('north-bakery/staging')) one.created_at -= 500 * hour;
  });
  afterAll(() => scenario.close());

  const breaks = (env: string, part: string, fault: FaultRequest): void => {
    const { id } = scenario.hosting.world.environmentNamed(env) ?? {};
    scenario.hosting.faults.add({ times: 'always', ...fault, path: `/sites/environments/${id}/${part}` });
  };
  const ask = async (line: string, title: string, who: 'ana' | 'ben' | 'rob' = 'ana'): Promise<VisibleMessage> => {
    const page = await (await scenario.person(who).says(`/site ${line}`, 'C0GENERAL')).hears(title);
    expect(page.ephemeral).toBe(true);
    expect(labelsOf(page)).not.toContain('Share');
    return page;
  };
  /** The first words of every line between the title and the source. */
  const told = (page: VisibleMessage): readonly string[] =>
    lines(page).filter((line) => /^(⚠️|✅|•|❔|🚫) /.test(line));

  test('newest backups: none first, then the oldest; what could not be read is unknown', async () => {
    breaks('acme-docs/live', 'backups', { kind: 'status', status: 500 });
    breaks('lumen-studio/live', 'backups', { kind: 'broken-json' });
    const page = await ask('backups list */live', 'Newest backups, oldest first · 4 of 6 environments, 2 unknown');
    expect(told(page).map((line) => line.replace(/( ago|host|can't read).*/, '$1'))).toEqual([
      '⚠️ acme-shop/live has no listed backup.',
      expect.stringMatching(/^⚠️ acme-blog\/live 2 days ago$/),
      '❔ acme-docs/live unknown: The host',
      '❔ lumen-studio/live unknown: The host',
      expect.stringMatching(/^✅ [\w-]+\/live \d+ h ago$/),
      expect.stringMatching(/^✅ [\w-]+\/live \d+ h ago$/),
    ]);
    expect(page.text).toContain('among the environments you can see; for you alone');
    const ana = scenario.person('ana');
    const reads = (): number =>
      scenario.hosting.journal.entries().filter(({ path }) => path.endsWith('/backups')).length;
    const before = reads();
    await ana.clicks(page, 'File');
    const file = await scenario.slack.until(
      () => scenario.slack.files(ana.id).find(({ name }) => name === 'newest-backups-oldest-first.csv'),
      patienceMs,
    );
    const [head, ...rows] = recordsOf(file.text);
    expect(head).toEqual(['environment', 'state', 'says', 'read at']);
    expect(rows.map(([env, , says]) => `${env} ${says}`)).toEqual(
      told(page).map((line) => line.slice(line.indexOf(' ') + 1)),
    );
    expect(rows.map(([, state]) => state)).toEqual([
      'needs a look',
      'needs a look',
      'unknown',
      'unknown',
      'well',
      'well',
    ]);
    expect(rows[0]?.[3]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
    expect(scenario.slack.files('U02BEN').filter(({ name }) => name === file.name)).toEqual([]);
    scenario.slack.faults.add({
      method: 'files.getUploadURLExternal',
      kind: 'error',
      error: 'missing_scope',
      times: 1,
    });
    await (await ana.clicks(page, 'File')).hears("I couldn't send you the file. The answer itself has all of it.");
    expect(reads()).toBe(before);
  });

  test('only backups that are, or may be, older', async () => {
    const page = await ask(
      'backups list */* --older 24h',
      'Newest backups older than 1d · 3 of 12 environments, 2 unknown',
    );
    expect(told(page).map((line) => line.split(' ')[1])).toEqual([
      'acme-shop/live',
      'north-bakery/staging',
      'acme-blog/live',
      'acme-docs/live',
      'lumen-studio/live',
    ]);
    const none = await ask(
      'backups list set:quiet except north-bakery/staging --older 24h',
      'older than 1d · 0 of 1 environment',
    );
    expect(none.text).toContain('All of them have a newer backup.');
  });

  test('somebody who may read a part gets that part, and learns nothing of the rest', async () => {
    const page = await ask(
      'backups list */live',
      'Newest backups, oldest first · 2 of 3 environments, 1 you may not see',
      'rob',
    );
    expect(told(page).map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      '⚠️ acme-shop/live',
      '⚠️ acme-blog/live',
      '🚫 acme-docs/live',
    ]);
    expect(page.text).not.toMatch(/north|lumen|harbor/);
    const rob = scenario.person('rob');
    for (const [line, answer] of [
      ['set:quiet', "I can't find set:quiet with environments you can see. Nothing was done."],
      [
        'acme-blog/live, north-bakery/live',
        "I can't find north-bakery/live among the environments you can see. Nothing was done.",
      ],
      ['north-*/live', "I can't find north-*/live among the environments you can see. Nothing was done."],
    ] as const)
      await (await rob.says(`/site backups list ${line}`)).hears(answer);
  });

  test('who lets an address in: by itself or by a range; an empty or odd list is unknown', async () => {
    const { world } = scenario.hosting;
    const lists: Readonly<Record<string, readonly string[]>> = {
      'acme-blog/live': ['203.0.113.0/24'],
      'acme-docs/live': ['198.51.100.7', '203.0.113.10/24'],
      'harbor-events/live': ['203.0.113.7-203.0.113.99'],
      'north-bakery/live': ['198.51.100.7'],
      'acme-shop/staging': ['203.0.113.77'],
    };
    for (const env of world.environments()) env.allowlist = ['198.51.100.1'];
    for (const [name, list] of Object.entries(lists)) {
      const env = world.environmentNamed(name);
      if (env) env.allowlist = [...list];
    }
    const empty = world.environmentNamed('lumen-studio/staging');
    if (empty) empty.allowlist = [];
    breaks('lumen-studio/live', 'ssh/get-allowed-ips', { kind: 'status', status: 502 });
    const page = await ask(
      'allowlist find 203.0.113.77',
      'Who lets 203.0.113.77 in over SSH and SFTP · 3 of 12 environments, 3 unknown',
    );
    expect(told(page)).toEqual([
      "❔ I can't tell for 1 environment, because its list is empty: lumen-studio/staging. It is not documented whether an empty list lets everybody in or nobody.",
      '• acme-blog/live lets it in: 203.0.113.0/24',
      '• acme-docs/live lets it in: 203.0.113.10/24',
      '• acme-shop/staging lets it in: 203.0.113.77',
      "❔ harbor-events/live unknown: I can't read its entry 203.0.113.7-203.0.113.99.",
      expect.stringMatching(/^❔ lumen-studio\/live unknown: The host answered 502/),
    ]);
    expect(page.text).not.toContain('can still connect');
    const some = await ask(
      'allowlist find 203.0.113.77 in acme-*/* except acme-docs/live',
      'SSH and SFTP · 2 of 5 environments',
    );
    expect(told(some)).toHaveLength(2);
    const none = await ask('allowlist find 203.0.113.77 in north-bakery/live', 'SSH and SFTP · 0 of 1 environment');
    expect(none.text).toContain('None of them does.');
    const rob = await ask(
      'allowlist find 203.0.113.77',
      'SSH and SFTP · 2 of 6 environments, 2 you may not see',
      'rob',
    );
    expect(told(rob)).toHaveLength(4);
    expect(rob.text).not.toContain('203.0.113.10/24');
    const bakery = ['north-bakery/live', 'north-bakery/staging'].flatMap((name) => world.environmentNamed(name) ?? []);
    for (const env of bakery) env.allowlist = [];
    const many = await ask('allowlist find 203.0.113.77', 'SSH and SFTP · 3 of 12 environments, 5 unknown');
    expect(told(many)[0]).toContain(
      "I can't tell for 3 environments, because their lists are empty: lumen-studio/staging, north-bakery/live, north-bakery/staging.",
    );
    expect(told(many)).toHaveLength(6);
    await scenario.person('ana').clicks(many, 'File');
    const file = await scenario.slack.until(
      () => scenario.slack.files(scenario.person('ana').id).find(({ name }) => name.startsWith('who-lets-')),
      patienceMs,
    );
    expect(recordsOf(file.text).filter(([, , says]) => says === 'unknown: its list is empty.')).toHaveLength(3);
    for (const env of bakery) env.allowlist = ['198.51.100.1'];
  });

  test('without an address a form opens, which keeps where to look', async () => {
    const ana = scenario.person('ana');
    const form = await ana.opens('/site allowlist find in acme-*/* except acme-docs/live', 'Among', 'C0GENERAL');
    expect(form.controls.find(({ label }) => label === 'Among')).toMatchObject({
      value: 'acme-*/* except acme-docs/live',
    });
    await ana.submits({ Address: '203.0.113.77' });
    await scenario.slack.until(
      () =>
        scenario.slack
          .messages({ channel: 'C0GENERAL', as: ana.id })
          .filter(({ text }) => text.includes('Who lets 203.0.113.77 in over SSH and SFTP · 2 of 5 environments'))
          .length === 2 || undefined,
      patienceMs,
    );
  });

  test('status of many: the worst first, and what could not be read before what is well', async () => {
    const chi = scenario.person('chi');
    await (await chi.says('/site lock lumen-studio/live release')).hears('locked by you');
    const page = await ask('status */live', 'Locks, open changes and backups · 5 of 6 environments, 1 unknown');
    expect(told(page).map((line) => line.replace(/ \d+ \w+ ago/, ' … ago'))).toEqual([
      '⚠️ lumen-studio/live locked, newest backup unknown',
      '⚠️ acme-shop/live no backup listed',
      '⚠️ acme-blog/live newest backup … ago',
      '❔ acme-docs/live newest backup unknown',
      '• harbor-events/live newest backup … ago',
      '• north-bakery/live newest backup … ago',
    ]);
    expect(lines(page)[1]).toMatch(
      /^I didn't read their sites and logs, so • means only that I found nothing in the rest\./,
    );
    expect(page.text).not.toContain('✅');
    expect(labelsOf(page)).toEqual([
      'Status of lumen-studio/live',
      'Status of acme-shop/live',
      'Status of acme-blog/live',
      'File',
    ]);
    const one = await scenario.person('ana').clicks(page, 'Status of acme-shop/live');
    await one.hears(/^\S+ acme-shop\/live · /);
    const rob = await ask(
      'status set:care-plan',
      'Locks, open changes and backups · 2 of 3 environments, 1 unknown',
      'rob',
    );
    expect(told(rob)).toContain('❔ acme-docs/live you may not see its backups');
    await (await chi.says('/site unlock lumen-studio/live')).hears('lumen-studio/live');
  });

  test('a busy host is asked no more, and the remaining environments are unknown', async () => {
    const { faults, journal } = scenario.hosting;
    const busy = { kind: 'status', status: 429, headers: { 'retry-after': '30' }, times: 'always' } as const;
    const fault = faults.add({ ...busy, path: '/sites/environments/*/ssh/get-allowed-ips' });
    const before = journal.entries().length;
    const page = await ask('allowlist find 192.0.2.1', '0 of 12 environments, 12 unknown', 'ben');
    faults.remove(fault.id);
    expect(told(page).filter((line) => line.endsWith('The host is busy (429). So I stopped asking it.')).length).toBe(
      10,
    );
    expect(
      journal
        .entries()
        .slice(before)
        .filter(({ path: one }) => one.includes('allowed-ips')),
    ).toHaveLength(2);
  });

  test('a command about one environment says which ones take many, and does nothing', async () => {
    const said = await scenario.person('ana').says('/site logs acme-*/live');
    await said.hears('logs takes one environment at a time, and this names several or has a *. Nothing was done.');
    expect(scenario.writes()).toEqual([]);
  });

  test('in a mention, two stars are refused, because they may be bold; one is read', async () => {
    const ana = scenario.person('ana');
    for (const line of ['acme-*/live, north-*/live', '*acme-shop/live*', 'set:care-plan except *acme-blog/live*'])
      await (
        await ana.mentions(`backups list ${line}`)
      ).hears("two * mean bold, so I can't tell which names you typed. Nothing was done.");
    const one = await ana.mentions('backups list acme-*/live');
    expect((await one.hears('Newest backups, oldest first · 2 of 3 environments, 1 unknown')).ephemeral).toBe(true);
  });

  test('before the host has listed its sites, people are told to try later, never that nothing matches', async () => {
    const other = await openScenario({ policy, start: false });
    try {
      other.hosting.faults.add({ kind: 'status', status: 503, path: '/sites', times: 'always' });
      await other.start({}, 'connected');
      const said = await other.person('ana').says('/site backups list set:care-plan');
      await said.hears(
        /I can't tell right now which environments that means\. .*Nothing was done\. Try again in a minute\./,
      );
    } finally {
      await other.close();
    }
  });
});

/** A read that was held up for too long is unknown. */
const allOfThem = /^Newest backups, oldest first · (?:\d+ of )?200 environments/;

const sites = Array.from({ length: 201 }, (_, at) => ({
  id: `00000000-0000-4000-8000-${String(10_000 + at)}`.padEnd(36, '0'),
  name: at < 100 ? `acme-${at}` : `other-${at}`,
  environments: [{ id: `00000000-0000-4000-9000-${String(10_000 + at)}`.padEnd(36, '0'), name: 'live' }],
}));

test(
  'two hundred environments of a slow host: everybody else is acked and answered as usual, and the answer comes in pages',
  inScenario(
    { policy: policy.replace('"acme-*/*"', '"*/*"'), hosting: { plan: { sites, domains: [] } } },
    async (scenario) => {
      const [ana, ben, chi] = [scenario.person('ana'), scenario.person('ben'), scenario.person('chi')];
      const { faults, journal } = scenario.hosting;
      const asked = () => journal.entries().filter(({ path }) => path.endsWith('/backups'));
      await (
        await ana.says('/site backups list */live')
      ).hears('These are 201 environments, and one command takes at most 200. Nothing was done. Name fewer of them');
      expect(asked()).toEqual([]);
      faults.add({ kind: 'delay', ms: 600_000, times: 'always', path: '/sites/environments/*/backups' });
      const acks = threeSeconds();
      const both = await Promise.all(
        [ana, chi].flatMap((one) => [1, 2].map(() => one.says('/site backups list */live except other-200/live'))),
      );
      acks(...both.map(({ outcome }) => outcome));
      await both[0]?.hears("I'm reading many environments, a few at a time. The answer follows within two minutes.");
      const onTime = inTime(3_000);
      const read = await ben.says('/site allowlist show acme-1/live');
      await read.hears('SSH allowlist');
      await (await ana.says('/site allowlist show acme-1/live')).hears('SSH allowlist');
      onTime();
      // Two reports at once, and two reads of each.
      expect(asked().filter(({ state }) => state === 'received').length).toBeLessThanOrEqual(4);
      faults.remove();
      faults.release();
      const page = await both[0]?.hears(allOfThem);
      if (page === undefined) throw new Error('no answer');
      expect(labelsOf(page)).toEqual(['Next page', 'File']);
      // Her other report could be taken for the next page.
      await scenario.slack.until(
        () => both.every((one) => one.answers().some(({ text }) => allOfThem.test(text))) || undefined,
        patienceMs,
      );
      let shown = page;
      const seen = new Set(shown.text.match(/[\w-]+\/live/g));
      while (labelsOf(shown).includes('Next page')) {
        const before = seen.size;
        const more = await ana.clicks(shown, 'Next page');
        shown = await more.hears('Newest backups');
        for (const name of shown.text.match(/[\w-]+\/live/g) ?? []) seen.add(name);
        expect(seen.size).toBeGreaterThan(before);
      }
      expect(seen.size).toBe(200);
    },
  ),
);

test.each([
  ['not to be seen', 'read', 'allowlist find 203.0.113.77', '203.0.113.77'],
  ['not to be read in this way', '"backups list", "allowlist show"', 'backups list acme-*/live', 'Newest backups'],
])('a kept answer is not shown again once one of its environments is for this person %s', (_, denied, line, title) =>
  inScenario({ policy }, async (scenario) => {
    const ana = scenario.person('ana');
    const page = await (await ana.says(`/site ${line}`, 'C0GENERAL')).hears(title);
    await reloadPolicy(scenario, `${policy}  - { deny: [${denied}], to: [developers], where: ["acme-blog/*"] }\n`);
    const refused = await ana.clicks(page, 'File');
    await refused.hears('You may no longer see all of this. Nothing was shown.');
    expect(scenario.slack.files(ids.ana)).toEqual([]);
  })(),
);

test(
  'status of many does not say how far an open change is that this person may not see, because its outcome may be unknown',
  inScenario(
    {
      policy: `${policy}  - { allow: [push], to: [developers], approval: none }\n  - { deny: [read], to: [some], where: ["acme-shop/staging"] }\n`,
    },
    async (scenario) => {
      scenario.hosting.faults.add({ kind: 'gateway', method: 'PUT', applied: true });
      await scenario.person('ana').opens('/site push acme-shop/staging acme-shop/live --files', 'be replaced');
      const change = await scenario.person('ana').confirms({ 'Type acme-shop/live to confirm': 'acme-shop/live' });
      await change.tells('Outcome unknown');
      const said = await scenario.person('rob').says('/site status acme-shop/live, acme-blog/live');
      const { text } = await said.hears('Locks, open changes and backups');
      expect(text).toContain("acme-shop/live locked, 1 open change that you can't see, newest backup");
      expect(text).not.toContain('waiting or running');
    },
  ),
);

test(
  'status of many says once why no backup could be read, and not that it has read from the host',
  inScenario({ policy }, async (scenario) => {
    const { faults, world } = scenario.hosting;
    // The host's words differ, the trouble does not.
    const failing = ['acme-shop/live', 'acme-blog/live'].map((name) => {
      const path = `/sites/environments/${world.environmentNamed(name)?.id}/backups`;
      return faults.add({ kind: 'status', status: 502, path, times: 'always', body: { message: `${name} is away` } });
    });
    const ana = scenario.person('ana');
    const { text } = await (
      await ana.says('/site status acme-shop/live, acme-blog/live')
    ).hears('Locks, open changes and backups · 0 of 2 environments, 2 unknown');
    expect(text.match(/Of 2 environments the newest backup is unknown: The host answered 502.*is away”/g)).toHaveLength(
      1,
    );
    expect(text).not.toContain('read from the host');
    expect(text).toMatch(/asked \d{4}-.*, among the environments you can see/);
    for (const { id } of failing) faults.remove(id);
  }),
);
