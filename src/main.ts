import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { WebClient } from '@slack/web-api';
import { rights } from './commands/rights.ts';
import { ConfigMistakes, readConfig, type Config } from './config.ts';
import { createClient } from './hosting/client.ts';
import { createDirectory } from './hosting/directory.ts';
import { createLog, type Logger } from './log.ts';
import { createMetrics, serveMetrics, type Metrics } from './metrics.ts';
import { createLedger } from './pipeline/advance.ts';
import { createBeat } from './pipeline/beat.ts';
import { deliver } from './pipeline/deliver.ts';
import { sweep, takeOver, tellTheLost } from './pipeline/housekeeping.ts';
import { createNames } from './pipeline/names.ts';
import { createWorker, type BackOffice } from './pipeline/worker.ts';
import { PolicyMistakes } from './policy/mistakes.ts';
import { mentionedGroups } from './policy/people.ts';
import { openPolicy, type PolicyFile } from './policy/watch.ts';
import { boltLogger, clientOptions, createDoor } from './slack/app.ts';
import { tellLost } from './slack/lost.ts';
import { createPeople } from './slack/people.ts';
import { createPrivately } from './slack/privately.ts';
import type { Reception } from './slack/reception.ts';
import { createVoice } from './slack/thread.ts';
import { openDatabase, type Database } from './storage/database.ts';
import { readSetting, writeSetting } from './storage/settings.ts';

/** Everything Sitehand is, put together and started; resolves when Slack is connected. */
export async function start(config: Config): Promise<{ readonly port: number; readonly stop: () => Promise<void> }> {
  const owner = randomUUID();
  const log = createLog(config.logLevel);
  const metrics = createMetrics();
  const onTrouble = (what: string, error: unknown): void => log.error({ err: error }, `trouble while ${what}`);

  const policy = await openPolicyFile(config, log);
  const database = await openDatabase(config.databaseUrl, {
    onLost: (error) => onTrouble('using the database', error),
  });
  const hosting = createClient({ ...config.hosting, onCall: (call) => observe(metrics, call) });
  const directory = createDirectory({
    read: hosting.read,
    company: config.hosting.company,
    pins: () => policy.current().pins,
    now: Date.now,
    onTrouble: (trouble) => onTrouble('listing sites', trouble),
  });
  const names = createNames(directory.listing, policy.current);
  const company = () => ({ kind: 'company', id: directory.listing().company?.id ?? '', name: 'the company' }) as const;

  const slack = (): WebClient =>
    new WebClient(config.slack.botToken.reveal(), clientOptions(config.slack.apiUrl, boltLogger(log)));
  const [messages, views] = [slack(), slack()];
  const bot = await whoAmI(views);
  const people = createPeople({
    client: views,
    team: bot.team,
    groups: () => mentionedGroups(policy.current()),
    now: Date.now,
    onMissing: (method) => log.warn({ method }, 'Slack does not let me ask this; going on without'),
  });

  const ledger = createLedger(config.auditKey && Buffer.from(config.auditKey.reveal()));
  const desk: BackOffice = {
    database,
    ledger,
    owner,
    policy: policy.current,
    company,
    names,
    allNames: () => names(undefined),
    whoIs: people.fresh,
    read: hosting.read,
    send: { open: hosting.open },
    ticks: () => performance.now(),
    wall: Date.now,
    onSaved: () => nudgeAll(),
    onTrouble,
  };
  const voice = createVoice(messages, Date.now);
  const post = { database, voice, owner, opsChannel: () => policy.current().channels.ops, onTrouble };
  const delivery = createBeat({
    everyMs: 500,
    look: async () => void (await deliver(post)),
    onTrouble: (error) => onTrouble('posting', error),
  });
  const worker = createWorker(desk, delivery.nudge);
  const nudgeAll = (): void => {
    worker.nudge();
    delivery.nudge();
  };

  const reception: Reception = {
    front: desk,
    office: { database, policy: policy.current, names, listing: directory.listing },
    people,
    messages,
    views,
    privately: createPrivately(views, config.slack.apiUrl),
    alias: await aliases(database),
    botUser: bot.botUserId,
    team: bot.team,
    owner,
    log,
    metrics,
  };
  const housekeeping = { database, tellLost: tellLost(reception) };
  const lost = createBeat({
    everyMs: 5_000,
    look: () => tellTheLost(housekeeping),
    onTrouble: (error) => onTrouble('telling', error),
  });
  const sweeping = createBeat({
    everyMs: 60_000,
    look: () => sweep(housekeeping),
    onTrouble: (error) => onTrouble('sweeping', error),
  });
  const notReady = async (): Promise<string | undefined> => {
    await readSetting(database.db, 'pause');
    return directory.listing().at === undefined ? 'the host has not been listed yet' : undefined;
  };
  const door = createDoor({ config, reception, bot, notReady });

  await takeOver({ database });
  directory.start();
  const port = await door.start();
  const metricsServer = config.metricsPort === undefined ? undefined : await serveMetrics(metrics, config.metricsPort);
  for (const beat of [worker, delivery, lost, sweeping]) beat.start();
  log.info(
    { port, policy: policy.current().hash.slice(0, 8), installation: database.installation },
    'Sitehand is ready',
  );

  const stop = async (): Promise<void> => {
    await door.stop(graceMs / 2);
    await worker.stop(graceMs / 2);
    delivery.nudge();
    await Promise.all([delivery.stop(), lost.stop(), sweeping.stop()]);
    directory.close();
    metricsServer?.close();
    await policy.close();
    await hosting.close();
    await database.close();
    log.info('Sitehand has stopped');
  };
  return { port, stop };
}

/** What is being worked on at the end gets this long, in milliseconds; the rest goes on at the next start. */
const graceMs = 10_000;

function openPolicyFile(config: Config, log: Logger): Promise<PolicyFile> {
  return openPolicy(config.policyFile, rights, {
    onReload: (policy) => log.info({ policy: policy.hash.slice(0, 8) }, 'the policy was read anew'),
    onBroken: (mistakes) => log.error({ mistakes }, 'the policy file cannot be used; the last good one still holds'),
  });
}

type Bot = { readonly botId: string | undefined; readonly botUserId: string; readonly team: string };

async function whoAmI(client: WebClient): Promise<Bot> {
  const { bot_id: botId, user_id: botUserId, team_id: team } = await client.auth.test();
  if (!botUserId || !team) throw new Error('Slack does not say who this bot is');
  return { botId, botUserId, team };
}

function observe(metrics: Metrics, { section, outcome, ms }: { section: string; outcome: string; ms: number }): void {
  metrics.host.observe({ section, outcome }, ms / 1_000);
}

/** Stable names for visitors' addresses, by a key that never leaves this database. */
async function aliases(database: Database): Promise<(address: string) => string> {
  const key = await database.transaction(async (tx) => {
    const kept = await readSetting(tx, 'alias key');
    if (kept) return kept.value;
    const value = randomBytes(32).toString('hex');
    await writeSetting(tx, { key: 'alias key', value, at: await database.now(tx) });
    return value;
  });
  return (address) => `client-${createHmac('sha256', key).update(address).digest('hex').slice(0, 4)}`;
}

async function run(): Promise<void> {
  const running = await start(readConfig());
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      running.stop().then(
        () => process.exit(0),
        () => process.exit(1),
      );
    });
  }
}

/** What to say of a start that came to nothing: mistakes as a list, everything else in a sentence. */
function failure(error: unknown): string {
  if (error instanceof ConfigMistakes) {
    const list = error.mistakes.map((mistake) => `  ${mistake}`).join('\n');
    return `Sitehand was not started. These environment variables are not right:\n${list}\nTo try it without any account: npm run playground\n`;
  }
  if (error instanceof PolicyMistakes) return `Sitehand was not started. ${error.message}\n`;
  return `Sitehand was not started: ${error instanceof Error ? error.message : String(error)}\n`;
}

if (import.meta.main) {
  run().catch((error: unknown) => {
    process.stderr.write(failure(error));
    process.exit(1);
  });
}
