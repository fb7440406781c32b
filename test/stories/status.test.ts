import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FaultRequest } from '../../src/playground/hosting/faults.ts';
import type { VisibleMessage } from '../../src/playground/slack/shapes.ts';
import { makeDatabase, noPostgres, postgresRuns } from '../postgres.ts';
import { portOf } from '../site-check/listener.ts';
import { ids, inScenario, openScenario, patienceMs, type Scenario } from './scenario.ts';
import { inTime } from './three-seconds.ts';
import { labelsOf } from './people.ts';

const policy = `
version: 1
live: ['*/live']
groups: { developers: [U01ANA, U02BEN], leads: [U03CHI], readers: [U06ROB, U05FAY], elsewhere: [U05FAY] }
rules:
  - { allow: [read], to: [developers, leads, readers] }
  - { allow: [routine, 'allowlist add', use, lock, unlock], to: [developers] }
  - { allow: [push], to: [developers], approval: { by: [leads], count: 1, expires: 1h } }
  - { allow: [pause, resume], to: [leads] }
  - { deny: [logs], to: [readers] }
  - { deny: [read], to: [elsewhere], where: ['acme-shop/*'] }
`;

/** Stands for all sites, and answers by the name that it is asked for. */
const sites = createServer((request, response) => {
  const name = request.headers.host ?? '';
  if (name.startsWith('lumen-studio')) return;
  // Of this one, only the cache still has the page.
  const isBad = name.startsWith('acme-blog') || (name.startsWith('harbor-events') && request.url?.includes('?'));
  response.writeHead(isBad ? 500 : 200).end('<title>Shop</title>Add to cart');
});
const environment: Record<string, string> = {};
beforeAll(async () => {
  sites.listen(0, '127.0.0.1');
  await once(sites, 'listening');
  environment['CHECK_CONNECT_TO'] = `127.0.0.1:${portOf(sites)}`;
});
afterAll(() => {
  sites.closeAllConnections();
  sites.close();
});

/** The card of an environment; its title begins with a mark. */
const cardOf = (env: string): RegExp => new RegExp(`^\\S+ ${env} · `);
const logOf = (lines: readonly string[]) => ({
  environment: { container_info: { logs: lines.map((line) => `${line}\n`).join('') } },
});
const phpTime = (ago: number): string =>
  `[${new Date(Date.now() - ago).toISOString().slice(0, 19).replace('T', ' ')} UTC]`;

/** Breaks a part of the host for one environment. */
function breaks({ hosting }: Scenario, env: string, part: 'logs' | 'backups', fault: FaultRequest): void {
  const { id } = hosting.world.environmentNamed(env) ?? {};
  hosting.faults.add({ times: 'always', ...fault, path: `/sites/environments/${id}/${part}` });
}
/** The requests to the host about one part of an environment. */
const requestsOf = ({ hosting }: Scenario, env: string, part: string) =>
  hosting.journal.entries().filter(({ path }) => path.endsWith(`${hosting.world.environmentNamed(env)?.id}/${part}`));

describe('status', () => {
  let scenario: Scenario;
  beforeAll(async () => {
    scenario = await openScenario({ policy, environment });
  });
  afterAll(() => scenario.close());

  const status = async (env: string, who: keyof typeof ids = 'ana', channel = 'C0GENERAL'): Promise<VisibleMessage> => {
    const onTime = inTime(2_500);
    const card = await (await scenario.person(who).says(`/site status ${env}`, channel)).hears(cardOf(env));
    onTime();
    return card;
  };

  test('shows each part separately, to one person, and changes nothing', async () => {
    const env = 'acme-docs/staging';
    breaks(scenario, env, 'logs', { kind: 'status', status: 200, body: logOf([]) });
    const card = await status(env);
    expect(card.ephemeral).toBe(true);
    expect(card.text).toMatch(/^✅ acme-docs\/staging · nothing needs a look\n/);
    expect(card.text).toMatch(
      /✅ Site: answers well in one reading: 200 in [^,]+ s as a visitor, 200 in [^,]+ s past the cache\./,
    );
    expect(card.text).toContain('✅ Errors of the last hour: no error.');
    expect(card.text).toMatch(/✅ Newest backup: \w+, (\d+ (min|h) ago|just now) \(/);
    expect(card.text).not.toMatch(/Lock and open|Last changes|Timed access|Sending/);
    expect(labelsOf(card)).toEqual(['Error log', 'Clear the cache…', 'Changes', 'Lock…', 'Backups']);
    expect(scenario.writes(env)).toEqual([]);
  });

  test('names the loudest error by its own level, masked and inert', async () => {
    const env = 'acme-blog/staging';
    const fatal = 'PHP Fatal error: no <!channel> *today* for chef@acme.com with sk_live_51HabcDEFghiJKLmnoPQRstu in';
    const lines = [
      ...Array.from({ length: 9 }, (_, at) => `${phpTime(60_000)} PHP Warning: an error may be near line ${at}`),
      ...Array.from({ length: 3 }, (_, at) => `${phpTime(50_000)} ${fatal} line ${at}`),
      `${phpTime(40_000)} PHP Parse error: once`,
      `${phpTime(7_200_000)} PHP Fatal error: old`,
      ...[30, 40, 500, 600].map((days) => `${phpTime(days * 86_400_000)} PHP Fatal error: older`),
    ];
    breaks(scenario, env, 'logs', { kind: 'status', status: 200, body: logOf(lines.toSorted()) });
    const card = await status(env);
    expect(card.text).toMatch(
      /⚠️ Errors of the last hour: most frequent, 3×, last [\d: -]+ UTC: “PHP Fatal error: no <!channel> \*today\* for \*\*\*@\*\*\* with .* in line \*”\. 1 more error of 1 other kind\./,
    );
    expect(card.text).not.toMatch(/sk_live_51H|chef@|old/);
    expect(card.text).toMatch(/^⚠️ acme-blog\/staging · 1 part needs a look/);
  });

  test('does not say that nothing needs a look where lines could be errors', async () => {
    const env = 'north-bakery/staging';
    const lines = Array.from({ length: 30 }, (_, at) => `${phpTime(90_000 - at * 1_000)} Connection refused`);
    breaks(scenario, env, 'logs', { kind: 'status', status: 200, times: 1, body: logOf(lines) });
    const card = await status(env);
    expect(card.text).toMatch(/^⚠️ north-bakery\/staging · \d parts? needs? a look/);
    expect(card.text).toMatch(
      /⚠️ Errors of the last hour: no line says that it is an error, but 30 messages could be; most frequent, 30×, last [\d: -]+ UTC: “Connection refused”\./,
    );
  });

  test.each<[string, string, FaultRequest, string]>([
    ['acme-shop/staging', 'logs', { kind: 'hang' }, 'no answer within 2 s, so I stopped waiting.'],
    [
      'acme-shop/live',
      'logs',
      { kind: 'status', status: 503, headers: { 'retry-after': '3' } },
      'The host answered 503.',
    ],
    ['acme-docs/live', 'logs', { kind: 'slow-body' }, 'no answer within 2 s, so I stopped waiting.'],
    [
      'north-bakery/live',
      'logs',
      { kind: 'status', status: 200, body: { message: 'No key', status: 401 } },
      "The host sent an answer I can't use. It says: “No key”",
    ],
    ['north-bakery/staging', 'logs', { kind: 'broken-json' }, "The host sent an answer I can't use."],
    ['lumen-studio/live', 'backups', { kind: 'hang' }, 'no answer within 2 s, so I stopped waiting.'],
    ['lumen-studio/staging', 'backups', { kind: 'status', status: 404 }, 'The host answered 404: not found.'],
    ['harbor-events/live', 'backups', { kind: 'status', status: 500 }, 'The host answered 500 (tried 3 times'],
  ])(
    '%s: a part that cannot be had (%s, %o) is unknown, and the others are there in time',
    async (env, part, fault, says) => {
      if (part !== 'logs' && part !== 'backups') throw new Error(part);
      breaks(scenario, env, part, fault);
      // The host's own silence is waited for 10 s.
      const cutInTime = inTime(6_000);
      const card = await status(env);
      const [lacking, other] =
        part === 'logs' ? ['Errors of the last hour', 'Newest backup'] : ['Newest backup', 'Errors of the last hour'];
      expect(card.text).toContain(`❔ ${lacking}: unknown: ${says}`);
      expect(card.text).not.toContain(`❔ ${other}`);
      expect(card.text).not.toMatch(/^✅/);
      const isOnlyCached = card.text.includes('Visitors still get pages, but past the cache the site fails.');
      expect([isOnlyCached, labelsOf(card).includes('Clear the cache…')]).toEqual(
        env === 'harbor-events/live' ? [true, false] : [false, true],
      );
      await scenario.hosting.until(
        () => requestsOf(scenario, env, part).every(({ state }) => state !== 'received') || undefined,
        patienceMs,
      );
      cutInTime();
      if (fault.kind === 'hang') expect(requestsOf(scenario, env, part)).toMatchObject([{ state: 'cut' }]);
    },
  );

  test('the card is shown with four of seven parts: the log hangs, backups fail, a row cannot be read', async () => {
    const env = 'harbor-events/staging';
    await (await scenario.person('ana').says(`/site lock ${env} “a release”`)).hears('is locked by you');
    const timed = await scenario
      .person('ana')
      .asks(`/site allowlist add acme-blog/staging 198.51.100.4 --for 2h`, 'C0GENERAL');
    await timed.shows('✅');
    const { id } = scenario.hosting.world.environmentNamed(env) ?? {};
    scenario.runSql(
      'update timers set target_key = ?, target = ? where change = ?',
      `environment:${id}`,
      '{',
      timed.number,
    );
    breaks(scenario, env, 'logs', { kind: 'hang' });
    breaks(scenario, env, 'backups', { kind: 'gateway' });
    const card = await status(env);
    expect(card.text).toMatch(
      /⚠️ Lock and open changes: locked by @Ana \(“a release”\), since [^.]+\. Nothing is waiting or running\./,
    );
    expect(card.text).toContain('❔ Errors of the last hour: unknown: no answer within 2 s');
    expect(card.text).toContain('❔ Newest backup: unknown: The host answered 502');
    expect(card.text).toContain('❔ Timed access: unknown: Something broke on my side; my log says more.');
    // A lock keeps its owner's changes away, too.
    expect(labelsOf(card)).toEqual(['Error log', 'Unlock…', 'Backups', 'Changes']);
  });

  test('parts that the rules hide are not read and are named as left out; a hidden site does not exist', async () => {
    const env = 'acme-blog/live';
    const card = await status(env, 'rob');
    expect(card.text).toContain("🚫 Errors of the last hour: not shown: the rules don't let you run logs here.");
    expect(card.text).toMatch(/^\S+ .* 1 you may not see/);
    expect(labelsOf(card)).toEqual(['Check the site', 'Changes', 'Backups']);
    expect(requestsOf(scenario, env, 'logs')).toEqual([]);
    const hidden = await scenario.person('fay').says('/site status acme-shop/live', 'C0GENERAL');
    await hidden.hears("I can't find acme-shop/live among the environments you can see.");
  });
});

test(
  'tells who asked for what, since when, and what is paused; a bound channel needs no name; App Home has it first',
  inScenario({ policy, environment, hosting: { durations: { 'environments:push': 600_000 } } }, async (scenario) => {
    const { slack } = scenario;
    const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
    await (await ana.asks('/site cache clear acme-shop/live')).shows('✅');
    await ana.opens('/site allowlist add acme-shop/live 198.51.100.4 --for 2h', '198.51.100.4');
    const timed = await ana.confirms();
    await timed.shows('✅');
    const push = await ana.requests('/site push acme-shop/staging acme-shop/live --files');
    await chi.clicks(push.card(), 'Approve');
    await scenario.holdBeforeSend(push.number);
    scenario.makeDue(push.number);
    await push.shows('▶️');
    await (await chi.says('/site pause the host is odd')).hears('Sending is paused');
    await (await ana.says('/site use acme-shop', 'C0GENERAL')).hears('This channel is now bound to acme-shop');
    const card = await (await ana.says('/site status', 'C0GENERAL')).hears(cardOf('acme-shop/live'));
    expect(card.text).toMatch(
      /⚠️ Lock and open changes: held by #3, since [^.]+\.\n +▶️ accepted: Push acme-shop\/staging → acme-shop\/live: all files #3, asked by @Ana, sent /,
    );
    expect(card.text).toMatch(
      /• Last changes:\s+✅ done: .*198\.51\.100\.4.* #2, asked by @Ana, sent .*\n +✅ done: Clear the cache of acme-shop\/live #1, asked by @Ana, sent /,
    );
    expect(card.text).toMatch(/• Timed access:\s+198\.51\.100\.4 until .* #2, @Ana\./);
    expect(card.text).toMatch(/⚠️ Sending: paused by @Chi since .* \(“the host is odd”\)\./);
    expect(labelsOf(card)).toEqual(['Error log', 'Change #3', 'Changes', 'Timed access', 'Backups']);
    const lead = await (await chi.says('/site status live', 'C0GENERAL')).hears(cardOf('acme-shop/live'));
    expect(labelsOf(lead)).toContain('Resume…');

    const elsewhere = await (await ana.says('/site status', 'C0OPS')).hears('Which environment? Nothing was read.');
    expect(labelsOf(elsewhere)).toContain('acme-shop/live');
    await (await ana.clicks(elsewhere, 'acme-shop/live')).hears(cardOf('acme-shop/live'));
    const first = await (await chi.says('/site status', 'C0OPS')).hears('Which environment? Nothing was read.');
    const form = await chi.clicks(first, 'Choose an environment…').then(() => chi.form('Environment'));
    expect(form.controls.map(({ label }) => label)).toEqual(['Environment']);
    await chi.submits({ Environment: 'acme-docs/live' });
    await slack.until(
      () => slack.messages({ channel: 'C0OPS', as: ids.chi }).find(({ text }) => cardOf('acme-docs/live').test(text)),
      patienceMs,
    );

    await slack.home(ids.ana);
    const home = await slack.until(() => slack.views(ids.ana).home, patienceMs);
    expect(labelsOf(home).slice(-6)[0]).toBe('Status');
    await slack.click(ids.ana, 'home', { label: 'Status' });
    await slack.until(
      () => slack.messages({ channel: ana.direct, as: ana.id }).find(({ text }) => cardOf('acme-shop/live').test(text)),
      patienceMs,
    );
  }),
);

test.each([
  [
    'acme-blog/live',
    /⚠️ Site: answers badly in one reading: 500 in [^,]+ s as a visitor.*Verdict within 25 s, unless I'm restarted\./,
    'acme-blog/live is not well: bad in 3 of 3 readings',
  ],
  [
    'lumen-studio/live',
    /❔ Site: unknown: one reading had not ended after 2 s\. Verdict within 25 s, unless I'm restarted\./,
    'lumen-studio/live is not well: bad in 3 of 3 readings',
  ],
])('the verdict on %s follows within 25 s, to the same person, whatever else is asked meanwhile', (env, one, verdict) =>
  inScenario({ policy, environment }, async (scenario) => {
    const ana = scenario.person('ana');
    const [cardInTime, verdictInTime] = [inTime(2_500), inTime(25_000)];
    const said = await ana.says(`/site status ${env}`, 'C0GENERAL');
    const card = await said.hears(cardOf(env));
    cardInTime();
    expect(card.text).toMatch(one);
    expect(labelsOf(card)).toContain('Check the site');
    await (await ana.says('/site status acme-docs/live', 'C0GENERAL')).hears(cardOf('acme-docs/live'));
    const second = await said.hears(verdict);
    verdictInTime();
    expect(second.ephemeral).toBe(true);
  })(),
);

test(
  'a stop ends the readings at once, and people who wait for the verdict are told why there is none',
  inScenario({ policy, environment }, async (scenario) => {
    const said = await scenario.person('ana').says('/site status lumen-studio/live');
    await said.hears("Verdict within 25 s, unless I'm restarted.");
    await scenario.stop();
    const told = await said.hears('No verdict on lumen-studio/live: 1 reading of 3');
    expect(told.text).toContain("I'm being stopped");
  }),
);

test(
  'a bound channel whose site has no environment that counts as live offers them all',
  inScenario({ environment, policy: policy.replace("live: ['*/live']", "live: ['none/none']") }, async (scenario) => {
    const ana = scenario.person('ana');
    await (await ana.says('/site use acme-shop', 'C0GENERAL')).hears('This channel is now bound to acme-shop');
    const asked = await (
      await ana.says('/site status', 'C0GENERAL')
    ).hears('This channel is bound to acme-shop. Which of its environments? Nothing was read.');
    expect(labelsOf(asked).toSorted()).toEqual(['Choose an environment…', 'acme-shop/live', 'acme-shop/staging']);
    const hidden = await scenario.person('fay').says('/site status', 'C0GENERAL');
    await hidden.hears("I can't find an environment of it among those you can see.");
  }),
);

test(
  'four messages from the alarm to a safe action: the card, the error log, the form, the confirmation',
  inScenario({ policy, environment }, async (scenario) => {
    const { slack } = scenario;
    const ana = scenario.person('ana');
    const asked = await ana.says('/site status acme-shop/live');
    const card = await asked.hears(cardOf('acme-shop/live'));
    const log = await (await ana.clicks(card, 'Error log')).hears('acme-shop/live · error log');
    await ana.clicks(card, 'Clear the cache…');
    await ana.form('Clear the page cache of an environment');
    const change = await ana.confirms();
    await change.shows('✅ Cleared the cache of acme-shop/live');
    // What she typed, pressed and submitted; each was answered once, and nothing else was said to her alone.
    const privately = [...slack.messages({ channel: 'C0ACME', as: ana.id })].filter(({ ephemeral }) => ephemeral);
    expect(privately.map(({ ts }) => ts)).toEqual([card.ts, log.ts]);
    expect(scenario.writes()).toHaveLength(1);
  }),
);

test.skipIf(!postgresRuns)(`on two replicas a part that hangs does not keep another waiting${noPostgres}`, async () => {
  const url = (await makeDatabase()).href;
  const story = async (scenario: Scenario): Promise<void> => {
    await Promise.all([scenario.start(), scenario.start()]);
    breaks(scenario, 'acme-shop/live', 'backups', { kind: 'hang' });
    const ana = scenario.person('ana');
    for (const round of [1, 2, 3]) {
      const card = await (await ana.says('/site status acme-shop/live')).hears(cardOf('acme-shop/live'));
      expect(card.text, `round ${round}`).toContain('❔ Newest backup: unknown: no answer within 2 s');
      expect(card.text, `round ${round}`).not.toContain('❔ Errors of the last hour');
    }
  };
  await inScenario({ policy, environment: { ...environment, DATABASE_URL: url }, start: false }, story)();
});
