import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openScenario, type Scenario } from './scenario.ts';

const policy = `
version: 1
live: ['*/live']
groups:
  developers: [U01ANA, U02BEN, U05FAY]
  leads: [U03CHI]
rules:
  - { allow: [read], to: everyone }
  - { allow: [push, delete], to: [developers], approval: { by: [leads], count: 1, expires: 1h } }
`;

const everything = 'Everything that will be sent';

let scenario: Scenario;
beforeAll(async () => {
  const durations = { 'environments:push': 0, 'environments:delete': 0, 'cache:clear': 0 };
  scenario = await openScenario({ policy, hosting: { durations } });
});
afterAll(() => scenario.close());

const idOf = (environment: string): string | undefined => scenario.hosting.world.environmentNamed(environment)?.id;

describe.concurrent('promise 5: what was shown is what is sent:', () => {
  test('a typed push: its name typed to confirm, approved by a lead, held for Stop, sent once, followed to its end', async () => {
    const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
    const line = '/site push acme-shop/staging acme-shop/live --database --files --reason "release 42"';
    const review = await ana.opens(line, 'Nothing is sent until it is approved');
    expect(review.text).toContain('The DATABASE and all files of acme-shop/live will be replaced.');
    expect(review.submit).toBe('Ask for approval');
    const change = await ana.confirms({ 'Type acme-shop/live to confirm': 'acme-shop/live' });
    expect(change.card().text).toMatch(
      /^⏳ Push acme-shop\/staging → acme-shop\/live: database and all files · #\d+\nAsked by @Ana · “release 42”/,
    );
    await change.tells(/^@Chi: this is waiting for your approval until /);
    await chi.clicks(change.card(), 'Approve');
    const reply = await change.tells('Approved by @Chi. Sending in 10 s.');
    expect(reply.controls.map(({ label }) => label)).toEqual(['Stop']);
    await scenario.holdBeforeSend(change.number);
    expect(scenario.writes('acme-shop/live')).toEqual([]);
    scenario.makeDue(change.number);
    const done = await change.tells(/^✅ Done after \d+ s: the host reports it finished\./);
    expect(done.controls.map(({ label }) => label)).toEqual([
      'Clear the cache of acme-shop/live',
      'Error log since the push',
    ]);
    const [write, ...more] = scenario.writes('acme-shop/live');
    expect(more).toEqual([]);
    expect(write).toMatchObject({ method: 'PUT', section: '4.9' });
    expect(write?.path).toBe(
      `/sites/${scenario.hosting.world.environmentNamed('acme-shop/live')?.siteId}/environments`,
    );
    expect(write?.body).toEqual({
      source_env_id: idOf('acme-shop/staging'),
      target_env_id: idOf('acme-shop/live'),
      push_db: true,
      push_files: true,
      run_search_and_replace: false,
      push_files_option: 'ALL_FILES',
    });
    expect(scenario.hosting.world.environmentNamed('acme-shop/live')?.database.from).toContain('acme-shop/staging');
    const card = await change.shows('✅ Pushed acme-shop/staging → acme-shop/live: database and all files');
    expect(card.text).toContain('Approved by  @Chi, ');
    const ids = ['acme-shop/live', 'acme-shop/staging'].map((name) => `${name} …${idOf(name)?.slice(-4)}`);
    for (const hidden of ['Fingerprint', ...ids]) expect(card.text).not.toContain(hidden);
    const story = await (await chi.says(`/site change ${change.number}`)).hears('Fingerprint: ');
    expect(story.text).toContain(`Ids: ${ids.join(', ')}\n`);
    expect(story.text).toMatch(
      /^✅ Pushed [^]*\nState: Done[^]*\nWarned beforehand: The DATABASE .* will be replaced\./,
    );
    expect(card.controls).toEqual([]);
    expect((await change.tells('Approved by @Chi. Sending in 10 s.')).controls).toEqual([]);
  });

  test('a push by form: missing and impossible values are errors at their fields', async () => {
    const [ben, chi] = [scenario.person('ben'), scenario.person('chi')];
    const unsaid = 'What should be pushed? Nothing was done.';
    const form = await ben.opens('/site push acme-blog/live acme-blog/staging', unsaid, 'C0GENERAL');
    const labels = ['From', 'Onto', 'Files', 'Database', 'Search and replace', 'Reason'];
    expect(form.controls.map(({ label }) => label)).toEqual(labels);
    const wrong = [
      [{}, 'files', unsaid],
      [{ Files: ['yes'], Onto: 'acme-blog/live' }, 'onto', 'From and onto are both acme-blog/live.'],
      [{ Onto: 'acme-docs/staging' }, 'onto', 'A push stays inside one site.'],
    ] as const;
    for (const [filled, field, says] of wrong) {
      const { errors } = await ben.submits(filled);
      expect(Object.keys(errors)).toEqual([`field:${field}`]);
      expect(errors[`field:${field}`]).toContain(says);
    }
    await scenario.slack.pick(ben.id, 'modal', { label: 'Files' }, ['yes']);
    await ben.form('Only these paths');
    const rest = { Onto: 'acme-blog/staging', 'Search and replace': ['yes'], Reason: 'a fresh copy' };
    await ben.submits({ 'Only these paths': ['wp-content/themes'], ...rest });
    const review = await ben.form('1 path of acme-blog/staging will be replaced.');
    expect(review.text).not.toContain('DATABASE');
    expect(review.controls.map(({ label }) => label)).toEqual([everything, 'Reason']);
    const change = await ben.confirms({}, 'C0GENERAL');
    expect(change.card().text).toContain('“a fresh copy”');
    await chi.clicks(change.card(), 'Approve');
    expect((await change.tells('Approved by @Chi. Sending it now.')).controls).toEqual([]);
    await change.tells(/^✅ Done after /);
    expect(scenario.writes('acme-blog/staging').map(({ body }) => body)).toEqual([
      {
        source_env_id: idOf('acme-blog/live'),
        target_env_id: idOf('acme-blog/staging'),
        push_db: false,
        push_files: true,
        run_search_and_replace: true,
        push_files_option: 'SPECIFIC_FILES',
        file_list: ['wp-content/themes'],
      },
    ]);
  });

  test('a deletion: its name is typed letter by letter, and the card remains when the environment is gone', async () => {
    const [fay, chi] = [scenario.person('fay'), scenario.person('chi')];
    const id = idOf('acme-docs/staging');
    const lost = 'acme-docs/staging will be deleted, with its files and its database.';
    const review = await fay.opens('/site delete acme-docs/staging', lost, 'C0OPS');
    expect(review.controls.map(({ label }) => label)).toEqual([
      everything,
      'Reason',
      'Type acme-docs/staging to confirm',
    ]);
    const wrong = [
      ['acme-docs/live', 'This is not acme-docs/staging. Nothing was done.'],
      ['acme-docs/Staging', 'This is not acme-docs/staging. Capitals count: it has “S” where the name has “s”.'],
      ['acme-docs/st\u0430ging', 'This is not acme-docs/staging. It has “\u0430” (U+0430) in it. Nothing was done.'],
      ['acme-docs/\uFF53taging', 'This is not acme-docs/staging. It has “\uFF53” (U+FF53) in it. Nothing was done.'],
      ['acme-docs/sta\u200Bging', 'There is a character that cannot be seen (U+200B) after “cme-docs/sta”.'],
      ['acme-docs/\u202Estaging', 'There is a character that cannot be seen (U+202E)'],
    ] as const;
    for (const [typed, says] of wrong) {
      const { errors } = await fay.submits({ 'Type acme-docs/staging to confirm': typed });
      expect(Object.keys(errors)).toEqual(['field:typed_name']);
      expect(errors['field:typed_name']).toContain(says);
    }
    expect(scenario.rows('select * from changes where requester = ?', fay.id)).toEqual([]);
    const change = await fay.confirms({ 'Type acme-docs/staging to confirm': 'acme-docs/staging' }, 'C0OPS');
    await chi.clicks(change.card(), 'Approve');
    await change.tells('Approved by @Chi. Sending in 10 s.\n[Stop]');
    scenario.makeDue(change.number);
    await change.tells(/^✅ Done after /);
    const card = await change.shows('✅ Deleted acme-docs/staging');
    // The announced deletion has happened.
    expect(card.text).not.toContain("I can't undo this");
    expect(idOf('acme-docs/staging')).toBeUndefined();
    const writes = scenario.hosting.journal.entries().filter(({ path }) => path === `/sites/environments/${id}`);
    expect(writes.map(({ method, body }) => [method, body])).toEqual([['DELETE', undefined]]);
  });
});
