import { flushCompileCache } from 'node:module';
import { setTimeout as wait } from 'node:timers/promises';
import { createLogReader } from './commands/logs/reader.ts';
import { aliasesBy } from './commands/logs/masking.ts';
import { auditKeysOf, readConfig, type Config } from './config.ts';
import { createLog, type Logger } from './log.ts';
import { endAloud, failure, logHead, logSeal } from './notices.ts';
import { createPoller } from './pipeline/messages/poller.ts';
import { sweep, takeOver, tellTheLost } from './pipeline/messages/housekeeping.ts';
import { createRecent } from './pipeline/access/recent-targets.ts';
import { createPolicyHistory } from './pipeline/audit/policy-history.ts';
import { sealAudit } from './pipeline/audit/audit-keys.ts';
import { settledWithin } from './pipeline/steps/worker.ts';
import { backAgain, noteAlive } from './pipeline/messages/ops-messages.ts';
import { publishAuditHead } from './pipeline/audit/audit-anchor.ts';
import { createPayloadStore } from './slack/context/button-payloads.ts';
import { createSlackServer } from './slack/incoming/app.ts';
import { redrawHomes } from './slack/answers/home.ts';
import { lostNote } from './slack/incoming/interrupted.ts';
import { createEphemeral } from './slack/client/ephemeral.ts';
import { oneEachTurn } from './slack/context/one-each-turn.ts';
import { createTurns, type SlackContext } from './slack/context/context.ts';
import { slackPace, type Pace } from './slack/client/messenger.ts';
import { createSteadyNow } from './storage/clock.ts';
import { keptKey } from './storage/kv.ts';
import { plain, type Text } from './text.ts';

import {
  buildPipeline,
  connectSlack,
  graceMs,
  openFoundations,
  readiness,
  type Foundations,
  type Pipeline,
  type Slack,
} from './wiring.ts';

/** What a start can be given that is otherwise its own: where it logs, how fast it speaks, and what time it is (epoch ms). */
type Instead = { readonly log?: Logger; readonly pace?: Pace; readonly now?: () => number };

/** Everything Sitehand is, put together and started; resolves when Slack is connected. */
export async function start(
  config: Config,
  { log = createLog(config.logLevel), pace = slackPace, now = createSteadyNow() }: Instead = {},
): Promise<{ readonly port: number; readonly stop: () => Promise<void> }> {
  const foundations = await openFoundations(config, log, now);
  const slack = await connectSlack(config, foundations, pace);
  const back = buildPipeline(config, foundations, slack);
  const front = await openEdge(config, foundations, slack, back);
  const { database, directory, policy, hosting, counting } = foundations;

  logSeal(log, await sealAudit(back.pipeline, auditKeysOf(config)));
  const away = await backAgain(database);
  if (away) foundations.tell('back again', away);
  await takeOver({ database });
  directory.start();
  // Names first, so that the first command finds them; a host that is away does not keep us from starting.
  await Promise.race([directory.refresh(), wait(firstListingMs, undefined, { ref: false })]);
  const port = await front.server.start();
  for (const poller of [back.worker, back.delivery, ...front.pollers]) poller.start();
  log.info(
    { port, policy: policy.current().hash.slice(0, 8), installation: database.installation },
    'Sitehand is ready',
  );
  // Otherwise only a clean exit would keep what was compiled, and the start after a kill would be as slow as the first.
  flushCompileCache();

  const stop = async (): Promise<void> => {
    await front.server.stop(graceMs / 4);
    await back.worker.stop();
    back.delivery.nudge();
    const stopped = [back.delivery, ...front.pollers].map((poller) => poller.stop());
    // A write that is not answered by now is found in `sending` at the next start, and called unknown.
    await settledWithin(graceMs / 4, [...stopped, hosting.close()]);
    await front.payloads.close();
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

/** What Slack delivers is received here, and what has to be looked at now and then is looked at. */
async function openEdge(config: Config, foundations: Foundations, slack: Slack, back: Pipeline) {
  const { database, log, onTrouble } = foundations;
  const { groups, bot, token } = slack;
  const aliasKey = await keptKey(database, 'alias key');
  const logs = createLogReader(aliasKey);
  const payloads = createPayloadStore(database, (error) => onTrouble('keeping what stands behind a button', error));
  const context = contextOf(config, foundations, slack, back.pipeline, { logs, payloads, alias: aliasesBy(aliasKey) });
  const onHopeless = (says: Text): void => {
    log.warn(plain(says));
    foundations.tell('policy:hopeless', says);
  };
  const policyHistory = createPolicyHistory({ ...back.pipeline, onHopeless });
  const housekeeping = { database, lostNote };
  const poller = (what: string, everyMs: number, look: () => Promise<void>) =>
    createPoller({ everyMs, look, onTrouble: (error) => onTrouble(what, error) });
  const pollers = [
    back.ops,
    poller('asking for the token', 5_000, async () => void ((await token.askAgain()) && back.delivery.nudge())),
    poller('drawing homes anew', 1_000, () => redrawHomes(context)),
    poller('telling who was lost', 5_000, () => tellTheLost(housekeeping)),
    poller('keeping the rules on record', 5_000, policyHistory),
    poller('looking at user groups', 5_000, groups.look),
    poller('sweeping', 60_000, () => sweep(housekeeping)),
    poller('noting that I am here', 15_000, () => noteAlive(database)),
    poller('telling the head of the trail', 3_600_000, async () => logHead(log, await publishAuditHead(database))),
  ];
  const server = createSlackServer({ config, context, bot, ...readiness(foundations, slack, back.ops) });
  return { server, pollers, logs, payloads };
}

/** What everything at the edge works with. */
function contextOf(
  config: Config,
  { database, directory, policy, owner, log, metrics }: Foundations,
  { people, messages, views, homes, bot, pace, asked }: Slack,
  pipeline: Pipeline['pipeline'],
  parts: Pick<SlackContext, 'logs' | 'payloads' | 'alias'>,
): SlackContext {
  const health = { ...asked, policyIsBroken: policy.isBroken, dialect: config.hosting.dialect };
  return {
    front: pipeline,
    decisions: pipeline,
    queryService: { ...pipeline, ...health, listing: directory.listing, auditKeys: auditKeysOf(config) },
    people,
    messages,
    views,
    homes,
    ephemeral: createEphemeral(views, config.slack.apiUrl),
    recent: createRecent(database),
    sharing: new Set(),
    turns: createTurns(policy.behind),
    nextTurn: oneEachTurn(policy.behind),
    deliveries: new Map(),
    botUser: bot.botUserId,
    team: bot.team,
    owner,
    renewEveryMs: pace.renewEveryMs,
    log,
    metrics,
    ...parts,
  };
}

const firstListingMs = 5_000;

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
