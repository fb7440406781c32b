import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { parseJson } from '../slack/json-fields.ts';
import type { Waiters } from './waiters.ts';

/** One request and its outcome; `at` in epoch milliseconds, `size` in bytes of the body. */
export type Entry = {
  readonly seq: number;
  readonly at: number;
  readonly method: string;
  /** The path below the base address, as it was sent. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** All headers but `authorization`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly authorization: 'right' | 'wrong' | 'absent';
  /** The number of its connection, from 1. */
  readonly connection: number;
  /** The endpoint's section; absent if unknown. */
  readonly section?: string;
  state: 'arriving' | 'received' | 'answered' | 'cut';
  size: number;
  /** The parsed body; absent when there was none or it was not JSON. */
  body?: unknown;
  /** The status that was sent, if one was. */
  status?: number;
  /** The kind of fault played on it. */
  fault?: string;
};

/** What is known of a request once its headers are in. */
export type Arrival = Pick<Entry, 'at' | 'path' | 'query' | 'authorization'> & { readonly section: string | undefined };

const maxBytes = 64 * 1024 * 1024;

/** Every request received, newest last. The oldest are dropped beyond `limit` entries or 64 MiB of bodies. */
export class Journal {
  readonly #entries: Entry[] = [];
  readonly #connections = new WeakMap<Socket, number>();
  readonly #waiters: Waiters;
  readonly #limit: number;
  #seq = 0;
  #connected = 0;
  #bytes = 0;

  constructor(waiters: Waiters, limit: number) {
    this.#waiters = waiters;
    this.#limit = limit;
  }

  /** The received requests, oldest first. */
  entries(): readonly Entry[] {
    return this.#entries;
  }

  /** Clears the journal; numbers continue. */
  clear(): void {
    this.#entries.length = 0;
    this.#bytes = 0;
  }

  /** Records a request whose headers are in, and later how it ends. */
  open(request: IncomingMessage, response: ServerResponse, { section, ...arrival }: Arrival): Entry {
    this.#seq += 1;
    const { authorization: _secret, ...headers } = request.headers;
    const entry: Entry = {
      seq: this.#seq,
      method: request.method ?? '',
      ...arrival,
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
      connection: this.#connection(request.socket),
      ...(section === undefined ? {} : { section }),
      state: 'arriving',
      size: 0,
    };
    this.#entries.push(entry);
    this.#trim();
    response.once('close', () => {
      entry.state = response.writableFinished ? 'answered' : 'cut';
      if (response.headersSent) entry.status = response.statusCode;
      this.#waiters.notify();
    });
    this.#waiters.notify();
    return entry;
  }

  /** Records that a request's whole body is in. */
  received(entry: Entry, body: Buffer): void {
    entry.state = 'received';
    entry.size = body.length;
    entry.body = parseJson(body.toString());
    if (this.#entries.includes(entry)) this.#bytes += body.length;
    this.#trim();
    this.#waiters.notify();
  }

  #trim(): void {
    while (this.#entries.length > this.#limit || this.#bytes > maxBytes) {
      this.#bytes -= this.#entries.shift()?.size ?? this.#bytes;
    }
  }

  #connection(socket: Socket): number {
    const known = this.#connections.get(socket);
    if (known !== undefined) return known;
    this.#connected += 1;
    this.#connections.set(socket, this.#connected);
    return this.#connected;
  }
}
