import { flushCompileCache } from 'node:module';
import { setTimeout as wait } from 'node:timers/promises';
import { readConfig, type Config } from './base/config.ts';
import { gaugesOf } from './program/gauges.ts';
import { createLog, type Logger, type LogOutput } from './base/log.ts';
import {
  absenceReport,
  aliveEveryMs,
  createLogWatch,
  failure,
  logEveryMs,
  logHead,
  noteAlive,
  openLog,
  policyNotices,
} from './program/notices.ts';
import { groupsEveryMs } from './post/group-watch.ts';
import { createPoller } from './post/poller.ts';
import { lookEveryMs } from './post/replicas.ts';
import { lostEveryMs, sweep, sweepEveryMs, takeOver, tellTheLost } from './post/housekeeping.ts';
import { checkEveryMs, createPolicyCheck, recordPolicy } from './audit/policy-history.ts';
import { sealAudit } from './audit/audit-keys.ts';
import { handleSetBack } from './send/failover-and-restore.ts';
import { anchorEveryMs, publishAuditHead } from './audit/audit-anchor.ts';
import { createPayloadStore } from './slack/context/button-payloads.ts';
import { createDeliveries, lostNote } from './slack/context/deliveries.ts';
import { createSlackServer } from './slack/incoming/app.ts';
import { redrawEveryMs, redrawHomes } from './slack/answers/home.ts';
import { oneEachTurn, createTurns } from './slack/context/turns.ts';
import type { SlackContext } from './slack/context/context.ts';
import { createViewUpdates } from './slack-api/view-updates.ts';
import { slackPace, type Pace } from './slack-api/rate-limits.ts';
import { askAgainEveryMs } from './slack-api/app-checks.ts';
import { createSteadyNow } from './storage/clock.ts';
import { adoptEveryMs, adoptFormer } from './storage/former-tables.ts';
import type { DatabaseOptions } from './storage/database.ts';
import { nameSlashCommand, plain, say, type Text } from './words/text.ts';
import { settledWithin } from './base/time-limit.ts';
import {
  buildPipeline,
  connectSlack,
  graceMs,
  openFoundations,
  type Foundations,
  type Pipeline,
  type Slack,
} from './program/wiring.ts';

/** What the log could not write. Replacements for tests: the log, the pace, the clock (epoch ms), the migrations. */
type Overrides = {
  readonly log?: Logger;
  readonly logLoss?: LogOutput['loss'];
  readonly pace?: Pace;
  readonly now?: () => number;
  readonly migrations?: DatabaseOptions['migrations'];
};

const noLoss: LogOutput['loss'] = () => ({ lines: 0, why: undefined, isLosing: false });

/** How long a start waits for the host's first list of sites. */
const firstListingMs = 5_000;

/** Builds and starts everything; resolves when Slack is connected. */
export async function start(
  config: Config,
  {
    log = createLog(config.logLevel),
    logLoss = noLoss,
    pace = slackPace,
    now = createSteadyNow(),
    migrations,
  }: Overrides = {},
): Promise<{ readonly port: number; readonly stop: () => Promise<void> }> {
  nameSlashCommand(config.slack.command);
  const foundations = await openFoundations(config, { log, logLoss }, now, migrations);
  const slack = await connectSlack(config, foundations, pace);
  const back = await buildPipeline(config, foundations, slack.frontend);
  const edge = await openEdge(config, foundations, slack, back);
  const { database, directory, policy } = foundations;
  showGauges(foundations, back, edge);
  const sealed = await sealAudit(back.pipeline);
  if (sealed) log.warn({ trail: sealed }, 'the audit trail uses another key from this line on');
  await policy.follow({
    record: (next) => recordPolicy(back.pipeline, next),
    ...policyNotices(log, foundations.tell, edge.onReload),
  });
  await catchUp(foundations, back);
  directory.start();
  // List names first, so that the first command finds them. A host that is down does not block the start.
  await Promise.race([directory.refresh(), wait(firstListingMs, undefined, { ref: false })]);
  // Slack last: once the bot is connected, programs can ask, too.
  await edge.api?.start();
  const port = await edge.server.start();
  for (const poller of [back.worker, back.delivery, ...edge.pollers]) poller.start();
  database.listen({
    url: config.databaseListenUrl,
    onDue: back.nudge,
    onTrouble: (error) => log.warn({ err: error }, 'not listening for due work'),
  });
  const { hash } = policy.current();
  log.info({ port, policy: hash.slice(0, 8), installation: database.installation }, 'Sitehand is ready');
  leaveWhenOutdated(foundations, edge);
  // Otherwise only a clean exit saves compiled code, and a start after a kill would be slow.
  flushCompileCache();

  return { port, stop: () => stopAll(foundations, back, edge) };
}

function showGauges(foundations: Foundations, { pipeline, delivery }: Pipeline, { turns }: Edge) {
  const { auditOut } = pipeline;
  foundations.counting.show(gaugesOf({ ...foundations, auditOut, turns, slackRestMs: delivery.restMs }));
}

/** What happened while this process was away. */
async function catchUp({ database, replicas, tell }: Foundations, { pipeline }: Pipeline): Promise<void> {
  const downtimeNote = await absenceReport(database);
  if (downtimeNote) tell('back again', downtimeNote);
  await takeOver(database);
  await adoptFormer(database);
  await handleSetBack(pipeline);
  await replicas.look();
}

async function stopAll(
  { database, directory, policy, hosting, counting, replicas, log }: Foundations,
  back: Pipeline,
  edge: Edge,
): Promise<void> {
  // First: a verdict that is still to come would hold up the end.
  back.pipeline.siteCheck.close();
  await Promise.all([edge.api?.stop(graceMs / 4), edge.server.stop(graceMs / 4)]);
  await back.worker.stop();
  back.delivery.nudge();
  const stopped = [back.delivery, ...edge.pollers].map((poller) => poller.stop());
  // A write without an answer by now stays in `sending`; the next start calls it unknown.
  await settledWithin(graceMs / 4, [...stopped, hosting.close()]);
  await edge.payloads.close();
  await noteAlive(database);
  await replicas.leave();
  directory.close();
  await back.logs.close();
  await counting.close();
  await policy.close();
  await database.close();
  log.info('Sitehand has stopped');
}

/** Once a newer version has changed the database so that this one is excluded, says so and takes no more work. */
function leaveWhenOutdated({ database, log, tell }: Foundations, { server, api, pollers }: Edge): void {
  void database.outdated.then((says) => {
    log.error(says);
    tell('outdated', say`⚠️ ${says}`);
    server.leave();
    void api?.stop(graceMs / 4);
    for (const poller of pollers) void poller.stop();
  });
}

type Edge = Awaited<ReturnType<typeof openEdge>>;

/** The Slack side: the server, and the pollers. */
async function openEdge(config: Config, foundations: Foundations, slack: Slack, back: Pipeline) {
  const { database, log, logLoss, onTrouble } = foundations;
  const { groups, token } = slack;
  const payloads = createPayloadStore(database, (error) => onTrouble('saving the payload of a button', error));
  const context = slackContextOf(foundations, slack, back.pipeline, payloads);
  const onUnsatisfiable = (says: Text): void => {
    log.warn(plain(says));
    foundations.tell('policy:hopeless', says);
  };
  const poller = (activity: string, everyMs: number, look: () => Promise<void>) =>
    createPoller({ everyMs, look, onTrouble: (error) => onTrouble(activity, error) });
  const policyCheck = poller('checking the policy', checkEveryMs, createPolicyCheck(back.pipeline, onUnsatisfiable));
  const pollers = [
    back.ops,
    ...back.pollers,
    poller(
      'checking the bot token',
      askAgainEveryMs,
      async () => void ((await token.askAgain()) && back.delivery.nudge()),
    ),
    poller('redrawing App Homes', redrawEveryMs, () => redrawHomes(context)),
    poller('reporting lost deliveries', lostEveryMs, () => tellTheLost(database, lostNote)),
    policyCheck,
    poller('checking user groups', groupsEveryMs, groups.look),
    poller('taking over what an older version has saved', adoptEveryMs, () => adoptFormer(database)),
    poller('cleaning up', sweepEveryMs, () => sweep(database)),
    poller('saving a sign of life', aliveEveryMs, () => noteAlive(database)),
    poller('telling of lost lines of the log', logEveryMs, createLogWatch(database, log, logLoss)),
    poller('counting replicas', lookEveryMs, foundations.replicas.look),
    poller('publishing the audit head', anchorEveryMs, async () => logHead(log, await publishAuditHead(back.pipeline))),
  ];
  const isOpsWell = (): boolean => back.ops.trouble() === undefined;
  const server = createSlackServer({ config, context, isOpsWell });
  const onReload = (): void => {
    slack.homes.outdated();
    policyCheck.nudge();
  };
  const api = await apiFor(config, foundations, back);
  return { server, api, pollers, payloads, turns: context.turns, onReload };
}

/** The interface for programs, loaded only if it is on. */
async function apiFor({ api }: Config, { log }: Foundations, { pipeline }: Pipeline) {
  if (api === undefined) return undefined;
  const { createApiServer } = await import('./api/server.ts');
  return createApiServer(api, pipeline, log);
}

/** What the Slack code works with. */
const slackContextOf = (
  { policy, log, metrics }: Foundations,
  slack: Slack,
  pipeline: Pipeline['pipeline'],
  payloads: SlackContext['payloads'],
): SlackContext => ({
  ...slack,
  pipeline,
  updateView: createViewUpdates(slack.views, log),
  payloads,
  sharing: new Set(),
  turns: createTurns(policy.behind),
  nextTurn: oneEachTurn(policy.behind),
  deliveries: createDeliveries(),
  log,
  metrics,
});

/** Runs the bot until a signal stops it. If it can't start, says why and ends the process with 1. */
export async function main(): Promise<undefined> {
  try {
    const config = readConfig();
    const running = await start(config, openLog(config.logLevel));
    let stopping: Promise<void> | undefined;
    const end = (): void => {
      stopping ??= running.stop();
      stopping.then(
        () => process.exit(0),
        () => process.exit(1),
      );
    };
    process.on('SIGTERM', end).on('SIGINT', end);
  } catch (error) {
    process.stderr.write(failure(error));
    process.exit(1);
  }
}

if (import.meta.main) await main();
