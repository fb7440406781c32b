import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import { analysisThread } from '../../beside.ts';
import { spellings } from '../../secret.ts';
import { createSemaphore } from '../../semaphore.ts';
import { aliasesBy } from './masking.ts';
import type { Page } from '../kit/page.ts';
import type { LogQuery, Recall } from '../kit/log-query.ts';
import { analyze } from './analyze.ts';

/** Analyses logs: short ones here, long ones in a worker thread, so that the event loop is not blocked. */
export type LogReader = {
  /** Rejects if `recall` does, or if the thread ends. */
  readonly look: (look: LogQuery, recall: Recall) => Promise<Page>;
  /** Ends the thread; running analyses reject. */
  readonly close: () => Promise<void>;
};

/** A request to the thread, with the port for its answers. */
export type Asking = { readonly look: LogQuery; readonly secrets: readonly string[]; readonly port: MessagePort };
/** The thread's messages: a question (`recall`), or the final result. */
export type Answer =
  | { readonly kind: 'page'; readonly page: Page }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'recall'; readonly since: number };

/** The thread, and the reject functions of everybody waiting for it. */
type Thread = { readonly worker: Worker; readonly waiting: Set<(why: Error) => void> };

/** Shorter logs (in characters) are read here, in pieces: about 40 ms of work. */
const short = 400_000;
/** The maximum number of long logs waiting; the limit per person is elsewhere. */
const maxWaiting = 200;
const waitingMs = 600_000;
/** Twice what the longest log needs. Without a limit, garbage collection would start too late. */
const resourceLimits = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 16 };
/** An idle thread keeps its memory, and a new one takes a moment to start: end it only after this time. */
const idleMs = 60_000;

/** Creates a log reader. `aliasKey` makes the visitors' aliases. The thread starts with the first long log. */
export function createLogReader(aliasKey: string): LogReader {
  const alias = aliasesBy(aliasKey);
  // A parsed log takes ten times its size in memory, so one long log at a time.
  const inTurn = createSemaphore({ most: 1, waiting: maxWaiting, waitMs: waitingMs });
  let thread: Thread | undefined;
  let idle: NodeJS.Timeout | undefined;

  const start = (): Thread => {
    const worker = new Worker(analysisThread, { workerData: aliasKey, resourceLimits });
    const started: Thread = { worker, waiting: new Set() };
    let cause: unknown;
    worker.on('error', (error) => (cause = error)).unref();
    worker.on('exit', () => {
      if (thread === started) thread = undefined;
      for (const giveUp of started.waiting) giveUp(new Error('the thread that reads long logs has ended', { cause }));
    });
    return started;
  };
  const close = async (): Promise<void> => {
    clearTimeout(idle);
    const ending = thread;
    thread = undefined;
    await ending?.worker.terminate();
  };
  const inThread = async (look: LogQuery, recall: Recall): Promise<Page> => {
    clearTimeout(idle);
    thread ??= start();
    const { worker, waiting } = thread;
    const { port1: here, port2: there } = new MessageChannel();
    const { promise, resolve, reject } = Promise.withResolvers<Page>();
    here.on('message', (answer: Answer) => {
      if (answer.kind === 'page') resolve(answer.page);
      else if (answer.kind === 'failed') reject(answer.error);
      else recall(answer.since).then((happened) => here.postMessage(happened), reject);
    });
    waiting.add(reject);
    try {
      worker.postMessage({ look, secrets: spellings(), port: there } satisfies Asking, [there]);
      return await promise;
    } finally {
      here.close();
      waiting.delete(reject);
      if (thread?.waiting.size === 0) idle = setTimeout(() => void close(), idleMs).unref();
    }
  };
  return {
    look: (look, recall) =>
      look.text.length < short ? analyze(look, alias, recall) : inTurn(() => inThread(look, recall)),
    close,
  };
}
