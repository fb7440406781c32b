import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ids, inScenario, openScenario, patienceMs, type Scenario } from './scenario.ts';

describe('forms', () => {
  let scenario: Scenario;
  beforeAll(async () => {
    scenario = await openScenario();
  });
  afterAll(() => scenario.close());

  test.concurrent('an incomplete command opens a form with the typed values; errors are shown at their fields; then it runs', async () => {
    const ana = scenario.person('ana');
    await ana.says('/site allowlist add acme-shop/staging', 'C0GENERAL');
    const form = await ana.form('Let addresses in over SSH and SFTP');
    expect(form.controls.map(({ label }) => label)).toEqual([
      'Environment',
      'Addresses',
      'Remove again after',
      'Reason',
    ]);
    expect(JSON.stringify(form.controls[0]?.value)).toContain('acme-shop/staging');

    const wrong = await ana.submits({ Addresses: '010.0.0.1' });
    expect(Object.keys(wrong.errors)).toEqual(['field:addresses']);
    const both = await ana.submits({ Addresses: '198.51.100.9', 'Remove again after': 'soon' });
    expect(Object.keys(both.errors)).toEqual(['field:for']);
    expect(scenario.writes('acme-shop/staging')).toEqual([]);

    const change = await ana.confirms({ 'Remove again after': '2h', Reason: 'a visit' }, 'C0GENERAL');
    await change.tells('✅ 198.51.100.9 is on the SSH allowlist of acme-shop/staging');
    const words = await ana.says(`/site change ${change.number}`, 'C0GENERAL');
    await words.hears(/“a visit”.*2h after it is done/s);
  });

  test.concurrent('the picker leads to a form, the form to a review, the review to a card', async () => {
    const ben = scenario.person('ben');
    await ben.says('/site', 'D0U02BEN');
    await ben.form('What do you want to do?');
    await ben.submits({ Command: 'More…' });
    await ben.submits({ Command: 'allowlist remove' });
    await ben.form('Remove addresses');
    scenario.hosting.world.environmentNamed('acme-docs/live')?.allowlist.splice(0, Infinity, '192.0.2.1', '192.0.2.2');
    await ben.submits({ Environment: 'acme-docs/live', Addresses: '192.0.2.1' });
    await ben.form('List after');
    const change = await ben.confirms({ Reason: 'moved' }, 'D0U02BEN');
    await change.tells('✅ 192.0.2.1 is not on the SSH allowlist of acme-docs/live any more');
    expect(scenario.writes('acme-docs/live')).toHaveLength(1);
  });

  test.concurrent('suggestions match what was typed, among the names that the person may read', async () => {
    const chi = scenario.person('chi');
    await chi.says('/site backups list', 'C0OPS');
    await chi.form('List backups of one');
    const all = await scenario.slack.suggest(chi.id, 'modal', { label: 'Environment' }, 'BLOG');
    expect(JSON.stringify(all.options)).toContain('acme-blog/live');
    expect(all.options).toHaveLength(2);
    const said = await chi.says('/site whoami', 'C0OPS');
    await said.hears('U03CHI');
  });

  test.concurrent('an empty list is refused; with --empty it is sent, with a warning', async () => {
    const ana = scenario.person('ana');
    const docs = scenario.hosting.world.environmentNamed('north-bakery/staging');
    docs?.allowlist.splice(0, Infinity, '192.0.2.1');
    const refused = await ana.says('/site allowlist remove north-bakery/staging 192.0.2.1', 'G0BAKERY');
    await refused.hears('This would leave the SSH allowlist of north-bakery/staging empty. Nothing was changed.');
    const change = await ana.asks('/site allowlist remove north-bakery/staging 192.0.2.1 --empty', 'G0BAKERY');
    expect(change.card().text).toContain('The list will be empty.');
    await change.tells('✅ 192.0.2.1 is not on the SSH allowlist of north-bakery/staging any more');
    expect(docs?.allowlist).toEqual([]);
  });

  test.concurrent('a dry run shows the call and sends nothing', async () => {
    const ben = scenario.person('ben');
    const said = await ben.says('/site cache clear lumen-studio/live --dry-run', 'C0OPS');
    const shown = await said.hears('Dry run: Clear the cache of lumen-studio/live');
    expect(shown.text).toContain('POST /sites/tools/clear-cache');
    expect(scenario.writes('lumen-studio/live')).toEqual([]);
  });
});

describe('a form', () => {
  let scenario: Scenario;
  beforeAll(async () => {
    scenario = await openScenario();
  });
  afterEach(async () => {
    for (const name of ['ana', 'ben'] as const) await scenario.slack.closeModal(ids[name], true).catch(() => undefined);
    scenario.slack.faults.remove();
    scenario.hosting.faults.remove();
  });
  afterAll(() => scenario.close());

  test('by mention in a thread: no target means the change’s, a bare name its sibling, and a button opens it', async () => {
    const ana = scenario.person('ana');
    const change = await ana.asks('/site cache clear acme-shop/staging');
    const shown = await ana.mentions('allowlist show', 'C0ACME', change.ts);
    await shown.hears('acme-shop/staging · SSH allowlist');
    const sibling = await ana.mentions('backups list live', 'C0ACME', change.ts);
    await sibling.hears('acme-shop/live · backups');
    // Whoever reads only the thread hears where the card of another change is.
    const another = await ana.mentions('cache clear', 'C0ACME', change.ts);
    await another.hears(/^#\d+ is on its way\. Its card is in #acme-shop\.$/);

    const needsForm = await ana.mentions('allowlist add live 198.51.100.4', 'C0ACME', change.ts);
    const offer = await needsForm.hears('This needs a form. Nothing was done yet.');
    await ana.clicks(offer, 'Open the form');
    await ana.form('Let 198.51.100.4 in over SSH on acme-shop/live');
    const added = await ana.confirms();
    await added.tells('✅ 198.51.100.4 is on the SSH allowlist of acme-shop/live');
  });

  test('by mention, and too long for the button that would open it: is refused with the way that works', async () => {
    const many = Array.from({ length: 50 }, (_, at) => `2001:1db8:1234:5678:9abc:def0:1234:${at + 1_000}`).join(' ');
    const said = await scenario.person('ana').mentions(`allowlist add acme-shop/live ${many}`);
    const refused = await said.hears(
      'This needs a form, and is too long for the button that opens it. Nothing was done.',
    );
    expect(refused.text).toContain('Type it as a slash command.');
  });

  test('of a long slash command that Slack does not open is not told to be typed as a slash command', async () => {
    const many = Array.from({ length: 50 }, (_, at) => `2001:1db8:1234:5678:9abc:def0:1234:${at + 1_000}`).join(' ');
    scenario.slack.faults.add({ method: 'views.open', kind: 'error', error: 'expired_trigger_id', times: 1 });
    const said = await scenario.person('ana').says(`/site allowlist add acme-shop/live ${many}`);
    const { text } = await said.hears('too long for the button that opens it. Nothing was done.');
    expect(text).toContain("Slack didn't open the form this time. Please try again.");
    expect(text).not.toContain('slash command');
  });

  test('keeps the options typed with it: --dry-run sends nothing, and --queue waits', async () => {
    const [ana, before] = [scenario.person('ana'), scenario.writes().length];
    const dry = await ana.says('/site cache clear --dry-run');
    await ana.form('Environment');
    await ana.submits({ Environment: 'acme-docs/staging' });
    await dry.hears('Dry run: Clear the cache of acme-docs/staging');
    const lock = {
      person: ids.chi,
      at: Date.now(),
      id: scenario.hosting.world.environmentNamed('acme-docs/staging')?.id,
    };
    scenario.runSql(
      "insert into locks (target, person, reason, taken_at) values ('environment:' || ?, ?, 'a release', ?)",
      lock.id ?? '',
      lock.person,
      lock.at,
    );
    const queued = await ana.says('/site cache clear --queue');
    await ana.form('Environment');
    await ana.submits({ Environment: 'acme-docs/staging' });
    await queued.hears(/You're number 1 in the queue.* acme-docs\/staging is locked by @Chi/);
    expect(scenario.writes()).toHaveLength(before);
    scenario.runSql("delete from waiting where kind = 'queue'");
    scenario.runSql('delete from locks');
  });

  test('promise 5: the review is out of date when submitted: it is shown again, and nothing is sent', async () => {
    const before = scenario.writes().length;
    const ana = scenario.person('ana');
    await ana.says('/site allowlist add acme-blog/live 198.51.100.4');
    await ana.form('List before');
    scenario.hosting.world.environmentNamed('acme-blog/live')?.allowlist.push('192.0.2.9');
    await ana.submits();
    const anew = await ana.form('This changed while you were reading it. Nothing was done yet. Please look again.');
    expect(anew.text).toContain('192.0.2.9');
    expect(scenario.writes()).toHaveLength(before);
    const added = await ana.confirms();
    await added.tells('✅ 198.51.100.4 is on the SSH allowlist of acme-blog/live');
    const [write] = scenario.writes().slice(before);
    expect(JSON.stringify(write?.body)).toMatch(/192\.0\.2\.9","198\.51\.100\.4"\]/);
  });

  test('closed before it is drawn, it ends silently; submitted, it closes and answers privately', async () => {
    const before = scenario.writes().length;
    const calls = scenario.slack.calls().length;
    const [ana, ben] = [scenario.person('ana'), scenario.person('ben')];
    scenario.hosting.faults.add({ kind: 'delay', method: 'GET', section: '4.17', ms: patienceMs });
    const opened = await ana.says('/site allowlist add acme-docs/live 198.51.100.4');
    await ana.form('Looking at the host');
    await scenario.slack.closeModal(ana.id);
    await scenario.endHostDelays();
    await scenario.slack.until(() =>
      scenario.slack
        .calls()
        .slice(calls)
        .find(({ result }) => result === 'not_found'),
    );
    expect(opened.answers()).toEqual([]);

    await ben.says('/site allowlist add acme-docs/live 198.51.100.5');
    await ben.form('List before');
    scenario.hosting.world.environmentNamed('acme-docs/live')?.allowlist.push('198.51.100.5');
    const sent = await ben.submits();
    expect(scenario.slack.views(ben.id).modals).toEqual([]);
    await sent.hears('198.51.100.5 is already on the SSH allowlist of acme-docs/live. Nothing was changed.');
    expect(scenario.writes()).toHaveLength(before);
  });

  test('too late for its trigger, a button offers it', async () => {
    scenario.slack.faults.add({ method: 'views.open', kind: 'error', error: 'expired_trigger_id', times: 1 });
    const ana = scenario.person('ana');
    const said = await ana.says('/site allowlist add acme-docs/live 198.51.100.4');
    const offer = await said.hears('This needs a form. Nothing was done yet.');
    await ana.clicks(offer, 'Open the form');
    await ana.form('Let 198.51.100.4 in over SSH');
  });
});

test(
  'opened before a restart, it still works',
  inScenario({}, async (scenario) => {
    const ana = scenario.person('ana');
    await ana.says('/site allowlist add acme-shop/live 198.51.100.4');
    await ana.form('List before');
    await scenario.stop();
    await scenario.start();
    const added = await ana.confirms();
    await added.tells('✅ 198.51.100.4 is on the SSH allowlist of acme-shop/live');
    expect(scenario.writes()).toHaveLength(1);
  }),
);
