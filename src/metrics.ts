import { createServer, type Server } from 'node:http';
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';

/** What Sitehand counts. Labels have few values: never a name, a person or an id. */
export type Metrics = {
  /** From a delivery's arrival to its ack, in seconds, by kind of delivery. */
  readonly ack: Histogram<'kind'>;
  /** Calls to the host by section of its document and outcome, in seconds. */
  readonly host: Histogram<'section' | 'outcome'>;
  /** Moves of changes, by what happened. */
  readonly moves: Counter<'event'>;
  /** Faults, by what was being done. */
  readonly faults: Counter<'what'>;
  readonly text: () => Promise<string>;
};

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
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
    text: () => registry.metrics(),
  };
}

/** Serves `/metrics` on loopback; resolves when it listens. */
export async function serveMetrics(metrics: Metrics, port: number): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    metrics.text().then(
      (text) => response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return server;
}
