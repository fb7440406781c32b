import { afterAll, beforeAll, expect, test } from 'vitest';
import { openScenario, patienceMs, type Scenario, reloadPolicy } from './scenario.ts';

/** Rob may only read the blog; other people may make changes. */
const policy = `
version: 1
live: ['*/live']
groups:
  developers: [U01ANA, U02BEN]
  support: [U06ROB]
  security: [U01ANA]
rules:
  - allow: [read, routine]
    to: [developers]
  - allow: ['logs reveal']
    to: [security]
  - allow: [read]
    to: [support]
    where: ['acme-blog/*']
channels:
  C0ACME: { sites: ['acme-*'] }
  ops: C0OPS
`;

let scenario: Scenario;
beforeAll(async () => {
  scenario = await openScenario({ policy });
});
afterAll(() => scenario.close());

test.concurrent('logs are masked, and the rest is a file for the requester alone', async () => {
  const ana = scenario.person('ana');
  const said = await ana.says('/site logs acme-shop/live error --lines 3000', 'C0GENERAL');
  const lens = await said.hears('acme-shop/live · error log');
  expect(lens.ephemeral).toBe(true);
  expect(lens.text).toMatch(/[▁-█]{24}/);
  expect(lens.text).toContain('the newest 3,000 lines');
  expect(scenario.slack.files(ana.id)).toEqual([]);
  const full = await ana.clicks(lens, 'Full log');
  const shown = await full.hears('the whole answer is in a file');
  const [file] = await scenario.slack.until(() => {
    const files = scenario.slack.files(ana.id);
    return files.length > 0 ? files : undefined;
  }, patienceMs);
  expect(file).toMatchObject({ name: 'acme-shop-live-error.log', channels: [ana.direct] });
  const both = `${shown.text}\n${file?.text}`;
  expect(both).toContain('***@***');
  expect(both).not.toMatch(/[\w.]+@[\w-]+\.[a-z]{2,}/i);
  expect(both).not.toMatch(/sk_live_|Bearer [a-z0-9]/i);
  expect(scenario.slack.files('U02BEN')).toEqual([]);
});

test.concurrent('a visitor’s address is shown to people whom a rule allows it, after an audit line; it cannot be shared', async () => {
  const ana = scenario.person('ana');
  const lens = await (await ana.says('/site logs acme-docs/live access --lines 50', 'C0GENERAL')).hears('access log');
  const [alias = ''] = /client-[\da-f]+/.exec(lens.text) ?? [];
  const refused = await scenario.person('ben').says(`/site logs reveal acme-docs/live ${alias}`, 'C0GENERAL');
  await refused.hears('You may not run logs reveal on acme-docs/live.');
  const answer = await (
    await ana.says(`/site logs reveal acme-docs/live ${alias}`, 'C0GENERAL')
  ).hears(`${alias} · acme-docs/live`);
  expect(answer.text).toMatch(/^client-[\da-f]+ · acme-docs\/live, access log\n[\d.a-f:]+ in [\d,]+ lines?$/m);
  expect(answer.controls).toEqual([]);
  const [noted, ...more] = scenario.rows("select actor, details from audit where event = 'reveal' order by seq");
  expect([noted?.['actor'], more]).toEqual([ana.id, []]);
  expect(noted?.['details']).toContain(alias);
  const [address = ''] = /[\d.]+(?= in )/.exec(answer.text) ?? [];
  expect(JSON.stringify(scenario.rows('select * from audit'))).not.toContain(`"${address}"`);
  const other = await ana.says('/site logs reveal acme-docs/live client-00000000 --lines 50', 'C0GENERAL');
  await other.hears('No visitor of the newest');
});

test.concurrent('a report is shared into a channel by its button, but not into one shared with another organisation', async () => {
  const ben = scenario.person('ben');
  const said = await ben.says('/site backups list acme-blog/live', 'C0ACME');
  const shown = await said.hears('acme-blog/live · backups');
  await ben.clicks(shown, 'Share');
  const shared = await scenario.slack.until(
    () =>
      scenario.slack.messages({ channel: 'C0ACME', as: 'U01ANA' }).find(({ text }) => text.includes('Shared by @Ben')),
    patienceMs,
  );
  expect(shared.text).toContain('acme-blog/live · backups');
  const twice = await ben.clicks(shown, 'Share');
  await twice.hears('This was shared here a moment ago. Nothing was posted again.');
  const standing = scenario.slack
    .messages({ channel: 'C0ACME', as: 'U01ANA' })
    .filter(({ text }) => text === shared.text);
  expect(standing).toHaveLength(1);

  const other = await ben.says('/site backups list north-bakery/live', 'C0ACME');
  const refused = await ben.clicks(await other.hears('north-bakery/live · backups'), 'Share');
  await refused.hears('This channel is for other sites.');
  const asked = await ben.says('/site can cache clear north-bakery/staging', 'C0ACME');
  await asked.hears(
    /You may run cache clear on north-bakery\/staging\n+But not here: This channel is for other sites\. Ask me in /,
  );
  const inShared = await ben.says('/site backups list acme-blog/live', 'C0SHARED');
  const again = await ben.clicks(await inShared.hears('acme-blog/live · backups'), 'Share');
  await again.hears("shared with another organisation, so sites can't be discussed there");
  expect(JSON.stringify(scenario.slack.messages({ channel: 'C0SHARED', as: 'U08SAM' }))).not.toContain('acme-blog');
});

test.concurrent('in a channel without the bot a report is shown all the same, and sharing it says how to invite the bot', async () => {
  const ana = scenario.person('ana');
  const said = await ana.says('/site backups list acme-blog/staging', 'C0RANDOM');
  const refused = await ana.clicks(await said.hears('acme-blog/staging · backups'), 'Share');
  await refused.hears("I can't post here. Nothing was posted. Use /invite to add me to this channel.");
});

test.concurrent('a long list has a next page', async () => {
  const ana = scenario.person('ana');
  const live = scenario.hosting.world.environmentNamed('acme-docs/live');
  const [backup] = live?.backups ?? [];
  if (live && backup) live.backups = Array.from({ length: 70 }, (_, id) => ({ ...backup, id, name: `backup-${id}.` }));
  const said = await ana.says('/site backups list acme-docs/live', 'C0OPS');
  const first = await said.hears('acme-docs/live · backups · 70 backups');
  const turned = await ana.clicks(first, 'Next page');
  const second = await turned.hears('acme-docs/live · backups');
  const names = (text: string): Set<string> => new Set(text.match(/backup-\d+\./g));
  expect(names(first.text).size).toBeGreaterThan(10);
  expect(names(second.text).size).toBeGreaterThan(10);
  expect(names(first.text).intersection(names(second.text)).size).toBe(0);
});

test('the next page and sharing check the rights of that moment', async () => {
  const dee = scenario.person('dee');
  const live = scenario.hosting.world.environmentNamed('acme-blog/live');
  const [backup] = live?.backups ?? [];
  if (live && backup) live.backups = Array.from({ length: 70 }, (_, id) => ({ ...backup, id, name: `backup-${id}.` }));
  await reloadPolicy(scenario, policy.replace('support: [U06ROB]', 'support: [U06ROB, U04DEE]'));
  const first = await (await dee.says('/site backups list acme-blog/live', 'C0OPS')).hears('70 backups');
  await (await dee.clicks(first, 'Next page')).hears(/backup-\d+\./);
  await reloadPolicy(scenario, policy);
  const turned = await dee.clicks(first, 'Next page');
  await turned.hears('You may not use backups list. Nothing was done.');
  expect(
    turned
      .answers()
      .map(({ text }) => text)
      .join(''),
  ).not.toContain('backup-');
});

test.concurrent('somebody who may read one site sees that site, and the others as if they did not exist', async () => {
  const rob = scenario.person('rob');
  const listed = await rob.says('/site environments', 'C0GENERAL');
  const list = await listed.hears('Environments and domains');
  expect(list.text).toMatch(/^acme-blog\/live · live · \S*acme-blog\S*$/m);
  expect(list.text).not.toMatch(/acme-shop|north-bakery|harbor|lumen|[\da-f]{8}-[\da-f]{4}-/);
  const named = await rob.says('/site environments acme-blog/live', 'C0GENERAL');
  await named.hears(scenario.hosting.world.environmentNamed('acme-blog/live')?.id ?? 'an id');

  const unknown = await rob.says('/site logs acme-nothing/live', 'C0GENERAL');
  const forbidden = await rob.says('/site logs north-bakery/live', 'C0GENERAL');
  const [one, other] = [await unknown.hears('acme-nothing'), await forbidden.hears('north-bakery')];
  expect(other.text.replace('north-bakery', 'acme-nothing')).toBe(one.text);

  const mayRead = await rob.says('/site backups list acme-blog/staging', 'C0GENERAL');
  await mayRead.hears('acme-blog/staging · backups');
  const helped = await rob.says('/site help', 'C0GENERAL');
  expect((await helped.hears('What you can run')).text).not.toContain('cache clear');
});

test.concurrent('a change is shown to people who may read its target, and to nobody else', async () => {
  const change = await scenario.person('ana').asks('/site cache clear acme-shop/staging', 'D0U01ANA');
  const reader = await scenario.person('ben').says(`/site change ${change.number}`, 'D0U02BEN');
  const story = await reader.hears(`Clear the cache of acme-shop/staging · #${change.number}`);
  const id = scenario.hosting.world.environmentNamed('acme-shop/staging')?.id ?? '';
  expect(story.text).toContain(`Ids: acme-shop/staging …${id.slice(-4)}\n`);
  const [row] = scenario.rows('select fingerprint from changes where number = ?', change.number);
  expect(story.text).toContain(`Fingerprint: ${String(row?.['fingerprint']).slice(0, 8)}`);
  const rob = await scenario.person('rob').says(`/site change ${change.number}`, 'D0U06ROB');
  await rob.hears(`I can't find #${change.number} among the changes you can see`);
  const none = await scenario.person('rob').says('/site change 999', 'D0U06ROB');
  await none.hears("I can't find #999 among the changes you can see");
});

test.concurrent('the Home tab has only buttons for what the person may run', async () => {
  const used = await scenario.person('rob').says('/site backups list acme-blog/staging', 'C0GENERAL');
  await used.hears('acme-blog/staging · backups');
  await scenario.slack.home('U06ROB');
  const home = await scenario.slack.until(() => {
    const view = scenario.slack.views('U06ROB').home;
    return view?.text.includes('acme-blog/staging') ? view : undefined;
  }, patienceMs);
  expect(home.controls.map(({ label }) => label)).toEqual(['Status', 'Logs', 'Backups', 'Changes', 'Help']);
});

test.concurrent('a log search ignores case although the host’s search does not', async () => {
  scenario.hosting.world.environmentNamed('acme-blog/staging')?.written.push({
    at: Date.now(),
    kind: 'error',
    text: 'PHP Warning:  Gremlins In The Works in /www/x.php on line 7',
  });
  const said = await scenario
    .person('ben')
    .says('/site logs acme-blog/staging error --search "gremlins in"', 'D0U02BEN');
  const { text } = await said.hears('acme-blog/staging · error log');
  expect(text).toContain('Gremlins In The Works');
});
