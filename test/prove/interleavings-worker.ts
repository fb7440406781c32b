import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { interleave } from './interleavings.ts';

/** A worker thread of `prove.ts`: it never pauses, which would block the stand-ins in the main thread. */
const { runs, seed } = z.object({ runs: z.int(), seed: z.int() }).parse(workerData);
parentPort?.postMessage(Object.fromEntries(await interleave(runs, seed)));
