import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';

/** An HTTP server on loopback. `url` has no trailing slash; `close` also ends open connections. */
export type Served = { readonly url: string; readonly port: number; readonly server: Server; close(): Promise<void> };

/** Serves `listener` on 127.0.0.1; port 0 takes a free one. Rejects with the system's error if the port is taken. */
export async function serve(listener: RequestListener, port = 0): Promise<Served> {
  const server = createServer(listener);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const close = (): Promise<void> =>
    new Promise((resolve, reject) => {
      server.close((error) => (error ? reject(error) : resolve()));
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${address.port}`, port: address.port, server, close };
}

/** Reads a request's whole body. Rejects with `TooLarge` beyond `limit` bytes. */
export async function readBody(request: IncomingMessage, limit = 8 * 1024 * 1024): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > limit) throw new TooLarge(limit);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** A request body is larger than the server accepts. */
export class TooLarge extends Error {
  constructor(limit: number) {
    super(`the body is larger than ${limit} bytes`);
  }
}

/** Answers with JSON; header names in lower case. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  response.end(JSON.stringify(body));
}

/** An answer of a stand-in's control API; for an unknown path it is `undefined` and the caller sends 404. */
export type ControlAnswer = { readonly status: number; readonly body: unknown };

/** One request to a control API: path below its mount point (`/journal`), query, and parsed JSON body (or undefined). */
export type ControlRequest = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
};

/** A stand-in's control API as a function, so that one loopback server can mount several. */
export type Control = (request: ControlRequest) => Promise<ControlAnswer | undefined>;
