import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { WebClient } from '@slack/web-api';
import { isHere } from '../base/addresses.ts';
import { destinationOf } from '../audit/destinations.ts';
import { aliasesBy } from '../commands/logs/masking.ts';
import { createLogReader } from '../commands/logs/run-analysis.ts';
import { rights } from '../commands/rights.ts';
import { auditKeyOf, auditKeysOf, type Config } from '../base/config.ts';
import { notListening } from '../base/errors.ts';
import { openCertificates } from '../hosting/certificates.ts';
import { createClient } from '../hosting/client.ts';
import { imagesOff, leastTtl } from '../hosting/dialect.ts';
import { createDirectory } from '../hosting/directory.ts';
import type { Logger, LogOutput } from '../base/log.ts';
import { openMetrics } from '../base/metrics.ts';
import { databaseNotices } from './notices.ts';
import { createAuditOut, type AuditDestination } from '../audit/audit-out.ts';
import { createRecent } from '../access/targets.ts';
import { createChangeStore } from '../change/change-store.ts';
import { createMessageSender } from '../post/deliver.ts';
import { createStatusParts } from '../talk/status-parts.ts';
import { listsSites, noteListsSites } from '../decide/site-listing.ts';
import { createGroupWatch } from '../post/group-watch.ts';
import { createNames } from '../change/visible-names.ts';
import { createDueTurns } from '../waiting/due-turns.ts';
import { handOnExpiry } from '../waiting/hand-on.ts';
import { createManyTurns } from '../talk/each-environment.ts';
import { queueTurns } from '../talk/queue-turns.ts';
import { createSendHistory } from '../send/send-history.ts';
import { digestTelling } from '../waiting/digests.ts';
import { reviewReminders } from '../waiting/post-reviews.ts';
import { watchLooks } from '../waiting/watches.ts';
import { accessEnds } from '../waiting/timers.ts';
import { createWorker } from '../send/worker.ts';
import { tellOps, createOpsWatch } from '../post/ops-channel-health.ts';
import type { Poller } from '../post/poller.ts';
import { createReplicas } from '../post/replicas.ts';
import { openPolicy } from '../policy/watch.ts';
import { createToken, whoAmI, whoAmIAtStart } from '../slack-api/app-checks.ts';
import { boltLogger, clientOptions, postTimeoutMs } from '../slack-api/calls.ts';
import { createAskedFrom, createEphemeral } from '../slack-api/ephemeral.ts';
import { createHomes } from '../slack/context/homes.ts';
import { createPeople } from '../slack-api/people.ts';
import { createMessenger } from '../slack-api/messenger.ts';
import type { Pace } from '../slack-api/rate-limits.ts';
import { createChannelLook } from '../slack-api/channel-access.ts';
import { shareOf } from '../base/semaphore.ts';
import { createSiteCheck } from '../site-check/site-check.ts';
import { openDatabase, type Database } from '../storage/database.ts';
import { timed } from '../storage/transactions.ts';
import { migrations as ourMigrations } from '../storage/migrations/migrate.ts';
import { keptKey } from '../storage/kv.ts';
import type { Text } from '../words/text.ts';
import { version } from '../talk/build-info.ts';
import type { PipelineContext } from '../talk/context.ts';

/** Sitehand's parts, each built once from the parts before it. `main.ts` starts and stops them. */

export type Foundations = Awaited<ReturnType<typeof openFoundations>>;

/** The log, and what it could not write. */
type Logging = { readonly log: Logger; readonly logLoss: LogOutput['loss'] };

/** The base, and the host with its names. */
export async function openFoundations(config: Config, logging: Logging, now: () => number, migrations = ourMigrations) {
  const base = await openBase(config, logging, now, migrations);
  return { ...base, ...(await openHost(config, base)) };
}

/** Log, metrics, policy and database. */
async function openBase(config: Config, logging: Logging, now: () => number, migrations: typeof ourMigrations) {
  const { log } = logging;
  const { port, host } = config.metrics;
  const counting = await openMetrics(port, host).catch((error: unknown) =>
    notListening(`METRICS_PORT ${port} on METRICS_HOST ${host}`, error),
  );
  const { metrics } = counting;
  const onTrouble = (what: string, error: unknown): void => log.error({ err: error }, `trouble while ${what}`);
  // The clock may turn out to have jumped before the database is open, so the message waits for the database.
  const { promise: opened, resolve: onOpen } = Promise.withResolvers<Database>();
  const tell = (key: string, text: Text): void => {
    const saved = opened.then((open) => tellOps(open, key, text));
    saved.catch((error: unknown) => onTrouble('telling the ops channel', error));
  };
  const policy = await openPolicy(config.policyFile, rights);
  const onLost = (error: Error): void => onTrouble('using the database', error);
  const opening = openDatabase(config.databaseUrl, { migrations, onLost, ...databaseNotices(log, tell) });
  const database = timed(await opening, () => metrics.transactions.startTimer());
  onOpen(database);
  const replica = joinReplicas(database, () => policy.current().hash, log);
  return { now, ...logging, counting, metrics, onTrouble, tell, policy, database, ...replica };
}

async function openHost(config: Config, base: Awaited<ReturnType<typeof openBase>>) {
  const { now, metrics, onTrouble, policy, database, replicas } = base;
  const { secrets, certificate } = openCertificates(config.certificatesDir);
  const hosting = createClient({
    ...config.hosting,
    secrets,
    replicas: replicas.count,
    onCall: ({ section, outcome, ms }) => metrics.host.observe({ section, outcome }, ms / 1_000),
  });
  const directory = createDirectory({
    read: hosting.read,
    company: config.hosting.company,
    overrides: () => policy.current().overrides,
    listsSites: await listsSites(database),
    onSites: () => noteListsSites(database, onTrouble),
    now,
    onTrouble: (trouble) => onTrouble('listing sites', trouble),
  });
  return { hosting, directory, names: createNames(directory.listing, policy.current), certificate };
}

/** Registers this process among those on the same database. `policy`: the hash of the policy that it uses. */
function joinReplicas(database: Database, policy: () => string, log: Logger) {
  const owner = randomUUID();
  const sign = () => ({ owner, name: `${hostname()}:${process.pid}`, version, policy: policy() });
  const onUnreadable = (owners: readonly string[]): void =>
    log.warn({ owners }, 'a replica says of itself what this version cannot read');
  return { owner, replicas: createReplicas(database, sign, onUnreadable) };
}

export type Slack = Awaited<ReturnType<typeof connectSlack>>;

/** The Slack clients (for messages, private answers and views), and what knows people and channels. */
export async function connectSlack({ slack }: Config, foundations: Foundations, pace: Pace) {
  const { log, policy, database, replicas, now } = foundations;
  const client = (timeoutMs?: number): WebClient =>
    new WebClient(slack.botToken.reveal(), clientOptions(slack.apiUrl, boltLogger(log), timeoutMs));
  const [messages, answers, views] = [client(postTimeoutMs), client(postTimeoutMs), client()];
  const bot = await whoAmIAtStart(views, slack.apiUrl);
  const token = createToken(views, log);
  const lookAt = createChannelLook({ client: views, freshMs: pace.channelsForMs, onToken: token.note });
  const asking = { lookAt, now, replicas: replicas.count, onToken: token.note };
  const ask = (id: string): Promise<unknown> => people.membersOf(id, true);
  const groups = createGroupWatch({ database, policy: policy.current, onMembers: () => homes.outdated() }, ask);
  const people = createPeople({
    ...asking,
    client: views,
    bot,
    idsOf: policy.idsOf,
    onGroup: groups.onGroup,
    onMissing: (method) => log.warn({ method }, 'Slack does not allow this method; continuing without it'),
  });
  const homes = createHomes({ everyMs: pace.homeEveryMs, ticks: () => performance.now(), replicas: replicas.count });
  const ephemeral = createEphemeral(answers, slack.apiUrl);
  const askedFrom = createAskedFrom(ephemeral, () => performance.now());
  const frontend: Frontend = {
    ...people,
    lookAt,
    messenger: createMessenger({ ...asking, client: messages, pace }),
    askSlack: () => whoAmI(views),
    isTaken: token.isTaken,
    onCard: homes.moved,
    onUntold: askedFrom.onUntold,
  };
  return { frontend, messages, ephemeral, askedFrom, views, bot, people, groups, token, homes, pace };
}

/** What the pipeline needs of the place where people talk to it: who they are, its channels, and a way to post. */
export type Frontend = Pick<
  PipelineContext,
  | ('personOf' | 'glanceAt' | 'whoIs' | 'membersOf' | 'groupTrouble' | 'channelOf' | 'lookAt' | 'askSlack')
  | ('messenger' | 'isTaken' | 'onCard' | 'onUntold')
>;

export type Pipeline = Awaited<ReturnType<typeof buildPipeline>>;

/** The context of the pipeline, and its background work: due changes, due messages, sending the audit trail elsewhere. */
export async function buildPipeline(config: Config, foundations: Foundations, frontend: Frontend) {
  const { database, policy, directory, hosting, owner, metrics, onTrouble } = foundations;
  const aliasKey = await keptKey(database, 'alias_key');
  const logs = createLogReader(aliasKey);
  const destination = config.auditOut && destinationOf(config.auditOut);
  const pipeline: PipelineContext = {
    database,
    changeStore: createChangeStore({
      auditKey: auditKeyOf(config),
      installation: database.installation,
      onEvent: (event) => metrics.moves.inc({ event }),
    }),
    owner,
    ...buildRules(foundations),
    company: () => ({ kind: 'company', id: directory.listing().company?.id ?? '', name: 'the company' }),
    ...frontend,
    ...buildHosting(config, foundations),
    read: (call, onBehalfOf, cancel) => hosting.read(call, onBehalfOf && policy.behind(onBehalfOf), cancel),
    ...buildOutgoing(config, foundations),
    ticks: () => performance.now(),
    wall: Date.now,
    recent: createRecent(database),
    manyTurns: createManyTurns((whole) => shareOf(whole, foundations.replicas.count())),
    logs,
    alias: aliasesBy(aliasKey),
    auditKeys: auditKeysOf(config),
    auditOut: destination,
    history: createSendHistory(),
    ...buildObservers(foundations),
    onSaved: () => nudge(),
    onTrouble,
  };
  const { delivery, ops } = buildPost(pipeline, foundations.log);
  const { worker, nudge } = buildWork(pipeline, delivery);
  const pollers = buildAuditOut(foundations, destination);
  return { pipeline, nudge, worker, delivery, ops, logs, pollers };
}

/** The rules in force, and whether they can be relied on. */
const buildRules = ({ policy, replicas }: Foundations) => ({
  policy: policy.current,
  policyIsBroken: policy.isBroken,
  rulesDiffer: replicas.rulesDiffer,
});

/** The host's names, how it speaks, and the way to write to it. */
const buildHosting = ({ hosting: { dialect } }: Config, { directory, hosting, names, certificate }: Foundations) => ({
  names,
  listing: directory.listing,
  presenceOf: directory.presenceOf,
  freshenNames: directory.freshen,
  send: { open: hosting.open },
  hasLogRoom: hosting.hasLogRoom,
  certificate,
  dialect,
  leastTtl: leastTtl[dialect],
  imagesOff: imagesOff[dialect],
});

/** What sends, and what handles whatever waited and is due. */
function buildWork(pipeline: PipelineContext, delivery: Pick<Poller, 'nudge'>) {
  const worker = createWorker(pipeline, () => {
    delivery.nudge();
    due.nudge();
  });
  const nudge = (): void => {
    for (const one of [worker, due]) one.nudge();
    setTimeout(delivery.nudge, sayAfterMs).unref();
  };
  const due = createDueTurns(
    pipeline,
    [accessEnds, queueTurns, handOnExpiry, watchLooks, digestTelling, reviewReminders].map((kind) => kind(pipeline)),
    () => nudge(),
  );
  const senders = [worker, due];
  const start = (): void => senders.forEach((one) => one.start());
  const stop = (): Promise<unknown> => Promise.all(senders.map((one) => one.stop(graceMs / 2)));
  return { worker: { start, stop }, nudge };
}

/** The parts that send requests to sites, and the addresses that are not encrypted. */
function buildOutgoing(config: Config, { log, now, policy }: Foundations) {
  const { unencrypted, unverified, hosting, checkConnectTo: instead } = config;
  if (unencrypted.length > 0)
    log.warn({ unencrypted }, 'ALLOW_PLAIN_HTTP is set: what goes there can be read on the way');
  if (unverified.length > 0)
    log.warn({ unverified }, 'no certificate is checked there: somebody on the way can answer');
  const isHostHere = isHere(hosting.url);
  // With the hosting API here too, it is the playground, where that is as it should be.
  if (instead)
    log[isHostHere ? 'info' : 'warn'](instead, 'CHECK_CONNECT_TO is set: site checks go there, and never to the sites');
  const siteCheck = createSiteCheck({ instead, now, behind: policy.behind });
  return { unencrypted, unverified, isHostHere, siteCheck, statusParts: createStatusParts() };
}

/** What sends the audit trail elsewhere, if the settings name a place. */
function buildAuditOut(foundations: Foundations, destination: AuditDestination | undefined) {
  if (destination === undefined) return [];
  const onFailed = (attempt: object): void =>
    foundations.log.warn({ to: destination.name, ...attempt }, 'the audit trail was not taken');
  return [createAuditOut({ ...foundations, destination, onFailed })];
}

/** Tells the log and the metrics what the pipeline does. */
const buildObservers = ({ log, metrics }: Foundations): Pick<PipelineContext, 'onCommand' | 'onAnswer'> => ({
  onCommand: (command, outcome) => metrics.commands.inc({ command, outcome }),
  onAnswer: (answer) => {
    log.info(answer, 'the result of a write');
    metrics.sends.inc({ outcome: answer.outcome.kind });
  },
});

/** The delivery of messages, and whether the ops channel accepts its own. */
function buildPost(pipeline: PipelineContext, log: Logger) {
  const ops = createOpsWatch(pipeline, (line, isWell) => log[isWell ? 'info' : 'error'](line));
  return { delivery: createMessageSender(pipeline, ops.nudge), ops };
}

/** How long running work gets at a stop, in milliseconds. The rest continues at the next start. */
export const graceMs = 9_000;
/** How long messages wait after a nudge, in milliseconds: drawing them at once would delay the write. */
const sayAfterMs = 40;
