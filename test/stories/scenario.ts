import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { vi } from 'vitest';
import { startHosting, type HostingOptions, type HostingStandIn } from '../../src/playground/hosting/server.ts';
import type { Entry } from '../../src/playground/hosting/journal.ts';
import { startSite, type SiteStandIn } from '../../src/playground/site/server.ts';
import type { SlackOptions } from '../../src/playground/slack/options.ts';
import type { VisibleMessage } from '../../src/playground/slack/shapes.ts';
import { startSlack } from '../../src/playground/slack/server.ts';
import type { SlackStandIn } from '../../src/playground/slack/stand-in.ts';
import { createSteadyNow } from '../../src/storage/clock.ts';
import { patienceMs } from '../patience.ts';
import { programOf, startBot, startBotHere, type Bot, type Exit, type Program } from './bot.ts';
import { testUser, changeThreadAt, type TestUser, type ChangeThread } from './people.ts';

/** Credentials of every scenario. Each is a canary: `close` fails if it is found anywhere but on the wire. */
export const canaries = {
  bot: 'xoxb-canary-bot-9f31c07d',
  app: 'xapp-canary-app-5be2aa10',
  signingSecret: 'canary-signing-77d0c4e6-31f09ab2c4d5',
  hosting: 'canary-hosting-c2b84f1e',
  audit: 'canary-audit-e8a6190b-5c7720f1d3a94e68',
} as const;

/** The real bot with both stand-ins. */
export type Scenario = {
  readonly hosting: HostingStandIn;
  readonly slack: SlackStandIn;
  readonly site: SiteStandIn;
  /** A person of the workspace by first name. */
  readonly person: (name: keyof typeof ids) => TestUser;
  /** The change with that number, found where the bot's database says its card is. */
  readonly change: (number: number, as?: keyof typeof ids) => Promise<ChangeThread>;
  /** All requests to the host but reads, oldest first; optionally those about one environment. */
  readonly writes: (environment?: string) => readonly Entry[];
  /** Starts the bot. Resolves when it is ready, or only connected. Rejects with its last lines if it ends before. */
  readonly start: (environment?: Readonly<Record<string, string>>, until?: 'ready' | 'connected') => Promise<Bot>;
  /** SIGKILL: nothing is finished. */
  readonly kill: () => Promise<Exit>;
  /** SIGTERM: current work is finished. */
  readonly stop: () => Promise<Exit>;
  /** The id of the bot's own process; throws if it has none. */
  readonly pid: () => number;
  /** The port of the health routes and, in HTTP mode, of `/slack/events`. */
  readonly port: () => number;
  readonly databaseUrl: string;
  /** The bot's usual environment variables; `start` can override them. */
  readonly environment: Readonly<Record<string, string>>;
  /** Replaces the policy file, or another one; resolves when it is written. */
  readonly writePolicy: (policy: string, file?: string) => Promise<void>;
  /** Reads rows of the database while the bot runs. */
  readonly rows: (sql: string, ...values: readonly (string | number)[]) => readonly Record<string, unknown>[];
  /** Writes to the database while the bot runs. */
  readonly runSql: (sql: string, ...values: readonly (string | number)[]) => void;
  /** Resolves when the change has this state in the database. */
  readonly becomes: (number: number, state: string) => Promise<void>;
  /** Keeps an approved change in its *Stop* period for the rest of the story. Resolves once *Stop* is posted. */
  readonly holdBeforeSend: (number: number) => Promise<void>;
  /** Makes a change due now that is held or can still be stopped. */
  readonly makeDue: (number: number) => void;
  /** Waits until every delay fault has met a request, then ends the delays. */
  readonly endHostDelays: () => Promise<void>;
  /** Only the next listing of sites lacks this one. */
  readonly omitSiteOnce: (site: string) => void;
  /** Lets this much time pass for what a bot in this process keeps in memory, such as listings and people. */
  readonly advanceTime: (ms: number) => void;
  /** Resolves when the bot has listed all sites again, because a person named an unknown one. */
  readonly refreshListing: () => Promise<void>;
  /** Replaces the blocks of a bot message, as if its last edit were lost or somebody had forged it. */
  readonly replaceBlocks: (
    message: Pick<VisibleMessage, 'channel' | 'ts'>,
    blocks: readonly unknown[],
  ) => Promise<void>;
  /** Whether the log of a bot in this process takes no more lines, as on a full disk. */
  readonly fillLog: (isFull: boolean) => void;
  /** All output of every bot process. */
  readonly log: () => string;
  /** Everything the bot has left behind: log, messages, database files. */
  readonly leftovers: () => Promise<string>;
  readonly close: () => Promise<void>;
};

export type ScenarioOptions = {
  readonly hosting?: HostingOptions;
  readonly slack?: SlackOptions;
  /** The policy's text; by default the playground's. Where neither it nor `environment` is about checks, they are off. */
  readonly policy?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Which bots run in their own process and can be killed; by default all run in the test's process. */
  readonly ownProcess?: 'the first' | 'all';
  /** How such a process is run; by default the sources bundled in one file. */
  readonly program?: Program;
  /** By default the bot is started at once. */
  readonly start?: false;
};

/** People of the playground's workspace. */
export const ids = {
  ana: 'U01ANA',
  ben: 'U02BEN',
  chi: 'U03CHI',
  dee: 'U04DEE',
  fay: 'U05FAY',
  rob: 'U06ROB',
  gus: 'U07GUS',
  sam: 'U08SAM',
  max: 'U09MAX',
} as const;

export { patienceMs };

/** Opens a scenario on loopback: both stand-ins, an empty database and a bot, which is ready when this resolves. */
export async function openScenario(options: ScenarioOptions = {}): Promise<Scenario> {
  const durations = { 'cache:clear': 0 } as const;
  const hosting = await startHosting({ key: canaries.hosting, durations, notKnownFor: 0, ...options.hosting });
  const site = await startSite(hosting.world);
  // A busy machine must not cause re-deliveries. Tests of the three seconds measure them (three-seconds.ts).
  const slack = await startSlack({ tokens: canaries, ackTimeoutMs: patienceMs, ...options.slack });
  const folder = await mkdtemp(join(tmpdir(), 'sitehand-story-'));
  const file = join(folder, 'database', 'sitehand.db');
  const policyFile = join(folder, 'policy.yml');
  const hasOwnSites = options.environment?.['CHECK_CONNECT_TO'] !== undefined;
  const withChecks = (policy: string): string =>
    !hasOwnSites && policy.includes('version: 1') && !/^checks:/m.test(policy) ? `${policy}\nchecks: off\n` : policy;
  await writeFile(policyFile, withChecks(options.policy ?? (await readFile('src/playground/policy.yml', 'utf8'))));
  const byHttp = options.slack?.delivery?.kind === 'http';
  const defaults = {
    PATH: process.env['PATH'] ?? '',
    SLACK_BOT_TOKEN: canaries.bot,
    ...(byHttp ? { SLACK_SIGNING_SECRET: canaries.signingSecret } : { SLACK_APP_TOKEN: canaries.app }),
    SLACK_API_URL: slack.apiUrl,
    HOSTING_API_URL: hosting.url,
    HOSTING_API_KEY: canaries.hosting,
    HOSTING_COMPANY_ID: hosting.companyId,
    CHECK_CONNECT_TO: site.connectTo,
    POLICY_FILE: policyFile,
    DATABASE_URL: `sqlite:${file}`,
    AUDIT_KEY: canaries.audit,
    HOST: '127.0.0.1',
    PORT: '0',
    ...options.environment,
  };
  const lines: string[] = [];
  const all = new Set<Bot>();
  const now = createSteadyNow();
  let ahead = 0;
  let isLogFull = false;
  let bot: Bot | undefined;
  const end = async (signal: NodeJS.Signals): Promise<Exit> => {
    const ended = bot;
    bot = undefined;
    return ended ? ended.end(signal) : { code: null, signal: null };
  };
  const rows: Scenario['rows'] = (sql, ...values) =>
    withDatabase(file, true, (database) => database.prepare(sql).all(...values));
  const rewrite: Scenario['runSql'] = (sql, ...values) =>
    void withDatabase(file, false, (database) => database.prepare(sql).run(...values));
  const scenario: Scenario = {
    hosting,
    slack,
    site,
    databaseUrl: defaults.DATABASE_URL,
    environment: defaults,
    writePolicy: (policy, other = policyFile) => writeFile(other, withChecks(policy)),
    person: (name) => testUser(slack, ids[name]),
    change: (number, as = 'ana') => changeThreadAt(slack, ids[as], () => placeOf(file, number)),
    writes: (environment) => {
      const id = environment === undefined ? '' : hosting.world.environmentNamed(environment)?.id;
      const isAbout = (entry: Entry): boolean =>
        id !== undefined && JSON.stringify([entry.path, entry.body]).includes(id);
      return hosting.journal.entries().filter((entry) => entry.method !== 'GET' && isAbout(entry));
    },
    start: async (environment, until = 'ready') => {
      const isOwn = options.ownProcess === 'all' || (options.ownProcess === 'the first' && all.size === 0);
      const onLine = (line: string): void => {
        if (isLogFull) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
        lines.push(line);
      };
      const given = { ...defaults, ...environment };
      const program = isOwn ? (options.program ?? (await programOf())) : undefined;
      const started = program ? startBot(program, given, onLine) : startBotHere(given, onLine, () => now() + ahead);
      all.add(started);
      await started[until];
      bot = started;
      if (byHttp) slack.deliverTo(`http://127.0.0.1:${bot.port()}/slack/events`);
      return started;
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    pid: () => bot?.pid() ?? notRunning(),
    port: () => bot?.port() ?? 0,
    rows,
    runSql: rewrite,
    becomes: (number, state) =>
      soon(() => {
        const now = rows('select state from changes where number = ?', number)[0]?.['state'];
        if (now !== state) throw new Error(`#${number} is ${String(now)}, not ${state}`);
      }),
    holdBeforeSend: async (number) => {
      await soon(() => {
        const [stop] = rows('select ts from messages where key = ? and ts is not null', `${number}:stop`);
        if (stop === undefined) throw new Error(`#${number} has no Stop message`);
      });
      rewrite('update changes set due_at = ? where number = ?', farAway, number);
    },
    makeDue: (number) => rewrite('update changes set due_at = 1 where number = ? and owner is null', number),
    endHostDelays: async () => {
      await hosting.until(() => hosting.faults.list().every(({ kind }) => kind !== 'delay') || undefined, patienceMs);
      hosting.faults.release();
    },
    omitSiteOnce: (site) => {
      const named = ({ id, name, displayName }: { id: string; name: string; displayName: string }) => ({
        id,
        name,
        display_name: displayName,
      });
      const others = hosting.world.sites.filter(({ name }) => name !== site);
      const sites = others.map((one) => ({ ...named(one), environments: one.environments.map(named) }));
      hosting.faults.add({ kind: 'status', method: 'GET', path: '/sites', status: 200, body: { company: { sites } } });
    },
    advanceTime: (ms) => void (ahead += ms),
    refreshListing: async () => {
      const listings = (): number => hosting.journal.entries().filter(({ path }) => path === '/sites').length;
      const before = listings();
      // The bot reuses a listing of the last seconds, so let it become older than that.
      ahead += 5_000;
      await soon(async () => {
        const said = await scenario.person('dee').says('/site backups list nowhere/live', 'C0RANDOM');
        await said.hears(/./);
        if (listings() <= before) throw new Error('the sites were not listed again');
      });
    },
    replaceBlocks: async ({ channel, ts }, blocks) => {
      const answer = await fetch(`${slack.apiUrl}chat.update`, {
        method: 'POST',
        headers: { authorization: `Bearer ${canaries.bot}`, 'content-type': 'application/json' },
        body: JSON.stringify({ channel, ts, blocks }),
      });
      const body = await answer.text();
      if (!body.includes('"ok":true')) throw new Error(`not redrawn: ${body}`);
    },
    fillLog: (isFull) => void (isLogFull = isFull),
    log: () => lines.join('\n'),
    leftovers: async () =>
      [...lines, ...(await contents(join(folder, 'database'))), ...argumentsOfCalls(slack)].join('\n'),
    close: async () => {
      // An unanswered request to the host would keep a bot from ending.
      await Promise.all([hosting.close(), site.close()]);
      await Promise.all([...all].map((one) => one.close()));
      const left = await scenario.leftovers();
      await slack.close();
      await rm(folder, { recursive: true, force: true });
      const found = Object.entries(canaries).filter(([, canary]) => left.includes(canary));
      if (found.length > 0) throw new Error(`a secret was left behind: ${found.map(([name]) => name).join(', ')}`);
    },
  };
  if (options.start === false) return scenario;
  return scenario.start().then(
    () => scenario,
    async (error: unknown) => {
      await scenario.close();
      throw error;
    },
  );
}

/** Runs a test in its own scenario, which is closed in any case. */
export const inScenario =
  (options: ScenarioOptions, story: (scenario: Scenario) => Promise<void>): (() => Promise<void>) =>
  async () => {
    const scenario = await openScenario(options);
    try {
      await story(scenario);
    } finally {
      await scenario.close();
    }
  };

/** Replaces the policy, by default in the usual file; resolves when a bot has read it. */
export async function reloadPolicy(scenario: Scenario, text: string, file?: string): Promise<void> {
  const reloads = (): number => scenario.log().split('the policy was reloaded').length;
  const before = reloads();
  await scenario.writePolicy(text, file);
  await soon(() => {
    if (reloads() === before) throw new Error('the bot has not reloaded the policy');
  });
}

/** Adds changes like this one, which belong to no batch, as the newest ones. */
export function addCopies({ rows, runSql }: Scenario, of: number, count: number): void {
  const [row = {}] = rows('select * from changes where number = ?', of);
  const newest = Number(rows('select max(number) as it from changes')[0]?.['it']);
  for (let number = newest + 1; number <= newest + count; number += 1) {
    const copy = Object.entries<unknown>({ ...row, number, batch: null }).flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number' ? [[name, value] as const] : [],
    );
    const [names, marks] = [copy.map(([name]) => name).join(', '), copy.map(() => '?').join(', ')];
    runSql(`insert into changes (${names}) values (${marks})`, ...copy.map(([, value]) => value));
  }
}

type Numbered = { readonly number: number };

/** The state of a change in the database; undefined if there is no such change. */
export const stateOf = ({ rows }: Scenario, { number }: Numbered): unknown =>
  rows('select state from changes where number = ?', number)[0]?.['state'];

/** The targets that a change locks, also those that it only reads. */
export const locksOf = ({ rows }: Scenario, { number }: Numbered): readonly unknown[] =>
  rows(
    'select target from locks where change = ?1 union select target from shared_locks where change = ?1 order by target',
    number,
  ).map(({ target }) => target);

const notRunning = (): never => {
  throw new Error('no bot runs');
};

const farAway = 9_000_000_000_000;

/** Polls until `look` stops throwing, because the database does not notify. */
const soon = (look: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(look, { timeout: patienceMs, interval: 50 });

function withDatabase<T>(file: string, readOnly: boolean, use: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file, { readOnly, timeout: 10_000 });
  try {
    return use(database);
  } finally {
    database.close();
  }
}

function placeOf(file: string, number: number): { channel: string; ts: string } | undefined {
  const find = 'select channel, ts from messages where key = ? and ts is not null';
  const row = withDatabase(file, true, (database) => database.prepare(find).get(`${number}:card`));
  return row && { channel: String(row['channel']), ts: String(row['ts']) };
}

const contents = async (folder: string): Promise<readonly string[]> =>
  // With PostgreSQL there is no such folder.
  Promise.all((await readdir(folder).catch(() => [])).map((name) => readFile(join(folder, name), 'latin1')));

/** The arguments of every Web API call. */
const argumentsOfCalls = (slack: SlackStandIn): readonly string[] =>
  slack.calls().map(({ args }) => JSON.stringify(args));
