/** Parts of the suite that need more than Node, or more than their share of two minutes. */
export type Part = 'postgres' | 'pgbouncer' | 'browser' | 'programs';

const named = (process.env['SITEHAND_REQUIRE'] ?? '').split(',');

/** Whether this run includes a part: then it fails without what the part needs. `npm run test:all` includes all. */
export const includes = (part: Part): boolean => named.includes(part);

/** Appended to the names of tests of a part, so that the end of a run says why they were skipped. */
export const partNote = (part: Part, name: string): string =>
  includes(part) ? '' : ` (${name}: npm run test:all runs it)`;

export const browserFiles = ['test/browser/**'];

/** They start programs of their own for each test, build the package, measure, or are the longest of the stories. */
export const programFiles = [
  'test/adding-a-command.test.ts',
  'test/deploy/{package,workflows}.test.ts',
  'test/masking/{corpus,time,writings}.test.ts',
  'test/playground/main.test.ts',
  'test/program/**',
  'test/stories/{audit-out,bursts,callers-killed,clock-jumps,clocks,disk-full,lost-files,malformed,prove,scheduled-killed,start}.test.ts',
  'test/stories/batch-{attacks,canary,file,killed,locks,stops,validity}.test.ts',
  'test/stories/{dependent-fields,digest,fair-shares,handed-on,queue-turns,status-crowd,timed-access,watches,what-is-shown}.test.ts',
];
