import { EventEmitter } from 'node:events';
import { ThreadsPoolWorker, type PoolOptions, type PoolWorker, type WorkerRequest } from 'vitest/node';
import { createExclusiveUse } from './exclusive-use.ts';

/** Each run leaves listeners in the thread, so after this many runs a new thread starts. */
const maxRuns = 50;

const alone = createExclusiveUse('The thread of the mutants');
let thread: { readonly is: ThreadsPoolWorker; runs: number } | undefined;

/**
 * A thread that outlives the run it was started for. Each mutant takes its own run, and starting a thread and loading
 * the packages takes several times as long as the tests. Our own modules are loaded again (`set-up.ts`).
 */
export class KeptWorker implements PoolWorker {
  readonly name = 'kept';
  readonly #options: PoolOptions;
  readonly #listeners: [string, (...args: unknown[]) => void][] = [];
  readonly #own = new EventEmitter();

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    alone.take(this);
    if (thread && thread.runs >= maxRuns) {
      await thread.is.stop();
      thread = undefined;
    }
    if (!thread) {
      thread = { is: new ThreadsPoolWorker(this.#options), runs: 0 };
      await thread.is.start();
    }
    thread.runs += 1;
  }

  /** The end of a run removes its listeners but keeps the thread. */
  async stop(): Promise<void> {
    for (const [event, callback] of this.#listeners.splice(0)) thread?.is.off(event, callback);
    alone.release(this);
  }

  send(message: WorkerRequest): void {
    if (message.type === 'stop') this.#own.emit('message', { type: 'stopped', __vitest_worker_response__: true });
    else thread?.is.send(message);
  }

  on(event: string, callback: (...args: unknown[]) => void): void {
    this.#listeners.push([event, callback]);
    this.#own.on(event, callback);
    thread?.is.on(event, callback);
  }

  off(event: string, callback: (...args: unknown[]) => void): void {
    this.#own.off(event, callback);
    thread?.is.off(event, callback);
  }

  deserialize(data: unknown): unknown {
    return data;
  }
}
