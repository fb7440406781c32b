import type { SqlDialect } from '../sql-dialect.ts';

/** Creates the table of watches; `schema.ts` explains its columns. Older programs leave it alone. */
export const addWatches = ({ integer, counted, strict, roomIn }: SqlDialect): readonly string[] => [
  `create table watches (
      id ${counted},
      target_key text not null,
      target text not null,
      match text,
      requester text not null,
      requester_name text not null,
      channel text not null,
      quiet text,
      zone text not null,
      created_at ${integer} not null,
      ends_at ${integer} not null,
      read_to ${integer} not null,
      tried_at ${integer},
      progress text not null,
      due_at ${integer},
      ended_at ${integer},
      end_reason text,
      owner text,
      lease_until ${integer},
      check ((owner is null) = (lease_until is null)),
      check ((ended_at is null) = (end_reason is null)),
      check ((ended_at is null) = (due_at is not null))
    ) ${strict}`,
  'create index watches_due on watches (due_at) where due_at is not null',
  'create index watches_ended on watches (ended_at) where ended_at is not null',
  ...roomIn('watches'),
];
