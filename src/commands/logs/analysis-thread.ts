import { parentPort, workerData } from 'node:worker_threads';
import { addSpellings } from '../../base/secret.ts';
import { aliasesBy } from './masking.ts';
import type { SentChange } from '../kit/log-query.ts';
import { analyze } from './analyze.ts';
import { findNewKinds, peaksIn } from './queries.ts';
import type { ThreadMessage, ThreadRequest } from './run-analysis.ts';

/** The worker thread: analyses long logs for `run-analysis.ts`, one at a time. */

const alias = aliasesBy(String(workerData));

async function answer({ task, secrets, port }: ThreadRequest): Promise<void> {
  addSpellings(secrets);
  const send = (message: ThreadMessage): void => port.postMessage(message);
  const recall = (since: number): Promise<readonly SentChange[]> =>
    new Promise((resolve) => {
      port.once('message', resolve);
      send({ kind: 'recall', since });
    });
  try {
    if ('look' in task) send({ kind: 'done', result: await analyze(task.look, alias, recall) });
    else if ('peaks' in task) send({ kind: 'done', result: await peaksIn(task.peaks, alias) });
    else send({ kind: 'done', result: await findNewKinds(task.find, alias) });
  } catch (error) {
    send({ kind: 'failed', error });
  }
}

parentPort?.on('message', (asking: ThreadRequest) => void answer(asking));
