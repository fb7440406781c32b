import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { WebClient } from '@slack/web-api';
import { isHere } from '../base/addresses.ts';
import { destinationOf } from '../audit/destinations.ts';
import { lineFor } from '../base/beside.ts';
import { rights } from '../commands/rights.ts';
import { ConfigMistakes, readConfig, type Config, type EnvironmentVariables } from '../base/config.ts';
import { attempt, errorMessage } from '../base/errors.ts';
import { createClient } from '../hosting/client.ts';
import { createDirectory } from '../hosting/directory.ts';
import type { HealthContext } from '../talk/health/context.ts';
import { healthOf } from '../talk/health/health.ts';
import {
  bad,
  broken,
  unknown,
  well,
  type Check,
  type CheckResult,
  checkMark,
  titleOf,
} from '../talk/health/check-result.ts';
import { listsSites } from '../decide/site-listing.ts';
import { mistakeLine } from '../policy/yaml-document.ts';
import type { Policy } from '../policy/rules.ts';
import { loadPolicy } from '../policy/load.ts';
import { readPolicy } from '../policy/watch.ts';
import { scrub } from '../base/secret.ts';
import { createSiteCheck } from '../site-check/site-check.ts';
import { checkAppToken, checkBotToken, whoAmI, type Bot } from '../slack-api/app-checks.ts';
import { createChannelLook } from '../slack-api/channel-access.ts';
import { quietClient } from '../slack-api/calls.ts';
import { createPeople } from '../slack-api/people.ts';
import { stepOf } from '../storage/backup.ts';
import { openDatabase, openToRead, sqlitePath, type Database } from '../storage/database.ts';
import { migrations } from '../storage/migrations/migrate.ts';
import { databaseKind } from '../storage/sql-dialect.ts';
import { clockOf, lastSeen } from '../storage/clock.ts';
import { code, joined, plain, say, time } from '../words/text.ts';
import { exitCodes, out, type Out } from './output.ts';

/**
 * What `doctor` checks in Slack, and what a start needs. Works without or beside a running bot: it writes nothing,
 * posts nothing and takes no deliveries from a bot.
 */

type Known = NonNullable<Parameters<typeof healthOf>[1]>;

/** Runs the checks with these environment variables and writes what was found. Resolves with the exit code. */
export async function doctor(
  words: readonly string[],
  environment?: EnvironmentVariables,
  write: Out['write'] = out.write,
): Promise<number> {
  const asJson = words[0] === '--json';
  if (words.length > (asJson ? 1 : 0)) {
    out.complain('Use doctor, or doctor --json. Nothing was checked.\n');
    return exitCodes.wrong;
  }
  try {
    const checks = await checksOf(readConfig(environment), 'running');
    write(asJson ? inJson(checks) : reportOf(checks));
    if (checks.some(({ ok }) => ok === false)) return exitCodes.look;
    return checks.some(({ ok }) => ok === undefined) ? exitCodes.unknown : exitCodes.fine;
  } catch (error) {
    if (!(error instanceof ConfigMistakes)) throw error;
    const mistakes = error.mistakes.map((mistake) => ({ what: 'Settings', ...broken(mistake, toCorrect) }));
    write(asJson ? inJson(mistakes) : reportOf(mistakes));
    return exitCodes.wrong;
  }
}

const toCorrect = 'Correct it, then run this again. Nothing else was checked.';

/** `{ "checks": [{ "what", "ok": true, false or null if unknown, "says", "hint"? }] }`. */
const inJson = (checks: readonly Check[]): string => {
  const plainly = checks.map(({ what, ok, says, hint }) => ({
    what,
    ok: ok ?? null,
    says: plain(says),
    ...(hint && { hint: plain(hint) }),
  }));
  return `${JSON.stringify({ checks: plainly }, null, 2)}\n`;
};

/** One line per check, its hint below it, and the title of all. */
export function reportOf(checks: readonly Check[]): string {
  const lines = checks.flatMap(({ what, says, hint, ...found }) => [
    // Terminals draw a mark of two characters narrower than it is.
    `${checkMark(found)}${' '.repeat(checkMark(found).length)}${what}: ${plain(says)}`,
    ...(hint ? [`   ${plain(hint)}`] : []),
  ]);
  return `${lines.join('\n')}\n\n${plain(titleOf(checks))}\n`;
}

/** All checks: first those of the Slack app and of the bot itself, then those of `doctor` in Slack. */
export async function checksOf(config: Config, expected: 'running' | 'not started yet'): Promise<readonly Check[]> {
  const { apiUrl, delivery, botToken } = config.slack;
  const views = quietClient(apiUrl, botToken.reveal());
  const [{ bot, ...scopes }, connection, rules, data] = await Promise.all([
    checkBotToken(views),
    delivery.kind === 'socket' ? checkAppToken(quietClient(apiUrl, delivery.appToken.reveal())) : signingSecretIsSet,
    rulesOf(config.policyFile),
    dataOf(config.databaseUrl),
  ]);
  const host = await hostOf(config, data.database, rules.policy);
  try {
    const health = await healthOf(
      {
        ...host.context,
        ...slackParts(views, bot),
        database: data.database,
        policy: () => rules.policy,
        policyIsBroken: () => false,
        unencrypted: config.unencrypted,
        unverified: config.unverified,
        isHostHere: isHere(config.hosting.url),
        siteCheck: createSiteCheck({ instead: config.checkConnectTo, now: Date.now }),
        auditOut: config.auditOut && destinationOf(config.auditOut),
        onTrouble,
      },
      { ...(bot ? {} : slackIsSilent), ...data.known, ...rules.known },
    );
    const life = data.known.Database?.ok === false ? unread : await lifeIn(data.database.db);
    return [
      { what: 'Slack app', ...scopes },
      { what: 'Deliveries from Slack', ...connection },
      { what: 'Bot', ...(life.ok === false && expected !== 'running' ? well(say`${expected}`) : life) },
      ...health,
    ];
  } finally {
    await host.close();
    await data.close();
  }
}

const noneYet = well(say`none yet`);
const unread = unknown(say`unknown: the database can't be read`);

/** Whether a bot runs on this database, by its last sign of life. */
async function lifeIn(db: Database['db']): Promise<CheckResult> {
  const seen = await lastSeen(db, await clockOf(db));
  if (seen?.isRunning) return well(say`one was alive ${time(seen.at, 'date')}`);
  const last = seen && say`; the last one was alive ${time(seen.at, 'date')}`;
  return bad(say`none runs on this database${last ?? ' yet'}`, `To start it: ${lineFor('start')}`);
}

/** There is no log, because standard output has the report. */
function onTrouble(what: string, error: unknown): void {
  out.complain(scrub(`Trouble while ${what}: ${errorMessage(error)}\n`));
}

const signingSecretIsSet = well(
  say`a signing secret is set; only a delivery from Slack shows whether it is the right one`,
);

const noAnswer = unknown(say`unknown: Slack has not said who I am`);
const slackIsSilent: Known = { 'Slack user groups': noAnswer, 'Ops channel': noAnswer };

function slackParts(client: WebClient, bot: Bot | undefined) {
  const onToken = (): void => undefined;
  const lookAt = createChannelLook({ client, freshMs: Number.POSITIVE_INFINITY, onToken });
  const people = createPeople({
    client,
    bot: bot ?? { team: '', enterprise: undefined },
    idsOf: (id) => [id],
    lookAt,
    now: () => performance.now(),
    replicas: () => 1,
    onGroup: () => undefined,
    onMissing: () => undefined,
    onToken,
  });
  return { askSlack: () => whoAmI(client), lookAt, ...people };
}

/** The rules in the file. If it can't be used, rules that allow nothing, and the results that are then `known`. */
async function rulesOf(file: string): Promise<{ readonly policy: Policy; readonly known: Known }> {
  const read = await readPolicy(file, rights);
  if (read.kind === 'policy') return { policy: read.policy, known: {} };
  const nothing = loadPolicy('version: 1\nrules: []\n', rights);
  if (nothing.kind === 'mistakes') throw new Error('rules that allow nothing have mistakes');
  const mistakes = joined(read.mistakes.slice(0, maxMistakes).map(mistakeLine), '; ');
  const unreadRules = unknown(say`unknown: the rules can't be read`);
  return {
    policy: nothing.policy,
    known: {
      Rules: broken(say`${code(file)} can't be used: ${mistakes}`, `${lineFor('policy check')} names every mistake.`),
      'Slack user groups': unreadRules,
      'Ops channel': unreadRules,
    },
  };
}
const maxMistakes = 3;

type Data = {
  readonly database: HealthContext['database'] & Pick<Database, 'db'>;
  readonly known: Known;
  readonly close: () => Promise<void>;
};

/** The bot's database, opened read-only; an empty one in memory if it doesn't exist yet or can't be opened. */
async function dataOf(url: string): Promise<Data> {
  const file = sqlitePath(url);
  if (file !== undefined && isNotMade(file))
    return noData({ Database: canBeMade(file), 'Stored data': noneYet, 'Audit trail': noneYet });
  try {
    const db = await opened(url);
    const known = (await stepOf(db)) < migrations.length ? { Work: beforeUpgrade } : {};
    return { database: { db, kind: databaseKind(db), now: () => clockOf(db) }, known, close: () => db.destroy() };
  } catch (error) {
    const why = scrub(errorMessage(error));
    const hint = 'Check DATABASE_URL, and that this user may read it.';
    const unreadable = broken(say`can't be read: ${why}`, hint);
    const trail = { 'Audit trail': unread, 'Audit trail elsewhere': unread };
    const rest = { Replicas: unread, Sending: unread, Changes: unread, Work: unread, ...trail };
    return noData({ Database: unreadable, 'Stored data': unread, ...rest });
  }
}

const beforeUpgrade = unknown(say`unknown: an older version made the tables; the first start of this one adds to them`);

/** Whether it is missing or empty: in both cases the first start makes the tables. */
function isNotMade(file: string): boolean {
  const found = attempt(() => statSync(file));
  return found === undefined || (found.isFile() && found.size === 0);
}

/** Whether the first start can write the file, or create it with its missing folders. */
function canBeMade(file: string): CheckResult {
  let place = file;
  while (!existsSync(place)) place = dirname(place);
  const isFolder = place === file || statSync(place).isDirectory();
  if (!isFolder || attempt(() => (accessSync(place, constants.W_OK), true)) === undefined)
    return broken(say`${code(file)} can't be made: this user can't write in ${code(place)}`, letWrite);
  return well(say`${code(file)} ${place === file ? 'is empty' : 'is not there yet'}; the first start makes it`);
}
const letWrite = 'Let the user that runs Sitehand write there, or change DATABASE_URL.';

/** Rejects if it is not a database of Sitehand. */
async function opened(url: string): ReturnType<typeof openToRead> {
  const db = await openToRead(url);
  try {
    await db.selectFrom('installation').select('id').executeTakeFirstOrThrow();
    return db;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

async function noData(known: Known): Promise<Data> {
  const database = await openDatabase('sqlite::memory:');
  return { database, known, close: () => database.close() };
}

/** A client for the host, and its list of sites. */
async function hostOf({ hosting: settings }: Config, { db }: Data['database'], { overrides }: Policy) {
  const hosting = createClient(settings);
  const directory = createDirectory({
    read: hosting.read,
    company: settings.company,
    overrides: () => overrides,
    listsSites: await listsSites({ db }).catch(() => false),
    now: Date.now,
    onTrouble: () => undefined,
  });
  const close = async (): Promise<void> => {
    directory.close();
    await hosting.close();
  };
  return { context: { read: hosting.read, listing: directory.listing, freshenNames: directory.freshen }, close };
}
