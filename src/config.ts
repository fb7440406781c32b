import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { z } from 'zod';
import { isAuditOut } from './addresses.ts';
import { contradictionsIn, formerKeysAlone } from './contradictions.ts';
import { oddityIn, plainMistakesIn, unprotectedIn } from './encryption.ts';
import { Secret } from './secret.ts';

/** A base address: paths are appended to it. */
const address = z
  .url({ protocol: /^https?$/, error: 'must be an address that begins with https:// or http://' })
  .regex(/^[^?#\s]*$/, 'must be an address without ?, # or blanks')
  .refine(
    (url) => !URL.canParse(url) || new URL(url).username + new URL(url).password === '',
    'must be an address without a name or password before the host',
  );
const wholeFrom = (least: number, most: number) => {
  const mustBe = `must be a whole number from ${least} to ${most}`;
  return z.string().regex(/^\d+$/, mustBe).transform(Number).pipe(z.number().min(least, mustBe).max(most, mustBe));
};
const maxPort = 65_535;
/** A host name whose last part has a letter: a name of digits would be read as an IP address. */
const hostName = /^([\w-]+\.)*(?=[\w-]*[a-z])[\w-]+\.?$/i;
const host = z
  .string()
  .refine(
    (text) => isIP(text) !== 0 || hostName.test(text),
    'must be an address or a name of this machine alone, such as 0.0.0.0, ::1 or localhost: without http://, brackets or a port',
  );
const uuid = z.guid('must be a UUID').toLowerCase();
const maxCharacters = 4_096;
const printable = z
  .string()
  .regex(/^[\x20-\x7e]*$/, 'contains a line break or another character outside plain ASCII, which no key has');
/** A credential with a minimum length, in printable ASCII because it goes into a header. */
const credential = (least: number, hint: string): z.ZodString =>
  printable
    .min(least, `must be at least ${least} characters: ${hint}`)
    .max(maxCharacters, `must be at most ${maxCharacters} characters`);
const hidden = (value: string): Secret => new Secret(value);
const token = (start: string): z.ZodString =>
  credential(16, 'copy it whole').startsWith(start, `must begin with ${start}`);
const aloneHint = 'has a blank or a quotation mark, which no key has: write the key alone, without Bearer before it';
const auditKey = credential(
  32,
  'openssl rand -hex 32 makes one; a shorter one that was in use goes to AUDIT_KEYS_FORMER',
).regex(/^[^,]*$/, 'has a comma, which stands between keys in AUDIT_KEYS_FORMER');
/** Former keys may be shorter. An even shorter key is a typo, and scrubbing it would blank out ordinary text. */
const minFormerLength = 8;
const formerKeys = printable
  .transform((value) =>
    value
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== ''),
  )
  .refine(
    (keys) => keys.every(({ length }) => length >= minFormerLength && length <= maxCharacters),
    `must be keys of ${minFormerLength} to ${maxCharacters} characters each, with commas between`,
  )
  .transform((keys) => keys.map(hidden));
const slashCommand = /^\/[a-z][a-z0-9_-]{0,30}$/;
const required = (description: string): { error: (issue: { input: unknown }) => string | undefined } => ({
  error: (issue) => (issue.input === undefined ? `is not set: ${description}` : undefined),
});
const sqliteOrPostgres = /^(sqlite:.|postgres(ql)?:\/\/)/;
const databaseAt = (start: RegExp, error: string) => {
  const isReadable = (url: string): boolean => passwordIn(url) !== undefined;
  return z
    .string()
    .regex(start, error)
    .refine(isReadable, 'has a password whose % signs are not written as %25')
    .refine((url) => oddityIn(url) === undefined, { error: ({ input }) => oddityIn(String(input)) });
};

/** `host:port`; an IPv6 address in brackets. */
function endpointIn(text: string): { readonly host: string; readonly port: number } | undefined {
  const [, written = '', port = ''] = /^(\[[\da-f:.]+\]|[^:]+):(\d{1,5})$/i.exec(text) ?? [];
  const name = written.replace(/^\[(.*)\]$/, '$1');
  const isPlace = (isIP(name) !== 0 || hostName.test(name)) && Number(port) > 0 && Number(port) <= 65_535;
  return isPlace ? { host: name, port: Number(port) } : undefined;
}
const endpointHint = 'must be host:port, such as 127.0.0.1:8080, without http://';

/** The environment variables and what each must be. No others are read. */
export const variables = z.object({
  SLACK_BOT_TOKEN: z.string(required('the bot token of your Slack app, xoxb-…')).pipe(token('xoxb-')).transform(hidden),
  SLACK_APP_TOKEN: token('xapp-').transform(hidden).optional(),
  SLACK_SIGNING_SECRET: credential(32, "Slack's has 32, under Basic Information").transform(hidden).optional(),
  SLACK_COMMAND: z
    .string()
    .regex(slashCommand, 'must be like /site: lower case, 32 characters at most')
    .default('/site'),
  SLACK_API_URL: address.default('https://slack.com/api/').transform((url) => (url.endsWith('/') ? url : `${url}/`)),
  HOSTING_API_URL: z
    .string(required('the base address of the hosting API, with /v2'))
    .pipe(address.regex(/[^/]\/v2\/*$/, 'must end with /v2'))
    .transform((url) => url.replace(/\/+$/, '')),
  HOSTING_API_KEY: z
    .string(required('the key of the hosting API'))
    .pipe(credential(16, 'copy it whole').regex(/^[^\s"']*$/, aloneHint))
    .transform(hidden),
  HOSTING_COMPANY_ID: uuid.optional(),
  HOSTING_DIALECT: z.enum(['document', 'kinsta'], 'must be document or kinsta').default('document'),
  HOSTING_REQUESTS_PER_MINUTE: wholeFrom(1, 1_000_000).optional(),
  POLICY_FILE: z.string().default('policy.yml'),
  DATABASE_URL: databaseAt(sqliteOrPostgres, 'must be sqlite:PATH or postgres://…').default('sqlite:data/sitehand.db'),
  DATABASE_LISTEN_URL: databaseAt(/^postgres(ql)?:\/\//, 'must be postgres://…').optional(),
  PORT: wholeFrom(0, maxPort).default(3000),
  HOST: host.optional(),
  /** Not 0: nobody would know the port that the system chooses. */
  METRICS_PORT: wholeFrom(1, maxPort).optional(),
  METRICS_HOST: host.optional(),
  AUDIT_KEY: auditKey.transform(hidden).optional(),
  AUDIT_KEYS_FORMER: formerKeys.optional(),
  AUDIT_OUT: z.string().refine(isAuditOut, 'must be an https:// address, file:PATH or stdout').optional(),
  AUDIT_OUT_KEY: credential(32, 'openssl rand -hex 32 makes one').transform(hidden).optional(),
  CERTIFICATES_DIR: z.string().optional(),
  CHECK_CONNECT_TO: z
    .string()
    .refine((text) => endpointIn(text) !== undefined, endpointHint)
    .optional(),
  ALLOW_PLAIN_HTTP: z.literal('1', 'must be 1, or not set').optional(),
  LOG_LEVEL: z
    .string()
    .toLowerCase()
    .pipe(
      z.enum(
        ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
        'must be a level of pino: debug, info, warn, error …',
      ),
    )
    .default('info'),
});

export type Config = ReturnType<typeof toConfig>;

/** Everything that is wrong with the environment variables, one line each. Nothing was started. */
export class ConfigMistakes extends Error {
  readonly mistakes: readonly string[];

  constructor(mistakes: readonly string[]) {
    super(mistakes.join('\n'));
    this.name = 'ConfigMistakes';
    this.mistakes = mistakes;
  }
}

/** Reads environment variables; a secret can also come from the file in `NAME_FILE`. Throws `ConfigMistakes`. */
export function readConfig(environment: EnvironmentVariables = process.env): Config {
  const { given, mistakes } = givenIn(environment, Object.keys(variables.shape));
  const read = variables.safeParse(given);
  if (!read.success) mistakes.push(...mistakesIn(read.error));
  mistakes.push(...contradictionsIn(given));
  if (read.success && read.data.PORT !== 0 && read.data.METRICS_PORT === read.data.PORT)
    mistakes.push(`METRICS_PORT and PORT are both ${read.data.PORT}: set one of them to another number`);
  if (read.success) mistakes.push(...plainMistakesIn(read.data));
  if (!read.success || mistakes.length > 0) throw new ConfigMistakes(mistakes);
  return toConfig(read.data);
}

/** The trail's database and the keys of its chain: all that is needed to read the trail beside a bot. */
export type TrailConfig = Pick<Config, 'databaseUrl' | 'auditKey' | 'formerAuditKeys'>;

/** Reads only these settings, from the same variables. Throws `ConfigMistakes`. */
export function readTrailConfig(environment: EnvironmentVariables = process.env): TrailConfig {
  const own = { DATABASE_URL: true, AUDIT_KEY: true, AUDIT_KEYS_FORMER: true, ALLOW_PLAIN_HTTP: true } as const;
  const trailVariables = variables.pick(own);
  const { given, mistakes } = givenIn(environment, Object.keys(trailVariables.shape));
  const read = trailVariables.safeParse(given);
  if (!read.success) mistakes.push(...mistakesIn(read.error));
  mistakes.push(...formerKeysAlone(given));
  if (read.success) mistakes.push(...plainMistakesIn(read.data));
  if (!read.success || mistakes.length > 0) throw new ConfigMistakes(mistakes);
  hidePassword(read.data.DATABASE_URL);
  const { DATABASE_URL: databaseUrl, AUDIT_KEY: auditKey, AUDIT_KEYS_FORMER: formerAuditKeys = [] } = read.data;
  return { databaseUrl, auditKey, formerAuditKeys };
}

/** The policy file, also if nothing else is set. */
export const policyFileIn = (environment: EnvironmentVariables = process.env): string =>
  variables.shape.POLICY_FILE.parse(environment['POLICY_FILE']?.trim() || undefined);

/** The given environment, by default that of this process. */
export const environmentOr = (given: EnvironmentVariables = process.env): EnvironmentVariables => given;

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** The values of these variables, also from their files, and which files can't be read. */
export function givenIn(
  environment: EnvironmentVariables,
  names: readonly string[],
): { readonly given: Record<string, string>; readonly mistakes: string[] } {
  const mistakes: string[] = [];
  const given: Record<string, string> = {};
  for (const name of names) {
    const value = environment[name]?.trim() || fromFile(environment, name, mistakes);
    if (value) given[name] = value;
  }
  return { given, mistakes };
}

/** One mistake per variable: later ones mostly follow from the first. */
const mistakesIn = ({ issues }: z.ZodError): readonly string[] =>
  [
    ...new Map(
      issues.toReversed().map(({ path, message }) => [path.join('.'), `${path.join('.')} ${message}`]),
    ).values(),
  ].toReversed();

/** The variables that can also come from `NAME_FILE`. */
export const secretVariables: ReadonlySet<string> = new Set([
  'SLACK_BOT_TOKEN',
  'SLACK_APP_TOKEN',
  'SLACK_SIGNING_SECRET',
  'HOSTING_API_KEY',
  'AUDIT_KEY',
  'AUDIT_KEYS_FORMER',
  'AUDIT_OUT',
  'AUDIT_OUT_KEY',
  'DATABASE_URL',
  'DATABASE_LISTEN_URL',
]);

function fromFile(environment: EnvironmentVariables, name: string, mistakes: string[]): string | undefined {
  const path = secretVariables.has(name) ? environment[`${name}_FILE`] : undefined;
  if (!path) return undefined;
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    mistakes.push(`${name}_FILE cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

function toConfig(read: z.output<typeof variables>) {
  const socketMode = read.SLACK_APP_TOKEN !== undefined;
  [read.DATABASE_URL, read.DATABASE_LISTEN_URL ?? ''].forEach(hidePassword);
  return {
    slack: {
      botToken: read.SLACK_BOT_TOKEN,
      delivery: read.SLACK_APP_TOKEN
        ? { kind: 'socket' as const, appToken: read.SLACK_APP_TOKEN }
        : { kind: 'http' as const, signingSecret: read.SLACK_SIGNING_SECRET ?? new Secret('') },
      apiUrl: read.SLACK_API_URL,
      command: read.SLACK_COMMAND,
    },
    hosting: {
      url: read.HOSTING_API_URL,
      key: read.HOSTING_API_KEY,
      company: read.HOSTING_COMPANY_ID,
      dialect: read.HOSTING_DIALECT,
      requestsPerMinute: read.HOSTING_REQUESTS_PER_MINUTE,
    },
    policyFile: read.POLICY_FILE,
    databaseUrl: read.DATABASE_URL,
    databaseListenUrl: read.DATABASE_LISTEN_URL,
    http: { port: read.PORT, host: read.HOST ?? (socketMode ? '127.0.0.1' : '0.0.0.0') },
    metrics: { port: read.METRICS_PORT, host: read.METRICS_HOST ?? '127.0.0.1' },
    auditKey: read.AUDIT_KEY,
    formerAuditKeys: read.AUDIT_KEYS_FORMER ?? [],
    auditOut: auditOutOf(read),
    certificatesDir: read.CERTIFICATES_DIR,
    /** Where every site check goes instead of the site. */
    checkConnectTo: read.CHECK_CONNECT_TO === undefined ? undefined : endpointIn(read.CHECK_CONNECT_TO),
    ...unprotectedIn(read),
    logLevel: read.LOG_LEVEL,
  };
}

/** Where the audit trail is sent outside the database; undefined: nowhere. */
function auditOutOf({ AUDIT_OUT: to, AUDIT_OUT_KEY: key }: z.output<typeof variables>) {
  if (to === undefined) return undefined;
  if (to === 'stdout') return { kind: 'stdout' as const };
  if (to.startsWith('file:')) return { kind: 'file' as const, path: to.slice('file:'.length) };
  return { kind: 'webhook' as const, url: hidden(to), key: key ?? hidden('') };
}

/** Registers the passwords as secrets, so that no driver error can carry them into a log. */
function hidePassword(url: string): void {
  const queryPasswords = URL.canParse(url) ? new URL(url).searchParams.getAll('password') : [];
  [passwordIn(url) ?? '', ...queryPasswords].forEach(hidden);
}

/** The password in a database address: empty if there is none, undefined if it can't be decoded. */
function passwordIn(url: string): string | undefined {
  try {
    return URL.canParse(url) ? decodeURIComponent(new URL(url).password) : '';
  } catch {
    return undefined;
  }
}

/** The key of the audit chain as bytes; undefined if the chain uses plain hashes. */
export const auditKeyOf = ({ auditKey }: Pick<Config, 'auditKey'>): Buffer | undefined =>
  auditKey && Buffer.from(auditKey.reveal());

/** The current key and then the former ones, to verify the trail. */
export const auditKeysOf = ({ auditKey, formerAuditKeys }: Omit<TrailConfig, 'databaseUrl'>): readonly Buffer[] =>
  [auditKey ?? [], formerAuditKeys].flat().map((key) => Buffer.from(key.reveal()));
