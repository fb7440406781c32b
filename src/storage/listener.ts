import { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { dueChannel } from './sql-dialect.ts';

/** What a listener listens for, and whom it tells. */
export type Listening = {
  /** PostgreSQL's own address: notifications do not pass through a pooler. */
  readonly url: string;
  /** The id of the database in use, to notice if the address leads to another database. */
  readonly installation: string;
  /** Called when work becomes due on any replica, and after each connection, because one may have been missed. */
  readonly onDue: () => void;
  /** Called when the connection fails or is lost. Due work is still found by polling. */
  readonly onTrouble: (error: unknown) => void;
};

const firstRetryMs = 1_000;
const maxRetryMs = 60_000;
const answerMs = 5_000;

/** The address cannot be listened on, and trying again would not help. */
class CannotListen extends Error {}

/** Keeps one connection that listens for due work. Returns the function that ends it. */
export function listenForDue(listening: Listening): () => void {
  const closing = new AbortController();
  void keepListening(listening, closing.signal);
  return () => closing.abort();
}

async function keepListening(listening: Listening, closing: AbortSignal): Promise<void> {
  for (let retryMs = firstRetryMs; !closing.aborted; retryMs = Math.min(2 * retryMs, maxRetryMs)) {
    const onListening = (): void => {
      retryMs = firstRetryMs;
    };
    try {
      await listenOnce(listening, closing, onListening);
    } catch (error) {
      if (closing.aborted) return;
      listening.onTrouble(error);
      if (error instanceof CannotListen) return;
    }
    await wait(retryMs, undefined, { signal: closing, ref: false }).catch(() => undefined);
  }
}

/** Listens until the connection is lost (rejects) or closed. */
async function listenOnce(listening: Listening, closing: AbortSignal, onListening: () => void): Promise<void> {
  const { url, onDue } = listening;
  const socket = new Socket();
  // Don't close politely: that waits for an answer, which a broken network never brings.
  const close = (): unknown => socket.destroy();
  closing.addEventListener('abort', close);
  const client = new Client({
    connectionString: url,
    application_name: 'sitehand listener',
    connectionTimeoutMillis: answerMs,
    query_timeout: answerMs,
    stream: () => socket,
    keepAlive: true,
    keepAliveInitialDelayMillis: 30_000,
  });
  const lost = new Promise<never>((_, reject) => {
    client
      .on('error', reject)
      .on('end', () => reject(new Error('the connection that listens for due work was closed')));
  });
  lost.catch(() => undefined);
  try {
    await client.connect();
    await refuseUnlessDirect(client, listening);
    client.on('notification', onDue);
    await client.query(`listen ${dueChannel}`);
    onListening();
    onDue();
    await lost;
  } finally {
    closing.removeEventListener('abort', close);
    close();
  }
}

/** Rejects behind a pooler, which reports its own process id and may run each statement on another connection. */
async function refuseUnlessDirect(client: Client, { installation }: Listening): Promise<void> {
  const query = 'select pg_backend_pid() as process, (select id from installation) as installation';
  const { rows } = await client.query<{ process: number; installation: string }>(query);
  const [row] = rows;
  if (row === undefined || !('processID' in client) || client.processID !== row.process)
    throw new CannotListen(
      'PostgreSQL is behind a pooler, so due work is found by polling alone. To have it announced, set DATABASE_LISTEN_URL to the address of PostgreSQL itself.',
    );
  if (row.installation !== installation)
    throw new CannotListen(
      'DATABASE_LISTEN_URL leads to another database than DATABASE_URL, so due work is found by polling alone. Please correct it.',
    );
}
