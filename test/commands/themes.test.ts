import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Page } from '../../src/commands/kit/page.ts';
import type { ReportContext } from '../../src/commands/kit/report.ts';
import { themesList } from '../../src/commands/themes/list.ts';
import { themesShow } from '../../src/commands/themes/show.ts';
import { themesUpdate } from '../../src/commands/themes/update.ts';
import { themesOf } from '../../src/commands/themes/installed.ts';
import type { Json, HostReader } from '../../src/hosting/contract/call.ts';
import { Refusal } from '../../src/base/errors.ts';
import { HostTrouble } from '../../src/hosting/client.ts';
import { failureOfStatus } from '../../src/hosting/failure.ts';
import { inline, itemsOf, plain } from '../../src/words/text.ts';
import {
  company,
  live,
  noCertificate,
  nothingKnown,
  refusalOf,
  refusalText,
  staging,
  uuid,
  reportDefaults,
} from '../fixtures.ts';

type Installed = { readonly env: string; readonly version: string; readonly status?: string; readonly news?: string };
type Theme = {
  readonly name: string;
  readonly latest: string;
  readonly bad?: readonly string[];
  readonly on: readonly Installed[];
};

const themes: readonly Theme[] = [
  {
    name: 'kiln',
    latest: '1.0.7',
    on: [
      { env: live.id, version: '1.0.5' },
      { env: staging.id, version: '1.0.7' },
    ],
  },
  {
    name: 'harvest',
    latest: '2.8.1',
    bad: ['2.7.0'],
    on: [{ env: live.id, version: '2.7.0', status: 'active' }],
  },
  { name: 'lattice', latest: '1.9.2', bad: ['1.9.2', '1.8.0'], on: [{ env: live.id, version: '1.8.0' }] },
  { name: 'quill', latest: '5.2.0', on: [] },
];

const entryOf = ({ latest, bad = [] }: Theme, { env, version, status = 'inactive', news }: Installed) => ({
  id: env,
  site_display_name: 'Acme Secret Site',
  display_name: 'Hidden',
  theme_status: status,
  theme_update: version === latest ? null : 'available',
  theme_version: version,
  is_theme_version_vulnerable: bad.includes(version),
  theme_update_version: version === latest ? null : latest,
  is_theme_update_version_vulnerable: version !== latest && bad.includes(latest),
  theme_update_status: news ?? null,
  auto_update_type: null,
});
const itemOf = (theme: Theme) => ({
  name: theme.name,
  title: theme.name.toUpperCase(),
  description: `about ${theme.name}`,
  latest_version: theme.latest,
  is_latest_version_vulnerable: theme.bad?.includes(theme.latest) ?? false,
  environment_count: theme.on.length,
  update_count: theme.on.filter(({ version }) => version !== theme.latest).length,
  environments: theme.on.map((one) => entryOf(theme, one)),
});

/** A host with these themes. It ignores filters, and pages only if `pages` is set. */
function hostWith(all: readonly Theme[], own: readonly (object | null)[] = [], pages = false) {
  const asked: { readonly section: string; readonly body: Json | undefined }[] = [];
  const read: HostReader = async (call) => {
    asked.push({ section: call.section, body: call.body });
    const { offset, limit } = pagingIn(call.body);
    const items = all.map(itemOf).slice(...(pages ? [offset, offset + limit] : []));
    const list = { total: all.length, last_updated_at: '2026-03-01T06:00:00Z', items };
    return call.reply.parse(
      call.section === '4.1'
        ? { company: { themes: list } }
        : { environment: { container_info: { wp_themes: { data: own } } } },
    );
  };
  return { read, asked };
}
function pagingIn(body: Json | undefined): { readonly offset: number; readonly limit: number } {
  if (typeof body !== 'object' || body === null || !('offset' in body)) return { offset: 0, limit: 0 };
  return { offset: Number(body.offset), limit: Number(body['limit']) };
}

const now = Date.parse('2026-03-01T09:00:00Z');
const around = (read: HostReader, more: Partial<ReportContext> = {}): ReportContext => ({
  read,
  company,
  certificate: noCertificate,
  ...reportDefaults,
  now,
  zone: 'UTC',
  ...more,
});
const cellsOf = ({ parts }: Page): readonly (readonly string[])[] =>
  parts.flatMap((part) => (part.kind === 'table' ? part.rows.map((row) => row.map(plain)) : []));
const everythingIn = (page: Page): string =>
  [
    plain(page.title),
    plain(inline(page.source)),
    ...page.parts.map((part) => (part.kind === 'text' ? plain(part.text) : JSON.stringify(part))),
  ].join('\n');

const answering = (status: number): HostTrouble =>
  new HostTrouble({ ...failureOfStatus(status, '', undefined) }, { attempts: 1, elapsedMs: 5 });
/** A host that answers the company's list with trouble, and the environment's list normally. */
function withoutCompany(trouble: HostTrouble, own: readonly (object | null)[] = []): HostReader {
  const { read } = hostWith(themes, own);
  return (call) => (call.section === '4.1' ? Promise.reject(trouble) : read(call));
}
const timeOut = new HostTrouble({ kind: 'time-out', says: 'late' }, { attempts: 3, elapsedMs: 9 });

describe('list', () => {
  type Wanted = Parameters<typeof themesList.show>[0]['input'];
  const nothing: Wanted = {
    search: undefined,
    among: undefined,
    status: undefined,
    only: undefined,
    sort: undefined,
    descending: false,
  };
  const list = (more: Partial<Wanted> = {}, read: HostReader = hostWith(themes).read): Promise<Page> =>
    themesList.show({ input: { ...nothing, ...more }, ...around(read) });
  const namesOf = (page: Page): readonly (string | undefined)[] =>
    cellsOf(page).map(([, title]) => title?.split(' ').at(-1));

  test.each([403, 404])('says what works instead if the key may not read it (%i)', async (status) => {
    const refused = await list({}, withoutCompany(answering(status))).catch((error: unknown) => error);
    if (!(refused instanceof Refusal)) throw refused;
    expect(refusalText(refused)).toBe(
      `The host does not show my key the themes of the whole company (${status}). Nothing was changed. /site themes show shows those of one environment.`,
    );
    expect(refused.offers).toEqual([
      { label: 'Show themes of an environment', opens: 'form', args: ['themes', 'show'] },
    ]);
  });

  test.each([answering(401), answering(500), timeOut])('%s is trouble', async (trouble) => {
    await expect(list({}, withoutCompany(trouble))).rejects.toBe(trouble);
  });

  test('counts themes, without their environments', async () => {
    const page = await list();
    expect(cellsOf(page)).toEqual([
      ['⚠️ vulnerable on 1', 'HARVEST harvest', '2.8.1', '1', '1'],
      ['⚠️ the latest is vulnerable', 'LATTICE lattice', '1.9.2', '1', '1'],
      ['', 'KILN kiln', '1.0.7', '2', '1'],
      ['', 'QUILL quill', '5.2.0', '0', '0'],
    ]);
    expect(plain(page.title)).toBe('Themes · 4 themes, 2 of them vulnerable');
    expect(plain(inline(page.source))).toBe(
      'listed by the host 2026-03-01 06:00 UTC (3 h ago); theme lists can be 12 hours old',
    );
    expect(JSON.stringify(page)).not.toMatch(/Secret|Hidden|acme-shop/);
    expect(page.offers).toEqual([{ label: 'Update on an environment', opens: 'form', args: ['themes', 'update'] }]);
  });

  test.each<[string, Partial<Wanted>, readonly string[], object]>([
    ['active ones', { status: 'active' }, ['harvest'], { status: 'active' }],
    ['inactive ones', { status: 'inactive' }, ['lattice', 'kiln'], { status: 'inactive' }],
    ['vulnerable ones', { only: 'vulnerable' }, ['harvest', 'lattice'], { column: 'vulnerable' }],
    ['those with updates', { only: 'updates' }, ['harvest', 'lattice', 'kiln'], { column: 'updatesAvailable' }],
    ['a word', { search: 'KIL' }, ['kiln'], { search: 'KIL' }],
    ['a word of the description', { search: 'about q' }, ['quill'], { search: 'about q' }],
    [
      'by name',
      { sort: 'name' },
      ['harvest', 'kiln', 'lattice', 'quill'],
      { order_by: { field: 'name', order: 'ascend' } },
    ],
    [
      'the other way round',
      { descending: true },
      ['quill', 'lattice', 'kiln', 'harvest'],
      { order_by: { field: 'name', order: 'descend' } },
    ],
    [
      'by environments',
      { sort: 'environments' },
      ['quill', 'harvest', 'lattice', 'kiln'],
      { order_by: { field: 'environments', order: 'ascend' } },
    ],
    [
      'by updates, most first',
      { sort: 'updates', descending: true },
      ['harvest', 'kiln', 'lattice', 'quill'],
      { order_by: { field: 'updates', order: 'descend' } },
    ],
  ])('%s: requested from the host, and done here if the host ignores it', async (_, more, expected, body) => {
    const host = hostWith(themes);
    expect(namesOf(await list(more, host.read))).toEqual(expected);
    expect(host.asked.map((one) => one.body)).toEqual([{ offset: 0, limit: 100, ...body }]);
  });

  test('says what to do if there are none', async () => {
    const none = await list({ search: 'nothing' });
    expect(everythingIn(none)).toContain('No theme matches.');
    expect(none.offers).toEqual([{ label: 'Show all themes', args: ['themes', 'list'] }]);
    expect(everythingIn(await list({}, hostWith([]).read))).toContain('The host lists no theme.');
  });

  test.each([true, false])('reads every page, whether the host pages (%s) or gives all at once', async (pages) => {
    const many = Array.from({ length: 250 }, (_, at): Theme => ({ name: `t${at}`, latest: '1', on: [] }));
    const host = hostWith(many, [], pages);
    expect(new Set(namesOf(await list({}, host.read))).size).toBe(250);
    expect(host.asked).toHaveLength(pages ? 3 : 1);
  });

  test('says what the host does not tell', async () => {
    const listed = (items: unknown) =>
      list({}, async (call) => call.reply.parse({ company: { themes: { total: 1, items } } }));
    await expect(listed(null)).rejects.toThrow('items');
    const says = "The host doesn't tell about all themes or their environments, so some may be missing here.";
    expect(everythingIn(await listed([null]))).toContain(says);
    const page = await listed([{ name: 'kiln', environments: null }]);
    expect(everythingIn(page)).toContain(says);
    expect(cellsOf(page)).toEqual([['', 'kiln', 'not known', 'not known', 'not known']]);
    expect(everythingIn(await listed([{ name: 'kiln', environments: [] }]))).not.toContain(says);
  });

  test('requests nothing before the company is known', async () => {
    const host = hostWith(themes);
    const shown = themesList.show({ input: nothing, ...around(host.read, { company: { ...company, id: '' } }) });
    await expect(shown).rejects.toThrow('Nothing was done.');
    expect(host.asked).toEqual([]);
  });
});

describe('show', () => {
  const show = (env: typeof live, read: HostReader): Promise<Page> =>
    themesShow.show({ input: { env }, ...around(read) });
  const own = [
    { name: 'kiln', title: 'Kiln', status: 'active', version: '1.0.5', update: 'available', update_version: '1.0.7' },
    { name: 'quill', title: 'Quill', status: 'inactive', version: '5.2.0', update: 'none', update_version: '' },
  ];

  test('takes the environment’s rows from the company’s list', async () => {
    const host = hostWith(themes, own);
    const page = await show(live, host.read);
    expect(cellsOf(page)).toEqual([
      ['HARVEST harvest', 'active', '2.7.0', '2.8.1', '⚠️ vulnerable'],
      ['KILN kiln', 'inactive', '1.0.5', '1.0.7', 'no'],
      ['LATTICE lattice', 'inactive', '1.8.0', '1.9.2', '⚠️ vulnerable, the update too'],
    ]);
    expect(host.asked.map(({ section }) => section)).toEqual(['4.1']);
    expect(plain(page.title)).toBe('acme-shop/live · themes · 3 themes, 3 updates');
    expect(plain(inline(page.source))).toContain('from the company’s list of themes');
  });

  test('requests the environment’s own list only if the company’s has nothing about it, and says so', async () => {
    const host = hostWith([], own);
    const page = await show(staging, host.read);
    expect(cellsOf(page)).toEqual([
      ['Kiln kiln', 'active', '1.0.5', '1.0.7', 'not told'],
      ['Quill quill', 'inactive', '5.2.0', '', 'not told'],
    ]);
    expect(host.asked.map(({ section }) => section)).toEqual(['4.1', '4.14']);
    expect(plain(inline(page.source))).toContain('own list');
    expect(everythingIn(await show(staging, hostWith([]).read))).toContain('The host lists no theme');
  });

  test.each([403, 404])(
    'requests the environment’s own list if the key may not read the company’s (%i), and says so',
    async (status) => {
      const page = await show(live, withoutCompany(answering(status), own));
      expect(cellsOf(page).map(([name]) => name)).toEqual(['Kiln kiln', 'Quill quill']);
      expect(plain(inline(page.source))).toContain(
        'read from the environment’s own list, because the company’s list is closed to my key',
      );
    },
  );

  test.each([answering(401), answering(500), timeOut])('%s of the company’s list is trouble', async (trouble) => {
    await expect(show(live, withoutCompany(trouble, own))).rejects.toBe(trouble);
  });

  test('says that there may be more if the host does not list all', async () => {
    const half = { items: [itemOf(themes[0] ?? { name: '', latest: '', on: [] })], total: 4 };
    const read: HostReader = async (call) => call.reply.parse({ company: { themes: half } });
    const page = await show(live, read);
    expect(plain(page.title)).toBe('acme-shop/live · themes · at least 1 theme, 1 update');
    expect(everythingIn(page)).toContain("The host doesn't tell about all themes of acme-shop/live");
    const odd = await show(live, withoutCompany(answering(403), [null, ...own]));
    expect(plain(odd.title)).toBe('acme-shop/live · themes · at least 2 themes, 1 update');
  });

  test('survives rows without any fields', async () => {
    const read: HostReader = async (call) =>
      call.reply.parse({
        company: {
          themes: {
            items: [
              { environments: [{ id: live.id }] },
              { name: 'x', environments: [{ id: live.id, theme_status: 7 }] },
            ],
          },
        },
      });
    expect(cellsOf(await show(live, read))).toEqual([['x', 'not known', 'not known', '', 'not told']]);
  });
});

describe('update', () => {
  const seen = async (all: readonly Theme[] = themes, env = live) => ({
    themes: (await themesOf(env, { read: hostWith(all).read, company })).themes,
  });
  const of = (...names: readonly string[]) => ({ input: { env: live, themes: names } });
  const field = themesUpdate.fields.themes;

  test('themes and choices come from the environment’s own list if the key may not read the company’s', async () => {
    const installed = { title: 'Kiln', status: 'active', version: '1.0.5', update: 'available' };
    const own = [
      { ...installed, name: 'kiln', update_version: '1.0.7' },
      { ...installed, name: 'quill', update: 'none' },
    ];
    const sources = around(withoutCompany(answering(404), own));
    const { themes: choices } = themesUpdate.dependent ?? {};
    expect(await choices?.choices?.({ input: { env: live }, ...sources })).toEqual(['kiln']);
    const snapshot = await themesUpdate.look?.({ ...of('kiln'), ...sources, ...nothingKnown });
    expect(snapshot?.themes.map(({ name, version }) => `${name} ${version}`)).toEqual(['kiln 1.0.5', 'quill 1.0.5']);
  });

  test.each<[string, readonly string[], readonly string[]]>([
    ['words', ['harvest', 'kiln'], ['harvest', 'kiln']],
    ['commas and lines', ['harvest, kiln\nlattice,'], ['harvest', 'kiln', 'lattice']],
    ['doubles', ['kiln', 'kiln,kiln'], ['kiln']],
    ['names in quotes', ['divi 4 (copy)', 'kiln'], ['divi 4 (copy)', 'kiln']],
    ['a line in quotes', ['"divi 4 (copy)"\nStorefront+'], ['divi 4 (copy)', 'Storefront+']],
  ])('reads %s', (_, words, expected) => expect(field.read(words)).toEqual(expected));
  test.each([
    ['a path', ['../x'], 'is not the name of a theme'],
    ['what cannot be seen', ['kiln\u{34F}'], 'is not the name of a theme'],
    ['too long a name', ['x'.repeat(101)], 'is not the name of a theme'],
    ['nothing', [','], 'No theme was given.'],
    ['far too many', [Array.from({ length: 101 }, (_, at) => `t${at}`).join(',')], 'at most 100'],
  ])('refuses %s', (_, words, sentence) => {
    expect(refusalText(refusalOf(() => field.read(words)))).toContain(sentence);
  });

  test('a name with spaces goes into quotes', () => {
    const theme = { title: null, status: null, version: '4.1', hasUpdate: true, newVersion: '4.2' } as const;
    const unsaid = { vulnerable: null, newVulnerable: null, updateStatus: null } as const;
    const listed = { themes: ['divi 4 (copy)', 'divi'].map((name) => ({ name, ...theme, ...unsaid })) };
    expect(themesUpdate.impossible?.({ ...of('divi 4 (copy)'), snapshot: listed })).toBeUndefined();
    expect(themesUpdate.call({ ...of('divi 4 (copy)'), snapshot: listed })).toHaveProperty('body', {
      themes: [{ name: 'divi 4 (copy)' }],
    });
    const refused = themesUpdate.impossible?.({ ...of('divi', '4', '(copy)'), snapshot: listed });
    expect(plain(inline(refused?.hint))).toBe('A name with spaces goes into quotes: "divi 4 (copy)".');
  });

  test('does not call a theme missing if the host does not list all', async () => {
    const half: HostReader = async (call) =>
      call.reply.parse({ company: { themes: { total: 9, items: themes.map(itemOf) } } });
    const says = async (from: HostReader) => {
      const snapshot = await themesUpdate.look?.({ ...of('harvset'), ...around(from), ...nothingKnown });
      return snapshot && plain(inline(themesUpdate.impossible?.({ ...of('harvset'), snapshot })?.says));
    };
    expect(await says(hostWith(themes).read)).toBe('harvset is not a theme of acme-shop/live. Nothing was changed.');
    expect(await says(half)).toBe(
      "I can't find harvset on acme-shop/live, but the host doesn't tell about all of its themes. Nothing was changed.",
    );
  });

  test('names each version, and the themes that stay vulnerable', async () => {
    const snapshot = await seen();
    const card = themesUpdate.card({ ...of('harvest', 'lattice'), snapshot, now });
    expect(plain(card.title)).toBe('Update harvest, lattice on acme-shop/live');
    expect(plain(inline(card.warning))).toBe('The new version of lattice is known to be vulnerable too.');
    const facts = Object.entries(card.facts ?? {}).map(([label, value]) => [label, plain(inline(value))]);
    expect(facts[0]).toEqual([
      'Themes',
      'harvest: 2.7.0 (vulnerable) → 2.8.1, the active theme\nlattice: 1.8.0 (vulnerable) → 1.9.2 (vulnerable)',
    ]);
    expect(Object.keys(themesUpdate)).not.toContain('undo');
    expect(themesUpdate.call({ ...of('harvest'), snapshot })).toMatchObject({
      path: `/sites/environments/${uuid(1)}/themes/bulk-update`,
      body: { themes: [{ name: 'harvest' }] },
    });
  });

  test('shows the first of many, counts the rest, and stores all', async () => {
    const many = Array.from({ length: 60 }, (_, at): Theme => ({
      name: `t${at}`,
      latest: '2',
      on: [{ env: live.id, version: '1' }],
    }));
    const names = many.map(({ name }) => name);
    const { facts = {} } = themesUpdate.card({ ...of(...names), snapshot: await seen(many), now });
    expect(plain(inline(facts['Themes'])).split('\n').slice(24)).toEqual(['t24: 1 → 2', 'and 35 more']);
    expect(itemsOf(inline(facts['Themes'])).at(-1)).toBe('t59: 1 → 2');
  });

  test.each([
    [
      'one that is not there',
      ['harvset'],
      'harvset is not a theme of acme-shop/live. Nothing was changed.',
      'Did you mean harvest?',
    ],
    ['one of another kind', ['Kiln'], 'Kiln is not a theme', 'Did you mean kiln?'],
    ['an unknown one', ['zzzzzzzzzzzz'], 'is not a theme', 'It has harvest, kiln, lattice.'],
    [
      'one that is current beside one that is not',
      ['kiln', 'current'],
      'The host lists no update for current',
      'There is one of',
    ],
  ])('refuses %s', async (_, names, says, hint) => {
    const current: Theme = { name: 'current', latest: '1', on: [{ env: live.id, version: '1' }] };
    const snapshot = await seen(names.includes('current') ? [...themes, current] : themes);
    const wrong = themesUpdate.impossible?.({ ...of(...names), snapshot });
    expect(wrong?.field).toBe('themes');
    expect(plain(inline(wrong?.says))).toContain(says);
    expect(plain(inline(wrong?.hint))).toContain(hint);
  });

  test('offers themes with an update, and none before an environment is chosen', async () => {
    const choices = (env: typeof live | undefined) =>
      themesUpdate.dependent?.themes?.choices?.({
        input: env ? { env } : {},
        ...around(hostWith(themes).read),
      });
    expect(await choices(live)).toEqual(['harvest', 'kiln', 'lattice']);
    expect(await choices(staging)).toEqual([]);
    expect(await choices(undefined)).toEqual([]);
  });

  test('has only the versions of the named themes as preconditions', async () => {
    const preconditions = async (all: readonly Theme[]) =>
      themesUpdate.preconditions?.({ ...of('kiln'), snapshot: await seen(all) });
    const others = themes.map((theme) => (theme.name === 'harvest' ? { ...theme, latest: '9' } : theme));
    const newer = themes.map((theme) => (theme.name === 'kiln' ? { ...theme, latest: '9' } : theme));
    expect(await preconditions(others)).toEqual(await preconditions(themes));
    expect(await preconditions(newer)).not.toEqual(await preconditions(themes));
    expect(await preconditions(themes.filter(({ name }) => name !== 'kiln'))).not.toEqual(await preconditions(themes));
  });

  test.each([
    ['an old word that it is updated', 'updated', '1.0.5', 'not yet'],
    ['the new version', undefined, '1.0.7', 'yes'],
    ['only the status, with the old version', 'updated', '1.0.5', 'not yet'],
  ])('is proven by %s: %s, %s', async (_, news, version, verdict) => {
    const kiln = (version: string, news?: string): Theme => ({
      name: 'kiln',
      latest: '1.0.7',
      on: [{ env: live.id, version, ...(news && { news }) }],
    });
    const proof = themesUpdate.proof?.({
      ...of('kiln'),
      snapshot: await seen([kiln('1.0.5', news)]),
      current: await seen([kiln(version, news)]),
    });
    expect(proof?.verdict).toBe(verdict);
  });

  test('offers the error log since the update, however late the button is clicked', async () => {
    const next = themesUpdate.next?.({
      ...of('kiln'),
      snapshot: await seen(themes),
      sentAt: Date.parse('2026-03-02T10:00:00Z'),
    });
    expect(next?.at(-1)).toEqual({
      label: 'Error log since the update',
      args: ['logs', live.id, 'error', '--since=2026-03-02T10:00:00Z'],
    });
  });

  test('is proven only by all themes together, whatever their versions were', () => {
    const version = fc.constantFrom('1', '2', null);
    const status = fc.constantFrom('updated', 'updating', null);
    const wear = fc.uniqueArray(
      fc.record({ name: fc.constantFrom('a', 'b', '__proto__'), version, updateStatus: status, moved: fc.boolean() }),
      { selector: ({ name }) => name, minLength: 1 },
    );
    fc.assert(
      fc.property(wear, (worn) => {
        const rest = {
          title: null,
          status: null,
          hasUpdate: true,
          newVersion: '3',
          vulnerable: null,
          newVulnerable: null,
        };
        const snapshot = {
          themes: worn.map(({ name, version, updateStatus }) => ({ name, version, updateStatus, ...rest })),
        };
        const after = {
          themes: worn.map(({ moved, ...one }) => ({
            ...one,
            ...rest,
            ...(moved && one.version !== null && { version: '3' }),
          })),
        };
        const command = of(...worn.map(({ name }) => name));
        expect(themesUpdate.impossible?.({ ...command, snapshot })).toBeUndefined();
        expect(themesUpdate.proof?.({ ...command, snapshot, current: snapshot }).verdict).toBe('not yet');
        const all = worn.every(({ moved, version }) => moved && version !== null);
        expect(themesUpdate.proof?.({ ...command, snapshot, current: after }).verdict).toBe(all ? 'yes' : 'not yet');
        expect(JSON.parse(JSON.stringify(snapshot))).toEqual(snapshot);
      }),
    );
  });
});
