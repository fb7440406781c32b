import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type * as Library from 'prom-client';
import type { Counter, Histogram, Registry } from 'prom-client';
import { boundConnections, serverOptions } from './connections.ts';

/** What is counted. Labels have few values: never a name, a person or an id. */
export type Metrics = {
  /** From a delivery's arrival to its ack, in seconds, by kind of delivery. */
  readonly ack: Pick<Histogram<'kind'>, 'startTimer'>;
  /** Results of commands, by the command's path. */
  readonly commands: Pick<Counter<'command' | 'outcome'>, 'inc'>;
  /** Calls to the host by section of its document and outcome, in seconds. */
  readonly host: Pick<Histogram<'section' | 'outcome'>, 'observe'>;
  /** Writes to the host, by their outcome. */
  readonly sends: Pick<Counter<'outcome'>, 'inc'>;
  /** Moves of changes, by event. */
  readonly moves: Pick<Counter<'event'>, 'inc'>;
  /** Deliveries that were refused before anything was done with them, by reason. */
  readonly refused: Pick<Counter<'why'>, 'inc'>;
  /** Faults: errors of ours that a person was told about, and unreadable deliveries. */
  readonly faults: Pick<Counter, 'inc'>;
  /** From the start of a transaction to its commit or failure, in seconds. */
  readonly transactions: Pick<Histogram, 'startTimer'>;
};

/** One value of a gauge. */
export type Sample = { readonly value: number; readonly labels?: Readonly<Record<string, string>> };

/** A gauge whose values are read at each scrape. Undefined: unknown now, so the gauge is left out instead of being 0. */
export type Gauge = {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  readonly read: () => Promise<readonly Sample[] | undefined>;
};

/** The metrics and their server. */
type Counting = {
  readonly metrics: Metrics;
  /** Serves these gauges too. */
  readonly show: (gauges: readonly Gauge[]) => void;
  /** Stops the server. */
  readonly close: () => Promise<void>;
};

/** Serves `/metrics` on this port. Without a port, nothing is counted or even loaded. */
export async function openMetrics(
  port: number | undefined,
  host = '127.0.0.1',
): Promise<Counting & { readonly port?: number }> {
  if (port === undefined) return { metrics: noMetrics, show: () => undefined, close: () => Promise.resolve() };
  const library = await import('prom-client');
  const registry = new library.Registry();
  library.collectDefaultMetrics({ register: registry });
  const server = await serveMetrics(registry, port, host);
  const address = server.address();
  const served = typeof address === 'object' && address !== null ? { port: address.port } : {};
  return {
    metrics: metricsIn(library, registry),
    show: (gauges) => gauges.forEach((gauge) => showGauge(library, registry, gauge)),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
    ...served,
  };
}

const noMetrics: Metrics = {
  ack: { startTimer: () => () => 0 },
  commands: { inc() {} },
  host: { observe() {} },
  sends: { inc() {} },
  moves: { inc() {} },
  refused: { inc() {} },
  faults: { inc() {} },
  transactions: { startTimer: () => () => 0 },
};

function metricsIn({ Counter, Histogram }: typeof Library, registry: Registry): Metrics {
  const registers = [registry];
  return {
    sends: sendsIn(Counter, registers),
    ack: new Histogram({
      name: 'sitehand_ack_seconds',
      help: 'From the arrival of a delivery to its ack',
      labelNames: ['kind'],
      buckets: [0.005, 0.02, 0.1, 0.5, 1, 3],
      registers,
    }),
    commands: new Counter({
      name: 'sitehand_commands_total',
      help: 'Commands, by what came of them',
      labelNames: ['command', 'outcome'],
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
    refused: refusedIn(Counter, registers),
    faults: new Counter({ name: 'sitehand_faults_total', help: 'Errors of Sitehand itself', registers }),
    transactions: new Histogram({
      name: 'sitehand_database_transaction_seconds',
      help: 'Transactions, until they are committed or have failed',
      buckets: [0.002, 0.01, 0.05, 0.2, 1, 5],
      registers,
    }),
  };
}

function sendsIn(Counter: (typeof Library)['Counter'], registers: Registry[]): Metrics['sends'] {
  const sends = new Counter({
    name: 'sitehand_sends_total',
    help: 'Writes to the hosting API, by what is known of them',
    labelNames: ['outcome'],
    registers,
  });
  // A counter that begins with its first event shows no increase for that event.
  for (const outcome of ['accepted', 'rejected', 'throttled', 'unknown', 'not sent']) sends.inc({ outcome }, 0);
  return sends;
}

function refusedIn(Counter: (typeof Library)['Counter'], registers: Registry[]): Metrics['refused'] {
  const refused = new Counter({
    name: 'sitehand_refused_deliveries_total',
    help: 'Deliveries that were refused: not signed by Slack, of another time, too long, or not readable',
    labelNames: ['why'],
    registers,
  });
  for (const why of ['signature', 'time', 'length', 'malformed']) refused.inc({ why }, 0);
  return refused;
}

function showGauge(
  { Gauge: PromGauge }: typeof Library,
  registry: Registry,
  { name, help, labels = [], read }: Gauge,
): void {
  const gauge = new PromGauge({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
    async collect() {
      const samples = await read().catch(() => undefined);
      gauge.reset();
      // A gauge without labels would be reset to 0, so remove it.
      if (labels.length === 0) gauge.remove();
      for (const sample of samples ?? []) gauge.set(sample.labels ?? {}, sample.value);
    },
  });
}

const maxConnections = 20;

async function serveMetrics(registry: Registry, port: number, host: string): Promise<Server> {
  const answer: RequestListener = (request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    registry.metrics().then(
      (body) => response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(body),
      () => response.writeHead(500).end(),
    );
  };
  const server = createServer(serverOptions, answer);
  boundConnections(server, maxConnections);
  await once(server.listen(port, host), 'listening');
  return server;
}
