import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { interleave } from './interleavings.ts';

/** A thread of `prove.ts`: it never pauses, which would hold up the stand-ins. */
const { runs, seed } = z.object({ runs: z.int(), seed: z.int() }).parse(workerData);
parentPort?.postMessage(Object.fromEntries(await interleave(runs, seed)));
