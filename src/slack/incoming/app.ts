import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { App, HTTPModuleFunctions, HTTPReceiver, SocketModeReceiver, type Logger as BoltLogger } from '@slack/bolt';
import type { Config } from '../../base/config.ts';
import { boundConnections, serverOptions } from '../../base/connections.ts';
import type { Logger } from '../../base/log.ts';
import { notListening } from '../../base/errors.ts';
import { settledWithin } from '../../base/time-limit.ts';
import { boltLogger, clientOptions, fetchWithin, postTimeoutMs } from '../../slack-api/calls.ts';
import type { Track } from './receive.ts';
import { listen } from './listeners.ts';
import { readSafely, refuseForeign, createRefusals, type OnRefused } from './malformed.ts';
import type { SlackContext } from '../context/context.ts';
import { setTimeout as wait } from 'node:timers/promises';
import { pauseKeys, readKv } from '../../storage/kv.ts';

/** The connection to Slack, and what probes are told of it. */

/** The connection to Slack. After `stop` it is closed and nothing runs. */
type SlackServer = {
  /** Connects (Socket Mode) or listens (HTTP). Resolves with the port of the health routes. */
  readonly start: () => Promise<number>;
  /** Socket Mode: disconnects, so that Slack delivers to other replicas. The health routes still answer. */
  readonly leave: () => void;
  /** Accepts nothing new and waits at most `graceMs` for running work. */
  readonly stop: (graceMs: number) => Promise<void>;
};

type SlackServerOptions = {
  readonly config: Config;
  readonly context: SlackContext;
  /** Whether the ops channel takes posts. */
  readonly isOpsWell: () => boolean;
};

const bodyLimit = 256 * 1024;
const maxConnections = 200;

/** Builds the Bolt app on Socket Mode or signed HTTP, with the health routes. */
export function createSlackServer({ config, context, isOpsWell }: SlackServerOptions): SlackServer {
  const { log } = context;
  const logger = boltLogger(log);
  const { http } = config;
  const running = new Set<Promise<void>>();
  const health = probesFor(context, () => receiver, isOpsWell);
  const receiver = receiverFor(config, logger, health, createRefusals(context));
  const reconnecting = receiver instanceof HTTPReceiver ? undefined : reconnectAlways(receiver, log);
  const app = appOn(receiver, config, context, logger);
  listen(app, context, trackIn(running, log));
  const ownServer = createServer(serverOptions, (request, response) => serveProbe(health, request, response));
  let connections = boundConnections(ownServer, maxConnections);
  const disconnect = disconnectOnce(app, reconnecting, log);
  return {
    start: async () => {
      const refuse = (error: unknown): never => notListening(`PORT ${http.port} on HOST ${http.host}`, error);
      if (receiver instanceof HTTPReceiver) {
        const listening = await receiver.start(http, serverOptions).catch(refuse);
        connections = boundConnections(listening, maxConnections);
        return portOf(listening);
      }
      // Listen first, so that a taken port ends the process before Slack delivers: Slack doesn't repeat an acked
      // delivery.
      await once(ownServer.listen(http.port, http.host), 'listening').catch(refuse);
      await app.start().catch((error: unknown) => {
        ownServer.close();
        throw error;
      });
      return portOf(ownServer);
    },
    leave: () => void (reconnecting && disconnect()),
    stop: async (graceMs) => {
      const began = performance.now();
      const stopped = disconnect();
      ownServer.close();
      connections.endUnheard();
      await settledWithin(graceMs, [stopped]);
      await settledWithin(Math.max(0, graceMs - (performance.now() - began)), running);
    },
  };
}

function appOn(
  receiver: SocketModeReceiver | HTTPReceiver,
  { slack }: Config,
  { log, bot }: SlackContext,
  logger: BoltLogger,
): App {
  const app = new App({
    receiver,
    authorize: () => Promise.resolve({ ...bot, botToken: slack.botToken.reveal(), teamId: bot.team }),
    convoStore: false,
    clientOptions: clientOptions(slack.apiUrl, logger),
    logger,
  });
  app.error(async (error) => log.error({ err: error }, 'a delivery from Slack failed'));
  return app;
}

/** Disconnects from Slack, or stops listening, when first called. Resolves when that is done. */
function disconnectOnce(
  app: App,
  reconnecting: ReturnType<typeof reconnectAlways> | undefined,
  log: Logger,
): () => Promise<void> {
  let done: Promise<void> | undefined;
  const disconnect = async (): Promise<void> => {
    reconnecting?.end();
    await app.stop().catch((error: unknown) => log.warn({ err: error }, 'could not disconnect from Slack'));
  };
  return () => (done ??= disconnect());
}

const trackIn =
  (running: Set<Promise<void>>, log: Logger): Track =>
  (work) => {
    const task = work()
      .catch((error: unknown) => log.error({ err: error }, 'work after an ack failed'))
      .finally(() => running.delete(task));
    running.add(task);
  };

/** Bolt does not ack a delivery that it can't read. Socket Mode acks it here; HTTP answers 400. */
function receiverFor(
  { slack }: Config,
  logger: BoltLogger,
  health: Probes,
  onRefused: OnRefused,
): SocketModeReceiver | HTTPReceiver {
  const { delivery, apiUrl } = slack;
  if (delivery.kind === 'socket') {
    // Bolt's Socket Mode overwrites the options that it gets (100 retries), so it gets an object of its own.
    const installerOptions = { clientOptions: { slackApiUrl: apiUrl, fetch: fetchWithin(postTimeoutMs) } };
    const receiver = new SocketModeReceiver({
      appToken: delivery.appToken.reveal(),
      logger,
      installerOptions,
      processEventErrorHandler: async ({ event, error }) => {
        onRefused('malformed', error);
        await event.ack().catch(() => undefined);
        return false;
      },
    });
    readSafely(receiver, onRefused);
    return receiver;
  }
  const expected = { signingSecret: delivery.signingSecret.reveal(), bodyLimit };
  const receiver = new HTTPReceiver({
    ...expected,
    endpoints: '/slack/events',
    logger,
    processEventErrorHandler: async ({ response, error }) => {
      onRefused('malformed', error);
      if (!response.headersSent) HTTPModuleFunctions.buildNoBodyResponse(response, 400);
      return true;
    },
  });
  refuseForeign(receiver, expected, onRefused, (request, response) => serveProbe(health, request, response));
  return receiver;
}

function portOf(server: { address(): { port: number } | string | null }): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** The pause before the next try for a connection. */
const againMs = 5_000;

/**
 * Makes a client that was once connected retry forever. Slack's refusal may pass, and without this it would end the
 * process. A failed first connection still rejects. `end` stops the retries.
 */
function reconnectAlways({ client }: SocketModeReceiver, log: Logger): { readonly end: () => void } {
  const connect = client.start.bind(client);
  const stopped = new AbortController();
  let wasConnected = false;
  client.on('connected', () => void (wasConnected = true));
  client.start = async () => {
    for (;;) {
      try {
        return await connect();
      } catch (error) {
        if (!wasConnected) throw error;
        log.error({ err: error }, 'Slack refused a connection; trying again');
        await wait(againMs, undefined, { signal: stopped.signal, ref: false }).catch(() => undefined);
        // Stopped: nobody waits for this promise, so never settle it.
        if (stopped.signal.aborted) return new Promise(() => undefined);
      }
    }
  };
  return { end: () => stopped.abort() };
}

type Probes = Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => void>>;

/**
 * The answers to the probes of liveness and readiness: a few words. The details are in the log. `isOpsWell`: whether
 * the ops channel takes posts. Without that, or before the host has listed its sites, the bot is ready all the same:
 * somebody may want to pause sending or decline.
 */
const probesFor = (
  context: SlackContext,
  receiver: () => SocketModeReceiver | HTTPReceiver,
  isOpsWell: () => boolean,
): Probes => ({
  '/healthz': (_, response) => void response.writeHead(200, { 'content-type': 'text/plain' }).end('ok'),
  '/readyz': (_, response) => {
    const reply = (why: string | undefined): unknown => {
      const remarks = [
        ...(isOpsWell() ? [] : ['the ops channel needs a look: doctor says why']),
        ...(context.pipeline.listing().at === undefined ? ["the host's sites have not been listed yet"] : []),
      ];
      const body = why === undefined ? ['ready', ...remarks].join('\n') : 'not ready';
      return response.writeHead(why === undefined ? 200 : 503, { 'content-type': 'text/plain' }).end(body);
    };
    const whyNot = isConnected(receiver()) ? notReady(context) : Promise.resolve('no connection to Slack');
    whyNot.then(reply, () => reply('broken'));
  },
});

/** Why the bot cannot work, in a few words; undefined: it can. */
async function notReady({ pipeline }: SlackContext): Promise<string | undefined> {
  const { database } = pipeline;
  await readKv(database.db, pauseKeys.all);
  if (database.isOutdated()) return 'a newer version has changed the database';
  if (database.refusesWrites()) return 'the database takes no writes';
  return pipeline.isTaken() ? undefined : 'Slack no longer accepts the bot token';
}

/** Answers a probe on our own server, and any other request with 404. */
function serveProbe(probes: Probes, request: IncomingMessage, response: ServerResponse): void {
  if (request.socket.destroyed) return;
  const route = request.method === 'GET' ? probes[(request.url ?? '').replace(/\?.*$/s, '')] : undefined;
  if (route) route(request, response);
  else response.writeHead(404).end();
}

/** In HTTP mode Slack calls us; in Socket Mode we need an open connection. */
const isConnected = (receiver: SocketModeReceiver | HTTPReceiver): boolean =>
  receiver instanceof HTTPReceiver || receiver.client.websocket?.isActive() === true;
