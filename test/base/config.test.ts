import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inspect } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { ConfigMistakes, readConfig, readTrailConfig } from '../../src/base/config.ts';
import { scrub } from '../../src/base/secret.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'sitehand-config-'));
afterAll(() => rmSync(folder, { recursive: true }));
function fileOf(name: string, content: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return file;
}

const enough = {
  SLACK_BOT_TOKEN: 'xoxb-bot-token-of-nobody',
  SLACK_APP_TOKEN: 'xapp-app-token-of-nobody',
  HOSTING_API_URL: 'https://host.example/v2',
  HOSTING_API_KEY: 'hosting-api-key-of-nobody',
};
/** Like the output of `openssl rand -hex 32`. */
const long = '5f'.repeat(32);
type Variables = Readonly<Record<string, string | undefined>>;
function mistakes(variables: Variables): readonly string[] {
  try {
    readConfig(variables);
  } catch (error) {
    if (error instanceof ConfigMistakes) return error.mistakes;
    throw error;
  }
  return [];
}

describe('the settings that the audit program needs', () => {
  test('are the database and the audit key, not Slack’s', () => {
    expect(readTrailConfig({})).toEqual({
      databaseUrl: 'sqlite:data/sitehand.db',
      auditKey: undefined,
      formerAuditKeys: [],
    });
    const key = fileOf('audit-key', `${long}\n`);
    const read = readTrailConfig({ DATABASE_URL: 'postgres://bot:hidden-8f2e@localhost/x', AUDIT_KEY_FILE: key });
    expect(read.auditKey?.reveal()).toBe(long);
    expect(scrub('it says hidden-8f2e')).not.toContain('hidden-8f2e');
  });

  test('and their mistakes are reported as usual', () => {
    expect(() => readTrailConfig({ DATABASE_URL: 'mysql://x' })).toThrow(ConfigMistakes);
    expect(() => readTrailConfig({ DATABASE_URL: 'mysql://x' })).toThrow('DATABASE_URL must be');
  });
});

describe('the minimum of settings', () => {
  test('gives everything else a default', () => {
    const config = readConfig(enough);
    expect(config).toMatchObject({
      slack: { delivery: { kind: 'socket' }, apiUrl: 'https://slack.com/api/', command: '/site' },
      hosting: { url: 'https://host.example/v2', company: undefined, dialect: 'document' },
      policyFile: 'policy.yml',
      databaseUrl: 'sqlite:data/sitehand.db',
      http: { port: 3000, host: '127.0.0.1' },
      metrics: { port: undefined, host: '127.0.0.1' },
      auditKey: undefined,
      formerAuditKeys: [],
      certificatesDir: undefined,
      logLevel: 'info',
    });
    expect(config.hosting.key.reveal()).toBe('hosting-api-key-of-nobody');
  });

  test('a signing secret means HTTP, on every interface', () => {
    const { SLACK_APP_TOKEN: _, ...rest } = enough;
    expect(readConfig({ ...rest, SLACK_SIGNING_SECRET: long })).toMatchObject({
      slack: { delivery: { kind: 'http' } },
      http: { host: '0.0.0.0' },
    });
    expect(readConfig({ ...enough, SLACK_SIGNING_SECRET: long }).slack.delivery.kind).toBe('socket');
  });

  test.each<[string, Variables, object]>([
    [
      'slashes at the end',
      { HOSTING_API_URL: 'https://h/v2//', SLACK_API_URL: 'https://s/api' },
      { hosting: { url: 'https://h/v2' }, slack: { apiUrl: 'https://s/api/' }, unencrypted: [] },
    ],
    ['a space around', { LOG_LEVEL: ' debug ', PORT: '0' }, { logLevel: 'debug', http: { port: 0 } }],
    ['a level in capitals', { LOG_LEVEL: 'WARN' }, { logLevel: 'warn' }],
    ...['0.0.0.0', '::', '::1', '::ffff:127.0.0.1', 'fe80::1%eth0', 'localhost', 'my_bot.internal', '7.example.'].map(
      (host): [string, Variables, object] => [`the host ${host}`, { HOST: host }, { http: { host } }],
    ),
    [
      'an empty variable counts as unset',
      { PORT: '', LOG_LEVEL: '', HOSTING_DIALECT: '' },
      { http: { port: 3000 }, logLevel: 'info' },
    ],
    ...['localhost', 'api.localhost', '127.0.0.1:8080', '127.1', '[::1]:99', '[::ffff:127.0.0.1]', 'localhost.'].map(
      (host): [string, Variables, object] => [
        `plain http on this machine: ${host}`,
        { HOSTING_API_URL: `http://${host}/v2`, SLACK_API_URL: `http://${host}/api/` },
        { unencrypted: [] },
      ],
    ),
    [
      'plain http to another machine, if allowed',
      { HOSTING_API_URL: 'http://h/v2', SLACK_API_URL: 'http://127.0.0.1.example/', ALLOW_PLAIN_HTTP: '1' },
      { unencrypted: ['SLACK_API_URL', 'HOSTING_API_URL'] },
    ],
    ...['sslmode=verify-full', 'sslmode=require', 'ssl=true'].map((query): [string, Variables, object] => [
      `PostgreSQL on another machine with ${query}`,
      { DATABASE_URL: `postgres://bot@db.example/sitehand?${query}` },
      { unencrypted: [], unverified: [] },
    ]),
    [
      'PostgreSQL on another machine without a check of its certificate',
      { DATABASE_URL: 'postgres://bot@db.example/sitehand?sslmode=no-verify' },
      { unencrypted: [], unverified: ['DATABASE_URL'] },
    ],
    [
      'PostgreSQL on another machine in clear, if allowed',
      { DATABASE_URL: 'postgres://db/x', DATABASE_LISTEN_URL: 'postgres://db/y', ALLOW_PLAIN_HTTP: '1' },
      { unencrypted: ['DATABASE_URL', 'DATABASE_LISTEN_URL'], unverified: [] },
    ],
    ['no place for the trail but the database', {}, { auditOut: undefined }],
    ['the trail on standard output', { AUDIT_OUT: 'stdout' }, { auditOut: { kind: 'stdout' } }],
    [
      'the trail in a file',
      { AUDIT_OUT: 'file:/log/a b.jsonl' },
      { auditOut: { kind: 'file', path: '/log/a b.jsonl' } },
    ],
    [
      'the trail at a plain address on this machine',
      { AUDIT_OUT: 'http://localhost:8080/in?token=1', AUDIT_OUT_KEY: long },
      { auditOut: { kind: 'webhook' }, unencrypted: [] },
    ],
    [
      'the trail at a plain address of another machine, where that is allowed',
      { AUDIT_OUT: 'http://siem/in', AUDIT_OUT_KEY: long, ALLOW_PLAIN_HTTP: '1' },
      { unencrypted: ['AUDIT_OUT'] },
    ],
    [
      'checks of sites that go elsewhere',
      { CHECK_CONNECT_TO: '[::1]:8080' },
      { checkConnectTo: { host: '::1', port: 8080 } },
    ],
    [
      'PostgreSQL',
      { DATABASE_URL: 'postgres://u:p%40ss@localhost/db' },
      { databaseUrl: 'postgres://u:p%40ss@localhost/db' },
    ],
    [
      'PostgreSQL behind a pooler',
      { DATABASE_URL: 'postgres://localhost/db', DATABASE_LISTEN_URL: 'postgres://localhost:5433/db' },
      { databaseUrl: 'postgres://localhost/db', databaseListenUrl: 'postgres://localhost:5433/db' },
    ],
  ])('%s', (_, more, wanted) => {
    expect(readConfig({ ...enough, ...more })).toMatchObject(wanted);
  });

  test('a secret can be in a file that ends with a line break; the variable itself takes precedence', () => {
    const { HOSTING_API_KEY: _, ...rest } = enough;
    const file = fileOf('key', 'a-hosting-key-from-a-file\n');
    expect(readConfig({ ...rest, HOSTING_API_KEY_FILE: file }).hosting.key.reveal()).toBe('a-hosting-key-from-a-file');
    expect(readConfig({ ...enough, HOSTING_API_KEY_FILE: file }).hosting.key.reveal()).toBe(
      'hosting-api-key-of-nobody',
    );
    expect(readConfig({ ...enough, LOG_LEVEL_FILE: fileOf('level', 'debug') }).logLevel).toBe('info');
  });

  test('no secret is printed, and from then on neither is the database password', () => {
    const config = readConfig({
      ...enough,
      AUDIT_KEY: long,
      AUDIT_KEYS_FORMER: 'former-1, former-2',
      AUDIT_OUT: 'https://siem.example/in?token=in-the-query',
      AUDIT_OUT_KEY: `out-${long}`,
      DATABASE_URL: 'postgres://u:db-p%40ssword@localhost/db',
    });
    const shown = JSON.stringify(config) + inspect(config, { depth: 9 });
    for (const value of [
      'xoxb-bot-token',
      'xapp-app-token',
      'hosting-api-key',
      long,
      'former-1',
      'former-2',
      'in-the-query',
    ])
      expect(shown).not.toContain(value);
    expect(scrub('no login with db-p@ssword or db-p%40ssword')).toBe('no login with *** or ***');
    readConfig({ ...enough, DATABASE_URL: 'postgres://localhost/db?user=u&password=asked-for-9c41' });
    expect(scrub('no login with asked-for-9c41')).toBe('no login with ***');
    readConfig({
      ...enough,
      DATABASE_URL: 'postgres://localhost/db',
      DATABASE_LISTEN_URL: 'postgres://u:listens-77ab@localhost/db',
    });
    expect(scrub('no login with listens-77ab')).toBe('no login with ***');
  });
});

describe('a mistake in the settings', () => {
  test('is reported with all others at once', () => {
    const found = mistakes({
      SLACK_APP_TOKEN: 'xoxb-wrong',
      PORT: '70000',
      HOSTING_DIALECT: 'other',
      DATABASE_URL: 'mysql://x',
      SLACK_API_URL: 'ftp://x',
    });
    for (const name of [
      'SLACK_BOT_TOKEN',
      'SLACK_APP_TOKEN',
      'HOSTING_API_URL',
      'HOSTING_API_KEY',
      'PORT',
      'HOSTING_DIALECT',
      'DATABASE_URL',
      'SLACK_API_URL',
    ]) {
      expect(found.filter((line) => line.startsWith(`${name} `))).toHaveLength(1);
    }
    expect(found).toHaveLength(8);
  });

  test.each<[string, Variables, string]>([
    [
      'no bot token',
      { SLACK_BOT_TOKEN: undefined },
      'SLACK_BOT_TOKEN is not set: the bot token of your Slack app, xoxb-…',
    ],
    ['another kind of token', { SLACK_BOT_TOKEN: 'xoxp-token-of-a-user' }, 'SLACK_BOT_TOKEN must begin with xoxb-'],
    [
      'a command without its slash',
      { SLACK_COMMAND: 'hosting' },
      'SLACK_COMMAND must be like /site: lower case, 32 characters at most',
    ],
    ['half a token', { SLACK_APP_TOKEN: 'xapp-1' }, 'SLACK_APP_TOKEN must be at least 16 characters: copy it whole'],
    [
      'a key of silly length',
      { HOSTING_API_KEY: 'x'.repeat(5_000) },
      'HOSTING_API_KEY must be at most 4096 characters',
    ],
    ...['Bearer hosting-api-key-of-nobody', 'Bearer Bearer hosting-api-key', '"hosting-api-key-of-nobody"'].map(
      (key): [string, Variables, string] => [
        `a key with more than the key: ${key}`,
        { HOSTING_API_KEY: key },
        'HOSTING_API_KEY has a blank or a quotation mark, which no key has: write the key alone, without Bearer before it',
      ],
    ),
    [
      'a short signing secret',
      { SLACK_SIGNING_SECRET: 'signing' },
      "SLACK_SIGNING_SECRET must be at least 32 characters: Slack's has 32, under Basic Information",
    ],
    [
      'a short key of the trail',
      { AUDIT_KEY: 'x'.repeat(31) },
      'AUDIT_KEY must be at least 32 characters: openssl rand -hex 32 makes one; a shorter one that was in use goes to AUDIT_KEYS_FORMER',
    ],
    [
      'former audit keys without a current one',
      { AUDIT_KEYS_FORMER: 'a-former-one' },
      'AUDIT_KEYS_FORMER is set, but AUDIT_KEY, the key in use now, is not',
    ],
    [
      'a short former key of the trail',
      { AUDIT_KEY: long, AUDIT_KEYS_FORMER: 'former-1, seven-7, ' },
      'AUDIT_KEYS_FORMER must be keys of 8 to 4096 characters each, with commas between',
    ],
    ...['\n', 'é'].map((odd): [string, Variables, string] => [
      `${JSON.stringify(odd)} in a former key of the trail`,
      { AUDIT_KEY: long, AUDIT_KEYS_FORMER: `former-1,former${odd}2` },
      'AUDIT_KEYS_FORMER contains a line break or another character outside plain ASCII, which no key has',
    ]),
    ...(
      ['SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN', 'SLACK_SIGNING_SECRET', 'HOSTING_API_KEY', 'AUDIT_KEY'] as const
    ).flatMap((name) =>
      ['\n', '\0', 'é', '…'].map((odd): [string, Variables, string] => [
        `${JSON.stringify(odd)} in ${name}`,
        { [name]: `xoxb-${long}${odd}${long}`.replace('xoxb', name === 'SLACK_APP_TOKEN' ? 'xapp' : 'xoxb') },
        `${name} contains a line break or another character outside plain ASCII, which no key has`,
      ]),
    ),
    ...[
      'syslog:514',
      'file:',
      'https://',
      'https://u:p@siem/',
      'https://:p@siem/',
      'https://siem/#x',
      'https://siem/a b',
      'STDOUT',
    ].map((said): [string, Variables, string] => [
      `a place for the trail that is none: ${said}`,
      { AUDIT_OUT: said, AUDIT_OUT_KEY: long },
      'AUDIT_OUT must be an https:// address, file:PATH or stdout',
    ]),
    ...['127.0.0.1', 'http://127.0.0.1:80', 'h:0', 'h:65536', '::1:80', ':80'].map(
      (said): [string, Variables, string] => [
        `a place for checks that is none: ${said}`,
        { CHECK_CONNECT_TO: said },
        'CHECK_CONNECT_TO must be host:port, such as 127.0.0.1:8080, without http://',
      ],
    ),
    [
      'an address for the trail without a key',
      { AUDIT_OUT: 'https://siem.example/in' },
      'AUDIT_OUT_KEY is not set: it signs what goes to AUDIT_OUT; openssl rand -hex 32 makes one',
    ],
    ...[{}, { AUDIT_OUT: 'stdout' }].map((out): [string, Variables, string] => [
      `a key for signing, and nothing to sign: ${JSON.stringify(out)}`,
      { ...out, AUDIT_OUT_KEY: long },
      'AUDIT_OUT_KEY is set, but AUDIT_OUT is not an https:// address: only what goes to one is signed',
    ]),
    [
      'a short key for signing',
      { AUDIT_OUT: 'https://siem.example/in', AUDIT_OUT_KEY: 'x'.repeat(31) },
      'AUDIT_OUT_KEY must be at least 32 characters: openssl rand -hex 32 makes one',
    ],
    [
      'the trail at a plain address of another machine',
      { AUDIT_OUT: 'http://siem/in', AUDIT_OUT_KEY: long },
      'AUDIT_OUT is plain http to another machine: anybody on the way can read the trail. Write https://, or set ALLOW_PLAIN_HTTP=1',
    ],
    [
      'no way of delivery',
      { SLACK_APP_TOKEN: undefined },
      'SLACK_APP_TOKEN or SLACK_SIGNING_SECRET is not set: the first means Socket Mode, the second HTTP',
    ],
    ['a blank key', { HOSTING_API_KEY: '  ' }, 'HOSTING_API_KEY is not set: the key of the hosting API'],
    [
      'an invalid address',
      { HOSTING_API_URL: 'host.example' },
      'HOSTING_API_URL must be an address that begins with https:// or http://',
    ],
    ...['https://host.example', 'https://host.example/v2/sites', 'https://v2/'].map(
      (url): [string, Variables, string] => [
        `the address ${url}`,
        { HOSTING_API_URL: url },
        'HOSTING_API_URL must end with /v2',
      ],
    ),
    ...['HOSTING_API_URL', 'SLACK_API_URL'].flatMap((name) =>
      [
        'http://h/v2',
        'http://localhost.example/v2/',
        'http://10.0.0.7/v2',
        'http://[::2]/v2',
        'http://[::ffff:10.0.0.7]/v2',
      ].map((url): [string, Variables, string] => [
        `${url} as ${name}`,
        { [name]: url },
        `${name} is plain http to another machine: anybody on the way can read the key. Write https://, or set ALLOW_PLAIN_HTTP=1`,
      ]),
    ),
    ...['DATABASE_URL', 'DATABASE_LISTEN_URL'].map((name): [string, Variables, string] => [
      `PostgreSQL on another machine in clear as ${name}`,
      { DATABASE_URL: 'postgres://localhost/sitehand', [name]: 'postgres://bot@db.example/sitehand' },
      `${name} is PostgreSQL on another machine without TLS: anybody on the way can read and change what is stored. Add ?sslmode=verify-full, or set ALLOW_PLAIN_HTTP=1`,
    ]),
    [
      'an ssl that pg cannot read',
      { DATABASE_URL: 'postgres://localhost/sitehand?ssl=false' },
      'DATABASE_URL has an ssl= that is not true or no-verify: write sslmode=verify-full, for example',
    ],
    [
      'a PostgreSQL without a host',
      { DATABASE_URL: 'postgres://bot:word@/sitehand' },
      'DATABASE_URL names no host: write postgres://NAME@HOST/…, or ?host= and the folder of its socket',
    ],
    ['plain http, half allowed', { ALLOW_PLAIN_HTTP: 'yes' }, 'ALLOW_PLAIN_HTTP must be 1, or not set'],
    ['a company that is no UUID', { HOSTING_COMPANY_ID: '7' }, 'HOSTING_COMPANY_ID must be a UUID'],
    ...(['http', '-1', '0', '1.5', '0x10', '1e3', '65536'] as const).map((said): [string, Variables, string] => [
      `a port that is none: ${said}`,
      { METRICS_PORT: said },
      'METRICS_PORT must be a whole number from 1 to 65535',
    ]),
    ['a port beyond all', { PORT: '65536' }, 'PORT must be a whole number from 0 to 65535'],
    ...['0', '1000001', '1.5', 'many'].map((said): [string, Variables, string] => [
      `${said} requests a minute`,
      { HOSTING_REQUESTS_PER_MINUTE: said },
      'HOSTING_REQUESTS_PER_MINUTE must be a whole number from 1 to 1000000',
    ]),
    ...[{ PORT: '9464', METRICS_PORT: '9464' }, { METRICS_PORT: '3000' }].map((ports): [string, Variables, string] => [
      `one port for both: ${JSON.stringify(ports)}`,
      ports,
      `METRICS_PORT and PORT are both ${ports.METRICS_PORT}: set one of them to another number`,
    ]),
    [
      'a host for metrics without a port',
      { METRICS_HOST: '0.0.0.0' },
      'METRICS_HOST is set, but METRICS_PORT is not: set both, or neither',
    ],
    ...['http://0.0.0.0', '0.0.0.0:3000', '[::1]', '*', 'a b', '3000', '127.1', '10.0.0.256', '.'].map(
      (host): [string, Variables, string] => [
        `a host that is none: ${host}`,
        { HOST: host },
        'HOST must be an address or a name of this machine alone, such as 0.0.0.0, ::1 or localhost: without http://, brackets or a port',
      ],
    ),
    ...(['?key=1', '#x', '/?', ' x'] as const).map((more): [string, Variables, string] => [
      `an address with ${more} behind it`,
      { HOSTING_API_URL: `https://api.example.com/v2${more}` },
      'HOSTING_API_URL must be an address without ?, # or blanks',
    ]),
    ...['u:p', 'u', ':p'].map((before): [string, Variables, string] => [
      `an address with ${before} before the host`,
      { SLACK_API_URL: `https://${before}@slack.example/api/` },
      'SLACK_API_URL must be an address without a name or password before the host',
    ]),
    [
      'a password that cannot be read',
      { DATABASE_URL: 'postgres://u:%zz@h/db' },
      'DATABASE_URL has a password whose % signs are not written as %25',
    ],
    [
      'an address to listen on that is not PostgreSQL',
      { DATABASE_URL: 'postgres://localhost/db', DATABASE_LISTEN_URL: 'mysql://x' },
      'DATABASE_LISTEN_URL must be postgres://…',
    ],
    [
      'an address to listen on beside SQLite',
      { DATABASE_LISTEN_URL: 'postgres://localhost/db' },
      'DATABASE_LISTEN_URL is set, but DATABASE_URL is not PostgreSQL: leave one of them out',
    ],
    [
      'a level that pino does not know',
      { LOG_LEVEL: 'loud' },
      'LOG_LEVEL must be a level of pino: debug, info, warn, error …',
    ],
  ])('%s', (_, more, mistake) => {
    expect(mistakes({ ...enough, ...more })).toEqual([mistake]);
  });

  test('an unreadable file is named; the values of variables never are', () => {
    const found = mistakes({
      ...enough,
      HOSTING_API_KEY: undefined,
      HOSTING_API_KEY_FILE: path.join(folder, 'gone'),
      SLACK_BOT_TOKEN: 'some-credential',
    });
    expect(found.join('\n')).toContain('HOSTING_API_KEY_FILE cannot be read');
    expect(found.join('\n')).not.toContain('some-credential');
  });
});
