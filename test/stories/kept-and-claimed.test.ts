import { afterAll, beforeAll, expect, test } from 'vitest';
import { catalogue } from '../../src/commands/index.ts';
import type { VisibleMessage } from '../../src/playground/slack/shapes.ts';
import { forgeForm, forgePress, told } from './forged.ts';
import type { TestUser, Words } from './people.ts';
import { addCopies, openScenario, reloadPolicy, type Scenario } from './scenario.ts';

/** Kept answers are checked again when they are opened; where a press or a form says that it comes from proves nothing. */

const hidden = 'north-bakery/live';
const open = 'harbor-events/live';
const mark = 'quince';
const where = "where: ['north-bakery/*', 'domain:north-bakery.example']";

/** Ana and Ben may read everything until the rules change; Fay may audit one site. */
const policy = `
version: 1
live: ['*/live']
groups:
  ana: [U01ANA]
  ben: [U02BEN]
  all: [U01ANA, U02BEN, U03CHI]
  falcon-team: [U04DEE]
  site: [U05FAY]
  quiet: [U06ROB]
rules:
  - { allow: [read, audit], to: [all] }
  - { allow: [read], to: [falcon-team] }
  - { allow: [routine, sensitive, lock, unlock, watch, digest, use, pause, resume], to: [all] }
  - { allow: [read, audit, 'allowlist add'], to: [site], where: ['harbor-events/*'] }
  - { allow: [read, audit], to: [quiet], where: ['acme-docs/*'] }
  - { allow: [images], to: [falcon-team, site], where: ['harbor-events/*', 'north-bakery/*'] }
channels:
  C0ACME: { sites: ['acme-*'] }
`;
const later = policy.replace(
  'channels:',
  `  - { deny: [read], to: [ana], ${where} }
  - { deny: [changes, audit, environments, 'themes show', 'allowlist show', 'backups list'], to: [ben], ${where} }
channels:`,
);

let scenario: Scenario;
let people: Readonly<Record<'ana' | 'ben' | 'chi' | 'fay', TestUser>>;
beforeAll(async () => {
  scenario = await openScenario({ policy });
  const { person } = scenario;
  people = { ana: person('ana'), ben: person('ben'), chi: person('chi'), fay: person('fay') };
  const { chi } = people;
  const cleared = await chi.asks(`/site cache clear ${hidden} --reason ${mark}-reason`, chi.direct);
  await cleared.tells('✅');
  await chi.opens(`/site allowlist add ${hidden} 203.0.113.77 --for 2h`, 'List before', chi.direct);
  await (await chi.confirms({}, chi.direct)).tells('✅');
  addCopies(scenario, cleared.number, 45);
  for (const name of ['north-bakery/staging', hidden]) {
    await (await chi.says(`/site lock ${name} ${mark}-lock`, chi.direct)).hears('is locked by you');
    await (await chi.says(`/site unlock ${name}`, chi.direct)).hears('is unlocked');
  }
});
afterAll(() => scenario.close());

const said = async (who: TestUser, line: string, words: string | RegExp): Promise<VisibleMessage> =>
  (await who.says(`/site ${line}`, who.direct)).hears(words);

/** The value of a button of a message. */
function valueOf({ controls, text }: VisibleMessage, label: string): string {
  const found = controls.find((one) => one.label === label);
  if (found === undefined) throw new Error(`no button ${label} in: ${text}`);
  return String(found.value);
}
const idIn = (value: string): string => value.split(' ').at(-1) ?? '';

const inPublic = (channel: string): readonly string[] =>
  scenario.slack.messages({ channel, as: 'U03CHI' }).flatMap(({ text, ephemeral }) => (ephemeral ? [] : [text]));

test('an answer that cannot be shared is not shared by a forged press either', async () => {
  const { ana } = people;
  const pages = [
    [await said(ana, 'audit', 'Audit trail'), 'Next page'],
    [await said(ana, 'environments', 'Environments'), 'File'],
    [await said(ana, `themes list in ${hidden}, acme-shop/live`, 'Themes'), 'File'],
  ] as const;
  for (const [page, label] of pages)
    for (const channel of ['C0GENERAL', 'C0ACME', ana.direct]) {
      const value = idIn(valueOf(page, label));
      const refused = "This answer is for you alone, so it can't be shared. Nothing was posted.";
      await forgePress(scenario, ana, { action: 'share', value, channel }, refused);
    }
  expect(inPublic('C0GENERAL').concat(inPublic('C0ACME')).join('\n')).not.toMatch(/Shared by|north-bakery/);
});

test('an answer is shared only where its reader is, and only in channels that may hear of it', async () => {
  const { ben, fay } = people;
  const page = await said(ben, `backups list ${hidden}`, 'backups');
  const value = valueOf(page, 'Share');
  const share = (channel: string, words: string): Promise<string> =>
    forgePress(scenario, ben, { action: 'share', value, channel }, words);
  await share('G0BAKERY', "You aren't in this channel. Nothing was posted.");
  await share('C0ACME', 'This channel is for other sites.');
  await share('C0SHARED', 'shared with another organisation');
  for (const channel of [fay.id, fay.direct, 'D0ANABEN', ben.direct])
    await share(channel, "There's no channel here to share it in. Nothing was posted.");
  expect(elsewhere()).toEqual([]);
});

test('nobody opens the kept answers of somebody else with fewer rights', async () => {
  const { ana, fay } = people;
  const changes = valueOf(await said(ana, 'changes', 'Changes · 47'), 'Next page');
  const themes = valueOf(await said(ana, `themes list in ${hidden}, acme-shop/live`, 'Themes'), 'File');
  const backups = valueOf(await said(ana, `backups list ${hidden}`, 'backups'), 'Share');
  const presses = [
    { action: 'page', value: changes },
    { action: 'page', value: `0 ${idIn(changes)}` },
    { action: 'file', value: themes },
    { action: 'checklist', value: `0 ${themes}` },
    { action: 'share', value: backups },
    { action: 'page', value: `0 ${backups}` },
  ];
  for (const press of presses) {
    const heard = await forgePress(scenario, fay, { ...press, channel: fay.direct }, /Nothing was (shown|done)\./);
    expect(heard).not.toMatch(/north-bakery\/|quince/);
  }
});

/** Somebody else's direct messages, by both ids, and a private channel that Ben is not in. */
const foreign = ['U05FAY', 'D0U05FAY', 'G0BAKERY'] as const;

/** What Fay was told about the hidden site, and what was posted where Ben is not. */
function elsewhere(): readonly VisibleMessage[] {
  const { id, direct } = people.fay;
  const toFay = scenario.slack.messages({ channel: direct, as: id });
  const inPrivate = scenario.slack.messages({ channel: 'G0BAKERY', as: 'U03CHI' });
  return [...toFay.filter(({ text }) => /north-bakery\/|quince/.test(text)), ...inPrivate];
}

const cardOf = /· #\d+\nAsked by @Ben/;

/** A form of Ben's as it was submitted, in his direct messages. */
async function submitted(path: string, filled: Parameters<TestUser['submits']>[0], words: Words) {
  const { ben } = people;
  await ben.says('/site', ben.direct);
  await ben.form('What do you want to do?');
  await ben.submits({ Command: 'More…' });
  await ben.submits({ Command: path });
  await ben.form(catalogue.get(path)?.summary ?? 'a command');
  let sent: Awaited<ReturnType<TestUser['submits']>> | undefined;
  await told(scenario, ben, words, async () => (sent = await ben.submits(filled)));
  if (sent?.payload === undefined) throw new Error('the form was not submitted');
  return sent;
}

test.each(['channel', 'cardsIn'] as const)(
  'a form with a claimed %s: the card is in direct messages',
  async (which) => {
    const { ben } = people;
    const sent = await submitted('images', { Environment: hidden, 'Image optimization': 'lossless' }, cardOf);
    for (const claimed of foreign) {
      await forgeForm(scenario, ben, { sent, origin: { channel: ben.direct, [which]: claimed } }, cardOf);
      const [row] = scenario.rows('select channel, requester from changes order by number desc limit 1');
      expect(row).toEqual({ channel: ben.id, requester: ben.id });
    }
    expect(elsewhere()).toEqual([]);
  },
);

test('a form with a claimed channel: answers go to direct messages, watches tell there, and nothing is bound', async () => {
  const { ben } = people;
  const forms = [
    ['backups list', { Environment: hidden }, `${hidden} · backups`],
    ['use', { Site: 'north-bakery' }, 'Only a channel can be bound to a site.'],
    ['watch', { Environment: hidden, Match: mark }, 'is on until'],
    ['digest', { Sites: 'north-bakery' }, 'is on until'],
  ] as const;
  for (const [path, filled, words] of forms) {
    const sent = await submitted(path, filled, words);
    for (const channel of foreign) {
      scenario.runSql('delete from waiting');
      await forgeForm(scenario, ben, { sent, origin: { channel } }, words);
      const places = scenario.rows("select data ->> '$.channel' as channel from waiting").map((row) => row['channel']);
      expect(places).toEqual(words === 'is on until' ? [ben.id] : []);
    }
  }
  expect(scenario.rows("select key from kv where key like 'channel_site:%'")).toEqual([]);
  expect(elsewhere()).toEqual([]);
});

test('a press with another channel: the card and the answer are in direct messages', async () => {
  const { ben } = people;
  const id = scenario.hosting.world.environmentNamed(hidden)?.id;
  for (const channel of foreign) {
    const press = (value: string, words: Words): Promise<string> =>
      forgePress(scenario, ben, { action: 'run', value, channel }, words);
    await press(`backups list ${id}`, `${hidden} · backups`);
    await press(`cache clear ${id}`, cardOf);
    const [row] = scenario.rows('select channel, requester from changes order by number desc limit 1');
    expect(row).toEqual({ channel: ben.id, requester: ben.id });
  }
  expect(elsewhere()).toEqual([]);
});

test('the auditor of a site sees no line about another, and no reason or rule that may name one', async () => {
  const { ana, ben, chi, fay } = people;
  const reason = `the ${mark}-firm`;
  // Handed on and run, bound, watched, paused and exported: each leaves lines.
  const dee = scenario.person('dee');
  const refused = await said(dee, `cache clear ${hidden} --reason "${reason}"`, 'You may not run cache clear');
  await (await dee.clicks(refused, 'Ask somebody who may')).hears('I asked');
  await ben.opensFrom(await ben.reads('@Dee asks somebody who may'), 'Run it for Dee…', 'page cache');
  await (await ben.confirms({}, ben.direct)).tells('✅');
  await (await ana.says('/site use north-bakery', 'C0GENERAL')).hears('is now bound to north-bakery');
  await (await ana.says('/site use --forget', 'C0GENERAL')).hears('no longer bound');
  await (await ana.says('/site digest north-bakery', ana.direct)).hears('is on until');
  await (await ana.says(`/site digest north-bakery harbor-events`, 'C0GENERAL')).hears('is on until');
  await (await ana.says(`/site changes export ${hidden}`, ana.direct)).hears('as a file');
  await (await chi.says(`/site lock ${open} harbor-lock`, chi.direct)).hears('is locked by you');
  await (await chi.says(`/site pause ${reason}`, chi.direct)).hears('Sending is paused');

  const trail = async (who: TestUser): Promise<string> => {
    const before = scenario.slack.files(who.id).length;
    await said(who, 'audit export jsonl', 'as a file');
    const files = await scenario.slack.until(() => {
      const all = scenario.slack.files(who.id).slice(before);
      return all.length > 0 ? all : undefined;
    });
    const page = await said(who, `audit --since 1h`, 'Audit trail');
    return [page.text, ...files.map(({ text }) => text)].join('\n');
  };
  const [all, own] = [await trail(chi), await trail(fay)];
  for (const event of ['hand_on', 'use', 'digest_start', 'changes_export', 'pause', 'lock'])
    expect([event, all.includes(`"event":"${event}"`)]).toEqual([event, true]);
  expect(all).toContain(`${mark}-firm`);
  expect(own).toContain('harbor-lock');
  expect(own).not.toMatch(/bakery|quince/);
  const rob = scenario.person('rob');
  await said(rob, 'audit export jsonl', 'I found no line among those you can see, so there is no file.');
  expect(scenario.slack.files(rob.id)).toEqual([]);

  expect((await said(chi, `status ${open}`, 'Sending:')).text).toContain(`paused by @Chi since`);
  expect((await said(chi, `status ${open}`, 'Sending:')).text).toContain(`${mark}-firm`);
  for (const line of [`status ${open}`, `changes ${open} --since 1h`]) {
    const shown = await said(fay, line, /paused/);
    expect(shown.text).not.toContain(mark);
  }
  const [rule, part] = [
    await said(chi, `can @fay images ${open}`, 'may run'),
    await said(fay, `can images ${open}`, 'may run'),
  ];
  expect(rule.text).toContain('falcon-team');
  expect(rule.text).toContain('north-bakery/*');
  expect(part.text).toMatch(/Allowed by line \d+ of the policy: allow images where harbor-events\/\*/);
  expect(part.text).not.toMatch(/falcon|bakery/);
  await (await chi.says('/site resume', chi.direct)).hears('Sending is on again');
});

test('what is read while the rules change is not shown, its reader hears so, and no export is noted', async () => {
  const { ana, chi } = people;
  const { hosting } = scenario;
  await said(chi, `lock ${hidden} ${mark}-lock`, 'is locked by you');
  const exports = () => scenario.rows("select seq from audit where event = 'changes_export'").length;
  const before = exports();
  /** The rules change while the host has got the question, and has not answered yet. */
  const whileReading = async (section: string, act: () => Promise<unknown>): Promise<void> => {
    const slow = hosting.faults.add({ kind: 'delay', method: 'GET', section, ms: 60_000, times: 'always' });
    await act();
    await hosting.until(() => (slow.met > 0 ? true : undefined));
    await reloadPolicy(scenario, later);
    hosting.faults.remove();
    hosting.faults.release();
  };
  await whileReading('4.2', () => ana.says(`/site redirects remove ${hidden}`, ana.direct));
  const form = await scenario.slack.until(() =>
    scenario.slack.views(ana.id).modals.find(({ text }) => text !== '' && !text.includes('Looking at the host')),
  );
  expect(form.text).not.toContain(`${mark}-lock`);
  await scenario.slack.closeModal(ana.id, true);

  await reloadPolicy(scenario, policy);
  let answer: Awaited<ReturnType<TestUser['says']>> | undefined;
  await whileReading('4.19', async () => {
    answer = await ana.says(`/site changes export ${hidden}`, ana.direct);
  });
  await answer?.hears('You may no longer see all of this. Nothing was shown.');
  expect(exports()).toBe(before);
  await reloadPolicy(scenario, policy);
  await said(chi, `unlock ${hidden}`, 'is unlocked');
});

test('once the rules changed, what was kept is shown no more, and a hidden change is undone like an absent one', async () => {
  const { ana, ben } = people;
  const line = `themes list in ${hidden}, acme-shop/live`;
  /** What is kept: the line, a word of its answer, and the button that opens more of it. */
  const kept = [
    ['changes', 'Changes · ', 'Next page'],
    ['audit', 'Audit trail', 'Next page'],
    ['environments', 'Environments and domains', 'File'],
    ['allowlist find 203.0.113.77', 'Who lets', 'File'],
    [line, 'Themes · ', 'File'],
    [line, 'Themes · ', 'Update 2 live ones, one first…'],
    [`backups list ${hidden}`, 'backups', 'Share'],
  ] as const;
  const pages = [];
  for (const who of [ana, ben])
    for (const [words, title, label] of kept) pages.push({ who, label, page: await said(who, words, title) });
  // Until then, the buttons work.
  for (const { who, page, label } of pages.filter((one) => one.label === 'Next page'))
    await (await who.clicks(page, label)).hears(/north-bakery/);

  await reloadPolicy(scenario, later);
  for (const { who, page, label } of pages) {
    const pressed = await who.clicks(page, label);
    const heard = await pressed.hears(/Nothing was (shown|done|sent|posted)\./);
    const typed = label === 'Share' || page.text.startsWith('Themes');
    expect(heard.text).toMatch(/You may no longer see all of this|I can't find|You may not run/);
    if (!typed) expect(heard.text).not.toContain('north-bakery');
    expect(pressed.answers()).toHaveLength(1);
    expect(scenario.slack.views(who.id).modals).toEqual([]);
  }
  const [added] = scenario.rows("select number from changes where command = 'allowlist add' and undo is not null");
  const [installation] = scenario.rows('select id from installation');
  const undo = (who: TestUser, number: unknown): Promise<string> =>
    forgePress(
      scenario,
      who,
      { action: 'undo', value: `${String(installation?.['id'])} ${String(number)}`, channel: who.direct },
      /Nothing was (done|sent)/,
    );
  expect(added).toBeDefined();
  expect(await undo(ana, added?.['number'])).toBe(await undo(ana, 99_999));
});

test('a pause names what it holds back only to those who may see it, and counts the rest', async () => {
  const { ana, ben, chi } = people;
  await (await chi.says(`/site pause the ${mark}-firm`, chi.direct)).hears('Sending is paused');
  const held = [
    await chi.asks(`/site cache clear ${hidden}`, chi.direct),
    await chi.asks('/site cache clear acme-shop/live', chi.direct),
  ];
  for (const { shows } of held) await shows('All sending is paused');
  for (const who of [ana, ben]) {
    const { text } = await said(who, 'pause', 'Sending is already paused');
    expect(text).toMatch(/acme-shop\/live\n• and 1 more/);
    expect(text).not.toContain('north-bakery');
  }
  expect((await said(chi, 'pause', 'Sending is already paused')).text).toContain(hidden);
});
