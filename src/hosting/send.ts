import type { Socket } from 'node:net';
import { Client } from 'undici';
import { boundedConnector, statusHeard } from '../base/connections.ts';
import type { Secret } from '../base/secret.ts';
import { startDeadline } from '../base/time-limit.ts';
import { excerptBytes, readExcerpt } from './answer.ts';
import type { Write } from './contract/call.ts';
import { hostFailureOf, NotSent } from './failure.ts';
import { receiptOf, unanswered, type Receipt, type Unsent } from './receipt.ts';
import { requestBody, headersFor, SecretGone, requestTarget, type HostConnection } from './wire.ts';

/** Times of a write, in milliseconds. */
export type WriteBudget = {
  /** Until the connection is open: name lookup, TCP and TLS together. */
  readonly connectMs: number;
  /** From the write to the answer's status. */
  readonly answerMs: number;
  /** From the status to the end of the body, which the verdict does not depend on. */
  readonly bodyMs: number;
};
export const writeBudget: WriteBudget = { connectMs: 5_000, answerMs: 30_000, bodyMs: 5_000 };

/** An unused connection, good for one write. */
export type Opened = {
  /**
   * Writes the call once, on this connection only. Never throws. A problem before the request is handed to the socket
   * gives `not sent`; after that there is a receipt, which is `unknown` if nothing is certain. `request`: see
   * `headersFor`.
   */
  write(call: Write, request?: string): Promise<Receipt | Unsent>;
  /** Closes it unused. */
  abandon(): void;
};

/** What a write needs besides its call. */
export type WriteSetup = {
  readonly wire: HostConnection;
  readonly budget: WriteBudget;
  readonly secrets: (name: string) => Secret | undefined;
};

const unsent = (why: string): Unsent => ({ kind: 'not sent', why });

/** Opens a connection for one write. Throws `NotSent`. */
export async function openConnection(setup: WriteSetup): Promise<Opened> {
  const socket = await connected(setup.wire, setup.budget.connectMs);
  // The write checks the socket itself, but without a listener an error would end the process.
  socket.on('error', () => undefined);
  let used = false;
  return {
    async write(call, request) {
      if (used) return unsent('its connection was already used');
      used = true;
      const body = bodyFor(call, setup);
      const receipt = 'why' in body ? body : await sendOnce({ ...call, request }, body.text, socket, setup);
      socket.destroy();
      return receipt;
    },
    abandon() {
      used = true;
      socket.destroy();
    },
  };
}

const closedEarly = 'the host closed the connection before anything was sent';

function bodyFor(call: Write, { secrets }: WriteSetup): { readonly text: string | undefined } | Unsent {
  try {
    return { text: requestBody(call, secrets) };
  } catch (error) {
    return unsent(error instanceof SecretGone ? error.message : 'its body could not be written as JSON');
  }
}

/** Whether the socket is open in both directions and has received nothing: early bytes can't be an answer. */
const isFresh = (socket: Socket): boolean => socket.readyState === 'open' && socket.readableLength === 0;

function connected({ origin }: HostConnection, timeout: number): Promise<Socket> {
  const { protocol, host, hostname, port } = new URL(origin);
  const connect = boundedConnector(excerptBytes, timeout);
  const where = { protocol, host, port, hostname: hostname.replace(/^\[(.*)\]$/, '$1') };
  return new Promise((resolve, reject) => {
    connect(where, (error, socket) => (socket ? resolve(socket) : reject(new NotSent(hostFailureOf(error)))));
  });
}

/** Sends the one request. Its HTTP client gets this socket and never opens a second one. */
async function sendOnce(
  call: Write & { readonly request: string | undefined },
  body: string | undefined,
  socket: Socket,
  { wire, budget }: WriteSetup,
): Promise<Receipt | Unsent> {
  const statusOf = statusHeard(socket);
  let isHandedOver = false;
  const client = new Client(wire.origin, {
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    // If the reply came in the same tick, undici would lose it, so connect in the next one.
    connect: (_, done) =>
      setImmediate(() => {
        if (isHandedOver || !isFresh(socket)) return done(new Error('there is no second connection'), null);
        isHandedOver = true;
        return done(null, socket);
      }),
  });
  using late = startDeadline(budget.answerMs);
  try {
    const headers = headersFor(wire, body, 'identity', call.request);
    const path = requestTarget(wire, call.path);
    const options = { method: call.method, path, headers, body: body ?? null, reset: true, signal: late.signal };
    const answer = await client.request(options);
    late.restart(budget.bodyMs);
    return receiptOf(answer.statusCode, await readExcerpt(answer), answer.headers['retry-after'], Date.now());
  } catch (error) {
    if (!isHandedOver) return unsent(isFresh(socket) ? 'the request could not be made' : closedEarly);
    return unanswered(statusOf(), error, late.signal.aborted ? budget.answerMs : undefined);
  } finally {
    await client.destroy().catch(() => undefined);
  }
}
