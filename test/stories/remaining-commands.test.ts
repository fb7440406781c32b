import { afterAll, beforeAll, expect, test } from 'vitest';
import { canaries, openScenario, type Scenario } from './scenario.ts';

/** Ana may do what is routine or sensitive, and Rob may read the shop. */
const policy = `
version: 1
live: ['*/live']
groups:
  developers: [U01ANA]
  readers: [U06ROB]
rules:
  - allow: [read, routine, sensitive]
    to: [developers]
  - allow: [read]
    to: [readers]
    where: ['acme-shop/*']
channels:
  ops: C0OPS
`;

let scenario: Scenario;
beforeAll(async () => {
  scenario = await openScenario({
    policy,
    hosting: { durations: { 'wp-themes:bulk-update': 0, 'cdn:update-image-optimization': 0, 'site:clone': 0 } },
  });
});
afterAll(() => scenario.close());

test('doctor checks all that the bot depends on, and shows no secret', async () => {
  const said = await scenario.person('rob').says('/site doctor', 'C0GENERAL');
  const page = await said.hears('checks are fine');
  expect(page.text).toMatch(/Slack: answers; I am @/);
  expect(page.text).toMatch(/Hosting API: answers; the sites were last listed/);
  expect(page.text).toMatch(/Key of the hosting API: valid until/);
  expect(page.text).toMatch(/Database: sqlite answers in \d+ ms/);
  for (const canary of Object.values(canaries)) expect(page.text).not.toContain(canary);
  const about = await scenario.person('ben').says('/site about', 'C0GENERAL');
  expect((await about.hears('Sitehand 0.')).text).toContain('host dialect document');
});

test('doctor asks the host now: a host that has just gone down is reported, and its key is unknown', async () => {
  scenario.hosting.faults.add({ kind: 'status', status: 502, times: 'always' });
  const page = await (await scenario.person('rob').says('/site doctor', 'C0GENERAL')).hears('checks needs a look');
  scenario.hosting.faults.remove();
  expect(page.text).toContain('1 of 17 checks needs a look, 1 is unknown');
  expect(page.text).toMatch(/⚠️ Hosting API: The host answered 502/);
  expect(page.text).toMatch(/❔ Key of the hosting API: unknown: The host answered 502/);
});

test('themes are listed and updated, and the update is read back', async () => {
  const ana = scenario.person('ana');
  const list = await (await ana.says('/site themes list --only updates')).hears('with updates');
  expect(list.text).toContain('storefront-plus');
  expect(list.text).not.toContain('acme-shop/');
  const wrong = await ana.says('/site themes update acme-docs/staging kiln');
  await wrong.hears('The host lists no update for kiln on acme-docs/staging. Nothing was changed.');
  const change = await ana.asks('/site themes update acme-shop/staging meridian, paperwhite');
  await change.tells(/✅ Done/);
  const shown = await (await ana.says('/site themes show acme-shop/staging')).hears('acme-shop/staging · themes');
  expect(shown.text).toMatch(/meridian \| inactive \| 6\.1\.0/);
});

test('a change that cannot be read back is accepted, and says so', async () => {
  const ana = scenario.person('ana');
  const expiry = await ana.asks('/site ssh expiry acme-docs/staging days_7');
  await expiry.tells(/☑️.*This setting cannot be read back\./);
  expect(scenario.hosting.world.environmentNamed('acme-docs/staging')?.passwordExpiry).toBe('days_7');
  const images = await ana.asks('/site images acme-blog/staging lossless');
  await images.tells('the host reports it finished');
});

test('an allowlist is replaced, and Undo restores it', async () => {
  const ana = scenario.person('ana');
  const before = scenario.hosting.world.environmentNamed('acme-blog/staging')?.allowlist ?? [];
  const change = await ana.asks('/site allowlist set acme-blog/staging 198.51.100.4 198.51.100.0/28');
  const done = await change.tells('Undo until');
  expect(scenario.hosting.world.environmentNamed('acme-blog/staging')?.allowlist).toEqual([
    '198.51.100.4',
    '198.51.100.0/28',
  ]);
  await ana.clicks(done, 'Undo');
  await scenario.slack.until(() =>
    JSON.stringify(scenario.hosting.world.environmentNamed('acme-blog/staging')?.allowlist.toSorted()) ===
    JSON.stringify(before.toSorted())
      ? true
      : undefined,
  );
});

test('files shows a tree, clone makes a new site, and the time of the next backup is shown', async () => {
  const ana = scenario.person('ana');
  const tree = await (await ana.says('/site files acme-shop/live wp-content --depth 1')).hears('files in wp-content');
  expect(tree.text).toMatch(/├─ plugins\/ \(\d+ entries inside\)/);
  const lost = await ana.says('/site files acme-shop/live wp-contnet');
  await lost.hears('There is no wp-contnet on acme-shop/live. Nothing was done. Did you mean wp-content?');
  const next = await ana.says('/site backups next acme-shop/live');
  await next.hears(/next downloadable backup[^]*(?:downloaded now)/);
  await ana.opens('/site clone acme-docs/staging Docs of tomorrow', 'Docs of tomorrow');
  const clone = await ana.confirms();
  await clone.tells('the host reports it finished');
  const written = scenario.writes('acme-docs/staging').filter(({ path }) => path === '/sites/clone');
  expect(written.map(({ body }) => body)).toMatchObject([{ display_name: 'Docs of tomorrow' }]);
});
