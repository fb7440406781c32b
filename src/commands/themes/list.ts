import { Refusal } from '../../base/errors.ts';
import {
  allThemesIfAllowed,
  type AllThemes,
  type ThemeFilter,
  type Withheld,
  type CompanyTheme,
} from '../../hosting/contract/themes.ts';
import { code, inline, joined, say, typed, type Text } from '../../words/text.ts';
import { companyId } from '../kit/sources.ts';
import type { Invalid } from '../kit/action.ts';
import { choice, flag, option, optional, word, type Input, withHint } from '../kit/fields.ts';
import { counted, leftOutText, tableOr } from '../kit/page.ts';
import { report, type SeenRows } from '../kit/report.ts';
import { among } from '../many-environments.ts';
import { isWord, listUpdatedAt, sourceOf, titled, vulnerableMark } from './installed.ts';
import { themesOfMany } from './of-many.ts';

const means = {
  vulnerability: 'vulnerable',
  security: 'vulnerable',
  insecure: 'vulnerable',
  unsafe: 'vulnerable',
  outdated: 'updates',
};

const fields = {
  search: withHint('Only themes with these words in their name.', optional(word('Search'))),
  among: among('the list of the whole company'),
  status: withHint('Only themes that are in use, or that are not.', option(choice('Status', ['active', 'inactive']))),
  only: option({
    ...choice('Only', ['vulnerable', 'updates']),
    means,
    hint: 'Only themes with a known weakness, or with an update.',
  }),
  sort: withHint('What comes first.', option(choice('Sort by', ['name', 'environments', 'updates']))),
  descending: withHint('Turns the order round.', flag('Descending')),
};
type FieldValues = Input<typeof fields>;

export const themesList = report({
  summary: 'List the themes of all sites or of some, with updates and warnings',
  button: 'List themes',
  also: `
    theme, all theme, every theme, theme update available, outdated theme, old theme, theme need update, vulnerable
    theme, theme vulnerability, theme security, unsafe theme, insecure theme, where theme, find theme, who use
    theme`,
  examples: ['--only vulnerable', '--only vulnerable in acme-*/live', 'in acme-shop/live, acme-blog/live'],
  shows: ['themes show'],
  fields,
  target: 'company',
  narrowedBy: 'among',
  invalid: wrongWith,
  show: async ({ input, read, company, each, seen, now }) => {
    if (input.among !== undefined) return themesOfMany(input.among, input.only, { each, company, now });
    const all = await allThemesIfAllowed(read, companyId({ company }), filterOf(input));
    if ('withheld' in all) throw notAllowed(all);
    const themes = all.themes.flatMap((theme) => visibleOf(theme, seen) ?? []);
    const shown = sorted(
      themes.filter((theme) => isWanted(theme, input)),
      input,
    );
    return {
      title: titleOf(shown, input),
      parts: tableOr(
        isNarrowed(input) ? 'No theme matches.' : 'The host lists no theme.',
        ['Warning', 'Theme', 'Latest', 'Environments', 'Updates'],
        shown.map((theme) => [
          warningOf(theme),
          titled({ title: theme.title, name: theme.name ?? '' }),
          inline(theme.latest_version ?? 'not known'),
          inline(environmentsOf(theme) ?? 'not known'),
          inline(updatesOf(theme) ?? 'not known'),
        ]),
        notesOn(all, { visible: themes.length, seesAll: seen.environment(undefined) }, input),
      ),
      source: sourceOf(listUpdatedAt(all.at), now),
      offers:
        shown.length === 0 && isNarrowed(input)
          ? [{ label: 'Show all themes', args: ['themes', 'list'] }]
          : [
              ...(input.only
                ? [{ label: 'By environment', args: ['themes', 'list', `--only=${input.only}`, 'in', '*/*'] }]
                : []),
              { label: 'Update on an environment', opens: 'form', args: ['themes', 'update'] },
            ],
    };
  },
});

/**
 * Refuses fields that don't go together. A name that was probably meant after `in` is refused as a search, because
 * nothing would match.
 */
function wrongWith({ search, among, status, sort, descending }: FieldValues): Invalid<keyof FieldValues> | undefined {
  if (among === undefined && search !== undefined && /^set:|^[^\s/]+\/[^\s/]+$/i.test(search))
    return {
      field: 'search',
      says: say`${code(search)} names environments, and no theme. Nothing was done.`,
      hint: say`Write ${code(`in ${search}`)}.`,
    };
  if (among === undefined || ((search ?? status ?? sort) === undefined && !descending)) return undefined;
  return {
    field: 'among',
    says: say`The list of these environments takes no search, status or order. Nothing was done.`,
    hint: say`Leave those out; ${code('--only')} goes with it.`,
  };
}

const notAllowed = ({ withheld }: Withheld): Refusal =>
  new Refusal(`The host does not show my key the themes of the whole company (${withheld}). Nothing was changed.`, {
    hint: say`${typed('themes show')} shows those of one environment.`,
    offers: [{ label: 'Show themes of an environment', opens: 'form', args: ['themes', 'show'] }],
  });

/** The filters for the host. The host may ignore them, so they are also applied here. */
const filterOf = ({ search, status, only, sort, descending }: FieldValues): ThemeFilter => ({
  search,
  status,
  column: only === 'updates' ? 'updatesAvailable' : only,
  order_by:
    sort === undefined && !descending ? undefined : { field: sort ?? 'name', order: descending ? 'descend' : 'ascend' },
});

const isNarrowed = ({ search, status, only }: FieldValues): boolean => (search ?? status ?? only) !== undefined;

function isWanted(theme: CompanyTheme, { search, status, only }: FieldValues): boolean {
  const { name, title, description, environments } = theme;
  const text = [name, title, description].join('\n').toLowerCase();
  if (search !== undefined && !text.includes(search.toLowerCase())) return false;
  const listed = environments?.entries ?? [];
  // The host counts these environments without listing them, so only the host can filter them by state.
  const isUntold = listed.length === 0 && environmentsOf(theme) !== 0;
  if (status !== undefined && !isUntold && !listed.some((one) => isWord(one.theme_status, status))) return false;
  if (only === 'vulnerable') return isVulnerable(theme);
  return only === undefined || (updatesOf(theme) ?? 0) > 0;
}

/**
 * The theme with only those environments that this person may see; undefined: it has none of them. What the host only
 * counts, or can't be read, can be any environment.
 */
function visibleOf(theme: CompanyTheme, seen: SeenRows): CompanyTheme | undefined {
  if (seen.environment(undefined)) return theme;
  const entries = (theme.environments?.entries ?? []).filter(({ id }) => seen.environment(id));
  if (entries.length === 0) return undefined;
  return { ...theme, environment_count: undefined, update_count: undefined, environments: { entries, unread: 0 } };
}

/** What the list lacks. How many themes are hidden is only said of the whole list: a search must not find them. */
function notesOn(
  all: AllThemes,
  { visible, seesAll }: { readonly visible: number; readonly seesAll: boolean },
  input: FieldValues,
): Text | undefined {
  const notes = joined([
    isAllTold(all)
      ? undefined
      : say`**The host doesn't tell about all themes or their environments,** so some may be missing here.`,
    isNarrowed(input) ? undefined : leftOutText(all.themes.length - visible, 'theme'),
    seesAll ? undefined : say`Environments that you can't see don't count here.`,
  ]);
  return notes.length > 0 ? notes : undefined;
}

/** Sorts the themes; by default, vulnerable ones come first. */
function sorted(themes: readonly CompanyTheme[], { sort, descending }: FieldValues): readonly CompanyTheme[] {
  const byName = (one: CompanyTheme, other: CompanyTheme): number => nameOf(one).localeCompare(nameOf(other), 'en');
  const sign = descending ? -1 : 1;
  if (sort === undefined && !descending) {
    return themes.toSorted(
      (one, other) => Number(isVulnerable(other)) - Number(isVulnerable(one)) || byName(one, other),
    );
  }
  if (sort === undefined || sort === 'name') return themes.toSorted((one, other) => sign * byName(one, other));
  const amount = sort === 'environments' ? environmentsOf : updatesOf;
  return themes.toSorted((one, other) => sign * ((amount(one) ?? 0) - (amount(other) ?? 0)) || byName(one, other));
}

const nameOf = ({ title, name }: CompanyTheme): string => title ?? name ?? '';
/** How many environments have it; undefined: not known. */
const environmentsOf = ({ environment_count: counted, environments }: CompanyTheme): number | undefined =>
  counted ?? (environments && environments.entries.length + environments.unread);
/** How many updates there are; undefined: not known. */
const updatesOf = ({ update_count: counted, environments }: CompanyTheme): number | undefined =>
  counted ??
  (environments?.unread === 0
    ? environments.entries.filter((one) => isWord(one.theme_update, 'available')).length
    : undefined);
const vulnerableIn = ({ environments }: CompanyTheme): number =>
  (environments?.entries ?? []).filter((one) => one.is_theme_version_vulnerable).length;
const isAllTold = ({ isCut, themes }: AllThemes): boolean =>
  !isCut && themes.every(({ environments }) => environments?.unread === 0);
const isVulnerable = (theme: CompanyTheme): boolean =>
  vulnerableIn(theme) > 0 || theme.is_latest_version_vulnerable === true;

function warningOf(theme: CompanyTheme): Text {
  const amount = vulnerableIn(theme);
  if (theme.is_latest_version_vulnerable) return vulnerableMark('the latest is vulnerable');
  return amount > 0 ? vulnerableMark(`vulnerable on ${amount}`) : [];
}

function titleOf(shown: readonly CompanyTheme[], { search, status, only }: FieldValues): Text {
  const which = [status, only === 'vulnerable' ? 'vulnerable' : undefined, search && `with “${search}”`];
  const narrowed = which.filter((one) => one !== undefined).join(', ');
  const vulnerable = shown.filter(isVulnerable).length;
  const warned = vulnerable > 0 ? `, ${vulnerable} of them vulnerable` : '';
  return say`**Themes**${narrowed && `, ${narrowed}`} · ${counted(shown.length, 'theme')}${only === 'updates' ? ' with updates' : ''}${warned}`;
}
