import { isIP } from 'node:net';
import { z } from 'zod';
import { oddityIn, isAuditOut } from './addresses.ts';
import { Secret } from './secret.ts';

/** The settings: what each means and must be. docs/settings.md and .env.example are written from this. */

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
export const hidden = (value: string): Secret => new Secret(value);
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
export function endpointIn(text: string): { readonly host: string; readonly port: number } | undefined {
  const [, written = '', port = ''] = /^(\[[\da-f:.]+\]|[^:]+):(\d{1,5})$/i.exec(text) ?? [];
  const name = written.replace(/^\[(.*)\]$/, '$1');
  const isPlace = (isIP(name) !== 0 || hostName.test(name)) && Number(port) > 0 && Number(port) <= maxPort;
  return isPlace ? { host: name, port: Number(port) } : undefined;
}
const endpointHint = 'must be host:port, such as 127.0.0.1:8080, without http://';

/** The environment variables: what each must be, and means. No others are read. */
export const variables = z.object({
  SLACK_BOT_TOKEN: z
    .string(required('the bot token of your Slack app, xoxb-…'))
    .pipe(token('xoxb-'))
    .transform(hidden)
    .describe('The bot token of your Slack app, `xoxb-…`'),
  SLACK_APP_TOKEN: token('xapp-')
    .transform(hidden)
    .optional()
    .describe('Its app-level token, `xapp-…`, for Socket Mode. One is required: this, or the signing secret'),
  SLACK_SIGNING_SECRET: credential(32, "Slack's has 32, under Basic Information")
    .transform(hidden)
    .optional()
    .describe('Its signing secret, for HTTP: `POST /slack/events` on `PORT`'),
  SLACK_COMMAND: z
    .string()
    .regex(slashCommand, 'must be like /site: lower case, 32 characters at most')
    .default('/site')
    .describe("The slash command as the app's manifest names it, for sentences that name it; the bot answers to any"),
  SLACK_API_URL: address
    .default('https://slack.com/api/')
    .transform((url) => (url.endsWith('/') ? url : `${url}/`))
    .describe("Slack's Web API"),
  HOSTING_API_URL: z
    .string(required('the base address of the hosting API, with /v2'))
    .pipe(address.regex(/[^/]\/v2\/*$/, 'must end with /v2'))
    .transform((url) => url.replace(/\/+$/, ''))
    .describe("Base address of the hosting API, with `/v2` at its end; Kinsta's is `https://api.kinsta.com/v2`"),
  HOSTING_API_KEY: z
    .string(required('the key of the hosting API'))
    .pipe(credential(16, 'copy it whole').regex(/^[^\s"']*$/, aloneHint))
    .transform(hidden)
    .describe('Its key, without `Bearer` before it'),
  HOSTING_COMPANY_ID: uuid
    .optional()
    .describe("Your company's id there, a UUID. Left out, the host is asked, and may not tell"),
  HOSTING_DIALECT: z
    .enum(['document', 'kinsta'], 'must be document or kinsta')
    .default('document')
    .describe('How the service names what its document leaves open: `document` or `kinsta`'),
  HOSTING_REQUESTS_PER_MINUTE: wholeFrom(1, 1_000_000)
    .optional()
    .describe(
      'How many requests a minute the host answers your company, all replicas together. Left out: 120 with `kinsta`, else no limit',
    ),
  POLICY_FILE: z.string().default('policy.yml').describe('The rules: who may do what, and where'),
  DATABASE_URL: databaseAt(sqliteOrPostgres, 'must be sqlite:PATH or postgres://…')
    .default('sqlite:data/sitehand.db')
    .describe(
      '`sqlite:PATH` or `postgres://USER:PASSWORD@HOST/DATABASE`, to another machine with `?sslmode=verify-full`',
    ),
  DATABASE_LISTEN_URL: databaseAt(/^postgres(ql)?:\/\//, 'must be postgres://…')
    .optional()
    .describe("PostgreSQL's own address, if `DATABASE_URL` leads to PgBouncer"),
  PORT: wholeFrom(0, maxPort)
    .default(3000)
    .describe('Serves `/healthz` and `/readyz`, in HTTP mode `/slack/events` too'),
  HOST: host.optional().describe('Where `PORT` is open. Left out: on all interfaces in HTTP mode, else on loopback'),
  /** Not 0: nobody would know the port that the system chooses. */
  METRICS_PORT: wholeFrom(1, maxPort)
    .optional()
    .describe('Serves `/metrics` for Prometheus, on another port than `PORT`. Left out: nothing does'),
  METRICS_HOST: host.optional().describe('Where `METRICS_PORT` is open. Left out: on loopback'),
  API_PORT: wholeFrom(1, maxPort)
    .optional()
    .describe('Serves the [interface for programs](programs.md), on a port of its own. Left out: nothing does'),
  API_HOST: host.optional().describe('Where `API_PORT` is open. Left out: on loopback. Beyond it, put TLS in front'),
  API_URL: address
    .optional()
    .describe('The address at which programs reach it, if that is not `API_HOST`: `https://sitehand.example`'),
  AUDIT_KEY: auditKey
    .transform(hidden)
    .optional()
    .describe(
      'Key of the audit chain, 32 characters or more (`openssl rand -hex 32`): with it, write access to the database is not enough to forge the chain',
    ),
  AUDIT_KEYS_FORMER: formerKeys
    .optional()
    .describe('Its former keys, newest first, 8 characters or more each, with commas between'),
  AUDIT_OUT: z
    .string()
    .refine(isAuditOut, 'must be an https:// address, file:PATH or stdout')
    .optional()
    .describe('Where the audit trail is sent besides the database: `https://…`, `file:PATH` or `stdout`'),
  AUDIT_OUT_KEY: credential(32, 'openssl rand -hex 32 makes one')
    .transform(hidden)
    .optional()
    .describe(
      'Signs what goes to `https://…`, and is required with it; 32 characters or more (`openssl rand -hex 32`)',
    ),
  CERTIFICATES_DIR: z
    .string()
    .optional()
    .describe('Folder of `NAME.pem` and `NAME.key` pairs, for adding a domain with its own certificate'),
  CHECK_CONNECT_TO: z
    .string()
    .refine((text) => endpointIn(text) !== undefined, endpointHint)
    .optional()
    .describe(
      'For the playground only: `host:port` where every site check goes, unencrypted, and never to a site. The log and `doctor` say so',
    ),
  ALLOW_PLAIN_HTTP: z
    .literal('1', 'must be 1, or not set')
    .optional()
    .describe(
      '`1`: addresses may lead to another machine unencrypted, by `http:` or to PostgreSQL without TLS. The log and `doctor` say so',
    ),
  LOG_LEVEL: z
    .string()
    .toLowerCase()
    .pipe(
      z.enum(
        ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
        'must be a level of pino: debug, info, warn, error …',
      ),
    )
    .default('info')
    .describe('A level of pino: `debug`, `info`, `warn`, `error` …'),
});

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

/** The password in a database address: empty if there is none, undefined if it can't be decoded. */
export function passwordIn(url: string): string | undefined {
  try {
    return URL.canParse(url) ? decodeURIComponent(new URL(url).password) : '';
  } catch {
    return undefined;
  }
}
