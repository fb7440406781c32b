import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { setBounded } from '../journal.ts';
import { fieldsOf, parseJson, textOf } from '../json-fields.ts';
import { APP_ID } from '../seed.ts';
import { createAwaitedAcks } from './awaited-acks.ts';
import type { RawEnvelope, Transport } from './envelope.ts';

/** The Socket Mode side of the workspace. https://docs.slack.dev/apis/events-api/using-socket-mode */
export type SocketMode = {
  readonly deliver: Transport;
  /** A new one-time address to connect to. */
  open(): string;
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** The number of open connections. */
  count(): number;
  /** Asks every connection to reconnect, as Slack does every few hours; `abruptly` cuts them instead. */
  disconnect(abruptly?: boolean): void;
  /** Sends raw text over every connection, without an envelope. */
  sendRaw(words: string): void;
  close(): void;
};

const MAX_CONNECTIONS = 10;
const MAX_TICKETS = 100;
const PING_MS = 10_000;
const MAX_MESSAGE_BYTES = 1024 * 1024;

/** Starts without connections. `onChanged` gets their number whenever one opens or closes. */
export function createSocketMode(options: {
  readonly baseUrl: () => string;
  readonly timeoutMs: number;
  readonly onChanged: (count: number) => void;
  readonly onProblem: (text: string) => void;
}): SocketMode {
  const acks = createAwaitedAcks(options.timeoutMs);
  const connections = createConnections(options.onChanged, (text) => {
    const ack = fieldsOf(parseJson(text));
    if (!acks.arrived(textOf(ack['envelope_id']), ack['payload']))
      options.onProblem(`an ack nobody waits for, too late or unasked: ${text.slice(0, 200)}`);
  });
  const tickets = createTickets();
  return {
    deliver(envelope, attempt) {
      const socket = connections.next();
      if (socket === undefined)
        return Promise.resolve({ acked: false, ms: 0, ack: undefined, failure: 'not_connected' });
      const answer = acks.expect(envelope.id);
      socket.send(JSON.stringify(onTheWire(envelope, attempt)));
      return answer;
    },
    open() {
      return `${options.baseUrl().replace(/^http/, 'ws')}/link?ticket=${tickets.issue()}&app_id=${APP_ID}`;
    },
    accept(request, socket, head) {
      if (tickets.use(request.url)) connections.accept(request, socket, head);
      else socket.end('HTTP/1.1 401 Unauthorized\r\nconnection: close\r\n\r\n');
    },
    count: () => connections.count(),
    disconnect: (abruptly) => connections.disconnect(abruptly),
    sendRaw: (words) => connections.sendRaw(words),
    close() {
      connections.close();
      acks.close();
    },
  };
}

/** Tickets for one connection each, in the address to connect to. */
function createTickets() {
  const unused = new Map<string, true>();
  return {
    issue(): string {
      const ticket = randomBytes(16).toString('hex');
      setBounded(unused, ticket, true, MAX_TICKETS);
      return ticket;
    },
    /** Whether this address has one that was not used yet. */
    use: (url = '/'): boolean => unused.delete(new URL(url, 'http://link').searchParams.get('ticket') ?? ''),
  };
}

type Connections = Pick<SocketMode, 'accept' | 'count' | 'disconnect' | 'sendRaw' | 'close'> & {
  /** The next connection in turn. */
  next(): WebSocket | undefined;
};

function createConnections(onChanged: (count: number) => void, onMessage: (text: string) => void): Connections {
  const server = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES });
  const open: WebSocket[] = [];
  let turn = 0;
  const pings = setInterval(() => open.forEach((socket) => socket.ping()), PING_MS);
  pings.unref();
  const onConnected = (socket: WebSocket): void => welcome(socket, open, onChanged, onMessage);
  return {
    next() {
      turn += 1;
      return open[turn % Math.max(open.length, 1)];
    },
    accept: (request, socket, head) => server.handleUpgrade(request, socket, head, onConnected),
    count: () => open.length,
    disconnect(abruptly = false) {
      for (const socket of open.splice(0)) {
        if (abruptly) socket.terminate();
        else socket.send(JSON.stringify({ type: 'disconnect', reason: 'refresh_requested', debug_info: {} }));
      }
      onChanged(0);
    },
    sendRaw: (words) => open.forEach((socket) => socket.send(words)),
    close() {
      clearInterval(pings);
      for (const socket of server.clients) socket.terminate();
      server.close();
    },
  };
}

/** Adds a connection to the open ones until it is closed, if there is room for it. */
function welcome(
  socket: WebSocket,
  open: WebSocket[],
  onChanged: (count: number) => void,
  onMessage: (text: string) => void,
): void {
  socket.on('error', () => socket.terminate());
  if (open.length >= MAX_CONNECTIONS) {
    socket.send(JSON.stringify({ type: 'disconnect', reason: 'too_many_websockets' }));
    return socket.close();
  }
  open.push(socket);
  socket.on('message', (raw: Buffer) => onMessage(raw.toString()));
  socket.on('close', () => {
    const index = open.indexOf(socket);
    if (index < 0) return;
    open.splice(index, 1);
    onChanged(open.length);
  });
  socket.send(hello(open.length));
  onChanged(open.length);
}

const hello = (connections: number): string =>
  JSON.stringify({
    type: 'hello',
    num_connections: connections,
    connection_info: { app_id: APP_ID },
    debug_info: { host: 'playground', approximate_connection_time: 18_060 },
  });

const onTheWire = ({ id, kind, payload, wantsAnswer }: RawEnvelope, attempt: number): object => ({
  envelope_id: id,
  type: kind,
  payload,
  accepts_response_payload: wantsAnswer,
  ...(kind === 'events_api' ? { retry_attempt: attempt, retry_reason: attempt > 0 ? 'timeout' : '' } : {}),
});
