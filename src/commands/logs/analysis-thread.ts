import { parentPort, workerData } from 'node:worker_threads';
import { addSpellings } from '../../secret.ts';
import { aliasesBy } from './masking.ts';
import type { Happened } from '../kit/log-query.ts';
import { analyze } from './analyze.ts';
import type { Answer, Asking } from './reader.ts';

/** The worker thread: analyses long logs for `reader.ts`, one at a time. */

const alias = aliasesBy(String(workerData));

async function answer({ look, secrets, port }: Asking): Promise<void> {
  addSpellings(secrets);
  const send = (message: Answer): void => port.postMessage(message);
  const recall = (since: number): Promise<readonly Happened[]> =>
    new Promise((resolve) => {
      port.once('message', resolve);
      send({ kind: 'recall', since });
    });
  try {
    send({ kind: 'page', page: await analyze(look, alias, recall) });
  } catch (error) {
    send({ kind: 'failed', error });
  }
}

parentPort?.on('message', (asking: Asking) => void answer(asking));
