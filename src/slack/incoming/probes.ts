import type { IncomingMessage, ServerResponse } from 'node:http';
import { HTTPReceiver, type SocketModeReceiver } from '@slack/bolt';
import { pauseKey, readKv } from '../../storage/kv.ts';
import type { SlackContext } from '../context/context.ts';

export type Probes = Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => void>>;

/**
 * The answers to the probes of liveness and readiness: a few words. The details are in the log. `isOpsWell`: whether
 * the ops channel takes posts. Without that, or before the host has listed its sites, the bot is ready all the same:
 * somebody may want to pause sending or decline.
 */
export const probesFor = (
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
  await readKv(database.db, pauseKey);
  if (database.isOutdated()) return 'a newer version has changed the database';
  if (database.refusesWrites()) return 'the database takes no writes';
  return pipeline.isTaken() ? undefined : 'Slack no longer accepts the bot token';
}

/** Answers a probe on our own server, and any other request with 404. */
export function serveProbe(probes: Probes, request: IncomingMessage, response: ServerResponse): void {
  if (request.socket.destroyed) return;
  const route = request.method === 'GET' ? probes[(request.url ?? '').replace(/\?.*$/s, '')] : undefined;
  if (route) route(request, response);
  else response.writeHead(404).end();
}

/** In HTTP mode Slack calls us; in Socket Mode we need an open connection. */
const isConnected = (receiver: SocketModeReceiver | HTTPReceiver): boolean =>
  receiver instanceof HTTPReceiver || receiver.client.websocket?.isActive() === true;
