import { ConfigMistakes, givenIn, readConfig, type EnvironmentVariables } from '../../base/config.ts';
import { plainMistakesIn } from '../../base/encryption.ts';
import { secretVariables, variables } from '../../base/settings.ts';
import { credentialKind, credentialDescriptions, type CredentialName } from './credentials.ts';

/** The settings that `setup` gathers, as environment variables: `NAME`, or `NAME_FILE` for a secret in a file. */
export type Settings = Record<string, string>;
export type SettingName = keyof typeof variables.shape;

/** Keeps only the variables that Sitehand reads. */
export function settingsIn(environment: EnvironmentVariables): Settings {
  const names = [...Object.keys(variables.shape), ...[...secretVariables].map((name) => `${name}_FILE`)];
  return Object.fromEntries(
    names.flatMap((name): [string, string][] => {
      const value = environment[name]?.trim();
      return value ? [[name, value]] : [];
    }),
  );
}

/** The value of a setting, perhaps read from its file; undefined if there is none. */
export const valueIn = (settings: EnvironmentVariables, name: SettingName): string | undefined =>
  givenIn(settings, [name]).given[name];

/** What is wrong with one setting, in a sentence that begins with its name; undefined if nothing is. */
export function mistakeIn(settings: EnvironmentVariables, name: SettingName): string | undefined {
  const { given, mistakes } = givenIn(settings, [name]);
  const value = given[name];
  if (mistakes[0] !== undefined) return mistakes[0];
  if (value !== undefined && isCredential(name)) {
    const kind = credentialKind(value);
    if (kind && !kind.fits.includes(name))
      return `${name} must be ${credentialDescriptions[name]}, and this is ${kind.what}`;
    const other = credentials.find((one) => one !== name && valueIn(settings, one) === value);
    if (other) return `${name} must be ${credentialDescriptions[name]}, and this is the value of ${other}`;
  }
  const { error } = variables.shape[name].safeParse(value);
  if (error) return `${name} ${error.issues[0]?.message ?? 'cannot be used'}`;
  return plainMistakesIn({ ALLOW_PLAIN_HTTP: settings['ALLOW_PLAIN_HTTP'], [name]: value })[0];
}

/** Everything that keeps a bot from starting with these settings, one sentence each. */
export function mistakesIn(settings: EnvironmentVariables): readonly string[] {
  const own = new Map(credentials.map((name) => [name, valueIn(settings, name) && mistakeIn(settings, name)]));
  const named = [...own.values()].flatMap((mistake) => mistake || []);
  try {
    readConfig(settings);
    return named;
  } catch (error) {
    if (!(error instanceof ConfigMistakes)) throw error;
    return [
      ...named,
      ...error.mistakes.filter((mistake) => !named.some((one) => one.split(' ')[0] === mistake.split(' ')[0])),
    ];
  }
}

const credentials: readonly CredentialName[] = [
  'SLACK_BOT_TOKEN',
  'SLACK_APP_TOKEN',
  'SLACK_SIGNING_SECRET',
  'HOSTING_API_KEY',
];
const isCredential = (name: SettingName): name is CredentialName => credentials.some((one) => one === name);
