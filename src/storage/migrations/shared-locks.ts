import type { SqlDialect } from '../sql-dialect.ts';

/** Several changes may read one environment. Older programs would not see these locks, so they are excluded. */
export const sharedLocks = ({ integer, strict }: SqlDialect): readonly string[] => [
  `create table shared_locks (
      target text not null,
      change ${integer} not null references changes (number),
      taken_at ${integer} not null,
      until ${integer},
      primary key (target, change)
    ) ${strict}`,
  'create index shared_locks_of_change on shared_locks (change)',
];
