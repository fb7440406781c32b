import { afterAll, beforeAll, expect, test } from 'vitest';
import { openScenario, type Scenario } from './scenario.ts';

/**
 * An older version of the public service, as its own document describes it, with a key without rights over the company.
 */

const policy = `
version: 1
groups: { all: [U01ANA, U03CHI] }
rules: [{ allow: [read, routine, sensitive], to: [all] }]
`;
let scenario: Scenario;
beforeAll(async () => {
  scenario = await openScenario({
    policy,
    hosting: { dialect: 'kinsta', ignoresLogSpan: true, durations: { 'cdn:update-image-optimization': 0 } },
    environment: { HOSTING_DIALECT: 'kinsta' },
  });
});
afterAll(() => scenario.close());

test('logs are cut to the requested span by the bot, because the host always sends its newest lines', async () => {
  const [since, until] = [minutesAgo(60), minutesAgo(30)];
  const said = await scenario.person('ana').says(`/site logs acme-shop/live access --since ${since} --until ${until}`);
  const report = await said.hears('acme-shop/live · access log');
  expect(report.text).toMatch(/[\d,]+ lines outside this span are left out/);
  const times = [...report.text.matchAll(/\[(\d+)\/(\w+)\/(\d+):([\d:]+) \+0000\]/g)].map(
    ([, day, month, year, time]) => Date.parse(`${day} ${month} ${year} ${time} UTC`),
  );
  expect(times.length).toBeGreaterThan(0);
  expect(Math.min(...times)).toBeGreaterThanOrEqual(Date.parse(since));
  expect(Math.max(...times)).toBeLessThanOrEqual(Date.parse(until));
});

test('themes are read from the environment’s own list, because the company’s is closed to the key', async () => {
  const { faults } = scenario.hosting;
  faults.add({ kind: 'status', section: '4.1', status: 403, times: 'always' });
  const ana = scenario.person('ana');
  const shown = await (await ana.says('/site themes show acme-shop/live')).hears('acme-shop/live · themes');
  expect(shown.text).toContain('the company’s list is closed to my key');
  const all = await (await ana.says('/site themes list')).hears('the themes of the whole company (403)');
  expect(all.text).toContain('themes show shows those of one environment');
  expect(shown.text).toContain('it does not tell of all whether they are vulnerable');
  faults.add({ kind: 'status', section: '4.14', status: 410, times: 'always' });
  const newer = await (await ana.says('/site themes show acme-shop/live')).hears('acme-shop/live · themes');
  expect(newer.text).toContain('the company’s list is closed to my key');
  expect(newer.text).not.toContain('does not tell');
  faults.remove();
});

test('a TTL that the host would reject is not sent', async () => {
  const [domain] = scenario.hosting.world.domains;
  const words = `/site dns set ${domain?.name} A ${domain?.name}. --ttl 299`;
  await scenario
    .person('ana')
    .opens(words, 'The host accepts no TTL below 300 s. Nothing was done. Type --ttl=300 or more.');
  expect(scenario.writes()).toEqual([]);
});

test('the expiry of the key is understood in milliseconds', async () => {
  const said = await (await scenario.person('ana').says('/site doctor')).hears('checks');
  expect(said.text).toMatch(/Key of the hosting API[^\n]*until \d{4}-/);
});

test('images are switched off with false, and the list of sites shows it', async () => {
  const { world, optional } = scenario.hosting;
  const live = world.environmentNamed('acme-shop/live');
  if (live === undefined) throw new Error('it is gone');
  live.images = 'lossy';
  optional.operations = false;
  const change = await scenario.person('ana').asks('/site images acme-shop/live off');
  await change.tells('the host shows image optimization of acme-shop/live as off: confirmed');
  await (await scenario.person('ana').says(`/site change ${change.number}`)).hears(/Before:\s+lossy/);
  expect(scenario.writes().map(({ body }) => body)).toEqual([
    { environment_id: live.id, image_optimization_type: false },
  ]);
  optional.operations = true;
  const again = await scenario.person('ana').says('/site images acme-shop/live off');
  await again.hears('Image optimization of acme-shop/live is off already. Nothing was changed.');
});

test('a change of an environment that the host has blocked says so', async () => {
  const live = scenario.hosting.world.environmentNamed('acme-docs/live');
  if (live === undefined) throw new Error('it is gone');
  live.isBlocked = true;
  await scenario.refreshListing();
  const said = await scenario.person('ana').says('/site images acme-docs/live lossy --dry-run');
  await said.hears('The host says that acme-docs/live is blocked, so it may refuse this.');
});

const minutesAgo = (minutes: number): string =>
  `${new Date(Date.now() - minutes * 60_000).toISOString().slice(0, 16)}Z`;
