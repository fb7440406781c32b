import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Counter, Histogram } from 'prom-client';

/** Sitehand's metrics. Labels have few values: never a name, a person or an id. */
export type Metrics = {
  /** From a delivery's arrival to its ack, in seconds, by kind of delivery. */
  readonly ack: Pick<Histogram<'kind'>, 'startTimer'>;
  /** Calls to the host by section of its document and outcome, in seconds. */
  readonly host: Pick<Histogram<'section' | 'outcome'>, 'observe'>;
  /** Moves of changes, by what happened. */
  readonly moves: Pick<Counter<'event'>, 'inc'>;
  /** Faults, by what was being done. */
  readonly faults: Pick<Counter<'what'>, 'inc'>;
};

/** The metrics and their server; `close` stops the server. */
export type Counting = { readonly metrics: Metrics; readonly close: () => Promise<void> };

/** Serves `/metrics` on loopback at this port. Without a port nothing is counted or even loaded. */
export async function openMetrics(port: number | undefined): Promise<Counting & { readonly port?: number }> {
  if (port === undefined) return { metrics: noMetrics, close: () => Promise.resolve() };
  const { metrics, text } = await createMetrics();
  const server = await serveMetrics(text, port);
  const address = server.address();
  const served = typeof address === 'object' && address !== null ? { port: address.port } : {};
  const close = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return { metrics, close, ...served };
}

const noMetrics: Metrics = {
  ack: { startTimer: () => () => 0 },
  host: { observe() {} },
  moves: { inc() {} },
  faults: { inc() {} },
};

async function createMetrics(): Promise<{ readonly metrics: Metrics; readonly text: () => Promise<string> }> {
  const { collectDefaultMetrics, Counter, Histogram, Registry } = await import('prom-client');
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const metrics = {
    ack: new Histogram({
      name: 'sitehand_ack_seconds',
      help: 'Time to ack',
      labelNames: ['kind'],
      buckets: [0.005, 0.02, 0.1, 0.5, 1, 3],
      registers,
    }),
    host: new Histogram({
      name: 'sitehand_host_seconds',
      help: 'Calls to the hosting API',
      labelNames: ['section', 'outcome'],
      buckets: [0.05, 0.2, 0.5, 1, 3, 10, 30],
      registers,
    }),
    moves: new Counter({ name: 'sitehand_moves_total', help: 'Moves of changes', labelNames: ['event'], registers }),
    faults: new Counter({ name: 'sitehand_faults_total', help: 'Faults', labelNames: ['what'], registers }),
  };
  return { metrics, text: () => registry.metrics() };
}

async function serveMetrics(text: () => Promise<string>, port: number): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    text().then(
      (body) => response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(body),
      () => response.writeHead(500).end(),
    );
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return server;
}
