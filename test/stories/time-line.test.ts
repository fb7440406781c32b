import { afterAll, beforeAll, expect, test } from 'vitest';
import { openScenario, patienceMs, type Scenario } from './scenario.ts';

let scenario: Scenario;
beforeAll(async () => {
  scenario = await openScenario({ hosting: { durations: { 'environments:push': 0, 'cache:clear': 0 } } });
});
afterAll(() => scenario.close());

/** The only file that a person has got and that has these words. */
const fileFor = (id: string, words: string) =>
  scenario.slack.until(() => scenario.slack.files(id).find(({ text }) => text.includes(words)), patienceMs);

test('after an incident: a time line with approvals, locks and the peak of the log, exported by a button', async () => {
  const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
  const world = scenario.hosting.world;
  const environment = world.environmentNamed('acme-shop/live');
  if (environment === undefined) throw new Error('no such environment');
  // In the past, because the log is asked for the time until now.
  const at = Date.now() - 20_000;
  const stamp = new Date(at).toISOString().slice(0, 19).replaceAll('-', '/').replace('T', ' ');
  const text = `${stamp} [error] 7#7: *1 FastCGI sent in stderr: "PHP message: PHP Fatal error:  Uncaught Error: [link](http://evil.example) cart_totals() by jo@acme.example" while reading response header from upstream, client: 203.0.113.9, server: acme-shop.example`;
  environment.written = Array.from({ length: 300 }, () => ({ kind: 'error' as const, at, text }));

  await ana.opens(
    '/site push acme-shop/staging acme-shop/live --files --reason "release *42*"',
    'Nothing is sent until it is approved',
  );
  const change = await ana.confirms({ 'Type acme-shop/live to confirm': 'acme-shop/live' });
  await chi.clicks(change.card(), 'Approve');
  await scenario.holdBeforeSend(change.number);
  scenario.makeDue(change.number);
  await change.tells(/^✅ Done after/);
  await (await chi.says('/site lock acme-shop/live we look at it')).hears('acme-shop/live is locked by you');
  await (await chi.says('/site unlock acme-shop/live')).hears('acme-shop/live is unlocked');

  const said = await ana.says('/site changes acme-shop/live --since 2d');
  const page = await said.hears('Time line of acme-shop/live');
  expect(page.text).toMatch(/Error log: [\d,]+ errors, \d peaks?\./);
  expect(page.text).toMatch(/📈 .* · \d+ errors in .*, mostly “PHP Fatal error: {2}Uncaught Error: /);
  expect(page.text).toMatch(/✅ .* · #\d+ Push acme-shop\/staging → acme-shop\/live: all files \(“release \*42\*”\)/);
  expect(page.text).toMatch(/@Ana, approved by @Chi/);
  expect(page.text).toMatch(/Done after \d+ s: the host reports it finished/);
  expect(page.text).toMatch(/@Chi locked it: “we look at it”\n.*@Chi unlocked it/);
  expect(page.text).not.toMatch(/jo@acme|203\.0\.113\.9/);
  expect(page.controls.map(({ label }) => label)).toEqual([
    'Export',
    'Error log',
    expect.stringMatching(/^change \d+$/),
  ]);

  const exported = await ana.clicks(page, 'Export');
  await exported.hears('Time line of acme-shop/live as a file');
  const file = await fileFor(ana.id, '# Time line of acme-shop/live');
  expect(file.channels).toEqual([ana.direct]);
  expect(file.name).toMatch(/^time-line-acme-shop-live-\d{4}-\d\d-\d\d\.md$/);
  expect(file.text).toMatch(
    /mostly `PHP Fatal error: {2}Uncaught Error: \[link\]\(http:\/\/evil\.example\) cart_totals/,
  );
  expect(file.text).toMatch(/Asked by Ana \\\(U01ANA\\\): `release \*42\*`; approved by Chi \\\(U03CHI\\\)/);
  expect(file.text).toMatch(/Chi \\\(U03CHI\\\): approved it\n/);
  expect(file.text).not.toMatch(/jo@acme|203\.0\.113\.9/);
  expect(scenario.slack.files(chi.id)).toEqual([]);
  const [line, ...more] = scenario.rows("select actor, target, details from audit where event = 'changes_export'");
  expect(line).toMatchObject({ actor: ana.id, target: `environment:${environment.id}` });
  expect(more).toEqual([]);
});

test('without the log it is still a time line: it says that the peaks are missing, and why', async () => {
  const ana = scenario.person('ana');
  scenario.hosting.faults.add({ kind: 'status', section: '4.19', status: 500, times: 'always' });
  const page = await (await ana.says('/site changes acme-shop/live --since 1h')).hears('Time line of acme-shop/live');
  expect(page.text).toContain('Error log: unknown: The host answered 500');
  expect(page.text).toContain('Push acme-shop/staging → acme-shop/live');
  const said = await ana.says('/site changes export acme-shop/live --since 1h');
  await said.hears('Error log: unknown: The host answered 500');
  const file = await fileFor(ana.id, 'Its peaks are missing here');
  expect(file.text).toContain('The host answered 500');
  scenario.hosting.faults.remove();
});

test('it needs an environment that its reader may read, and a time in the past', async () => {
  const [ana, gus] = [scenario.person('ana'), scenario.person('gus')];
  const unsaid = await ana.says('/site changes --since 2d');
  await ana.clicks(
    await unsaid.hears(/A time line needs an environment\. Nothing was done\./),
    'Choose an environment…',
  );
  const form = await ana.form('What happened to one environment from then on.');
  expect(form.controls.find(({ label }) => label === 'Since')).toMatchObject({ value: '2d' });
  await (
    await ana.says('/site changes acme-shop/live --mine --since 2d')
  ).hears("A time line has everybody's changes in every state. Nothing was done.");
  await (
    await ana.says('/site changes acme-shop/live --since 2999-01-01')
  ).hears('--since is in the future. Nothing was done.');
  const refused = await (await gus.says('/site changes export acme-shop/live', gus.direct)).hears(/./);
  expect(refused.text).not.toContain('Time line');
  expect(scenario.slack.files(gus.id)).toEqual([]);
  const exports = scenario.rows("select count(*) as count from audit where event = 'changes_export'");
  expect(exports).toEqual([{ count: 2 }]);
});
