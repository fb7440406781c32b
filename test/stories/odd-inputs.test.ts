import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openScenario, type Scenario } from './scenario.ts';

/** A dozen odd lines through real sockets: each gets one sentence, and nothing is sent. */

let scenario: Scenario;
beforeAll(async () => {
  scenario = await openScenario();
});
afterAll(() => scenario.close());

const S = 'acme-shop/staging';
const L = 'acme-shop/live';
const where = 'C0ACME';
/** The number of writes so far, and of saved changes. */
const done = () => ({ writes: scenario.writes().length, changes: scenario.rows('select number from changes').length });

describe('refused in one sentence', () => {
  test.each<[string, string, string | RegExp]>([
    ['an empty --only', `push ${S} ${L} --files --only ""`, '--only needs a value. Nothing was done.'],
    ['an empty --only in curly quotes', `push ${S} ${L} --files —only=“ ”`, '--only needs a value. Nothing was done.'],
    ['an empty search', `redirects clear ${S} ""`, 'Search is empty. Nothing was done.'],
    ['a list without addresses', `allowlist remove ${S} ","`, 'I found no address in this. Nothing was done.'],
    [
      'a Cyrillic letter in a name',
      'cache clear acme-shop/lіve',
      'letters that are not plain Latin. Nothing was done.',
    ],
    ['a zero-width space in a name', 'cache clear acme-shop/li\u200Bve', '(U+200B)'],
    ['NUL', `cache clear ${S}\u0000`, '(U+0000)'],
    ['right-to-left override', `cache clear ${S} --reason "\u202Eevil"`, '(U+202E)'],
    ['half of a pair', `cache clear ${S} --reason \uD83D`, /\(U\+(?:D83D|FFFD)\)|cannot be seen/],
    ['a choice with a slip', `images ${S} losy`, 'not “losy”. Nothing was done. Did you mean lossy?'],
    ['one hyphen', `cache clear ${S} -dry-run`, '-dry-run begins with one hyphen. Nothing was done.'],
    ['one as a reason', `cache clear ${S} --reason -dry-run`, '-dry-run begins with one hyphen. Nothing was done.'],
    ['one as a path', `push ${S} ${L} --files --only -rf`, '-rf begins with one hyphen. Nothing was done.'],
    ['one after a slip: a dry run', `cache claer ${S} -dry-run`, `Did you mean /site cache clear ${S} --dry-run?`],
    ['a prototype', '__proto__ constructor', "I don't know __proto__. Nothing was done."],
    ['a prototype as an option', `cache clear ${S} --__proto__=x`, 'has no option --__proto__. Nothing was done.'],
    ['a way up', 'cache clear acme-shop/../acme-blog/live', 'among the environments you can see. Nothing was done.'],
    ['40,000 characters', `cache clear ${S} --reason "${'x '.repeat(20_000)}"`, 'at most 4000. Nothing was done.'],
    ['a quotation without an end', `cache clear "${S}`, 'never closed. Nothing was done.'],
  ])('%s', async (_, line, why) => {
    const before = done();
    await (await scenario.person('ana').says(`/site ${line}`, where)).hears(why);
    expect(done()).toEqual(before);
  });
});

test('a dry run stays one, whatever dash is typed', async () => {
  const ana = scenario.person('ana');
  const before = done();
  for (const spelled of ['–dry-run', '—dry-run', '−−dry-run', '‑‑dry-run']) {
    await (await ana.says(`/site cache clear ${S} ${spelled}`, where)).hears('nothing was sent');
  }
  expect(done()).toEqual(before);
});

test('a reason is text, whatever it looks like: it mentions nobody, and is stored as typed', async () => {
  const ana = scenario.person('ana');
  const shown = '<!channel> ```x``` *b* \'; DROP TABLE changes; -- {"a":1} __proto__';
  // The workspace escapes what a person types.
  const reason = `"${shown.replaceAll('"', '\\"')}"`;
  const change = await ana.asks(`/site cache clear ${S} --reason ${reason}`, where);
  await change.tells('Done');
  expect(change.card().text).toContain(shown);
  expect(scenario.rows('select reason from changes where number = ?', change.number)).toEqual([{ reason: shown }]);
  const broadcast = scenario.slack.calls().filter(({ args }) => JSON.stringify(args).includes('"broadcast"'));
  expect(broadcast).toEqual([]);
});

test('a mistyped command is a button, and runs nothing before its review is submitted', async () => {
  const ana = scenario.person('ana');
  const before = scenario.writes('acme-docs/staging').length;
  const line = 'cache clear acme-docs/staging';
  const said = await ana.says('/site cahce clear acme-docs/staging', 'C0GENERAL');
  await ana.opensFrom(await said.hears(`Did you mean /site ${line}?`), `${line}…`, 'Clear the page cache');
  expect(scenario.writes('acme-docs/staging')).toHaveLength(before);
  await ana.submits();
  await scenario.slack.until(() => (scenario.writes('acme-docs/staging').length > before ? true : undefined));
  expect(scenario.writes('acme-docs/staging')).toHaveLength(before + 1);
});

test('a mistyped option of a write has a button that opens the form with the right one, and writes nothing', async () => {
  const ana = scenario.person('ana');
  const before = done();
  const said = await ana.says(`/site cache clear ${S} --raeson "release 42"`, where);
  await ana.clicks(await said.hears('Did you mean --reason?'), `cache clear ${S} --reason="release 42"…`);
  const form = await ana.form('Reason');
  expect(form.controls.find(({ label }) => label === 'Reason')).toMatchObject({ value: 'release 42' });
  expect(done()).toEqual(before);
  const unknown = await ana.says('/site logs acme-shop/production', where);
  const logs = await ana.clicks(await unknown.hears('Its site has acme-shop/'), L);
  await logs.hears(`${L} · error log`);
  expect(done()).toEqual(before);
});

test('an empty name opens the form, which requires one', async () => {
  const chi = scenario.person('chi');
  const before = done();
  await chi.opens('/site delete ""', 'Delete an environment for good', 'C0OPS');
  const empty = await chi.submits();
  expect(Object.keys(empty.errors)).toEqual(['field:env']);
  expect(done()).toEqual(before);
});

test('odd words in a form are refused under their field', async () => {
  const ben = scenario.person('ben');
  const before = done();
  await ben.opens(`/site allowlist add ${S}`, 'Let addresses in', where);
  for (const Addresses of [
    '192.0.2.1\u200B',
    '__proto__',
    '0.0.0.0/0',
    '::ffff:10.0.0.1',
    ',\n;',
    '&lt;!here&gt;',
    '192.0.2.1 --for=2h',
  ]) {
    const { errors } = await ben.submits({ Addresses });
    expect(Object.keys(errors)).toEqual(['field:addresses']);
    expect(JSON.stringify(errors)).toContain('Nothing was done.');
  }
  expect(done()).toEqual(before);
});

test('in a thread a push keeps its typed direction', async () => {
  const ana = scenario.person('ana');
  const change = await ana.asks(`/site cache clear ${L}`, where);
  const said = await ana.mentions('push staging acme-shop/live --files', where, change.ts);
  await ana.clicks(await said.hears('This needs a form'), 'Open the form');
  await ana.form(`Push ${S} → ${L}`);
});
