import { parentPort, workerData } from 'node:worker_threads';
import { addSpellings } from '../../secret.ts';
import { aliasesBy } from './masking.ts';
import type { Happened } from '../kit/log-query.ts';
import { analyze } from './analyze.ts';
import type { Answer, Asking } from './reader.ts';

/** The thread beside: looks at one long log after another, as `reader.ts` asks. */

const alias = aliasesBy(String(workerData));

async function answer({ look, secrets, port }: Asking): Promise<void> {
  addSpellings(secrets);
  const tell = (what: Answer): void => port.postMessage(what);
  const recall = (since: number): Promise<readonly Happened[]> =>
    new Promise((resolve) => {
      port.once('message', resolve);
      tell({ kind: 'recall', since });
    });
  try {
    tell({ kind: 'page', page: await analyze(look, alias, recall) });
  } catch (error) {
    tell({ kind: 'failed', error });
  }
}

parentPort?.on('message', (asking: Asking) => void answer(asking));
