import { errorMessage } from './errors.ts';
import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { isIP } from 'node:net';
import { plainMistakesIn, unprotectedIn, isAuditOut, isHere, isWebhook } from './addresses.ts';
import { Secret } from './secret.ts';
import { endpointIn, hidden, passwordIn, secretVariables, variables } from './settings.ts';

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
  if (read.success) mistakes.push(...portMistakes(read.data), ...plainMistakesIn(read.data));
  if (!read.success || mistakes.length > 0) throw new ConfigMistakes(mistakes);
  return toConfig(read.data);
}

/** Ports that are set twice, and the one for programs in clear beyond this machine. */
function portMistakes(read: z.output<typeof variables>): readonly string[] {
  const { API_HOST: host = '127.0.0.1' } = read;
  if (!read.ALLOW_PLAIN_HTTP && !isHere(`http://${isIP(host) === 6 ? `[${host}]` : host}`))
    return [
      'API_HOST is not this machine alone: anybody on the way could read the keys of callers. Leave it out and put TLS in front, or set ALLOW_PLAIN_HTTP=1',
    ];
  const names = ['PORT', 'METRICS_PORT', 'API_PORT'] as const;
  return names.flatMap((name, at) =>
    names.slice(0, at).flatMap((other) => {
      const port = read[name];
      const isTwice = port !== undefined && port !== 0 && port === read[other];
      return isTwice ? [`${name} and ${other} are both ${port}: set one of them to another number`] : [];
    }),
  );
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

function fromFile(environment: EnvironmentVariables, name: string, mistakes: string[]): string | undefined {
  const path = secretVariables.has(name) ? environment[`${name}_FILE`] : undefined;
  if (!path) return undefined;
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    mistakes.push(`${name}_FILE cannot be read: ${errorMessage(error)}`);
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
    api: read.API_PORT === undefined ? undefined : apiOf(read.API_PORT, read),
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

/** Where programs ask, and the address at which they do. */
const apiOf = (port: number, { API_HOST: host = '127.0.0.1', API_URL: url }: z.output<typeof variables>) => ({
  port,
  host,
  url,
});

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

/** The key of the audit chain as bytes; undefined if the chain uses plain hashes. */
export const auditKeyOf = ({ auditKey }: Pick<Config, 'auditKey'>): Buffer | undefined =>
  auditKey && Buffer.from(auditKey.reveal());

/** The current key and then the former ones, to verify the trail. */
export const auditKeysOf = ({ auditKey, formerAuditKeys }: Omit<TrailConfig, 'databaseUrl'>): readonly Buffer[] =>
  [auditKey ?? [], formerAuditKeys].flat().map((key) => Buffer.from(key.reveal()));

type Given = Readonly<Record<string, string>>;

/** Settings that contradict each other: one needs another, or excludes it. One sentence each. */
function contradictionsIn(given: Given): readonly string[] {
  const { SLACK_APP_TOKEN, SLACK_SIGNING_SECRET, METRICS_HOST, METRICS_PORT } = given;
  const { DATABASE_LISTEN_URL, DATABASE_URL = 'sqlite:', API_HOST, API_PORT, API_URL } = given;
  return [
    ...(SLACK_APP_TOKEN || SLACK_SIGNING_SECRET
      ? []
      : ['SLACK_APP_TOKEN or SLACK_SIGNING_SECRET is not set: the first means Socket Mode, the second HTTP']),
    ...formerKeysAlone(given),
    ...webhookHalves(given),
    ...(METRICS_HOST && !METRICS_PORT ? ['METRICS_HOST is set, but METRICS_PORT is not: set both, or neither'] : []),
    ...((API_HOST || API_URL) && !API_PORT ? ['API_HOST or API_URL is set, but API_PORT is not: set it too'] : []),
    ...(DATABASE_LISTEN_URL && DATABASE_URL.startsWith('sqlite:')
      ? ['DATABASE_LISTEN_URL is set, but DATABASE_URL is not PostgreSQL: leave one of them out']
      : []),
  ];
}

/** Reports former keys of the audit chain without a current key. */
const formerKeysAlone = ({ AUDIT_KEY, AUDIT_KEYS_FORMER }: Given): readonly string[] =>
  AUDIT_KEYS_FORMER && !AUDIT_KEY ? ['AUDIT_KEYS_FORMER is set, but AUDIT_KEY, the key in use now, is not'] : [];

function webhookHalves({ AUDIT_OUT = '', AUDIT_OUT_KEY }: Given): readonly string[] {
  if (isWebhook(AUDIT_OUT) === Boolean(AUDIT_OUT_KEY) || (AUDIT_OUT && !isAuditOut(AUDIT_OUT))) return [];
  return AUDIT_OUT_KEY
    ? ['AUDIT_OUT_KEY is set, but AUDIT_OUT is not an https:// address: only what goes to one is signed']
    : ['AUDIT_OUT_KEY is not set: it signs what goes to AUDIT_OUT; openssl rand -hex 32 makes one'];
}
