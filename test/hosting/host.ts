import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { onTestFinished } from 'vitest';
import { createClient, type Client, type ClientOptions } from '../../src/hosting/client.ts';
import { Secret } from '../../src/base/secret.ts';

/** A parsed request; its body is byte for byte. */
type Received = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** How to answer the n-th request, from 1. */
export type Answer = (socket: Socket, request: Received, nth: number) => void;

export type Host = {
  readonly url: string;
  readonly requests: readonly Received[];
  readonly sockets: readonly Socket[];
  close(): Promise<void>;
};

type HostOptions = {
  readonly tls?: { readonly key: string; readonly cert: string; readonly ALPNProtocols?: string[] };
  /** Called for each connection before any data. */
  readonly onConnection?: (socket: Socket) => void;
};

/** A host on a raw socket: it counts connections and requests, and answers with the given bytes. */
export async function startHost(answer: Answer, { tls, onConnection }: HostOptions = {}): Promise<Host> {
  const requests: Received[] = [];
  const sockets: Socket[] = [];
  const onSocket = (socket: Socket): void => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    onConnection?.(socket);
    let pending = '';
    socket.on('data', (bytes: Buffer) => {
      pending += bytes.toString('latin1');
      for (let request = taken(pending); request; request = taken(pending)) {
        pending = request.rest;
        requests.push(request.received);
        answer(socket, request.received, requests.length);
      }
    });
  };
  const server = tls ? createTlsServer(tls, onSocket) : createServer(onSocket);
  if (tls) server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const raw = new Set<Socket>();
  server.on('connection', (socket: Socket) => raw.add(socket));
  const close = async (): Promise<void> => {
    for (const socket of raw) socket.destroy();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(close);
  const url = `${tls ? 'https://localhost' : 'http://127.0.0.1'}:${portOf(server.address())}/v2`;
  return { url, requests, sockets, close };
}

export const portOf = (address: AddressInfo | string | null): number =>
  typeof address === 'object' && address !== null ? address.port : 0;

/** The first complete request in the received bytes, and the remaining bytes. */
function taken(pending: string): { received: Received; rest: string } | undefined {
  const end = pending.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [line = '', ...fields] = pending.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(
    fields.map((field) => {
      const [name = '', ...value] = field.split(':');
      return [name.toLowerCase(), value.join(':').trim()] as const;
    }),
  );
  const length = Number(headers['content-length'] ?? 0);
  const body = pending.slice(end + 4, end + 4 + length);
  if (body.length < length) return undefined;
  const [method = '', path = ''] = line.split(' ');
  const received = { method, path, headers, body: Buffer.from(body, 'latin1').toString('utf8') };
  return { received, rest: pending.slice(end + 4 + length) };
}

/** A complete answer as bytes. */
export function http(
  status: number,
  body: string | Buffer = '',
  headers: Readonly<Record<string, string>> = {},
): Buffer {
  const content = Buffer.from(body);
  const bare = status === 204 || status === 304;
  const fields = { ...(bare ? {} : { 'content-length': String(content.length) }), ...headers };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([
    Buffer.from(`HTTP/1.1 ${status} Whatever\r\n${head.join('')}\r\n`),
    bare ? Buffer.of() : content,
  ]);
}

/** Answers every request with the same JSON. */
export const says =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer =>
  (socket) =>
    socket.write(http(status, JSON.stringify(body), { 'content-type': 'application/json', ...headers }));

/** Timeouts long enough for a busy machine. A test of a timeout sets its own. */
const patient = 10_000;

/** A client that waits long for an answer and briefly for a body. It is closed when the test ends. */
export function clientOf(url: string, options: Partial<ClientOptions> = {}): Client {
  const client = createClient({
    url,
    key: new Secret('key-of-the-tests'),
    dialect: 'document',
    random: () => 0.5,
    ...options,
    budgets: {
      reads: { pauseMs: 2, silenceMs: patient, tryMs: patient, connectMs: patient, ...options.budgets?.reads },
      writes: { connectMs: patient, answerMs: patient, bodyMs: 80, ...options.budgets?.writes },
    },
  });
  onTestFinished(() => client.close());
  return client;
}

/** The n-th id. */
export const uuid = (n: number): string => `${n.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;
