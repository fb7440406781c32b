import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { VisibleMessage } from '../../src/playground/slack/shapes.ts';
import { inScenario, openScenario, type Scenario } from './scenario.ts';
import { labelsOf } from './people.ts';

/** The themes of many environments: what is vulnerable, what has an update, and what nobody can tell. */

const policy = `
version: 1
groups: { developers: [U01ANA, U02BEN], some: [U06ROB], nearly: [U03CHI] }
sets: { care-plan: ["acme-*/live"] }
rules:
  - { allow: [read], to: [developers, nearly] }
  - { allow: [read], to: [some], where: ["acme-*/*"] }
  - { deny: ["themes show"], to: [some], where: ["acme-docs/*"] }
  - { allow: ["themes update"], to: [developers] }
  - { deny: ["themes list"], to: [nearly], where: [company] }
`;
const company = '/company/*/wp-themes';

/** The lines about environments. */
const told = ({ text }: VisibleMessage): readonly string[] =>
  text.split('\n').filter((line) => /^(⚠️|✅|•|❔|🚫) /.test(line));

const asks =
  (scenario: Scenario) =>
  async (line: string, title: string, who: 'ana' | 'rob' | 'chi' = 'ana'): Promise<VisibleMessage> => {
    const page = await (await scenario.person(who).says(`/site themes list ${line}`, 'C0GENERAL')).hears(title);
    expect(page.ephemeral).toBe(true);
    expect(labelsOf(page)).not.toContain('Share');
    expect(page.text).toContain('theme lists can be 12 hours old');
    return page;
  };

type Reads = { readonly company: number; readonly own: number };
/** How many lists of themes the host is asked for meanwhile. */
async function reads<T>({ hosting: { journal } }: Scenario, work: () => Promise<T>): Promise<[T, Reads]> {
  const before = journal.entries().length;
  const done = await work();
  const paths = journal
    .entries()
    .slice(before)
    .map(({ path }) => path);
  return [
    done,
    {
      company: paths.filter((path) => path.includes('/wp-themes')).length,
      own: paths.filter((path) => /\/environments\/[^/]+\/themes/.test(path)).length,
    },
  ];
}

describe('themes of many environments', () => {
  let scenario: Scenario;
  let ask: ReturnType<typeof asks>;
  beforeAll(async () => {
    scenario = await openScenario({ policy });
    ask = asks(scenario);
  });
  afterAll(() => scenario.close());

  test('vulnerable ones, with what fixes them, from one read of the company’s list', async () => {
    const [page, read] = await reads(scenario, () =>
      ask('--only vulnerable in */live', 'Vulnerable themes · 3 of 6 environments'),
    );
    expect(told(page)).toEqual([
      '⚠️ acme-shop/live meridian 5.9.9, fixed in 6.1.0; storefront-plus 4.1.2, fixed in 4.3.0',
      '⚠️ lumen-studio/live lattice 1.9.2, no update',
      '⚠️ north-bakery/live harvest 2.7.0, fixed in 2.8.1',
    ]);
    expect(read).toEqual({ company: 1, own: 0 });
    // Lattice has no fix, so an update is not the way for it.
    expect(labelsOf(page)).toEqual(['Update 2 live ones, one first…', 'Update on an environment…', 'File']);
  });

  test('an update is offered if it fixes all that was found; the button asks which', async () => {
    const many = await ask('in */live except lumen-studio/live --only vulnerable', '2 of 5 environments');
    expect(labelsOf(many)).toEqual(['Update 2 live ones, one first…', 'Update on an environment…', 'File']);
    await scenario.person('ana').clicks(many, 'Update 2 live ones, one first…');
    await scenario.person('ana').form('3 themes on 2 environments.');
    await scenario.person('ana').submits();
    const review = await scenario.person('ana').form('Update harvest, meridian, storefront-plus on 2 environments');
    expect(review.text).toMatch(
      /Goes first, alone:? +[\w-]+\/live; then it stops, unless its site can be checked by then/,
    );
    const one = await ask('--only vulnerable in set:care-plan', 'Vulnerable themes · 1 of 3 environments');
    expect(labelsOf(one)).toEqual(['Update themes…']);
    await scenario.person('ana').clicks(one, 'Update themes…');
    await scenario.person('ana').form('Update themes');
    expect(scenario.writes()).toEqual([]);
    const none = await ask('--only vulnerable in acme-blog/live', 'Vulnerable themes · 0 of 1 environment');
    expect(none.text).toContain('None of them has a theme that is known to be vulnerable.');
    expect(labelsOf(none)).toEqual([]);
  });

  test('updates, and how many there are', async () => {
    const updates = await ask('--only updates in acme-*/live', 'Updates of themes · 3 environments');
    expect(told(updates)).toEqual([
      '• acme-blog/live kiln 1.0.5 → 1.0.7',
      '• acme-docs/live quill 5.1.3 → 5.2.0',
      '• acme-shop/live meridian 5.9.9 → 6.1.0; paperwhite 3.0.1 → 3.0.4; storefront-plus 4.1.2 → 4.3.0',
    ]);
    const all = await ask('in acme-shop/live, acme-docs/live', 'Themes · 2 environments');
    expect(told(all)).toEqual([
      '⚠️ acme-shop/live 4 themes, 2 vulnerable, 3 updates',
      '✅ acme-docs/live 2 themes, 1 update',
    ]);
  });

  test('somebody who may not see the company’s list gets the environments they may see, and learns nothing of others', async () => {
    const rob = scenario.person('rob');
    const page = await ask('in acme-*/live', 'Themes · 2 of 3 environments, 1 you may not see', 'rob');
    expect(told(page)).toEqual([
      '⚠️ acme-shop/live 4 themes, 2 vulnerable, 3 updates',
      '✅ acme-blog/live 3 themes, 1 update',
      "🚫 acme-docs/live not shown: the rules don't let you run themes show here.",
    ]);
    await (
      await rob.says('/site themes list')
    ).hears(/You may not run themes list\. .* themes list in site\/environment asks about an environment\./);
    for (const line of ['in north-bakery/live', 'in north-*/live', 'in acme-shop/live, north-bakery/live'])
      await (
        await rob.says(`/site themes list ${line}`)
      ).hears(/I can't find north-\S+ among the environments you can see/);
    const chi = await ask('in north-bakery/live --only vulnerable', 'Vulnerable themes · 1 environment', 'chi');
    expect(told(chi)).toEqual(['⚠️ north-bakery/live harvest 2.7.0, fixed in 2.8.1']);
    await (await scenario.person('chi').says('/site themes list')).hears('You may not run themes list.');
  });

  test('nothing is read for somebody who may see none of them', async () => {
    const [page, read] = await reads(scenario, () =>
      ask('in acme-docs/*', '0 of 2 environments, 2 you may not see', 'rob'),
    );
    expect(told(page)).toHaveLength(2);
    expect(read).toEqual({ company: 0, own: 0 });
  });

  test('a list withheld from the key: updates from each own list, and vulnerable is unknown', async () => {
    const { faults, world } = scenario.hosting;
    faults.add({ kind: 'status', status: 403, path: company, times: 'always' });
    const { id } = world.environmentNamed('acme-docs/live') ?? {};
    faults.add({ kind: 'status', status: 404, path: `/sites/environments/${id}/*`, times: 'always' });
    const [page, read] = await reads(scenario, () =>
      ask('--only vulnerable in acme-*/live', 'Vulnerable themes · 0 of 3 environments, 3 unknown'),
    );
    expect(page.text).toContain(
      'The host does not show my key the themes of the whole company (403), and I take what is vulnerable from that list alone.',
    );
    expect(told(page)[0]).toBe("❔ acme-blog/live unknown: the host doesn't tell.");
    expect(page.text).not.toContain('None of them');
    expect(read).toEqual({ company: 1, own: 0 });
    const updates = await ask('--only updates in acme-*/live', '2 of 3 environments, 1 unknown');
    expect(told(updates)).toEqual([
      '• acme-blog/live kiln 1.0.5 → 1.0.7',
      '• acme-shop/live meridian 5.9.9 → 6.1.0; paperwhite 3.0.1 → 3.0.4; storefront-plus 4.1.2 → 4.3.0',
      expect.stringMatching(/^❔ acme-docs\/live unknown: The host/),
    ]);
    const all = await ask('in acme-blog/live', 'Themes · 1 environment');
    expect(told(all)).toEqual(['• acme-blog/live 3 themes, 1 update, unknown whether vulnerable']);
    faults.remove();
  });

  test.each([
    [{ kind: 'status', status: 500 }, 'unknown: The host'],
    [{ kind: 'status', status: 429, headers: { 'retry-after': '30' } }, 'unknown: The host'],
    [{ kind: 'broken-json' }, 'unknown: The host'],
  ] as const)('a company’s list that cannot be read (%j) is unknown for all', async (fault, why) => {
    const { faults } = scenario.hosting;
    faults.add({ ...fault, path: company, times: 'always' });
    const [page, read] = await reads(scenario, () => ask('in acme-*/live', '0 of 3 environments, 3 unknown'));
    faults.remove();
    expect(told(page).every((line) => line.includes(why))).toBe(true);
    expect(read.own).toBe(0);
  });

  test('missing data of the host is unknown, and hostile data stays text', async () => {
    const { faults, world } = scenario.hosting;
    const on = (name: string, more: object) => ({ id: world.environmentNamed(name)?.id, theme_version: '1', ...more });
    const bad = { is_theme_version_vulnerable: true, theme_update: 'available', theme_update_version: '2' };
    const items = [
      {
        name: 'a*\n✅ *acme-docs/live* <!channel> <https://evil.example|kilns>',
        title: '<!here>\n⚠️ all gone',
        environment_count: 4,
        environments: [
          on('acme-shop/live', { ...bad, is_theme_update_version_vulnerable: null }),
          on('acme-blog/live', { is_theme_version_vulnerable: null }),
          on('north-bakery/live', { is_theme_version_vulnerable: false }),
          on('harbor-events/live', { ...bad, is_theme_update_version_vulnerable: true }),
        ],
      },
      ...['b', 'c', 'd'].map((name) => ({
        name,
        environments: [on('harbor-events/live', { ...bad, theme_update: null, theme_version: '9'.repeat(90) })],
      })),
      // The host counts more than it lists: the others may be anywhere.
      {
        name: 'hidden',
        environment_count: 2,
        environments: [on('north-bakery/live', { is_theme_version_vulnerable: false })],
      },
    ];
    faults.add({
      kind: 'status',
      status: 200,
      body: { company: { themes: { total: items.length, items } } },
      path: company,
      times: 'always',
    });
    const page = await ask('--only vulnerable in */live', 'Vulnerable themes · 2 of 6 environments, 3 unknown');
    faults.remove();
    const version = '9'.repeat(20);
    expect(told(page)).toEqual([
      '⚠️ acme-shop/live a* ✅ *acme-docs/live* <!channel> <https://evil.example|kilns 1, unknown whether 2 fixes it; others unknown',
      expect.stringContaining(
        `1, 2 is vulnerable too; b ${version}, no update; c ${version}, no update; and 1 more; others unknown`,
      ),
      "❔ acme-blog/live unknown: the host doesn't tell about all of its themes.",
      "❔ acme-docs/live unknown: the host doesn't tell.",
      "❔ lumen-studio/live unknown: the host doesn't tell.",
    ]);
    expect(JSON.stringify(page.text)).not.toContain('hidden');
    expect(labelsOf(page)).toEqual(['File']);
    expect(page.text).toContain('listed by the host, which does not say when');
  });

  test.each([
    ['kiln in acme-*/live', 'takes no search, status or order. Nothing was done.'],
    ['in acme-*/live --status active', 'takes no search, status or order. Nothing was done.'],
    ['in acme-shop/live --descending', 'takes no search, status or order. Nothing was done.'],
    [
      'acme-*/live --only vulnerable',
      'acme-*/live names environments, and no theme. Nothing was done. Write in acme-*/live.',
    ],
  ])('themes list %s is refused', async (line, says) => {
    const [answer, read] = await reads(scenario, async () =>
      (await scenario.person('ana').says(`/site themes list ${line}`)).hears(says),
    );
    expect(answer.ephemeral).toBe(true);
    expect(read).toEqual({ company: 0, own: 0 });
  });
});

test(
  'a company’s list that is slow holds up nobody, and the answer follows',
  inScenario({ policy }, async (scenario) => {
    const { faults } = scenario.hosting;
    const { id } = faults.add({ kind: 'delay', ms: 600_000, times: 'always', path: company });
    const said = await scenario.person('ana').says('/site themes list in acme-*/live');
    await said.hears("I'm reading many environments, a few at a time. The answer follows within two minutes.");
    await (await scenario.person('ana').says('/site allowlist show acme-shop/live')).hears('SSH allowlist');
    faults.remove(id);
    faults.release();
    await said.hears('Themes · 3 environments');
  }),
);
