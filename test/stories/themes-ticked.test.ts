import { expect, test } from 'vitest';
import type { VisibleMessage, VisibleView } from '../../src/playground/slack/shapes.ts';
import { eventually, manySites, writeCounts } from './batch.ts';
import { ids, inScenario, type Scenario } from './scenario.ts';

/** The themes of an offer are ticked in a form: what is not ticked is not sent, nor sent to anywhere else. */

const policy = `
version: 1
live: ["*/live"]
groups: { developers: [U01ANA, U02BEN], some: [U06ROB], readers: [U05EVE] }
rules:
  - { allow: [read], to: [developers, some, readers] }
  - { allow: ["themes update"], to: [developers] }
  - { allow: ["themes update"], to: [some], where: ["acme-shop/*", "north-bakery/*"] }
`;
const company = '/company/*/wp-themes';
const durations = { 'wp-themes:bulk-update': 0 };
const lives = ['acme-blog/live', 'acme-docs/live', 'acme-shop/live', 'harbor-events/live', 'north-bakery/live'];
const [updateAll, updateFixed] = ['Update 5 live ones, one first…', 'Update 2 live ones, one first…'];

/** The themes that were sent for each of these environments. */
const sent = ({ writes }: Scenario, names = lives): readonly unknown[] =>
  names.map((name) => writes(name).flatMap(({ body }) => JSON.stringify(body).match(/"themes":.*?\]/)));

const listed = async (scenario: Scenario, line: string, who: 'ana' | 'rob' = 'ana'): Promise<VisibleMessage> =>
  (await scenario.person(who).says(`/site themes list ${line}`, 'C0GENERAL')).hears(/themes? · \d|Updates of themes/i);

const boxes = ({ controls }: VisibleView) => controls.filter(({ type }) => type === 'checkboxes');
const words = (view: VisibleView): readonly string[] => boxes(view).flatMap(({ options = [] }) => options);

/** The host lists these themes instead of its own, all with an update from 1 to 2. */
const lists = (scenario: Scenario, themes: Readonly<Record<string, readonly string[]>>): void => {
  const items = Object.entries(themes).map(([name, on]) => ({
    name,
    environment_count: on.length,
    environments: on.map((env) => ({
      id: scenario.hosting.world.environmentNamed(env)?.id,
      theme_version: '1',
      theme_update: 'available',
      theme_update_version: '2',
      is_theme_version_vulnerable: true,
      is_theme_update_version_vulnerable: false,
    })),
  }));
  const body = { company: { themes: { total: items.length, items } } };
  scenario.hosting.faults.add({ kind: 'status', status: 200, body, path: company, times: 'always' });
};

test(
  'all are ticked; an unticked theme is not sent, and an environment with none of the ticked ones takes no part',
  // None counts as live, so that no site has to be watched before the others follow.
  inScenario({ policy: policy.replace('*/live', '*/production'), hosting: { durations } }, async (scenario) => {
    const ana = scenario.person('ana');
    const page = await listed(scenario, '--only updates in */live except lumen-studio/live');
    await ana.clicks(page, 'Update 5 that are not live…');
    const form = await ana.form('6 themes on 5 environments.');
    expect(form.text).toContain('Live: none of them\nNot live: 5 · acme-blog/live, acme-docs/live');
    expect(form.text).toContain('storefront-plus\n4.1.2 → 4.3.0 · 1 environment');
    expect(form.text).toContain('kiln\n2 versions → 1.0.7 · 2 environments');
    const [box] = boxes(form);
    expect(box?.value).toHaveLength(6);
    await ana.submits({ Themes: ['kiln', 'meridian'] });
    const review = await ana.form('Update kiln, meridian on 3 environments');
    expect(review.text).toContain('Not live: 3 · acme-blog/live, acme-shop/live, harbor-events/live');
    expect(scenario.writes()).toEqual([]);
    const card = await ana.confirms({}, 'C0GENERAL');
    await card.tells('All are done.');
    const only = (name: string): readonly string[] => [`"themes":[{"name":"${name}"}]`];
    expect(sent(scenario)).toEqual([only('kiln'), [], only('meridian'), only('kiln'), []]);
  }),
);

test(
  'nothing ticked is an error at the field, and so is every environment left out; one still goes first without the first',
  inScenario({ policy }, async (scenario) => {
    const ana = scenario.person('ana');
    const many = Array.from({ length: 23 }, (_, at) => `theme-${String(at).padStart(2, '0')}`);
    lists(scenario, Object.fromEntries(many.map((name, at) => [name, lives.slice(at % 2, 4)])));
    const page = await listed(scenario, '--only vulnerable in */live except lumen-studio/live');
    await ana.clicks(page, 'Update 4 live ones, one first…');
    const form = await ana.form('23 themes on 4 environments.');
    expect(form.text).toContain('Goes first, alone: one of them; the review says which');
    expect(boxes(form).map(({ label, options }) => [label, options?.length])).toEqual([
      ['Themes 1–10 of 23', 10],
      ['Themes 11–20 of 23', 10],
      ['Themes 21–23 of 23', 3],
    ]);
    const none = Object.fromEntries(boxes(form).map(({ label }) => [label, []]));
    const { errors } = await ana.submits(none);
    expect(errors).toEqual({ 'field:checklist:0': 'Tick at least one theme. Nothing was done.' });
    const left = await ana.submits({ 'Themes 21–23 of 23': ['21'], 'Leave out': lives.slice(1, 4) });
    expect(left.errors).toEqual({ 'field:leave-out': 'Every environment was left out. Nothing was done.' });
    await ana.submits({ 'Themes 21–23 of 23': ['20', '22'], 'Leave out': ['acme-blog/live'] });
    const review = await ana.form('Update theme-20, theme-22 on 3 environments');
    expect(review.text).toContain('Goes first, alone: acme-docs/live;');
    expect(scenario.writes()).toEqual([]);
  }),
);

test(
  'odd names are not offered, and long ones fit',
  inScenario({ policy }, async (scenario) => {
    const ana = scenario.person('ana');
    const long = `a${'-long'.repeat(19)}`;
    const odd = ['*bold* <!channel>', '<https://evil.example|kiln>', '--dry-run', 'a,b', 'x'.repeat(101), 'ki\u202eln'];
    lists(scenario, Object.fromEntries([...odd, long, '<b>', 'fine'].map((name) => [name, lives])));
    const page = await listed(scenario, '--only vulnerable in */live except lumen-studio/live');
    await ana.clicks(page, updateAll);
    const form = await ana.form('2 themes on 5 environments.');
    expect(form.text).toContain("Not in the list: 7 themes with a name that I can't send.");
    expect(words(form).join()).not.toMatch(/evil|channel|dry-run/);
    expect(words(form).every((word) => word.length <= 75)).toBe(true);
    expect(form.text).not.toContain('evil');
    await ana.submits({ Themes: ['fine'] });
    await ana.form('Update fine on 5 environments');
    expect(scenario.writes()).toEqual([]);
  }),
);

test(
  'an offer for more environments than a button can carry has a form too',
  inScenario({ policy, hosting: { plan: manySites(80) } }, async (scenario) => {
    const ana = scenario.person('ana');
    const page = await (await ana.says('/site themes list --only updates in */live')).hears('80 environments');
    await ana.clicks(page, 'Update 80 live ones, one first…');
    const form = await ana.form('2 themes on 80 environments.');
    expect(form.text).toContain('Live: 80 · many-000/live, many-001/live');
    expect(form.text).toContain('kiln\n1.0.6 → 1.0.7 · 80 environments');
    expect(form.private_metadata.length).toBeLessThan(300);
    // Until it is written, the page is in the bot's memory too.
    await scenario.stop();
    await scenario.start();
    scenario.runSql('update button_payloads set expires_at = 1');
    await ana.submits();
    await ana.form('This form is too old. Nothing was done. Open it again.');
    await (
      await ana.clicks(page, 'Update 80 live ones, one first…')
    ).hears('This button is too old. Nothing was done.');
    expect(scenario.writes()).toEqual([]);
  }),
);

test(
  'rights are checked when the form opens and again when it is submitted',
  inScenario({ policy }, async (scenario) => {
    const [ana, rob] = [scenario.person('ana'), scenario.person('rob')];
    const asked = '--only vulnerable in */live except lumen-studio/live';
    // What Rob may not update is neither in his form nor goes first.
    const robs = await listed(scenario, '--only updates in */live except lumen-studio/live', 'rob');
    await rob.clicks(robs, updateAll);
    const form = await rob.form('4 themes on 2 environments.');
    expect(form.text).toContain('Live: 2 · acme-shop/live, north-bakery/live');
    expect(form.text).not.toContain('acme-blog');
    await rob.submits();
    const review = await rob.form(/^Update .* on 2 environments/m);
    expect(review.text).toMatch(/Goes first, alone: acme-shop\/live;/);

    await ana.clicks(await listed(scenario, asked), updateFixed);
    await ana.form('3 themes on 2 environments.');
    await scenario.writePolicy(
      policy.replace('["themes update"], to: [developers]', '["themes update"], to: [readers]'),
    );
    const read = () => scenario.rows("select 1 from audit where event = 'policy'").length === 2;
    await eventually(scenario, 'the rules to be read', read);
    await ana.submits();
    await ana.form('You may not run themes update');
    await (await ana.clicks(await listed(scenario, asked), updateFixed)).hears('You may not run themes update');
    expect(writeCounts(scenario, lives)).toEqual([0, 0, 0, 0, 0]);
    expect(scenario.slack.views(ids.ana).modals.map(({ callback_id }) => callback_id)).not.toContain('checklist');
  }),
);
