import {
  allThemesIfAllowed,
  environmentThemes,
  type AllThemes,
  type Withheld,
  type CompanyTheme,
} from '../../hosting/contract/themes.ts';
import type { HostReader } from '../../hosting/contract/call.ts';
import type { PartialList } from '../../hosting/contract/fields.ts';
import type { Environment } from '../../hosting/contract/target.ts';
import { bold, code, say, time, type Text } from '../../words/text.ts';
import { age } from '../kit/page.ts';
import type { Sources } from '../kit/sources.ts';

/** The themes of one environment, by name. */
export type ThemeListing = {
  /** The list that they come from: the company's, or the environment's own, and why that one. */
  readonly from: 'company' | 'environment: not listed' | 'environment: not allowed';
  /** When the host last updated the list, as the host writes it. */
  readonly at: string | null;
  readonly themes: readonly InstalledTheme[];
  /** As far as can be seen, these are all of its themes. */
  readonly isWhole: boolean;
};

/** The company's list; undefined if the company is not known. */
export type CompanyList = AllThemes | Withheld | undefined;

/** Reads the company's list. Rejects with any trouble, except that the list is withheld. */
export const companyList = async ({ read, company }: Pick<Sources, 'read' | 'company'>): Promise<CompanyList> =>
  company.id === '' ? undefined : allThemesIfAllowed(read, company.id);

/**
 * Reads the themes from the company's list. If that list is withheld or has none for this environment, reads the
 * environment's own list.
 */
export async function themesOf(env: Environment, sources: Pick<Sources, 'read' | 'company'>): Promise<ThemeListing> {
  const all = await companyList(sources);
  return inCompanyList(env, all) ?? inOwnList(env, all, sources.read);
}

/** What the company's list says about one environment; undefined if it says nothing. */
export function inCompanyList(env: Environment, all: CompanyList): ThemeListing | undefined {
  if (all === undefined || 'withheld' in all) return undefined;
  const found = installedOn(env, all);
  if (found.length === 0) return undefined;
  return { from: 'company', at: all.at ?? null, themes: found.toSorted(byName), isWhole: isWhole(env, all) };
}

/**
 * Whether a theme that is missing from the company's list is really not installed: the list counts no more themes, and
 * no more environments of a theme, than it names.
 */
const isWhole = (env: Environment, { isCut, themes }: AllThemes): boolean =>
  !isCut &&
  themes.every(({ name, environments, environment_count: counted }) => {
    const named = (environments?.entries ?? []).flatMap(({ id }) => id ?? []);
    return named.includes(env.id) ? name !== undefined : (counted ?? countOf(environments)) <= named.length;
  });

/** How long a list is; one that can't be read may have any length. */
const countOf = (list: PartialList<unknown> | undefined): number =>
  list === undefined ? Infinity : list.entries.length + list.unread;

/** Reads the environment's own list, which may not say which themes are vulnerable. */
export async function inOwnList(env: Environment, all: CompanyList, read: HostReader): Promise<ThemeListing> {
  const own = await environmentThemes(read, env.id);
  const themes = own.entries.flatMap((one) =>
    one.name === undefined
      ? []
      : installed(one.name, {
          title: one.title,
          theme_status: one.status,
          theme_version: one.version,
          is_theme_version_vulnerable: one.is_version_vulnerable,
          theme_update: one.update,
          theme_update_version: one.update_version,
          is_theme_update_version_vulnerable: one.is_update_version_vulnerable,
          theme_update_status: one.update_status,
        }),
  );
  const isWithheld = all !== undefined && 'withheld' in all;
  const from = isWithheld ? 'environment: not allowed' : 'environment: not listed';
  return { from, at: null, themes: themes.toSorted(byName), isWhole: themes.length === countOf(own) };
}

/** The themes that the company's list has for one environment. */
const installedOn = (env: Environment, { themes }: AllThemes): readonly InstalledTheme[] =>
  themes.flatMap(({ name, title, environments }) => {
    const one = environments?.entries.find(({ id }) => id === env.id);
    return name === undefined || one === undefined ? [] : installed(name, { title, ...one });
  });

/** A theme on an environment; values that the host leaves out are null, so that they survive JSON. */
export type InstalledTheme = ReturnType<typeof installed>;

const installed = (
  name: string,
  {
    title,
    ...one
  }: Partial<NonNullable<CompanyTheme['environments']>['entries'][number]> & { readonly title?: string | undefined },
) => ({
  /** The slug, which updates use as its name. */
  name,
  title: title ?? null,
  status: one.theme_status ?? null,
  version: one.theme_version ?? null,
  hasUpdate: isWord(one.theme_update, 'available'),
  newVersion: (isWord(one.theme_update, 'available') && one.theme_update_version) || null,
  /** Null if the host does not say. */
  vulnerable: one.is_theme_version_vulnerable ?? null,
  newVulnerable: one.is_theme_update_version_vulnerable ?? null,
  updateStatus: one.theme_update_status ?? null,
});

/** Compares a word from the host with `meant`, ignoring case; the host may use other words too. */
export const isWord = (word: string | null | undefined, meant: string): boolean => word?.toLowerCase() === meant;

/** A theme in a table: its title, and its slug if that differs. */
export const titled = ({ title, name }: { readonly title?: string | null | undefined; readonly name: string }): Text =>
  title === undefined || title === null || title === '' || title === name ? [code(name)] : say`${title} ${code(name)}`;

/** A warning mark in a table. */
export const vulnerableMark = (which = 'vulnerable'): Text => [bold(`⚠️ ${which}`)];

/** When the host last updated the list, in epoch milliseconds; undefined if that can't be read. */
export function listUpdatedAt(at: string | null | undefined): number | undefined {
  const moment = /^\d{4}-\d{2}-\d{2}T/.test(at ?? '') ? Date.parse(at ?? '') : Number.NaN;
  return Number.isNaN(moment) ? undefined : moment;
}

/** When the host last updated its list, in words; `at` and `now` in epoch milliseconds. */
export const sourceOf = (at: number | undefined, now: number): Text =>
  at === undefined
    ? say`listed by the host, which does not say when; theme lists can be 12 hours old`
    : say`listed by the host ${time(at, 'date')} (${age(now - at)}); theme lists can be 12 hours old`;

const byName = (one: { readonly name: string }, other: { readonly name: string }): number =>
  one.name.localeCompare(other.name, 'en');
