import { randomUUID } from 'node:crypto';
import { flushCompileCache } from 'node:module';
import { setTimeout as wait } from 'node:timers/promises';
import { WebClient } from '@slack/web-api';
import { createLogReader } from './commands/logs/reader.ts';
import { aliasesBy } from './commands/masking.ts';
import { rights } from './commands/rights.ts';
import { ConfigMistakes, readConfig, type Config } from './config.ts';
import { openCertificates } from './hosting/certificates.ts';
import { createClient } from './hosting/client.ts';
import { createDirectory } from './hosting/directory.ts';
import { createLog, type Logger } from './log.ts';
import { openMetrics, type Metrics } from './metrics.ts';
import { createLedger } from './pipeline/advance.ts';
import { createBeat } from './pipeline/beat.ts';
import { deliver } from './pipeline/deliver.ts';
import { sweep, takeOver, tellTheLost } from './pipeline/housekeeping.ts';
import { createRecent } from './pipeline/recent.ts';
import { createRulebook } from './pipeline/rulebook.ts';
import { createNames } from './pipeline/names.ts';
import { createWorker, settledWithin, type BackOffice } from './pipeline/worker.ts';
import { backAgain, noteAlive, tellOps } from './pipeline/ops.ts';
import { bearWitness, type Telling } from './pipeline/witness.ts';
import { PolicyMistakes, tell as mistakeInWords } from './policy/mistakes.ts';
import { mentionedGroups } from './policy/people.ts';
import { openPolicy, type PolicyFile } from './policy/watch.ts';
import { createShelf } from './slack/answers.ts';
import { boltLogger, clientOptions, createDoor } from './slack/app.ts';
import { lostNote } from './slack/lost.ts';
import { createPeople } from './slack/people.ts';
import { createPrivately } from './slack/privately.ts';
import type { Reception } from './slack/reception.ts';
import { createVoice, type Pace } from './slack/thread.ts';
import { openDatabase } from './storage/database.ts';
import { keptKey, readSetting } from './storage/settings.ts';
import { code, joined, plain, say, type Text } from './text.ts';

/** What a start can be given that is otherwise its own: where it logs, and how fast it speaks. */
type Instead = { readonly log?: Logger; readonly pace?: Pace | undefined };

/** Everything Sitehand is, put together and started; resolves when Slack is connected. */
export async function start(
  config: Config,
  { log = createLog(config.logLevel), pace }: Instead = {},
): Promise<{ readonly port: number; readonly stop: () => Promise<void> }> {
  const ground = await openGround(config, log);
  const slack = await meetSlack(config, ground);
  const back = buildBackOffice(config, ground, slack, pace);
  const front = await openFrontDoor(config, ground, slack, back);
  const { database, directory, policy, hosting, counting } = ground;

  const away = await backAgain(database);
  if (away) ground.tell('back again', away);
  await takeOver({ database });
  directory.start();
  // Names first, so that the first command finds them; a host that is away does not keep us from starting.
  await Promise.race([directory.refresh(), wait(firstListingMs, undefined, { ref: false })]);
  const port = await front.door.start();
  for (const beat of [back.worker, back.delivery, ...front.beats]) beat.start();
  log.info(
    { port, policy: policy.current().hash.slice(0, 8), installation: database.installation },
    'Sitehand is ready',
  );
  // Otherwise only a clean exit would keep what was compiled, and the start after a kill would be as slow as the first.
  flushCompileCache();

  const stop = async (): Promise<void> => {
    await front.door.stop(graceMs / 4);
    await back.worker.stop();
    back.delivery.nudge();
    const beats = [back.delivery, ...front.beats].map((beat) => beat.stop());
    // A write that is not answered by now is found in `sending` at the next start, and called unknown.
    await settledWithin(graceMs / 4, [...beats, hosting.close()]);
    await front.shelf.close();
    await noteAlive(database);
    directory.close();
    await front.logs.close();
    await counting.close();
    await policy.close();
    await database.close();
    log.info('Sitehand has stopped');
  };
  return { port, stop };
}

type Ground = Awaited<ReturnType<typeof openGround>>;

/** What everything stands on: log, metrics, policy, database, the host and its names. */
async function openGround(config: Config, log: Logger) {
  const counting = await openMetrics(config.metricsPort);
  const { metrics } = counting;
  const onTrouble = (what: string, error: unknown): void => log.error({ err: error }, `trouble while ${what}`);
  const tell = (key: string, text: Text): void => {
    tellOps(database, key, text).catch((error: unknown) => onTrouble('telling the ops channel', error));
  };
  const policy = await openPolicyFile(config, log, tell);
  const onLost = (error: Error): void => onTrouble('using the database', error);
  const database = await openDatabase(config.databaseUrl, { onLost });
  const { secrets } = openCertificates(config.certificatesDir);
  const hosting = createClient({ ...config.hosting, secrets, onCall: (call) => observe(metrics, call) });
  const directory = createDirectory({
    read: hosting.read,
    company: config.hosting.company,
    pins: () => policy.current().pins,
    now: Date.now,
    onTrouble: (trouble) => onTrouble('listing sites', trouble),
  });
  const names = createNames(directory.listing, policy.current);
  const owner = randomUUID();
  return { log, counting, metrics, onTrouble, tell, policy, database, hosting, directory, names, owner };
}

type Slack = Awaited<ReturnType<typeof meetSlack>>;

/** Slack as we speak to it: messages apart from views and private words, and whom we speak with. */
async function meetSlack({ slack }: Config, { log, policy }: Ground) {
  const client = (): WebClient => new WebClient(slack.botToken.reveal(), clientOptions(slack.apiUrl, boltLogger(log)));
  const [messages, views] = [client(), client()];
  const bot = await whoAmI(views);
  let tokenIsTaken = true;
  const people = createPeople({
    client: views,
    team: bot.team,
    groups: () => mentionedGroups(policy.current()),
    now: Date.now,
    onMissing: (method) => log.warn({ method }, 'Slack does not let me ask this; going on without'),
    onToken: (isTaken) => (tokenIsTaken = isTaken),
  });
  return { messages, views, bot, people, takesToken: () => tokenIsTaken };
}

type Back = ReturnType<typeof buildBackOffice>;

/** The back half: whatever is due, and whatever is to be said of it. */
function buildBackOffice(config: Config, ground: Ground, { people, messages }: Slack, pace: Pace | undefined) {
  const { database, policy, directory, hosting, names, owner, metrics, onTrouble } = ground;
  const desk: BackOffice = {
    database,
    ledger: createLedger({
      auditKey: auditKeyOf(config),
      installation: database.installation,
      onEvent: (event) => metrics.moves.inc({ event }),
    }),
    owner,
    policy: policy.current,
    company: () => ({ kind: 'company', id: directory.listing().company?.id ?? '', name: 'the company' }),
    names,
    allNames: () => names(undefined),
    listing: directory.listing,
    whoIs: people.fresh,
    membersOf: people.membersOf,
    personOf: people.known,
    read: hosting.read,
    certificate: openCertificates(config.certificatesDir).certificate,
    send: { open: hosting.open },
    ticks: () => performance.now(),
    wall: Date.now,
    freshenNames: directory.freshen,
    onSaved: () => nudge(),
    onTrouble,
  };
  const opsChannel = (): string | undefined => policy.current().channels.ops;
  const post = { database, voice: createVoice(messages, Date.now, pace), owner, opsChannel, onTrouble };
  const delivery = createBeat({
    everyMs: 500,
    look: async () => void (await deliver(post)),
    onTrouble: (error) => onTrouble('posting', error),
  });
  const worker = createWorker(desk, delivery.nudge);
  const nudge = (): void => {
    worker.nudge();
    setTimeout(delivery.nudge, sayAfterMs).unref();
  };
  return { desk, worker: { ...worker, stop: () => worker.stop(graceMs / 2) }, delivery };
}

/** The front half: what Slack delivers, and what is told to those who were not answered. */
async function openFrontDoor(config: Config, ground: Ground, slack: Slack, { desk }: Back) {
  const { database, directory, log, metrics, owner, onTrouble } = ground;
  const { people, messages, views, bot } = slack;
  const aliasKey = await keptKey(database, 'alias key');
  const logs = createLogReader(aliasKey);
  const shelf = createShelf(database, (error) => onTrouble('keeping what stands behind a button', error));
  const { isBroken: policyIsBroken } = ground.policy;
  const asked = { policyIsBroken, askSlack: () => whoAmI(views), dialect: config.hosting.dialect };
  const reception: Reception = {
    front: desk,
    decisions: desk,
    office: { ...desk, ...asked, auditKey: auditKeyOf(config) },
    people,
    messages,
    views,
    privately: createPrivately(views, config.slack.apiUrl),
    recent: createRecent(database),
    shelf,
    sharing: new Set(),
    alias: aliasesBy(aliasKey),
    logs,
    botUser: bot.botUserId,
    team: bot.team,
    owner,
    log,
    metrics,
  };
  const onHopeless = (says: Text): void => {
    log.warn(plain(says));
    ground.tell('policy:hopeless', says);
  };
  const rulebook = createRulebook({ ...desk, onHopeless });
  const housekeeping = { database, lostNote };
  const beat = (what: string, everyMs: number, look: () => Promise<void>) =>
    createBeat({ everyMs, look, onTrouble: (error) => onTrouble(what, error) });
  const beats = [
    beat('telling who was lost', 5_000, () => tellTheLost(housekeeping)),
    beat('keeping the rules on record', 5_000, rulebook),
    beat('sweeping', 60_000, () => sweep(housekeeping)),
    beat('noting that I am here', 15_000, () => noteAlive(database)),
    beat('telling the head of the trail', 3_600_000, async () => logHead(log, await bearWitness(database))),
  ];
  const notReady = async (): Promise<string | undefined> => {
    await readSetting(database.db, 'pause');
    if (!slack.takesToken()) return 'Slack does not take the bot token any more';
    return directory.listing().at === undefined ? 'the host has not been listed yet' : undefined;
  };
  return { door: createDoor({ config, reception, bot, notReady }), beats, logs, shelf };
}

const auditKeyOf = ({ auditKey }: Config): Buffer | undefined => auditKey && Buffer.from(auditKey.reveal());

/** The log is a witness of its own: kept elsewhere, it holds what the database cannot take back. */
function logHead(log: Logger, telling: Telling | undefined): void {
  if (telling?.kind === 'told') log.info({ trail: telling.head }, 'the audit trail ends here');
  if (telling?.kind === 'altered')
    log.error({ trail: telling.head }, 'the audit trail was altered: this line is not in it');
}

/** What is being worked on at the end gets this long, in milliseconds; the rest goes on at the next start. */
const graceMs = 9_000;
const firstListingMs = 5_000;
/** What is said waits this long for what is sent, in milliseconds: drawn at once, it would be in the way of the write. */
const sayAfterMs = 40;

function openPolicyFile(config: Config, log: Logger, tell: (key: string, text: Text) => void): Promise<PolicyFile> {
  return openPolicy(config.policyFile, rights, {
    onReload: ({ hash }) => {
      log.info({ policy: hash.slice(0, 8) }, 'the policy was read anew');
      tell(`policy:${hash}`, say`The policy was read anew and holds from now on (${code(hash.slice(0, 8))}).`);
    },
    onBroken: (mistakes) => {
      log.error({ mistakes }, 'the policy file cannot be used; the last good one still holds');
      const lines = joined(mistakes.slice(0, 10).map(mistakeInWords), '\n');
      tell('policy:broken', say`⚠️ **The policy file cannot be used; the last good one still holds.**\n${lines}`);
    },
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

async function run(): Promise<void> {
  const running = await start(readConfig());
  let stopping: Promise<void> | undefined;
  const end = (): void => {
    stopping ??= running.stop();
    stopping.then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', end).on('SIGINT', end);
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
