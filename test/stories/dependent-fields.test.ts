import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { FileNode } from '../../src/playground/hosting/resources.ts';
import type { VisibleView } from '../../src/playground/slack/shapes.ts';
import { ids, inScenario, openScenario, patienceMs, type Scenario } from './scenario.ts';
import { expectSoon } from './people.ts';

type Name = keyof typeof ids;
type Control = VisibleView['controls'][number];

const only = 'Only these paths';
const pushForm = 'Overwrite one environment with another.';
const fileList = { method: 'GET', section: '4.20' } as const;

/** One person's view of the forms in a scenario whose fields depend on each other. */
function formsIn(scenario: Scenario) {
  const top = (name: Name): VisibleView | undefined => scenario.slack.views(ids[name]).modals.at(-1);
  const control = (name: Name, label: string): Control | undefined =>
    top(name)?.controls.find((one) => one.label === label);
  const offers = async (name: Name, label: string, typed: string): Promise<readonly string[]> => {
    const { options } = await scenario.slack.suggest(ids[name], 'modal', { label }, typed);
    return options.map((option) => labelIn(option));
  };
  return {
    top,
    control,
    offers,
    labels: (name: Name): readonly string[] => top(name)?.controls.map(({ label }) => label) ?? [],
    /** Fills in an input that updates the form, without waiting for the update. */
    picks: (name: Name, label: string, said: string | readonly string[]) =>
      scenario.slack.pick(ids[name], 'modal', { label }, said),
    /** The field, once it matches. */
    soon: (name: Name, label: string, is: (one: Control | undefined) => boolean) =>
      expectSoon(
        scenario.slack,
        `a fitting ${label}`,
        () => (is(control(name, label)) ? { control: control(name, label) } : undefined),
        () => top(name)?.controls,
      ),
  };
}

/** A file and the folders above it. */
function nested(path: string, above = ''): FileNode {
  const [name = '', ...rest] = path.slice(above.length).split('/');
  const own = `${above}${name}`;
  return rest.length === 0 ? { name, path: own } : { name, path: own, children: [nested(path, `${own}/`)] };
}

const labelIn = (option: unknown): string => /"text":"((?:[^"\\]|\\.)*)"/.exec(JSON.stringify(option))?.[1] ?? '';
const chosen = (one: Control | undefined): readonly string[] =>
  Array.isArray(one?.value) ? one.value.map((option: unknown) => labelIn(option)) : [];
const isSelect = (one: Control | undefined): boolean => one?.type === 'multi_external_select';

describe('a form whose fields depend on each other', () => {
  let scenario: Scenario;
  let forms: ReturnType<typeof formsIn>;
  beforeAll(async () => {
    scenario = await openScenario({ hosting: { durations: { 'environments:push': 0, 'cache:clear': 0 } } });
    forms = formsIn(scenario);
  });
  afterEach(async () => {
    for (const name of ['ana', 'ben'] as const) await scenario.slack.closeModal(ids[name], true).catch(() => undefined);
    scenario.hosting.faults.remove();
    scenario.slack.faults.remove();
  });
  afterAll(() => scenario.close());

  const filesOf = (environment: string): FileNode[] =>
    scenario.hosting.world.environmentNamed(environment)?.files ?? [];
  /** The next write to an environment after that many writes. */
  const sent = (environment: string, after = 0) =>
    scenario.hosting.until(() => {
      const found = scenario.writes(environment).slice(after);
      return found.length > 0 && found.every(({ body }) => body !== undefined) ? found : undefined;
    });
  const fileReads = (): number => scenario.hosting.journal.entries().filter(({ section }) => section === '4.20').length;

  /** The form of a push in which files are ticked and the source is chosen. */
  async function opened(name: Name, from: string, channel = 'C0ACME'): Promise<void> {
    await scenario.person(name).says('/site push', channel);
    await scenario.person(name).form(pushForm);
    await forms.picks(name, 'From', from);
    await forms.picks(name, 'Files', ['yes']);
    await forms.soon(name, only, isSelect);
  }

  test('paths of a push are chosen from the files of its source, and exactly those are sent', async () => {
    const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
    await ana.says('/site push');
    await ana.form(pushForm);
    expect(forms.labels('ana')).toEqual(['From', 'Onto', 'Files', 'Database', 'Search and replace', 'Reason']);
    await forms.picks('ana', 'From', 'acme-shop/live');
    await forms.picks('ana', 'Files', ['yes']);
    await forms.soon('ana', only, isSelect);
    expect(forms.labels('ana')).toContain(only);

    const uploads = await scenario.slack.suggest(ana.id, 'modal', { label: only }, 'uploads/2025');
    expect(uploads.options.length).toBeGreaterThan(3);
    for (const option of uploads.options) {
      expect(option['value']).toMatch(/^\d+$/);
      expect(labelIn(option)).toContain('uploads/2025');
    }
    const filled = { Onto: 'acme-shop/staging', [only]: ['wp-content/uploads/2025', 'robots.txt'] };
    await ana.submits(filled);
    const review = await ana.form('2 paths of acme-shop/staging will be replaced.');
    expect(review.text).toContain('only wp-content/uploads/2025, robots.txt');
    const change = await ana.confirms();
    await chi.clicks(change.card(), 'Approve');
    expect((await sent('acme-shop/staging')).map(({ method, body }) => [method, body])).toEqual([
      ['PUT', expect.objectContaining({ file_list: ['wp-content/uploads/2025', 'robots.txt'] })],
    ]);
  });

  test('unticking the box removes the field; if something is chosen in it, it stays, and the contradiction is explained', async () => {
    await opened('ana', 'acme-docs/live');
    await forms.picks('ana', 'Files', []);
    await forms.soon('ana', only, (one) => one === undefined);
    await forms.picks('ana', 'Files', ['yes']);
    await forms.soon('ana', only, isSelect);
    await scenario.slack.pick(ids.ana, 'modal', { label: only }, ['robots.txt']);
    const before = forms.top('ana')?.blocks;
    await forms.picks('ana', 'Files', []);
    await scenario.slack.until(() => forms.top('ana')?.blocks !== before || undefined);
    expect(chosen(forms.control('ana', only))).toEqual(['robots.txt']);
    const { errors } = await scenario.person('ana').submits({ Onto: 'acme-docs/staging', Database: ['yes'] });
    expect(Object.entries(errors)).toEqual([
      [expect.stringMatching(/^field:only/), expect.stringContaining('Paths only work with files')],
    ]);
    expect(scenario.writes('acme-docs/staging')).toEqual([]);
  });

  test('another source has another list: chosen paths that it lacks are dropped, and the form says so', async () => {
    await opened('ana', 'acme-blog/staging');
    await scenario.slack.pick(ids.ana, 'modal', { label: only }, ['release-42.txt', 'robots.txt']);
    await forms.picks('ana', 'From', 'acme-blog/live');
    await forms.soon('ana', only, (one) => isSelect(one) && !chosen(one).includes('release-42.txt'));
    expect(chosen(forms.control('ana', only))).toEqual(['robots.txt']);
    expect(forms.top('ana')?.text).toContain("because it isn't in this list: release-42.txt.");
    expect(await forms.offers('ana', only, 'release')).toEqual(['release-41.txt']);
  });

  test('a form that Slack does not redraw: its person is told, and what they choose from the old list is not accepted', async () => {
    await opened('ana', 'acme-blog/staging');
    await scenario.slack.pick(ids.ana, 'modal', { label: only }, ['release-42.txt', 'robots.txt']);
    scenario.slack.faults.add({ method: 'views.update', kind: 'rate_limited', retryAfter: '30', times: 1 });
    const said = await scenario.person('ana').says('/site whoami');
    await forms.picks('ana', 'From', 'acme-blog/live');
    await said.hears("Slack didn't confirm that it updated your form after your last change.");
    await scenario.person('ana').submits({ Onto: 'acme-blog/staging' });
    const again = await scenario.person('ana').form('What you chose from was a list for an earlier answer.');
    expect(again.text).toContain("because it isn't in this list: release-42.txt.");
    await scenario.person('ana').submits();
    expect((await scenario.person('ana').form('1 path of acme-blog/staging')).text).toContain('only robots.txt');
  });

  test('when the chosen paths are gone, the push does not become one of everything: they have to be chosen again', async () => {
    const ben = scenario.person('ben');
    await opened('ben', 'acme-shop/staging');
    await scenario.slack.pick(ben.id, 'modal', { label: only }, ['release-42.txt']);
    await forms.picks('ben', 'From', 'acme-shop/live');
    await forms.soon('ben', only, (one) => isSelect(one) && chosen(one).length === 0);
    const sent = await ben.submits({ Onto: 'acme-shop/staging' });
    expect(sent.delivered).toBe(false);
    expect(Object.keys(sent.errors)).toEqual([expect.stringMatching(/^field:only:/)]);
    await forms.picks('ben', 'Files', []);
    await forms.picks('ben', 'Files', ['yes']);
    await forms.soon('ben', only, isSelect);
    expect((await ben.submits({ Onto: 'acme-shop/staging' })).delivered).toBe(true);
    await scenario.slack.closeModal(ben.id, true);
  });

  test('a path of 200 characters is offered with its middle cut and sent whole, once for a review delivered three times', async () => {
    const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
    const path = `abc/${'deep/'.repeat(34)}${'x'.repeat(22)}.txt`;
    expect(path).toHaveLength(200);
    filesOf('acme-blog/staging').push(nested(path));
    await opened('ana', 'acme-blog/staging');
    const { options } = await scenario.slack.suggest(ana.id, 'modal', { label: only }, 'deep/x');
    expect(options.map(labelIn)).toEqual([`${path.slice(0, 24)}…${path.slice(-50)}`]);
    await ana.submits({ Onto: 'acme-blog/live', [only]: options });
    await ana.form('1 path of acme-blog/live will be replaced.');
    scenario.slack.delivery.duplicates = 3;
    const change = await ana
      .confirms({ 'Type acme-blog/live to confirm': 'acme-blog/live' })
      .finally(() => (scenario.slack.delivery.duplicates = 1));
    await chi.clicks(change.card(), 'Approve');
    await scenario.holdBeforeSend(change.number);
    scenario.makeDue(change.number);
    expect(await sent('acme-blog/live')).toMatchObject([{ body: { file_list: [path] } }]);
  });

  test('with a complete command line and a slow host, a waiting view opens at once', async () => {
    scenario.hosting.faults.add({ ...fileList, kind: 'delay', ms: patienceMs });
    const ben = scenario.person('ben');
    await ben.says('/site push acme-docs/live --files');
    await ben.form('Looking at the host…');
    await scenario.endHostDelays();
    await ben.form(pushForm);
    expect(isSelect(forms.control('ben', only))).toBe(true);
    expect(JSON.stringify(forms.control('ben', 'From')?.value)).toContain('acme-docs/live');
  });

  test('if the host cannot be read, the field becomes a text input, and the form says why', async () => {
    scenario.hosting.faults.add({ ...fileList, kind: 'status', status: 401, times: 'always' });
    const [ben, chi] = [scenario.person('ben'), scenario.person('chi')];
    await ben.says('/site push acme-docs/live --files');
    await ben.form('The host rejected my key (401).');
    expect(forms.control('ben', only)?.type).toBe('plain_text_input');
    const wrong = await ben.submits({ Onto: 'acme-docs/staging', [only]: '../secret' });
    expect(wrong.errors['field:only']).toContain('Nothing was done.');
    await ben.submits({ [only]: 'wp-content/themes\nrobots.txt' });
    await ben.form('2 paths of acme-docs/staging will be replaced.');
    const change = await ben.confirms();
    await chi.clicks(change.card(), 'Approve');
    expect(await sent('acme-docs/staging')).toMatchObject([
      { body: { file_list: ['wp-content/themes', 'robots.txt'] } },
    ]);
  });

  test('the list of a form stays as shown: new entries at the host do not shift the choices', async () => {
    const ben = scenario.person('ben');
    await opened('ben', 'acme-shop/live');
    await scenario.slack.pick(ben.id, 'modal', { label: only }, ['robots.txt']);
    filesOf('acme-shop/live').unshift({ name: 'a.txt', path: 'a.txt' }, { name: 'b.txt', path: 'b.txt' });
    expect(await forms.offers('ben', only, 'a.txt')).toEqual([]);
    await ben.submits({ Onto: 'acme-shop/staging' });
    expect((await ben.form('1 path of acme-shop/staging will be replaced.')).text).toContain('only robots.txt');
  });

  test.each(['submitted', 'filled in further'] as const)(
    'open for more than an hour and then %s, it ends in a sentence',
    async (how) => {
      const before = scenario.writes().length;
      const ben = scenario.person('ben');
      await opened('ben', 'acme-shop/live');
      await scenario.slack.pick(ben.id, 'modal', { label: only }, ['robots.txt']);
      // The state of the form is saved a moment later.
      const offersOfOld = () => {
        scenario.runSql('update button_payloads set expires_at = 1');
        return forms.offers('ben', only, '');
      };
      await expect.poll(offersOfOld).toEqual([]);
      if (how === 'submitted') await ben.submits({ Onto: 'acme-shop/staging' });
      else await forms.picks('ben', 'From', 'acme-blog/live');
      const ended = await ben.form('This form is too old. Nothing was done. Open it again.');
      expect(ended.submit).toBeUndefined();
      expect(scenario.writes()).toHaveLength(before);
    },
  );

  test('two themes are chosen from those that have an update', async () => {
    const ana = scenario.person('ana');
    const harvest = scenario.hosting.world
      .environmentNamed('harbor-events/staging')
      ?.themes.find(({ name }) => name === 'harvest');
    Object.assign(harvest ?? {}, { version: '2.7.0' });
    await ana.says('/site themes update', 'C0GENERAL');
    await ana.form('Update themes of an environment');
    expect(forms.control('ana', 'Themes')?.type).toBe('plain_text_input');
    await forms.picks('ana', 'Environment', 'harbor-events/staging');
    await forms.soon('ana', 'Themes', isSelect);
    expect(await forms.offers('ana', 'Themes', '')).toEqual(['harvest', 'kiln']);
    const change = await ana.confirms({ Themes: ['harvest', 'kiln'] }, 'C0GENERAL');
    expect(change.card().text).toContain('Update harvest, kiln on harbor-events/staging');
    expect((await sent('harbor-events/staging'))[0]?.body).toMatchObject({
      themes: [{ name: 'harvest' }, { name: 'kiln' }],
    });
  });

  test('a redirect is chosen by its path; choosing another environment clears it', async () => {
    const ana = scenario.person('ana');
    await ana.says('/site redirects edit', 'C0GENERAL');
    await ana.form('Change where a redirect leads');
    await forms.picks('ana', 'Environment', 'acme-shop/staging');
    await forms.soon('ana', 'From', (one) => one?.type === 'external_select');
    scenario.hosting.world.environmentNamed('north-bakery/staging')?.redirects.splice(2);
    const only = scenario.hosting.world.environmentNamed('acme-shop/staging')?.redirects.at(-1)?.from ?? '';
    await scenario.slack.pick(ana.id, 'modal', { label: 'From' }, only);
    await forms.picks('ana', 'Environment', 'north-bakery/staging');
    await forms.soon('ana', 'From', (one) => one?.type === 'external_select' && !JSON.stringify(one).includes(only));
    expect(await forms.offers('ana', 'From', '')).toEqual(['/old-shop', '/jobs']);
    const change = await ana.confirms({ From: '/jobs', To: '/work' }, 'C0GENERAL');
    expect(change.card().text).toContain('Change the redirect from /jobs on north-bakery/staging');
    expect(await sent('north-bakery/staging')).toMatchObject([{ body: { new_value: { from: '/jobs', to: '/work' } } }]);
  });

  test('where she may not edit redirects, the form reads none and offers none', async () => {
    const ana = scenario.person('ana');
    // What other forms have changed may still be read back.
    const id = scenario.hosting.world.environmentNamed('north-bakery/live')?.id ?? '';
    const reads = () =>
      scenario.hosting.journal
        .entries()
        .filter((entry) => entry.section === '4.2' && JSON.stringify(entry).includes(id));
    await ana.says('/site redirects edit north-bakery/live', 'C0GENERAL');
    await ana.form('Change where a redirect leads');
    const { control } = await forms.soon('ana', 'From', (one) => one !== undefined);
    expect(control?.type).toBe('plain_text_input');
    expect(reads()).toEqual([]);
  });

  test('two people with open forms have separate lists', async () => {
    await Promise.all([opened('ana', 'acme-docs/live'), opened('ben', 'acme-blog/staging', 'C0GENERAL')]);
    const offered = await Promise.all([forms.offers('ana', only, 'release'), forms.offers('ben', only, 'release')]);
    expect(offered).toEqual([['release-41.txt'], ['release-42.txt', expect.stringContaining('…')].slice(0, 1)]);
    await Promise.all([
      scenario.person('ana').submits({ Onto: 'acme-docs/staging', [only]: ['release-41.txt'] }),
      scenario.person('ben').submits({ Onto: 'acme-blog/live', [only]: ['release-42.txt'] }),
    ]);
    expect((await scenario.person('ana').form('1 path of acme-docs/staging')).text).toContain('only release-41.txt');
    expect((await scenario.person('ben').form('1 path of acme-blog/live')).text).toContain('only release-42.txt');
  });

  test('of two quick changes the later one is shown, whichever the host answers first', async () => {
    await opened('ana', 'acme-docs/staging');
    const before = fileReads();
    scenario.hosting.faults.add({ ...fileList, kind: 'delay', ms: patienceMs, times: 1 });
    const slow = await forms.picks('ana', 'From', 'acme-docs/live');
    await scenario.hosting.until(() => fileReads() > before || undefined);
    await forms.picks('ana', 'From', 'acme-blog/live');
    await forms.soon('ana', only, (one) => isSelect(one) && one?.block_id !== undefined && fileReads() === before + 2);
    await scenario.endHostDelays();
    await scenario.hosting.until(
      () => scenario.hosting.journal.entries().every(({ state }) => state !== 'received') || undefined,
    );
    // The earlier one again, as Slack redelivers it without an ack.
    await scenario.slack.redeliver(slow.envelope ?? '');
    await forms.picks('ana', 'Files', ['yes']);
    await forms.soon('ana', only, isSelect);
    expect(await forms.offers('ana', only, 'themes/quill')).toEqual([]);
    expect((await forms.offers('ana', only, 'themes/paperwhite')).length).toBeGreaterThan(0);
  });

  test('submitted while it is redrawn, the review stays', async () => {
    await opened('ana', 'acme-docs/staging');
    scenario.hosting.faults.add({ ...fileList, kind: 'delay', ms: patienceMs, times: 1 });
    const calls = scenario.slack.calls().length;
    await forms.picks('ana', 'From', 'acme-docs/live');
    await scenario.person('ana').submits({ Onto: 'acme-docs/staging' });
    await scenario.person('ana').form('All files of acme-docs/staging will be replaced.');
    await scenario.endHostDelays();
    await scenario.slack.until(
      () =>
        scenario.slack
          .calls()
          .slice(calls)
          .some(({ result }) => result === 'hash_conflict') || undefined,
    );
    expect(forms.top('ana')?.text).toContain('All files of acme-docs/staging will be replaced.');
  });

  test('a submission delivered twice is one change', async () => {
    const before = scenario.writes('lumen-studio/staging').length;
    const ben = scenario.person('ben');
    await ben.says('/site allowlist add lumen-studio/staging', 'C0GENERAL');
    await ben.form('Let addresses in over SSH');
    scenario.slack.delivery.duplicates = 3;
    const change = await ben
      .confirms({ Addresses: '198.51.100.77' }, 'C0GENERAL')
      .finally(() => (scenario.slack.delivery.duplicates = 1));
    await sent('lumen-studio/staging', before);
    expect(scenario.writes('lumen-studio/staging')).toHaveLength(before + 1);
    expect(
      scenario.rows('select count(*) as n from changes where requester = ? and number >= ?', ids.ben, change.number),
    ).toEqual([{ n: 1 }]);
  });

  test('the shortcut opens the picker, and the card is posted in direct messages', async () => {
    const ben = scenario.person('ben');
    await scenario.slack.shortcut(ben.id, 'pick');
    await ben.form('What do you want to do?');
    await ben.submits({ Command: 'cache clear' });
    await ben.form('Clear the page cache');
    const change = await ben.confirms({ Environment: 'harbor-events/live' }, ben.direct);
    expect(change.channel).toBe(ben.direct);
    expect(await sent('harbor-events/live')).toHaveLength(1);
  });

  test('the most recently used targets are offered first', async () => {
    const ben = scenario.person('ben');
    await ben.asks('/site cache clear north-bakery/live', 'C0GENERAL');
    await ben.says('/site backups list', 'C0GENERAL');
    await ben.form('List backups of one');
    const offered = await forms.offers('ben', 'Environment', '');
    expect(offered[0]).toBe('north-bakery/live');
    expect(new Set(offered).size).toBe(offered.length);
    expect((await forms.offers('ben', 'Environment', 'acme'))[0]).toMatch(/^acme-/);
  });
});

test(
  'suggestions while typing do not ask the host',
  inScenario({}, async (scenario) => {
    const forms = formsIn(scenario);
    await scenario.person('ana').says('/site push acme-shop/live --files');
    await scenario.person('ana').form(pushForm);
    const before = scenario.hosting.journal.entries().length;
    for (const typed of ['', 'a', 'ac', 'acm', 'acme', 'liv', 'staging', 'zzz', '2025', 'wp-']) {
      await forms.offers('ana', 'From', typed);
      await forms.offers('ana', 'Onto', typed);
      await forms.offers('ana', only, typed);
    }
    expect(scenario.hosting.journal.entries()).toHaveLength(before);
  }),
);

const policy = `
version: 1
live: ['*/live']
groups: { developers: [U01ANA], guests: [U02BEN] }
rules:
  - { allow: [read, routine], to: [developers] }
  - { allow: [read], to: [guests], where: ['acme-blog/*'] }
`;

describe('unusual names', () => {
  const names = ['Bäckerei Süß & Söhne', '🛒 shop', 'left\u200Fright', 'twin', 'twin'];

  test(
    'are suggested, chosen, typed by id and cleared, whatever characters they have; two equal names by the ends of their ids',
    inScenario({ policy, start: false }, async (scenario) => {
      const { world } = scenario.hosting;
      const added = names.map((name) => {
        const site = structuredClone(world.sites[0]);
        if (site === undefined) throw new Error('there is no site');
        Object.assign(site, { id: randomUUID(), name, displayName: name });
        for (const env of site.environments) Object.assign(env, { id: randomUUID(), siteId: site.id });
        world.sites.push(site);
        return site.environments[0]?.id ?? '';
      });
      await scenario.start();
      const forms = formsIn(scenario);
      const ana = scenario.person('ana');
      for (const [at, typed] of ['backerei', 'shop', 'left', 'twin', 'twin'].entries()) {
        const id = added[at] ?? '';
        await ana.says('/site cache clear', 'C0GENERAL');
        await ana.form('Clear the page cache');
        const { options } = await scenario.slack.suggest(ana.id, 'modal', { label: 'Environment' }, typed);
        const option = options.find(({ value }) => value === id);
        expect(labelIn(option)).toMatch(
          typed === 'twin' ? new RegExp(`^twin/live \\(…${id.slice(-4)}\\)$`) : /\/live$/,
        );
        const change = await ana.confirms({ Environment: option ?? '' }, 'C0GENERAL');
        const sent = () => scenario.writes().filter(({ body }) => JSON.stringify(body)?.includes(id));
        await scenario.hosting.until(() => sent()[0]);
        const again = await ana.asks(`/site cache clear ${id}`, 'C0GENERAL');
        await scenario.hosting.until(() => sent()[1]);
        expect([change.card().text, again.card().text]).toEqual([
          expect.stringContaining(labelIn(option).split(' ')[0] ?? ''),
          expect.stringContaining(labelIn(option).split(' ')[0] ?? ''),
        ]);
      }
      const ben = scenario.person('ben');
      await ben.says('/site backups list', 'C0GENERAL');
      await ben.form('List backups of one');
      expect(await forms.offers('ben', 'Environment', '')).toEqual(['acme-blog/live', 'acme-blog/staging']);
      expect(await forms.offers('ben', 'Environment', 'twin')).toEqual([]);
    }),
  );
});
