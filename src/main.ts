import { randomUUID } from 'node:crypto';
import { flushCompileCache } from 'node:module';
import { setTimeout as wait } from 'node:timers/promises';
import { WebClient } from '@slack/web-api';
import { createLogReader } from './commands/logs/reader.ts';
import { aliasesBy } from './commands/logs/masking.ts';
import { rights } from './commands/rights.ts';
import { auditKeyOf, auditKeysOf, readConfig, type Config } from './config.ts';
import { notListening } from './errors.ts';
import { openCertificates } from './hosting/certificates.ts';
import { leastTtl } from './hosting/dialect.ts';
import { createClient } from './hosting/client.ts';
import { createDirectory } from './hosting/directory.ts';
import { createLog, type Logger } from './log.ts';
import { observeCall, openMetrics } from './metrics.ts';
import { endAloud, failure, logHead, logSeal, ofDatabase, ofPolicy } from './notices.ts';
import { createLedger } from './pipeline/changes/change-store.ts';
import { createBeat } from './pipeline/messages/poller.ts';
import { createDelivery } from './pipeline/messages/deliver.ts';
import { sweep, takeOver, tellTheLost } from './pipeline/messages/housekeeping.ts';
import { createRecent } from './pipeline/access/recent-targets.ts';
import { createRulebook } from './pipeline/audit/policy-history.ts';
import { listsSites, noteListsSites } from './pipeline/steps/site-listing.ts';
import { createGroupWatch } from './pipeline/messages/group-watch.ts';
import { createNames } from './pipeline/changes/visible-names.ts';
import { sealTrail } from './pipeline/audit/audit-keys.ts';
import { createSendHistory } from './pipeline/steps/send-history.ts';
import { createWorker, settledWithin, type BackOffice } from './pipeline/steps/worker.ts';
import { backAgain, noteAlive, tellOps } from './pipeline/messages/ops-messages.ts';
import { createOpsWatch } from './pipeline/messages/ops-channel.ts';
import { bearWitness } from './pipeline/audit/audit-anchor.ts';
import { openPolicy } from './policy/watch.ts';
import { createShelf } from './slack/context/button-payloads.ts';
import { createToken, whoAmI, introduce } from './slack/client/token.ts';
import { boltLogger, clientOptions, createDoor } from './slack/incoming/app.ts';
import { redrawHomes } from './slack/answers/home.ts';
import { createHomes } from './slack/context/homes.ts';
import { lostNote } from './slack/incoming/interrupted.ts';
import { createPeople } from './slack/client/people.ts';
import { createPrivately } from './slack/client/ephemeral.ts';
import { oneEachTurn } from './slack/context/one-each-turn.ts';
import { createTurns, type Reception } from './slack/context/context.ts';
import { createVoice, slacksPace, type Pace } from './slack/client/messenger.ts';
import { createChannelLook } from './slack/client/channel-access.ts';
import { createSteadyNow } from './storage/clock.ts';
import { openDatabase } from './storage/database.ts';
import { keptKey, readSetting } from './storage/kv.ts';
import { plain, type Text } from './text.ts';

/** What a start can be given that is otherwise its own: where it logs, how fast it speaks, and what time it is (epoch ms). */
type Instead = { readonly log?: Logger; readonly pace?: Pace; readonly now?: () => number };

/** Everything Sitehand is, put together and started; resolves when Slack is connected. */
export async function start(
  config: Config,
  { log = createLog(config.logLevel), pace = slacksPace, now = createSteadyNow() }: Instead = {},
): Promise<{ readonly port: number; readonly stop: () => Promise<void> }> {
  const ground = await openGround(config, log, now);
  const slack = await meetSlack(config, ground, pace);
  const back = buildBackOffice(config, ground, slack);
  const front = await openFrontDoor(config, ground, slack, back);
  const { database, directory, policy, hosting, counting } = ground;

  logSeal(log, await sealTrail(back.desk, auditKeysOf(config)));
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
async function openGround(config: Config, log: Logger, now: () => number) {
  const counting = await openMetrics(config.metricsPort).catch((error: unknown) =>
    notListening(`METRICS_PORT ${config.metricsPort}`, error),
  );
  const { metrics } = counting;
  const onTrouble = (what: string, error: unknown): void => log.error({ err: error }, `trouble while ${what}`);
  const tell = (key: string, text: Text): void => {
    tellOps(database, key, text).catch((error: unknown) => onTrouble('telling the ops channel', error));
  };
  const policy = await openPolicy(config.policyFile, rights, ofPolicy(log, tell));
  const onLost = (error: Error): void => onTrouble('using the database', error);
  const database = await openDatabase(config.databaseUrl, { onLost, ...ofDatabase(log, tell) });
  const { secrets } = openCertificates(config.certificatesDir);
  const hosting = createClient({ ...config.hosting, secrets, onCall: (call) => observeCall(metrics, call) });
  const directory = createDirectory({
    read: hosting.read,
    company: config.hosting.company,
    pins: () => policy.current().pins,
    listsSites: await listsSites(database),
    onSites: () => noteListsSites(database, onTrouble),
    now,
    onTrouble: (trouble) => onTrouble('listing sites', trouble),
  });
  const names = createNames(directory.listing, policy.current);
  const owner = randomUUID();
  return { now, log, counting, metrics, onTrouble, tell, policy, database, hosting, directory, names, owner };
}

type Slack = Awaited<ReturnType<typeof meetSlack>>;

/** Slack as we speak to it: messages apart from views and private words, and whom we speak with. */
async function meetSlack({ slack, plainHttp }: Config, { log, policy, database, now }: Ground, pace: Pace) {
  const client = (): WebClient => new WebClient(slack.botToken.reveal(), clientOptions(slack.apiUrl, boltLogger(log)));
  const [messages, views] = [client(), client()];
  const bot = await introduce(views, slack.apiUrl);
  const token = createToken(views, log);
  const lookAt = createChannelLook({ client: views, freshMs: pace.channelsForMs, onToken: token.note });
  const groups = createGroupWatch({ database, policy: policy.current, ask: (id) => people.membersOf(id, true) });
  const people = createPeople({
    client: views,
    bot,
    idsOf: policy.idsOf,
    lookAt,
    now,
    onGroup: groups.onGroup,
    onMissing: (method) => log.warn({ method }, 'Slack does not let me ask this; going on without'),
    onToken: token.note,
  });
  const homes = createHomes({ everyMs: pace.homeEveryMs, ticks: () => performance.now() });
  const asked = { askSlack: () => whoAmI(views), groupTrouble: people.groupTrouble, lookAt, plainHttp };
  return { messages, views, bot, people, groups, asked, token, lookAt, homes, pace };
}

type Back = ReturnType<typeof buildBackOffice>;

/** The back half: whatever is due, and whatever is to be said of it. */
function buildBackOffice(config: Config, ground: Ground, slack: Slack) {
  const { people } = slack;
  const { log, database, policy, directory, hosting, names, owner, metrics, onTrouble } = ground;
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
    presenceOf: directory.presenceOf,
    whoIs: (id, groups, team, mayBeRecent) => (mayBeRecent ? people.fresh : people.asked)(id, groups, team),
    membersOf: people.membersOf,
    personOf: people.known,
    read: (call, onBehalfOf) => hosting.read(call, onBehalfOf && policy.behind(onBehalfOf)),
    certificate: openCertificates(config.certificatesDir).certificate,
    leastTtl: leastTtl[config.hosting.dialect],
    send: { open: hosting.open },
    ticks: () => performance.now(),
    wall: Date.now,
    freshenNames: directory.freshen,
    history: createSendHistory(),
    onAnswer: (answer) => log.info(answer, 'what came of a write'),
    onSaved: () => nudge(),
    onTrouble,
  };
  const { delivery, ops } = buildPost(ground, slack);
  const worker = createWorker(desk, delivery.nudge);
  const nudge = (): void => {
    worker.nudge();
    setTimeout(delivery.nudge, sayAfterMs).unref();
  };
  return { desk, worker: { ...worker, stop: () => worker.stop(graceMs / 2) }, delivery, ops };
}

/** What is said to Slack, and whether the ops channel takes its part of it. */
function buildPost(ground: Ground, { messages, token, lookAt, homes, pace }: Slack) {
  const { now, database, policy, onTrouble } = ground;
  const opsChannel = (): string | undefined => policy.current().channels.ops;
  const ops = createOpsWatch({ database, policy: policy.current, lookAt }, onTrouble, (line, isWell) =>
    ground.log[isWell ? 'info' : 'error'](line),
  );
  const voice = createVoice({ client: messages, now, pace, lookAt, onToken: token.note });
  const { idsOf } = policy;
  const post = { ...ground, idsOf, voice, opsChannel, isTaken: token.isTaken, onOps: ops.nudge, onCard: homes.moved };
  const delivery = createDelivery(post);
  return { delivery, ops };
}

/** The front half: what Slack delivers, and what is told to those who were not answered. */
async function openFrontDoor(config: Config, ground: Ground, slack: Slack, { desk, delivery, ops }: Back) {
  const { database, directory, log, metrics, owner, onTrouble } = ground;
  const { people, groups, messages, views, bot, token, homes, pace } = slack;
  const heard = { people, messages, views, homes };
  const aliasKey = await keptKey(database, 'alias key');
  const logs = createLogReader(aliasKey);
  const shelf = createShelf(database, (error) => onTrouble('keeping what stands behind a button', error));
  const asked = { ...slack.asked, policyIsBroken: ground.policy.isBroken, dialect: config.hosting.dialect };
  const reception: Reception = {
    front: desk,
    decisions: desk,
    office: { ...desk, ...asked, listing: directory.listing, auditKeys: auditKeysOf(config) },
    ...heard,
    privately: createPrivately(views, config.slack.apiUrl),
    recent: createRecent(database),
    shelf,
    sharing: new Set(),
    alias: aliasesBy(aliasKey),
    logs,
    turns: createTurns(ground.policy.behind),
    nextTurn: oneEachTurn(ground.policy.behind),
    deliveries: new Map(),
    botUser: bot.botUserId,
    team: bot.team,
    owner,
    renewEveryMs: pace.renewEveryMs,
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
    ops,
    beat('asking for the token', 5_000, async () => void ((await token.askAgain()) && delivery.nudge())),
    beat('drawing homes anew', 1_000, () => redrawHomes(reception)),
    beat('telling who was lost', 5_000, () => tellTheLost(housekeeping)),
    beat('keeping the rules on record', 5_000, rulebook),
    beat('looking at user groups', 5_000, groups.look),
    beat('sweeping', 60_000, () => sweep(housekeeping)),
    beat('noting that I am here', 15_000, () => noteAlive(database)),
    beat('telling the head of the trail', 3_600_000, async () => logHead(log, await bearWitness(database))),
  ];
  return { door: createDoor({ config, reception, bot, ...readiness(ground, slack, ops) }), beats, logs, shelf };
}

/** Whether it can work, and what is wrong though it can: a word each. */
const readiness = ({ database, directory }: Ground, { token }: Slack, ops: Back['ops']) => ({
  notReady: async (): Promise<string | undefined> => {
    await readSetting(database.db, 'pause');
    if (!token.isTaken()) return 'Slack does not take the bot token any more';
    return directory.listing().at === undefined ? 'the host has not been listed yet' : undefined;
  },
  remark: (): string | undefined => ops.trouble() && 'the ops channel needs a look: doctor says why',
});

/** What is being worked on at the end gets this long, in milliseconds; the rest goes on at the next start. */
const graceMs = 9_000;
const firstListingMs = 5_000;
/** What is said waits this long for what is sent, in milliseconds: drawn at once, it would be in the way of the write. */
const sayAfterMs = 40;

async function run(): Promise<void> {
  const config = readConfig();
  const running = await start(config, { log: endAloud(createLog(config.logLevel)) });
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

if (import.meta.main) {
  run().catch((error: unknown) => {
    process.stderr.write(failure(error));
    process.exit(1);
  });
}
