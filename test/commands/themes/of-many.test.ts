import { describe, expect, test } from 'vitest';
import { themesOfMany } from '../../../src/commands/themes/of-many.ts';
import type { HostReader } from '../../../src/hosting/contract/call.ts';
import { plain } from '../../../src/words/text.ts';
import { company, readEach, live, staging } from '../../fixtures.ts';

/** What may be said of an environment, given what the host lists. `live` has a theme, and nothing of it is known bad. */

const fine = { id: live.id, theme_version: '1', is_theme_version_vulnerable: false };
const kiln = { name: 'kiln', environment_count: 1, environments: [fine] };
const elsewhere = { id: staging.id, theme_version: '1', is_theme_version_vulnerable: false };
type Listed = { readonly total?: number; readonly items: readonly (object | null)[] };

/** A host with this list of the company, which gives all of it at once. */
const hostWith =
  (themes: Listed, own: readonly object[] = []): HostReader =>
  async (call) =>
    call.reply.parse(
      call.section === '4.1'
        ? { company: { themes } }
        : { environment: { container_info: { wp_themes: { data: own } } } },
    );

async function told(read: HostReader, only?: 'vulnerable' | 'updates', id = company.id): Promise<string> {
  const page = await themesOfMany(live, only, { each: readEach(read), company: { ...company, id }, now: 0 });
  return page.parts
    .flatMap((part) => (part.kind === 'list' ? part.entries : part.kind === 'text' ? [part.text] : []))
    .map(plain)
    .join('\n');
}

describe('an environment without a known vulnerable theme', () => {
  const none = 'None of them has a theme that is known to be vulnerable.';
  const perhaps = "❔ acme-shop/live unknown: the host doesn't tell about all of its themes.";
  test.each<[string, Listed, string]>([
    ['all is listed', { total: 1, items: [kiln] }, none],
    ['the host does not count', { items: [kiln] }, none],
    [
      'another theme is all elsewhere',
      { items: [kiln, { name: 'a', environment_count: 1, environments: [elsewhere] }] },
      none,
    ],
    ['the host counts more themes', { total: 2, items: [kiln] }, perhaps],
    [
      'the host counts more environments of another theme',
      { items: [kiln, { name: 'a', environment_count: 1 }] },
      perhaps,
    ],
    [
      'an environment of another theme has no id',
      { items: [kiln, { name: 'a', environment_count: 1, environments: [{}] }] },
      perhaps,
    ],
    ['one of its themes has no name', { items: [kiln, { environments: [fine] }] }, perhaps],
    [
      'the host does not say it of one',
      { items: [{ ...kiln, environments: [{ ...fine, is_theme_version_vulnerable: null }] }] },
      perhaps,
    ],
    ['a theme can not be read', { items: [kiln, null] }, perhaps],
    [
      'the environments of another theme can not be read',
      { items: [kiln, { name: 'a', environments: null }] },
      perhaps,
    ],
    ['an environment can not be read', { items: [kiln, { name: 'a', environments: [elsewhere, null] }] }, perhaps],
    ['it is not listed', { items: [] }, "❔ acme-shop/live unknown: the host doesn't tell."],
  ])('%s', async (_, listed, says) => expect(await told(hostWith(listed), 'vulnerable')).toBe(says));
});

describe('a vulnerable theme', () => {
  const update = { theme_update: 'available', theme_update_version: '2' };
  test.each<[object, string]>([
    [{ ...update, is_theme_update_version_vulnerable: false }, '1, fixed in 2'],
    [
      { ...update, theme_update_version: null, is_theme_update_version_vulnerable: false },
      '1, fixed in the newest version',
    ],
    [{ ...update, is_theme_update_version_vulnerable: true }, '1, 2 is vulnerable too'],
    [update, '1, unknown whether 2 fixes it'],
    [{ theme_update_version: '2', is_theme_update_version_vulnerable: false }, '1, no update'],
    [{ theme_version: null }, ', no update'],
  ])('%j', async (more, says) => {
    const items = [{ ...kiln, environments: [{ ...fine, is_theme_version_vulnerable: true, ...more }] }];
    expect(await told(hostWith({ items }), 'vulnerable')).toBe(`⚠️ acme-shop/live kiln ${says}`.replace(' ,', ','));
  });
});

test('updates whose new version may be vulnerable or is unknown', async () => {
  const available = {
    ...fine,
    theme_update: 'Available',
    theme_update_version: '2',
    is_theme_update_version_vulnerable: true,
  };
  const items = [{ ...kiln, environments: [available] }];
  expect(await told(hostWith({ items }), 'updates')).toBe('• acme-shop/live kiln 1 → 2 (vulnerable)');
  expect(
    await told(
      hostWith({ items: [{ ...kiln, environments: [{ ...available, theme_update_version: null }] }] }),
      'updates',
    ),
  ).toBe('• acme-shop/live kiln 1 → a newer version (vulnerable)');
  expect(await told(hostWith({ items: [kiln] }), 'updates')).toBe('None of them has a theme with an update.');
  expect(await told(hostWith({ total: 9, items: [kiln] }), 'updates')).toContain("the host doesn't tell about all");
});

test('how many there are, and what is unknown about them', async () => {
  const own = [{ name: 'kiln', update: 'none' }];
  expect(await told(hostWith({ items: [kiln] }))).toBe('✅ acme-shop/live 1 theme');
  expect(await told(hostWith({ total: 9, items: [kiln] }))).toBe('• acme-shop/live 1 theme, others unknown');
  expect(await told(hostWith({ items: [] }, own))).toBe('• acme-shop/live 1 theme, unknown whether vulnerable');
  expect(await told(hostWith({ items: [kiln, { name: 'a', environments: [{ id: live.id }] }] }))).toBe(
    '• acme-shop/live 2 themes, of 1 unknown whether vulnerable',
  );
  expect(await told(hostWith({ items: [] }))).toBe('❔ acme-shop/live unknown: the host lists no theme there.');
  expect(await told(hostWith({ items: [kiln] }, own), undefined, '')).toBe(
    [
      "The host hasn't told me which company my key belongs to, so I asked for the list of each environment, which may not tell what is vulnerable.",
      '• acme-shop/live 1 theme, unknown whether vulnerable',
    ].join('\n'),
  );
  expect(await told(hostWith({ items: [kiln] }, own), 'vulnerable', '')).toContain('from that list alone');
});
