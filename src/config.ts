import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { Secret } from './secret.ts';

const secret = z.string().transform((value) => new Secret(value));
const address = z.url({ protocol: /^https?$/, error: 'must be an address that begins with https:// or http://' });
const port = z.coerce
  .number({ error: 'must be a number' })
  .int('must be 0 to 65535')
  .min(0, 'must be 0 to 65535')
  .max(65_535, 'must be 0 to 65535');
const uuid = z.guid('must be a UUID').toLowerCase();
const beginning = (start: string): z.ZodType<Secret, string> =>
  z
    .string()
    .startsWith(start, `must begin with ${start}`)
    .transform((value) => new Secret(value));
const required = (what: string): { error: (issue: { input: unknown }) => string | undefined } => ({
  error: (issue) => (issue.input === undefined ? `is not set: ${what}` : undefined),
});

/** Environment variables and what each must be; whatever is not said here is not read. */
const variables = z.object({
  SLACK_BOT_TOKEN: z
    .string(required('the bot token of your Slack app, xoxb-…'))
    .startsWith('xoxb-', 'must begin with xoxb-')
    .transform((value) => new Secret(value)),
  SLACK_APP_TOKEN: beginning('xapp-').optional(),
  SLACK_SIGNING_SECRET: secret.optional(),
  SLACK_API_URL: address.default('https://slack.com/api/').transform((url) => (url.endsWith('/') ? url : `${url}/`)),
  HOSTING_API_URL: z
    .string(required('the base address of the hosting API, with /v2'))
    .pipe(address)
    .transform((url) => url.replace(/\/+$/, '')),
  HOSTING_API_KEY: z.string(required('the key of the hosting API')).transform((value) => new Secret(value)),
  HOSTING_COMPANY_ID: uuid.optional(),
  HOSTING_DIALECT: z.enum(['document', 'kinsta'], 'must be document or kinsta').default('document'),
  POLICY_FILE: z.string().default('policy.yml'),
  DATABASE_URL: z
    .string()
    .regex(/^(sqlite:.|postgres(ql)?:\/\/)/, 'must be sqlite:PATH or postgres://…')
    .refine((url) => passwordIn(url) !== undefined, 'has a password whose % signs are not written as %25')
    .default('sqlite:data/sitehand.db'),
  PORT: port.default(3000),
  HOST: z.string().optional(),
  METRICS_PORT: port.optional(),
  AUDIT_KEY: secret.optional(),
  CERTIFICATES_DIR: z.string().optional(),
  LOG_LEVEL: z
    .enum(
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      'must be a level of pino: debug, info, warn, error …',
    )
    .default('info'),
});

export type Config = ReturnType<typeof shaped>;

/** Everything that is wrong with the environment, one line each; nothing was started. */
export class ConfigMistakes extends Error {
  readonly mistakes: readonly string[];

  constructor(mistakes: readonly string[]) {
    super(mistakes.join('\n'));
    this.name = 'ConfigMistakes';
    this.mistakes = mistakes;
  }
}

/** Reads the configuration from environment variables, each secret also from `NAME_FILE`; throws `ConfigMistakes`. */
export function readConfig(environment: Environment = process.env): Config {
  const { given, mistakes } = givenIn(environment, Object.keys(variables.shape));
  const read = variables.safeParse(given);
  if (!read.success) mistakes.push(...read.error.issues.map(mistakeOf));
  if (!given['SLACK_APP_TOKEN'] && !given['SLACK_SIGNING_SECRET']) {
    mistakes.push('SLACK_APP_TOKEN or SLACK_SIGNING_SECRET is not set: the first means Socket Mode, the second HTTP');
  }
  if (!read.success || mistakes.length > 0) throw new ConfigMistakes(mistakes);
  return shaped(read.data);
}

/** Where the trail is kept, and the key of its chain: all that is needed to read it beside a bot. */
export type TrailConfig = Pick<Config, 'databaseUrl' | 'auditKey'>;

/** Reads only that, from the same variables; throws `ConfigMistakes`. */
export function readTrailConfig(environment: Environment = process.env): TrailConfig {
  const wanted = variables.pick({ DATABASE_URL: true, AUDIT_KEY: true });
  const { given, mistakes } = givenIn(environment, Object.keys(wanted.shape));
  const read = wanted.safeParse(given);
  if (!read.success) mistakes.push(...read.error.issues.map(mistakeOf));
  if (!read.success || mistakes.length > 0) throw new ConfigMistakes(mistakes);
  hidePassword(read.data.DATABASE_URL);
  return { databaseUrl: read.data.DATABASE_URL, auditKey: read.data.AUDIT_KEY };
}

type Environment = Readonly<Record<string, string | undefined>>;

function givenIn(
  environment: Environment,
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

const mistakeOf = ({ path, message }: z.core.$ZodIssue): string => `${path.join('.')} ${message}`;

const secrets = new Set([
  'SLACK_BOT_TOKEN',
  'SLACK_APP_TOKEN',
  'SLACK_SIGNING_SECRET',
  'HOSTING_API_KEY',
  'AUDIT_KEY',
  'DATABASE_URL',
]);

function fromFile(environment: Environment, name: string, mistakes: string[]): string | undefined {
  const path = secrets.has(name) ? environment[`${name}_FILE`] : undefined;
  if (!path) return undefined;
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    mistakes.push(`${name}_FILE cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

function shaped(read: z.output<typeof variables>) {
  const socketMode = read.SLACK_APP_TOKEN !== undefined;
  hidePassword(read.DATABASE_URL);
  return {
    slack: {
      botToken: read.SLACK_BOT_TOKEN,
      delivery: read.SLACK_APP_TOKEN
        ? { kind: 'socket' as const, appToken: read.SLACK_APP_TOKEN }
        : { kind: 'http' as const, signingSecret: read.SLACK_SIGNING_SECRET ?? new Secret('') },
      apiUrl: read.SLACK_API_URL,
    },
    hosting: {
      url: read.HOSTING_API_URL,
      key: read.HOSTING_API_KEY,
      company: read.HOSTING_COMPANY_ID,
      dialect: read.HOSTING_DIALECT,
    },
    policyFile: read.POLICY_FILE,
    databaseUrl: read.DATABASE_URL,
    http: { port: read.PORT, host: read.HOST ?? (socketMode ? '127.0.0.1' : '0.0.0.0') },
    metricsPort: read.METRICS_PORT,
    auditKey: read.AUDIT_KEY,
    certificatesDir: read.CERTIFICATES_DIR,
    logLevel: read.LOG_LEVEL,
  };
}

/** Known as a secret from here on, so that no error of the driver can carry it into a log. */
const hidePassword = (url: string): void => void new Secret(passwordIn(url) ?? '');

/** The password in an address of a database: empty where there is none, undefined where it cannot be read. */
function passwordIn(url: string): string | undefined {
  try {
    return URL.canParse(url) ? decodeURIComponent(new URL(url).password) : '';
  } catch {
    return undefined;
  }
}

/** The key of the audit chain as bytes; undefined: the chain is a plain hash. */
export const auditKeyOf = ({ auditKey }: Pick<Config, 'auditKey'>): Buffer | undefined =>
  auditKey && Buffer.from(auditKey.reveal());
