import * as fc from 'fast-check';

// Each run draws others: `RUNS=1000 npm test` draws as many at once.
fc.configureGlobal({
  seed: Number(process.env['SEED']),
  numRuns: Number(process.env['RUNS'] ?? 30),
  // The sentence of an assertion stands in the report, not only in its cause.
  includeErrorInReport: true,
});
