import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openScenario, type Scenario } from './scenario.ts';

/** Lines that are no command as it is typed, through real sockets: what they mean is shown, and nothing is done. */

let scenario: Scenario;
beforeAll(async () => {
  scenario = await openScenario();
});
afterAll(() => scenario.close());

const where = 'C0ACME';
const done = () => ({ writes: scenario.writes().length, changes: scenario.rows('select number from changes').length });

test('what only shows something is answered at once, and says how it was read', async () => {
  const said = await scenario.person('ana').says('/site is the shop down?', where);
  const answer = await said.hears('Read as /site status acme-shop/live');
  expect(answer.text).toContain('acme-shop/live');
  await (
    await scenario.person('ana').says('/site tail acme-shop/live', where)
  ).hears('Read as /site logs acme-shop/live');
  const mentioned = await scenario.person('ana').mentions('what changed on acme-shop live today?', where);
  await mentioned.hears('Read as /site changes acme-shop/live --since=today');
});

test.each<[line: string, read: string, title: string, values: Readonly<Record<string, string>>]>([
  ['redirect /old /new acme-shop/live', 'redirects add acme-shop/live /old /new', 'Add a redirect', {}],
  ['allow 203.0.113.7 on the shop for 2 hours', 'allowlist add acme-shop/live 203.0.113.7 --for=2h', 'List before', {}],
  ['deploy staging to live on acme-shop', 'push acme-shop/staging acme-shop/live', 'What should be pushed?', {}],
  ['freeze acme-shop/live because of the sale', 'lock acme-shop/live "of the sale"', 'Lock', { Reason: 'of the sale' }],
])(
  '%s: a button says what would change, and opens a form with everything that was said',
  async (line, read, title, values) => {
    const before = done();
    const chi = scenario.person('chi');
    const heard = await (await chi.says(`/site ${line}`, where)).hears(`Did you mean /site ${read}?`);
    expect(scenario.slack.views(chi.id).modals).toEqual([]);
    expect(heard.controls).toHaveLength(1);
    await chi.clicks(heard, heard.controls[0]?.label ?? '');
    const form = await chi.form(title);
    for (const [label, value] of Object.entries(values))
      expect(form.controls.find((control) => control.label === label)).toMatchObject({ value });
    expect(done()).toEqual(before);
    await scenario.slack.closeModal(chi.id, true);
  },
);

test('a push between two environments that several sites have asks for the site, and then opens its review', async () => {
  const ana = scenario.person('ana');
  const label = 'Push an environment: acme-shop/staging → acme-shop/live…';
  const heard = await (await ana.says('/site push staging to live', where)).hears('staging could be');
  expect(heard.controls.map(({ label }) => label)).toContain(label);
  await ana.opensFrom(heard, label, 'What should be pushed?');
});

test('what somebody may not run is not offered, and they are told so', async () => {
  const said = await scenario.person('ana').says('/site get rid of acme-shop', where);
  const answer = await said.hears('You may not use delete. Nothing was done.');
  expect(answer.controls).toEqual([]);
  const asked = await scenario.person('ana').says('/site delete acme-shop', where);
  expect((await asked.hears('You may not use delete. Nothing was done.')).text).not.toContain('could be');
});

describe('in a mention', () => {
  test('what changes something is a button, which opens its form', async () => {
    const before = done();
    const ana = scenario.person('ana');
    const asked = await (
      await ana.mentions('please clear the cache of acme-docs/staging', where)
    ).hears('Did you mean /site cache clear acme-docs/staging?');
    expect(asked.controls).toHaveLength(1);
    await ana.clicks(asked, 'cache clear acme-docs/staging…');
    await ana.form('Clear the page cache');
    expect(done()).toEqual(before);
  });

  test.each(['thanks!', 'who broke it?', 'I already cleared the cache of acme-shop live', 'nice work'])(
    '%s is left alone: no report and no button',
    async (line) => {
      const heard = await (await scenario.person('ana').mentions(line, where)).hears('Nothing was done.');
      expect(heard.controls).toEqual([]);
      expect(heard.text.length).toBeLessThan(120);
    },
  );
});

test.each<[line: string, says: string, labels: readonly string[]]>([
  [
    'help plsuh',
    "There's no command plsuh that you can run. Nothing was done. Did you mean",
    ['Help on push', 'Show all'],
  ],
  ['plsuh --help', "There's no command plsuh that you can run.", ['Help on push', 'Show all']],
  [
    'help restore',
    "There's no command for that. I can't bring a backup back yet. At Kinsta, MyKinsta can.",
    ['List backups…'],
  ],
  [
    'how do I restore',
    "There's no command for that. I can't bring a backup back yet. At Kinsta, MyKinsta can.",
    ['List backups…'],
  ],
  ['help approve', "There's no command for that. Only the buttons on the change's card count", ['List changes']],
  ['help me please', 'What you can run', ['More']],
  ['how does this work', 'What you can run', ['More']],
  ['help all', 'Everything you can run', []],
  ['help push', 'It needs approval by somebody else in leads', ['Push an environment…', 'Who approves…']],
  ['frobnicate', "I don't know frobnicate. Nothing was done. /site help shows what you may run.", ['Help']],
  ['queue leave 77', 'It may have been used or ended already. /site queue shows who waits.', ['Show the queue']],
])('help is on what was named: %s', async (line, says, labels) => {
  const heard = await (await scenario.person('ana').says(`/site ${line}`, where)).hears(says);
  expect(heard.controls.map(({ label }) => label)).toEqual(labels);
});

test('bare stop offers the emergency brake and a lock; neither is done', async () => {
  const chi = scenario.person('chi');
  const heard = await (await chi.says('/site STOP', where)).hears('Did you mean /site pause or /site lock?');
  expect(heard.controls.map(({ label }) => label)).toEqual(['Pause', 'Lock…']);
  expect(scenario.rows("select value from kv where key = 'pause'")).toEqual([]);
});

test('yes in the thread of a request is told to press the button, and is no vote', async () => {
  const change = await scenario.person('ben').requests('/site push acme-docs/staging acme-docs/live --files', where);
  for (const line of ['lgtm', 'ok go', 'approved', 'YES'])
    await (
      await scenario.person('chi').mentions(line, where, change.ts)
    ).hears("Only the buttons on the change's card count");
  expect(scenario.rows('select person from votes')).toEqual([]);
});
