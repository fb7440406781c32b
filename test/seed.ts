import * as fc from 'fast-check';
import { nameSlashCommand } from '../src/words/text.ts';

// Each run draws other examples; `RUNS=1000 npm test` draws 1,000 per property.
fc.configureGlobal({
  seed: Number(process.env['SEED']),
  numRuns: Number(process.env['RUNS'] ?? 30),
  // The report includes the message of an assertion, not only as its cause.
  includeErrorInReport: true,
});

// A file that ran before in this process may have started a bot with another one.
nameSlashCommand('/site');
