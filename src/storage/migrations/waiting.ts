import type { SqlDialect } from '../sql-dialect.ts';

/**
 * The table `waiting`, for what had tables of its own before: `queued_requests`, `handed_on_requests` and `watches`. It
 * gives numbers that those did not give, and, beside an older replica, won't give. `former-tables.ts` moves their rows.
 */
export const waiting = ({ integer, counted, strict, roomIn, announces, skipsNumbersOf }: SqlDialect): string[] => [
  `create table waiting (
    id ${counted},
    kind text not null,
    uuid text unique,
    target text not null,
    requester text not null,
    created_at ${integer} not null,
    expires_at ${integer} not null,
    turn_at ${integer},
    tried_at ${integer},
    due_at ${integer},
    ended_at ${integer},
    owner text,
    lease_until ${integer},
    data text not null,
    check ((owner is null) = (lease_until is null)),
    check ((ended_at is null) = (due_at is not null)),
    check ((kind = 'hand_on') = (uuid is not null))
  ) ${strict}`,
  'create index waiting_due on waiting (due_at) where due_at is not null',
  'create index waiting_open on waiting (kind, target, created_at) where ended_at is null',
  // Not by its kind first: SQLite would prefer it to all others, and read everything that has ended.
  'create index waiting_of_requester on waiting (requester, kind, created_at)',
  'create index waiting_tried on waiting (kind, tried_at) where tried_at is not null',
  'create index waiting_ended on waiting (ended_at) where ended_at is not null',
  ...roomIn('waiting'),
  ...announces('waiting'),
  skipsNumbersOf('waiting', ['queued_requests', 'watches']),
];
