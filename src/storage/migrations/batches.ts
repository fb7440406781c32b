import type { SqlDialect } from '../sql-dialect.ts';

/**
 * Changes that send many others, one for each target. The last index is the promise that a batch sends at most once to
 * each target, kept by the database itself. Older programs would send a batch as one change, so they are excluded.
 */
export const batches = ({ integer }: SqlDialect): readonly string[] => [
  `alter table changes add column batch ${integer} references changes (number)`,
  'alter table changes add column progress text',
  'create index changes_of_batch on changes (batch) where batch is not null',
  'create unique index changes_sent_in_batch on changes (batch, target) where batch is not null and sent_at is not null',
];
