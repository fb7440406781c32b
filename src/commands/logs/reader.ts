import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import { spellings } from '../../secret.ts';
import { createSemaphore } from '../../semaphore.ts';
import { aliasesBy } from './masking.ts';
import type { Page } from '../kit/page.ts';
import type { LogQuery, Recall } from '../kit/log-query.ts';
import { analyze } from './analyze.ts';

/** Looks at logs: short ones here, and long ones in a thread of its own, which keeps nobody else waiting. */
export type LogReader = {
  /** Rejects where `recall` does, and where the thread has ended. */
  readonly look: (look: LogQuery, recall: Recall) => Promise<Page>;
  /** Ends the thread; looks under way reject. */
  readonly close: () => Promise<void>;
};

/** What the thread is asked, with the way to answer it. */
export type Asking = { readonly look: LogQuery; readonly secrets: readonly string[]; readonly port: MessagePort };
/** What it says to that, in the end or on the way. */
export type Answer =
  | { readonly kind: 'page'; readonly page: Page }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'recall'; readonly since: number };

/** With those who wait for it. */
type Thread = { readonly worker: Worker; readonly waiting: Set<(why: Error) => void> };

/** Characters that are read here, in pieces: some 40 ms of work. */
const short = 400_000;
/** Long ones that wait; who may read so many at once is bounded elsewhere. */
const maxWaiting = 200;
const waitingMs = 600_000;
/** Twice what the longest takes: without a bound it would be tidied up late, because the machine has more. */
const resourceLimits = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 16 };
const threadFile = new URL('./analysis-thread.ts', import.meta.url);
/** The thread has its memory for as long as it is there, and takes a moment to begin. */
const idleMs = 60_000;

/** Visitors get their aliases by this key. No thread is begun before there is something long to read. */
export function createLogReader(aliasKey: string): LogReader {
  const alias = aliasesBy(aliasKey);
  // A long one, taken apart, is ten times as large as it came.
  const inTurn = createSemaphore({ most: 1, waiting: maxWaiting, waitMs: waitingMs });
  let thread: Thread | undefined;
  let idle: NodeJS.Timeout | undefined;

  const begin = (): Thread => {
    const worker = new Worker(threadFile, { workerData: aliasKey, resourceLimits });
    const begun: Thread = { worker, waiting: new Set() };
    let cause: unknown;
    worker.on('error', (error) => (cause = error)).unref();
    worker.on('exit', () => {
      if (thread === begun) thread = undefined;
      for (const giveUp of begun.waiting) giveUp(new Error('the thread that reads long logs has ended', { cause }));
    });
    return begun;
  };
  const close = async (): Promise<void> => {
    clearTimeout(idle);
    const ending = thread;
    thread = undefined;
    await ending?.worker.terminate();
  };
  const beside = async (look: LogQuery, recall: Recall): Promise<Page> => {
    clearTimeout(idle);
    thread ??= begin();
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
      look.text.length < short ? analyze(look, alias, recall) : inTurn(() => beside(look, recall)),
    close,
  };
}
