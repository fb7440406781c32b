import type { Environment, Environments } from '../../hosting/contract/target.ts';
import { beginning, code, joined, say, type Text } from '../../words/text.ts';
import { counted, type ChecklistItem, type Page, type PageOffer } from '../kit/page.ts';
import type { EnvironmentResult, ReportContext } from '../kit/report.ts';
import { manyPage, asEnvironments, type Ranked } from '../many-environments.ts';
import {
  companyList,
  inCompanyList,
  inOwnList,
  listUpdatedAt,
  sourceOf,
  type CompanyList,
  type InstalledTheme,
  type ThemeListing,
} from './installed.ts';
import { isThemeName, maxThemes } from './update.ts';

/** The themes of many environments, one line each: the vulnerable ones, those with an update, or how many. */

type Only = 'vulnerable' | 'updates' | undefined;

const maxNamed = 3;
const maxNameLength = 60;
const maxVersionLength = 20;

export async function themesOfMany(
  named: Environment | Environments,
  only: Only,
  { each, company, now }: Pick<ReportContext, 'each' | 'company' | 'now'>,
): Promise<Page> {
  let all: CompanyList;
  const found = await each<ThemeListing>({
    paths: ['themes list', 'themes show'],
    all: asEnvironments(named).all,
    first: async (read) => {
      all = await companyList({ read, company });
    },
    work: async (env, read) => {
      const listed = inCompanyList(env, all);
      if (listed !== undefined) return listed;
      // The environment's own list may not say which themes are vulnerable, so it is not read for each.
      if (only === 'vulnerable') return { from: 'environment: not listed', at: null, themes: [], isWhole: false };
      return inOwnList(env, all, read);
    },
  });
  const page = manyPage({
    title: say`**${titles[only ?? 'all']}**`,
    of: asEnvironments(named),
    each: found,
    tell: tellers[only ?? 'all'],
    none:
      only === 'vulnerable'
        ? say`None of them has a theme that is known to be vulnerable.`
        : say`None of them has a theme with an update.`,
    note: found.some(({ part }) => part.kind === 'found') ? noteOn(all, only) : undefined,
    now,
  });
  const isOfCompany = found.every(({ part }) => part.kind !== 'found' || part.found.from === 'company');
  const at = isOfCompany && all !== undefined && 'themes' in all ? listUpdatedAt(all.at) : undefined;
  const source = say`${sourceOf(at, now)}; among the environments you can see; for you alone`;
  return { ...page, source, offers: offersFor(found, only) };
}

const titles = { vulnerable: 'Vulnerable themes', updates: 'Updates of themes', all: 'Themes' } as const;

const vulnerable = ({ vulnerable: is }: InstalledTheme): boolean => is === true;
const untold = ({ vulnerable: is }: InstalledTheme): boolean => is === null;
const outdated = ({ hasUpdate }: InstalledTheme): boolean => hasUpdate;
const isFixed = ({ hasUpdate, newVulnerable }: InstalledTheme): boolean => hasUpdate && newVulnerable === false;

/** The line about one environment; undefined: there is nothing to say. */
const tellers: Readonly<Record<keyof typeof titles, (found: ThemeListing) => Ranked | undefined>> = {
  vulnerable: ({ from, themes, isWhole }) => {
    const isKnown = isWhole && !themes.some(untold);
    const bad = themes.filter(vulnerable);
    if (bad.length > 0) return { mark: '⚠️', says: named(bad.map(fixOf), isKnown), rank: 0 };
    if (from !== 'company') return unknown(say`the host doesn't tell.`);
    return isKnown ? undefined : notAll;
  },
  updates: ({ themes, isWhole }) => {
    const those = themes.filter(outdated);
    if (those.length > 0) return { mark: '•', says: named(those.map(stepOf), isWhole), rank: 0 };
    if (!isWhole) return notAll;
    return themes.length === 0 ? noTheme : undefined;
  },
  all: ({ themes, isWhole }) => {
    if (themes.length === 0) return isWhole ? noTheme : notAll;
    const [bad, open, updates] = [vulnerable, untold, outdated].map((which) => themes.filter(which).length);
    const says = joined(
      [
        counted(themes.length, 'theme'),
        bad ? say`**${bad} vulnerable**` : undefined,
        updates ? counted(updates, 'update') : undefined,
        isWhole ? undefined : 'others unknown',
        open ? `${open < themes.length ? `of ${open} ` : ''}unknown whether vulnerable` : undefined,
      ],
      ', ',
    );
    return { mark: bad ? '⚠️' : open || !isWhole ? '•' : '✅', says, rank: 0 };
  },
};

const unknown = (why: Text): Ranked => ({ mark: '❔', says: say`unknown: ${why}`, rank: 0 });
/** Every site has a theme, so this means that the host doesn't know it. */
const noTheme = unknown(say`the host lists no theme there.`);
const notAll = unknown(say`the host doesn't tell about all of its themes.`);

const named = (themes: readonly Text[], isKnown: boolean): Text =>
  joined(
    [
      ...themes.slice(0, maxNamed),
      themes.length > maxNamed ? `and ${themes.length - maxNamed} more` : undefined,
      isKnown ? undefined : 'others unknown',
    ],
    '; ',
  );

const short = (version: string | null): string => beginning(version ?? '', maxVersionLength);
const installedAs = ({ name, version }: InstalledTheme): Text =>
  joined([code(beginning(name, maxNameLength)), short(version)]);

/** A vulnerable theme, and the version that fixes it, if the host knows one that is not vulnerable. */
function fixOf(theme: InstalledTheme): Text {
  const next = short(theme.newVersion) || 'the newest version';
  if (isFixed(theme)) return say`${installedAs(theme)}, fixed in ${next}`;
  if (!theme.hasUpdate) return say`${installedAs(theme)}, no update`;
  return theme.newVulnerable
    ? say`${installedAs(theme)}, ${next} is vulnerable too`
    : say`${installedAs(theme)}, unknown whether ${next} fixes it`;
}

const stepOf = (theme: InstalledTheme): Text =>
  say`${installedAs(theme)} → ${short(theme.newVersion) || 'a newer version'}${theme.newVulnerable ? ' (vulnerable)' : ''}`;

/** Why the company's list says nothing about any of these environments. */
function noteOn(all: CompanyList, only: Only): Text | undefined {
  if (all !== undefined && 'themes' in all) return undefined;
  const why =
    all === undefined
      ? say`The host hasn't told me which company my key belongs to`
      : say`The host does not show my key the themes of the whole company (${all.withheld})`;
  return only === 'vulnerable'
    ? say`${why}, and I take what is vulnerable from that list alone.`
    : say`${why}, so I asked for the list of each environment, which may not tell what is vulnerable.`;
}

/** Offers only helpful updates: for vulnerable themes, only to a version that isn't vulnerable. */
function offersFor(found: readonly EnvironmentResult<ThemeListing>[], only: Only): NonNullable<Page['offers']> {
  const wanted = only === 'vulnerable' ? (theme: InstalledTheme) => vulnerable(theme) && isFixed(theme) : outdated;
  const on = found.flatMap(({ env, part }) => {
    const themes = part.kind === 'found' ? part.found.themes.filter(wanted) : [];
    return themes.length > 0 ? [{ env, themes }] : [];
  });
  const [first, ...more] = on;
  if (first === undefined) return [];
  if (more.length === 0) return [{ label: 'Update themes', opens: 'form', args: ['themes', 'update', first.env.id] }];
  const [live, others] = [on.filter(({ env }) => env.live), on.filter(({ env }) => !env.live)];
  const batches = [
    updateOf(others, (count) => `Update ${count} that are not live`),
    // One live site first shows whether the others can follow.
    updateOf(live, (count) => `Update ${count} live ones, one first`, true),
  ];
  return [
    ...batches.flatMap((one) => one ?? []),
    { label: 'Update on an environment', opens: 'form', args: ['themes', 'update'] },
  ];
}

type Affected = { readonly env: Environment; readonly themes: readonly InstalledTheme[] };

/** The batch that updates these themes, each of which can be unticked; undefined for fewer than two environments. */
function updateOf(
  affected: readonly Affected[],
  label: (count: number) => string,
  isOneFirst = false,
): PageOffer | undefined {
  const names = [...new Set(affected.flatMap(({ themes }) => themes.map(({ name }) => name)))];
  // As an argument, a name with a leading hyphen would be read as an option.
  const sendable = names
    .filter((name) => isThemeName(name) && !name.startsWith('-'))
    .toSorted((one, other) => one.localeCompare(other, 'en'));
  const offered = sendable.slice(0, maxThemes);
  const on = affected.filter(({ themes }) => themes.some(({ name }) => offered.includes(name)));
  const [first, ...more] = on.map(({ env }) => env.id);
  if (first === undefined || more.length === 0) return undefined;
  const canary = isOneFirst ? [`--canary=${first}`] : [];
  return {
    label: label(on.length),
    opens: 'form',
    args: ['themes', 'update', [first, ...more].join(','), offered.join(','), ...canary],
    checklist: {
      field: 'themes',
      noun: 'theme',
      items: offered.map((name) => itemOf(name, on)),
      ...noteOf(names.length - sendable.length, sendable.length - offered.length),
    },
  };
}

function itemOf(word: string, on: readonly Affected[]): ChecklistItem {
  const those = on.flatMap(({ env, themes }) => {
    const theme = themes.find(({ name }) => name === word);
    return theme === undefined ? [] : [{ id: env.id, theme }];
  });
  const from = oneOf(those.map(({ theme }) => short(theme.version) || 'a version not known'));
  const to = oneOf(those.map(({ theme }) => short(theme.newVersion) || 'the newest'));
  const bad = those.some(({ theme }) => theme.newVulnerable) ? ' (vulnerable)' : '';
  return { word, says: `${from} → ${to}${bad}`, on: those.map(({ id }) => id) };
}

/** The version, if all have the same one. */
function oneOf(versions: readonly string[]): string {
  const [first = '', ...others] = new Set(versions);
  return others.length === 0 ? first : `${others.length + 1} versions`;
}

const noteOf = (odd: number, more: number): { readonly note?: Text } =>
  odd + more === 0
    ? {}
    : {
        note: joined([
          odd > 0 ? `Not in the list: ${counted(odd, 'theme')} with a name that I can't send.` : undefined,
          more > 0 ? `One batch takes ${maxThemes} themes; ${more} more are not in the list.` : undefined,
        ]),
      };
