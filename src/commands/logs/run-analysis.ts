import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import { analysisThread } from '../../base/beside.ts';
import { spellings } from '../../base/secret.ts';
import { createSemaphore } from '../../base/semaphore.ts';
import { aliasesBy } from './masking.ts';
import type { Page } from '../kit/page.ts';
import type { LogPeaks, LogQuery, PeakQuery, SentSince, NewKinds, NewKindsQuery } from '../kit/log-query.ts';
import { analyze } from './analyze.ts';
import { findNewKinds, peaksIn } from './queries.ts';

/** Analyses logs: short ones here, long ones in a worker thread, so that they don't block the event loop. */
export type LogReader = ReturnType<typeof createLogReader>;

/** A request to the thread, with the port for its answers. */
export type ThreadRequest = { readonly task: Task; readonly secrets: readonly string[]; readonly port: MessagePort };
type Task = { readonly look: LogQuery } | { readonly peaks: PeakQuery } | { readonly find: NewKindsQuery };
/** The thread's messages: a question (`recall`), or how its task ended. */
export type ThreadMessage<Result = Page | LogPeaks | NewKinds> =
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'recall'; readonly since: number };

/** The thread, and the reject functions of everybody waiting for it. */
type Thread = { readonly worker: Worker; readonly waiting: Set<(why: Error) => void> };

/** Logs with fewer characters are read here, in chunks: about 40 ms of work. */
const short = 400_000;
/** The most long logs that wait; the limit per person is elsewhere. */
const maxWaiting = 200;
const waitingMs = 600_000;
/** Twice what the longest log needs. Without a limit, garbage collection would start too late. */
const resourceLimits = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 16 };
/** An idle thread keeps its memory, but a new thread takes a moment to start, so end it only after this time. */
const idleMs = 60_000;

/** Creates a log reader. `aliasKey` makes the visitors' aliases. The thread starts with the first long log. */
export function createLogReader(aliasKey: string) {
  const alias = aliasesBy(aliasKey);
  // A parsed log takes ten times its size in memory, so only one long log is read at a time.
  const inTurn = createSemaphore({ most: 1, waiting: maxWaiting, waitMs: waitingMs });
  const { run, close } = createThread(aliasKey);
  return {
    /** Rejects if `recall` does, or if the thread ends. */
    analyze: (look: LogQuery, recall: SentSince): Promise<Page> =>
      look.text.length < short ? analyze(look, alias, recall) : inTurn(() => run({ look }, recall)),
    /** Rejects if the thread ends. */
    peaks: (peaks: PeakQuery): Promise<LogPeaks> =>
      peaks.text.length < short ? peaksIn(peaks, alias) : inTurn(() => run({ peaks })),
    /** Rejects if the thread ends. */
    findNew: (find: NewKindsQuery): Promise<NewKinds> =>
      find.text.length < short ? findNewKinds(find, alias) : inTurn(() => run({ find })),
    /** Ends the thread; running analyses reject. */
    close,
  };
}

/** Starts the thread. When it ends, everybody waiting for it is told so. */
function startThread(aliasKey: string, onEnd: (ended: Thread) => void): Thread {
  const worker = new Worker(analysisThread, { workerData: aliasKey, resourceLimits });
  const started: Thread = { worker, waiting: new Set() };
  let cause: unknown;
  worker.on('error', (error) => (cause = error)).unref();
  worker.on('exit', () => {
    onEnd(started);
    for (const giveUp of started.waiting) giveUp(new Error('the thread that reads long logs has ended', { cause }));
  });
  return started;
}

/** The thread, started when it is needed. `run` does one task there, on a port of its own: only its result comes back. */
function createThread(aliasKey: string) {
  let thread: Thread | undefined;
  let idle: NodeJS.Timeout | undefined;

  const onEnd = (ended: Thread): void => {
    if (thread === ended) thread = undefined;
  };
  const close = async (): Promise<void> => {
    clearTimeout(idle);
    const ending = thread;
    thread = undefined;
    await ending?.worker.terminate();
  };
  const run = async <Result>(task: Task, recall: SentSince = async () => []): Promise<Result> => {
    clearTimeout(idle);
    thread ??= startThread(aliasKey, onEnd);
    const { worker, waiting } = thread;
    const { port1: here, port2: there } = new MessageChannel();
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    here.on('message', (answer: ThreadMessage<Result>) => {
      if (answer.kind === 'recall') recall(answer.since).then((happened) => here.postMessage(happened), reject);
      else if (answer.kind === 'failed') reject(answer.error);
      else resolve(answer.result);
    });
    waiting.add(reject);
    try {
      worker.postMessage({ task, secrets: spellings(), port: there } satisfies ThreadRequest, [there]);
      return await promise;
    } finally {
      here.close();
      waiting.delete(reject);
      if (thread?.waiting.size === 0) idle = setTimeout(() => void close(), idleMs).unref();
    }
  };
  return { run, close };
}
