import type { SqlDialect } from '../sql-dialect.ts';

/**
 * Requests that were handed on, and who handed on the request of a change. Older programs are excluded: they would let
 * that person approve it.
 */
export const handedOnRequests = ({ integer, strict }: SqlDialect): readonly string[] => [
  'alter table changes add column handed_on_by text',
  `create table handed_on_requests (
      id text primary key,
      command text not null,
      args text not null,
      says text not null,
      posted text not null,
      person text not null,
      created_at ${integer} not null,
      expires_at ${integer} not null,
      ended_at ${integer},
      used_by text,
      change ${integer}
    ) ${strict}`,
  'create index handed_on_open on handed_on_requests (expires_at) where ended_at is null',
];
