import { attempt } from '../base/errors.ts';
import type { Secret } from '../base/secret.ts';
import type { Load } from '../base/semaphore.ts';
import type { Read, HostReader, Write } from './contract/call.ts';
import { getLogs } from './contract/environment.ts';
import { requestsPerMinute, type Dialect } from './dialect.ts';
import { noRoom, HeldBack, HostTrouble } from './failure.ts';
import { createRate, type Rate } from './rate.ts';
import { createReader, readBudget, type ReadBudget } from './read.ts';
import type { Receipt, Unsent } from './receipt.ts';
import { openConnection, writeBudget, type Opened, type WriteSetup, type WriteBudget } from './send.ts';
import { wireTo } from './wire.ts';

export { HeldBack, HostTrouble, NotSent } from './failure.ts';
export type { Receipt, Unsent } from './receipt.ts';
export type { Opened } from './send.ts';

/** One call as metrics see it; a failed connection has the section `connection`. */
type CallObservation = {
  readonly section: string;
  /** `answered`, a trouble's kind, a receipt's kind or `not sent`. */
  readonly outcome: 'answered' | HostTrouble['kind'] | (Receipt | Unsent)['kind'];
  readonly ms: number;
};

export type ClientOptions = {
  /** The base address, with `/v2`. */
  readonly url: string;
  readonly key: Secret;
  readonly dialect: Dialect;
  /** From 0 to 1: spreads the pauses between attempts. */
  readonly random?: () => number;
  /** The credentials that a call's body may refer to. */
  readonly secrets?: (name: string) => Secret | undefined;
  /** How many processes share the host's connections and requests; 1 by default. */
  readonly replicas?: () => number;
  /** How many requests the host answers all of them in a minute; by default what is known of the dialect. */
  readonly requestsPerMinute?: number | undefined;
  /** Monotonic milliseconds. */
  readonly ticks?: () => number;
  readonly budgets?: { readonly reads?: Partial<ReadBudget>; readonly writes?: Partial<WriteBudget> };
  readonly onCall?: (observation: CallObservation) => void;
};

/** Known hosts answer this many log reads a minute. From this part of them on, watches begin none, so that people can. */
const logsPerMinute = 35;
const watchesPart = 0.8;

/** The hosting API. Any code may use `read`; only the one place that writes may use `open`. */
export type Client = {
  /** Retries failures that may pass, within its budget. Rejects with `HostTrouble`. */
  readonly read: HostReader;
  /** Free connections for reads, and the reads that wait. */
  readonly load: () => Load;
  /** Whether a watch may read a log: most of this process's share of the host's rate for logs is free. */
  readonly hasLogRoom: () => boolean;
  /**
   * Opens a connection for one write. Rejects with `NotSent`: nothing was sent and nothing will be. `HeldBack`: there is
   * room for it within a minute.
   */
  readonly open: () => Promise<Opened>;
  /** Ends reads, closes unused connections, and waits for the answers of running writes. */
  readonly close: () => Promise<void>;
};

/** A client of the hosting API at `url`. Throws `TypeError` on an invalid address. */
export function createClient(options: ClientOptions): Client {
  const { dialect, random = Math.random, replicas = () => 1 } = options;
  const { secrets = () => undefined, budgets = {}, ticks = () => performance.now() } = options;
  const wire = wireTo(options.url, options.key);
  const reads = { ...readBudget, ...budgets.reads };
  const writes = { ...writeBudget, ...budgets.writes };
  const perMinute = options.requestsPerMinute ?? requestsPerMinute[dialect];
  const rate = createRate({ perMinute, replicas, ticks });
  const logRate = createRate({ perMinute: logsPerMinute, replicas, ticks });
  const reader = createReader({ wire, dialect, budget: reads, replicas, random, rate });
  const observe = observedBy(options.onCall);
  const writing = createWriting({ wire, budget: writes, secrets }, observe);

  async function read<R>(call: Read<R>, onBehalfOf?: string, cancel?: AbortSignal): Promise<R> {
    if (call.section === getLogs.section) logRate.note();
    const end = observe(call.section);
    try {
      const value = await reader.read(call, onBehalfOf, cancel);
      end('answered');
      return value;
    } catch (error) {
      if (error instanceof HostTrouble) end(error.kind);
      throw error;
    }
  }

  return {
    read,
    load: reader.load,
    hasLogRoom: () => logRate.restMs(watchesPart) === 0,
    open: async () => {
      holdBack(rate);
      return writing.open();
    },
    close: async () => {
      await Promise.all([reader.close(), writing.close()]);
    },
  };
}

/** Counts one write. Throws `HeldBack` if there is no room for it. */
function holdBack({ restMs, note }: Rate): void {
  const rest = restMs(1);
  if (rest > 0) throw new HeldBack(noRoom(rest));
  note();
}

type Observe = (section: string) => (outcome: CallObservation['outcome']) => void;

function observedBy(onCall: ClientOptions['onCall']): Observe {
  return (section) => {
    const began = performance.now();
    // An error in counting must not change the result of the call.
    return (outcome) => attempt(() => onCall?.({ section, outcome, ms: performance.now() - began }));
  };
}

/** Tracks open connections, so that closing ends all unused ones and interrupts no write. */
function createWriting(setup: WriteSetup, observe: Observe): Pick<Client, 'open' | 'close'> {
  const idle = new Set<Opened>();
  const running = new Set<Promise<unknown>>();
  let closed = false;

  function abandon(opened: Opened): void {
    idle.delete(opened);
    opened.abandon();
  }

  async function write(opened: Opened, call: Write, request?: string): Promise<Receipt | Unsent> {
    const end = observe(call.section);
    idle.delete(opened);
    const answer = opened.write(call, request);
    running.add(answer);
    const receipt = await answer;
    running.delete(answer);
    end(receipt.kind);
    return receipt;
  }

  return {
    async open() {
      const end = observe('connection');
      const opened = await openConnection(setup).catch((error: unknown) => {
        end('not sent');
        throw error;
      });
      idle.add(opened);
      if (closed) abandon(opened);
      return { write: (call, request) => write(opened, call, request), abandon: () => abandon(opened) };
    },
    async close() {
      closed = true;
      for (const opened of idle) abandon(opened);
      await Promise.all(running);
    },
  };
}
