import type { SqlDialect } from '../sql-dialect.ts';

/** Requests that wait for a lock. Older programs leave them alone, and need not know them. */
export const queuedRequests = ({ integer, counted, strict, announcing }: SqlDialect): readonly string[] => [
  `create table queued_requests (
      id ${counted},
      target text not null,
      target_name text not null,
      command text not null,
      risk text not null,
      args text not null,
      targets text not null,
      behind ${integer},
      requester text not null,
      requester_name text not null,
      requester_team text not null,
      channel text not null,
      created_at ${integer} not null,
      expires_at ${integer} not null,
      turn_at ${integer},
      attempts ${integer} not null default 0,
      due_at ${integer} not null,
      owner text,
      lease_until ${integer},
      check ((owner is null) = (lease_until is null))
    ) ${strict}`,
  'create index queued_requests_due on queued_requests (due_at)',
  'create index queued_requests_of_target on queued_requests (target, id)',
  ...announcing('queued_requests'),
];
