import * as fc from 'fast-check';

// Each run uses other examples: `RUNS=1000 npm test` uses this many at once.
fc.configureGlobal({ seed: Number(process.env['SEED']), numRuns: Number(process.env['RUNS'] ?? 30) });
