import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import { analysisThread } from '../../beside.ts';
import { spellings } from '../../secret.ts';
import { createSemaphore } from '../../semaphore.ts';
import { aliasesBy } from './masking.ts';
import type { Page } from '../kit/page.ts';
import type { LogPeaks, LogQuery, PeakQuery, Recall } from '../kit/log-query.ts';
import { analyze } from './analyze.ts';
import { peaksIn } from './peaks.ts';

/** Analyses logs: short ones here, long ones in a worker thread, so that the event loop is not blocked. */
export type LogReader = {
  /** Rejects if `recall` does, or if the thread ends. */
  readonly look: (look: LogQuery, recall: Recall) => Promise<Page>;
  /** Rejects if the thread ends. */
  readonly peaks: (query: PeakQuery) => Promise<LogPeaks>;
  /** Ends the thread; running analyses reject. */
  readonly close: () => Promise<void>;
};

/** What to make of a log. */
type Job = { readonly kind: 'page'; readonly look: LogQuery } | { readonly kind: 'peaks'; readonly query: PeakQuery };
/** A request to the thread, with the port for its answers. */
export type Asking = { readonly job: Job; readonly secrets: readonly string[]; readonly port: MessagePort };
/** The thread's messages: a question (`recall`), or the final result. */
export type Answer =
  | Result
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'recall'; readonly since: number };

type Result = { readonly kind: 'page'; readonly page: Page } | { readonly kind: 'peaks'; readonly peaks: LogPeaks };

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
  const inThread = async (job: Job, recall: Recall): Promise<Result> => {
    clearTimeout(idle);
    thread ??= start();
    try {
      return await askThread(thread, job, recall);
    } finally {
      if (thread?.waiting.size === 0) idle = setTimeout(() => void close(), idleMs).unref();
    }
  };
  return {
    look: async (look, recall) => {
      if (look.text.length < short) return analyze(look, alias, recall);
      const result = await inTurn(() => inThread({ kind: 'page', look }, recall));
      return result.kind === 'page' ? result.page : noAnswer();
    },
    peaks: async (query) => {
      if (query.text.length < short) return peaksIn(query, alias);
      const result = await inTurn(() => inThread({ kind: 'peaks', query }, () => Promise.resolve([])));
      return result.kind === 'peaks' ? result.peaks : noAnswer();
    },
    close,
  };
}

async function askThread({ worker, waiting }: Thread, job: Job, recall: Recall): Promise<Result> {
  const { port1: here, port2: there } = new MessageChannel();
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  here.on('message', (answer: Answer) => {
    if (answer.kind === 'failed') reject(answer.error);
    else if (answer.kind === 'recall') recall(answer.since).then((happened) => here.postMessage(happened), reject);
    else resolve(answer);
  });
  waiting.add(reject);
  try {
    worker.postMessage({ job, secrets: spellings(), port: there } satisfies Asking, [there]);
    return await promise;
  } finally {
    here.close();
    waiting.delete(reject);
  }
}

const noAnswer = (): never => {
  throw new Error('the thread that reads long logs answered something else');
};
