import type { IncomingMessage, ServerResponse } from 'node:http';
import { HTTPReceiver, type SocketModeReceiver } from '@slack/bolt';

export type Probes = Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => void>>;

/** The answers to the probes of liveness and readiness: a few words. The details are in the log. */
export const probesFor = (
  receiver: () => SocketModeReceiver | HTTPReceiver,
  notReady: () => Promise<string | undefined>,
  remark: () => string | undefined,
): Probes => ({
  '/healthz': (_, response) => void response.writeHead(200, { 'content-type': 'text/plain' }).end('ok'),
  '/readyz': (_, response) => {
    const reply = (why: string | undefined): unknown => {
      const body = why === undefined ? ['ready', remark() ?? []].flat().join('\n') : 'not ready';
      return response.writeHead(why === undefined ? 200 : 503, { 'content-type': 'text/plain' }).end(body);
    };
    const whyNot = isConnected(receiver()) ? notReady() : Promise.resolve('no connection to Slack');
    whyNot.then(reply, () => reply('broken'));
  },
});

/** Answers a probe on our own server, and any other request with 404. */
export function serveProbe(probes: Probes, request: IncomingMessage, response: ServerResponse): void {
  if (request.socket.destroyed) return;
  const route = request.method === 'GET' ? probes[request.url ?? ''] : undefined;
  if (route) route(request, response);
  else response.writeHead(404).end();
}

/** In HTTP mode Slack calls us; in Socket Mode we need an open connection. */
const isConnected = (receiver: SocketModeReceiver | HTTPReceiver): boolean =>
  receiver instanceof HTTPReceiver || receiver.client.websocket?.isActive() === true;
