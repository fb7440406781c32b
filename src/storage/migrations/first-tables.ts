import { randomBytes } from 'node:crypto';
import type { SqlDialect } from '../sql-dialect.ts';
import { buttonPayloads, inbox, messages } from './delivery-tables.ts';

/**
 * Creates the tables of `schema.ts`, which explains every column, and the id of the database. `waiting` has replaced
 * `queued_requests`, `handed_on_requests` and `watches`.
 */
export function firstTables(dialect: SqlDialect): readonly string[] {
  const tables = tablesInOrder.flatMap((create) => create(dialect));
  // A claim writes a lease into its row and clears it later. Room in the page keeps that cheap when many rows wait.
  const room = ['changes', 'messages', 'timers', 'watches'].flatMap(dialect.roomIn);
  const id = randomBytes(8).toString('hex');
  const named = `insert into installation (id, created_at) values ('${id}', ${Date.now()})`;
  return [...tables, ...room, ...dialect.announceDue, named];
}

const changes = (dialect: SqlDialect): string[] => [
  `create table changes (
    number ${dialect.counted},
${whatWasAsked(dialect)}
${whatBecameOfIt(dialect)}
    check ((owner is null) = (lease_until is null))
  ) ${dialect.strict}`,
];

const whatWasAsked = ({ integer }: SqlDialect): string =>
  `    command text not null,
    risk text not null,
    args text not null,
    target text not null,
    target_name text not null,
    cools_down ${integer} not null check (cools_down in (0, 1)),
    targets text not null,
    snapshot text not null,
    preconditions text not null,
    call text not null,
    card text not null,
    fingerprint text not null,
    reason text,
    request text,
    requester text not null,
    requester_name text not null,
    requester_team text not null,
    handed_on_by text,
    batch ${integer} references changes (number),
    progress text,
    channel text not null,
    "authorization" text not null,`;

const whatBecameOfIt = ({ integer }: SqlDialect): string =>
  `    state text not null,
    version ${integer} not null,
    created_at ${integer} not null,
    expires_at ${integer} not null,
    settled_at ${integer},
    due_at ${integer},
    owner text,
    lease_until ${integer},
    attempts ${integer} not null,
    throttle_count ${integer} not null,
    sent_at ${integer},
    receipt text,
    operation text,
    poll_state text,
    lost_at ${integer},
    reminders ${integer},
    last_note text,
    undo text,`;

const changeIndexes = (): readonly string[] => [
  'create index changes_due on changes (due_at) where due_at is not null',
  'create index changes_of_target on changes (target, number)',
  'create index changes_of_requester on changes (requester, state, number)',
  'create index changes_in_state on changes (state, number)',
  'create index changes_open on changes (state) where settled_at is null',
  'create index changes_of_batch on changes (batch) where batch is not null',
  // The database itself guarantees that a batch sends at most once to each target.
  'create unique index changes_sent_in_batch on changes (batch, target) where batch is not null and sent_at is not null',
];

const votes = ({ integer, strict }: SqlDialect): string[] => [
  `create table votes (
    change ${integer} not null references changes (number),
    person text not null,
    at ${integer} not null,
    primary key (change, person)
  ) ${strict}`,
];

// No foreign keys: the trail outlives the rows it is about.
const audit = ({ integer, strict, appendOnly }: SqlDialect): string[] => [
  `create table audit (
    seq ${integer} primary key,
    at ${integer} not null,
    change ${integer},
    event text not null,
    actor text not null,
    details text not null,
    previous text not null unique,
    hash text not null unique,
    target text
  ) ${strict}`,
  'create index audit_of_change on audit (change, seq)',
  'create index audit_of_actor on audit (actor, seq)',
  'create index audit_of_target on audit (target, seq)',
  'create index audit_of_target_by_actor on audit (target, actor, seq)',
  // Without an index PostgreSQL would read the whole trail to find these few lines.
  "create index audit_of_keys on audit (seq) where event in ('sealed', 'rekeyed')",
  "create index audit_of_pauses on audit (seq) where event in ('pause', 'resume')",
  ...appendOnly,
];

const locks = ({ integer, strict }: SqlDialect): string[] => [
  `create table locks (
    target text primary key not null,
    change ${integer} references changes (number),
    person text,
    reason text not null,
    taken_at ${integer} not null,
    until ${integer},
    check ((change is null) <> (person is null))
  ) ${strict}`,
  'create index locks_of_change on locks (change)',
];

const sharedLocks = ({ integer, strict }: SqlDialect): string[] => [
  `create table shared_locks (
    target text not null,
    change ${integer} not null references changes (number),
    taken_at ${integer} not null,
    until ${integer},
    primary key (target, change)
  ) ${strict}`,
  'create index shared_locks_of_change on shared_locks (change)',
];

const queuedRequests = ({ integer, counted, strict }: SqlDialect): string[] => [
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
];

const handedOnRequests = ({ integer, strict }: SqlDialect): string[] => [
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

const timers = ({ integer, counted, strict }: SqlDialect): string[] => [
  `create table timers (
    id ${counted},
    change ${integer} not null unique references changes (number),
    target_key text not null,
    target text not null,
    addresses text not null,
    may_empty ${integer} not null check (may_empty in (0, 1)),
    requester text not null,
    requester_name text not null,
    requester_team text not null,
    channel text not null,
    ends_at ${integer} not null,
    due_at ${integer},
    created_change ${integer} references changes (number),
    attempts ${integer} not null,
    last_note text,
    times_missing ${integer} not null default 0,
    gave_up_at ${integer},
    ended_at ${integer},
    end_reason text,
    owner text,
    lease_until ${integer},
    check ((owner is null) = (lease_until is null)),
    check ((ended_at is null) = (end_reason is null)),
    check (ended_at is null or due_at is null)
  ) ${strict}`,
  'create index timers_due on timers (due_at) where due_at is not null',
  'create index timers_open on timers (target_key) where ended_at is null',
  'create index timers_to_end on timers (ends_at, id) where ended_at is null',
];

const watches = ({ integer, counted, strict }: SqlDialect): string[] => [
  `create table watches (
    id ${counted},
    kind text not null default 'errors' check (kind in ('errors', 'digest')),
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
];

const kv = ({ integer, strict }: SqlDialect): string[] => [
  `create table kv (key text primary key not null, value text not null, at ${integer} not null) ${strict}`,
  `create table installation (id text primary key not null, created_at ${integer} not null) ${strict}`,
];

/** Each table after those that it refers to. */
const tablesInOrder = [
  changes,
  changeIndexes,
  votes,
  audit,
  locks,
  sharedLocks,
  queuedRequests,
  handedOnRequests,
  timers,
  watches,
  inbox,
  messages,
  buttonPayloads,
  kv,
];
