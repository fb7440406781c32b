import { parentPort, workerData } from 'node:worker_threads';
import { addSpellings } from '../../secret.ts';
import { aliasesBy } from './masking.ts';
import type { Happened } from '../kit/log-query.ts';
import { analyze } from './analyze.ts';
import { peaksIn } from './peaks.ts';
import type { Answer, Asking } from './reader.ts';

/** The worker thread: analyses long logs for `reader.ts`, one at a time. */

const alias = aliasesBy(String(workerData));

async function answer({ job, secrets, port }: Asking): Promise<void> {
  addSpellings(secrets);
  const send = (message: Answer): void => port.postMessage(message);
  const recall = (since: number): Promise<readonly Happened[]> =>
    new Promise((resolve) => {
      port.once('message', resolve);
      send({ kind: 'recall', since });
    });
  try {
    send(
      job.kind === 'page'
        ? { kind: 'page', page: await analyze(job.look, alias, recall) }
        : { kind: 'peaks', peaks: await peaksIn(job.query, alias) },
    );
  } catch (error) {
    send({ kind: 'failed', error });
  }
}

parentPort?.on('message', (asking: Asking) => void answer(asking));
