import { Refusal } from '../../base/errors.ts';
import { updateThemes } from '../../hosting/contract/themes.ts';
import { bold, code, inShort, list, say, typed, unseen, type Text } from '../../words/text.ts';
import { action, type Invalid } from '../kit/action.ts';
import { environment, wordField, type Input } from '../kit/fields.ts';
import { sinceArg } from '../kit/values/times.ts';
import { didYouMean, near } from '../../words/similar-names.ts';
import { isWord, themesOf, type InstalledTheme } from './installed.ts';

/** The most themes in one command. */
export const maxThemes = 100;
const maxShown = 25;

/** Whether a name can be typed and sent. Hosts list names with spaces and brackets too; a comma would end it. */
export const isThemeName = (name: string): boolean =>
  /^[^\p{Cc},"<>/\\]{1,100}$/u.test(name) && !unseen.test(name) && name.trim() === name;

/** Names of themes without duplicates: a word each, which has spaces if it was typed in quotes, or by comma or line. */
const themeNames = wordField<readonly string[]>('Themes', {
  many: true,
  shown: 'theme…',
  takes: 'words',
  hint: 'As the list of themes writes them; one with spaces in quotes.',
  read: (words) => {
    const names = [
      ...new Set(
        words
          .flatMap((word) => word.split(/[\r\n,]+/))
          .map(unquoted)
          .filter((name) => name !== ''),
      ),
    ];
    if (names.length === 0) throw new Refusal('No theme was given. Nothing was done.');
    if (names.length > maxThemes) {
      throw new Refusal(
        `These are ${names.length} themes; at most ${maxThemes} can be updated at once. Nothing was done.`,
      );
    }
    const odd = names.find((name) => !isThemeName(name));
    if (odd === undefined) return names;
    throw new Refusal(say`${code(odd.slice(0, 60))} is not the name of a theme. Nothing was done.`, {
      hint: say`Themes are named as ${typed('themes show')} writes them; one with spaces goes into quotes.`,
    });
  },
});

/** Quotes around a line of a form are not part of the name. */
const unquoted = (text: string): string =>
  text
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .trim();

const fields = { env: environment(), themes: themeNames };
type FieldValues = Input<typeof fields>;

/** `isPartial`: there are, or may be, more themes than these. */
type Snapshot = { readonly themes: readonly InstalledTheme[]; readonly isPartial?: boolean };

export const themesUpdate = action({
  summary: 'Update themes of an environment to their newest version',
  button: 'Update themes',
  also: `
    upgrade theme, update all theme, newest theme, theme newest version, theme latest version, theme new version,
    update theme <environment>, upgrade theme <environment>, upgrade <environment>, update <environment>`,
  examples: ['acme-shop/live storefront-plus'],
  risk: 'sensitive',
  shows: ['themes show'],
  mayBreakSite: true,
  fields,
  target: 'env',
  dependent: {
    themes: {
      on: ['env'],
      choices: async ({ input: { env }, ...sources }) =>
        env === undefined ? [] : (await themesOf(env, sources)).themes.filter(hasUpdate).map(({ name }) => name),
    },
  },
  look: async ({ input, ...sources }): Promise<Snapshot> => {
    const { themes, isWhole } = await themesOf(input.env, sources);
    return { themes, ...(!isWhole && { isPartial: true }) };
  },
  impossible: ({ input, snapshot }) => missing(input, snapshot) ?? alreadyCurrent(input, snapshot.themes),
  batch: ({ input: { themes }, where }) => ({
    title: say`Update ${spoken(themes)} on ${where}`,
    done: say`Updated ${spoken(themes)} on ${where}`,
  }),
  // Sites have different themes, so each site gets only the updates that it has. If it has none, `impossible` says why.
  meant: ({ input, snapshot }) => {
    const themes = named(snapshot.themes, input.themes)
      .filter(hasUpdate)
      .map(({ name }) => name);
    return themes.length === 0 ? input : { ...input, themes };
  },
  preconditions: ({ input, snapshot }) =>
    named(snapshot.themes, input.themes).map(({ name, version, newVersion }) => [name, version, newVersion]),
  call: ({ input }) => updateThemes({ env_id: input.env.id, themes: input.themes.map((name) => ({ name })) }),
  card: ({ input, snapshot }) => ({
    title: say`Update ${spoken(input.themes)} on ${input.env.name}`,
    done: say`Updated ${spoken(input.themes)} on ${input.env.name}`,
    warning: warningOf(named(snapshot.themes, input.themes)),
    facts: {
      Themes: list(named(snapshot.themes, input.themes).map(stepOf), maxShown, undefined, '\n'),
      "Can't be undone": 'the API cannot restore an old version',
    },
  }),
  proof: ({ input, snapshot, current: { themes } }) => {
    const old = input.themes.filter((name) => !isUpdated(find(snapshot.themes, name), find(themes, name)));
    return old.length === 0
      ? { verdict: 'yes', says: say`${versions(named(themes, input.themes))} on ${input.env.name}` }
      : {
          verdict: 'not yet',
          says: say`${spoken(old)} on ${input.env.name} ${old.length === 1 ? 'is' : 'are'} as before in the host’s list, which can be 12 hours old`,
        };
  },
  after: 'An update of themes usually takes some minutes, and the host’s list of themes can be 12 hours old.',
  next: ({ input: { env }, sentAt }) => [
    { label: `Clear the cache of ${env.name}`, args: ['cache', 'clear', env.id] },
    { label: 'Error log since the update', args: ['logs', env.id, 'error', sinceArg(sentAt)] },
  ],
});

const hasUpdate = (theme: InstalledTheme): boolean => theme.hasUpdate;
const find = (themes: readonly InstalledTheme[], name: string): InstalledTheme | undefined =>
  themes.find((theme) => theme.name === name);
/** The named themes of the environment, in the order given. */
const named = (themes: readonly InstalledTheme[], names: readonly string[]): readonly InstalledTheme[] =>
  names.map((name) => find(themes, name)).filter((theme) => theme !== undefined);

function missing({ env, themes: names }: FieldValues, { themes, isPartial }: Snapshot): Invalid<'themes'> | undefined {
  const gone = names.filter((name) => find(themes, name) === undefined);
  if (gone.length === 0) return undefined;
  const known = themes.map(({ name }) => name);
  const inPieces = known.find((name) => name.includes(' ') && names.join(' ').includes(name));
  const meant = [...new Set(gone.flatMap((name) => near(name, known).slice(0, 2)))].slice(0, 5);
  return {
    field: 'themes',
    says: isPartial
      ? say`I can't find ${spoken(gone)} on ${env.name}, but the host doesn't tell about all of its themes. Nothing was changed.`
      : say`${spoken(gone)} ${gone.length === 1 ? 'is not a theme' : 'are not themes'} of ${env.name}. Nothing was changed.`,
    hint: inPieces
      ? say`A name with spaces goes into quotes: ${code(`"${inPieces}"`)}.`
      : meant.length > 0
        ? didYouMean(meant.map(bold))
        : known.length > 0
          ? say`It has ${spoken(known, 10)}.`
          : 'The host lists no theme there.',
  };
}

function alreadyCurrent(
  { env, themes: names }: FieldValues,
  themes: readonly InstalledTheme[],
): Invalid<'themes'> | undefined {
  const fresh = named(themes, names).filter((theme) => !theme.hasUpdate);
  if (fresh.length === 0) return undefined;
  const others = themes.filter(hasUpdate).map(({ name }) => name);
  return {
    field: 'themes',
    says: say`The host lists no update for ${spoken(fresh.map(({ name }) => name))} on ${env.name}. Nothing was changed.`,
    hint:
      others.length > 0
        ? say`There is one of ${spoken(others, 10)}.`
        : 'There is none of any theme there; the host’s list can be 12 hours old.',
  };
}

/** Whether the version has changed. Without versions, only a new statement of the host counts, not an earlier one. */
function isUpdated(before: InstalledTheme | undefined, now: InstalledTheme | undefined): boolean {
  if (before === undefined || now === undefined) return false;
  if (before.version !== null && now.version !== null) return now.version !== before.version;
  return isWord(now.updateStatus, 'updated') && !isWord(before.updateStatus, 'updated');
}

function stepOf({ name, version, newVersion, status, vulnerable, newVulnerable }: InstalledTheme): string {
  const from = `${version ?? 'a version not known'}${vulnerable ? ' (vulnerable)' : ''}`;
  const to = `${newVersion ?? 'the newest'}${newVulnerable ? ' (vulnerable)' : ''}`;
  return `${name}: ${from} → ${to}${isWord(status, 'active') ? ', the active theme' : ''}`;
}

function warningOf(themes: readonly InstalledTheme[]): Text | undefined {
  const bad = themes.filter(({ newVulnerable }) => newVulnerable).map(({ name }) => name);
  return bad.length === 0 ? undefined : say`**The new version of ${spoken(bad)} is known to be vulnerable too.**`;
}

const versions = (themes: readonly InstalledTheme[]): Text => {
  const shown = themes.slice(0, 5).map(({ name, version }) => `${name} ${version ?? 'in its new version'}`);
  const more = themes.length > 5 ? ` and ${themes.length - 5} more` : '';
  return say`${shown.join(', ')}${more} ${themes.length === 1 ? 'is' : 'are'}`;
};

const spoken = (names: readonly string[], most = 3): Text => inShort([list(names, most, 'bold')]);
