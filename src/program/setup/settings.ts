import { ConfigMistakes, givenIn, readConfig, type EnvironmentVariables } from '../../base/config.ts';
import { plainMistakesIn } from '../../base/addresses.ts';
import { secretVariables, variables } from '../../base/settings.ts';

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

export type CredentialName = 'SLACK_BOT_TOKEN' | 'SLACK_APP_TOKEN' | 'SLACK_SIGNING_SECRET' | 'HOSTING_API_KEY';

/** What the setting needs, and where to find it. */
const credentialDescriptions: Readonly<Record<CredentialName, string>> = {
  SLACK_BOT_TOKEN: 'the Bot User OAuth Token (xoxb-…) from OAuth & Permissions',
  SLACK_APP_TOKEN: 'an app-level token (xapp-…) from Basic Information → App-Level Tokens',
  SLACK_SIGNING_SECRET: 'the Signing Secret from Basic Information → App Credentials',
  HOSTING_API_KEY: 'a key of the hosting API',
};

type CredentialKind = {
  /** Follows "this is". */
  readonly what: string;
  /** The settings whose value can look like this. */
  readonly fits: readonly CredentialName[];
};

/** Tried in this order. A hosting key may have any form that is not clearly Slack's. */
const kinds: readonly (CredentialKind & { readonly look: RegExp })[] = [
  { look: /^xoxb-/, what: 'a bot token (xoxb-…)', fits: ['SLACK_BOT_TOKEN'] },
  { look: /^xapp-/, what: 'an app-level token (xapp-…)', fits: ['SLACK_APP_TOKEN'] },
  { look: /^xoxp-/, what: "a person's token (xoxp-…)", fits: [] },
  { look: /^xoxe\.xox[bp]-/, what: 'a token that expires, because token rotation is on', fits: [] },
  { look: /^xoxe-/, what: 'a refresh token (xoxe-…)', fits: [] },
  { look: /^xox[cd]-/, what: "a token of somebody's browser session", fits: [] },
  { look: /^xox[a-z]-/, what: 'a legacy token of Slack', fits: [] },
  { look: /^xwfp-/, what: 'a token of a workflow (xwfp-…)', fits: [] },
  { look: /^https:\/\/hooks\.slack\.com\//, what: 'the address of a webhook', fits: [] },
  { look: /^https?:\/\//, what: 'an address', fits: [] },
  { look: /^Bearer\s/i, what: 'a header: leave out the word Bearer', fits: [] },
  { look: /^\d{9,}\.\d{9,}$/, what: 'the Client ID of a Slack app', fits: [] },
  { look: /^A0[A-Z0-9]{7,12}$/, what: 'the App ID of a Slack app', fits: [] },
  {
    look: /^[0-9a-f]{32}$/,
    what: 'a Signing Secret or Client Secret of a Slack app, or a key of something else',
    fits: ['SLACK_SIGNING_SECRET', 'HOSTING_API_KEY'],
  },
  {
    look: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
    what: 'a UUID, such as the id of a company',
    fits: ['HOSTING_API_KEY'],
  },
  {
    look: /^[A-Za-z0-9]{24}$/,
    what: 'a Verification Token of a Slack app, or a key of something else',
    fits: ['HOSTING_API_KEY'],
  },
  // Any other value that doesn't begin like a Slack token.
  {
    look: /^(?!xox|xapp-)/,
    what: 'no token of Slack; perhaps a key of the hosting API, which belongs in HOSTING_API_KEY',
    fits: ['SLACK_SIGNING_SECRET', 'HOSTING_API_KEY'],
  },
];

/** The kind of credential that the value looks like; undefined if the form is unknown. */
const credentialKind = (value: string): CredentialKind | undefined => kinds.find(({ look }) => look.test(value));
