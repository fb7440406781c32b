import { randomBytes } from 'node:crypto';
import type { SqlDialect } from '../sql-dialect.ts';

/** Creates the tables of `schema.ts`, which explains every column, and the id of the database. */
export function firstTables(dialect: SqlDialect): readonly string[] {
  const tables = [changes(dialect), votes(dialect), audit(dialect), locks(dialect), timers(dialect)];
  const edge = [inbox(dialect), messages(dialect), buttonPayloads(dialect), kv(dialect)];
  // A claim writes a lease into its row and clears it later, which stays cheap when many rows wait.
  const room = ['changes', 'messages', 'timers'].map(dialect.roomIn);
  const id = randomBytes(8).toString('hex');
  return [
    ...tables,
    ...edge,
    ...room,
    `insert into installation (id, created_at) values ('${id}', ${Date.now()})`,
  ].flat();
}

const changes = ({ integer, counted, strict }: SqlDialect): string[] => [
  `create table changes (
    number ${counted},
    command text not null,
    risk text not null,
    args text not null,
    target text not null,
    target_name text not null,
    is_live ${integer} not null check (is_live in (0, 1)),
    targets text not null,
    snapshot text not null,
    preconditions text not null,
    call text not null,
    card text not null,
    fingerprint text not null,
    reason text,
    requester text not null,
    requester_name text not null,
    requester_team text not null,
    channel text not null,
    "authorization" text not null,
    state text not null,
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
    undo text,
    check ((owner is null) = (lease_until is null))
  ) ${strict}`,
  'create index changes_due on changes (due_at) where due_at is not null',
  'create index changes_of_target on changes (target, number)',
  'create index changes_of_requester on changes (requester, state, number)',
  'create index changes_in_state on changes (state, number)',
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
  // If they are few, PostgreSQL would read the whole trail to find them.
  "create index audit_of_keys on audit (seq) where event in ('sealed', 'rekeyed')",
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

const inbox = ({ integer, strict }: SqlDialect): string[] => [
  `create table inbox (
    key text primary key not null,
    kind text not null,
    person text not null,
    channel text not null,
    content text,
    owner text not null,
    lease_until ${integer} not null,
    received_at ${integer} not null,
    closed_at ${integer}
  ) ${strict}`,
  'create index inbox_open on inbox (lease_until) where closed_at is null',
  'create index inbox_received on inbox (received_at)',
];

const messages = ({ integer, counted, strict }: SqlDialect): string[] => [
  `create table messages (
    id ${counted},
    key text not null unique,
    change ${integer} references changes (number),
    kind text not null,
    recipient text,
    body text,
    requester text not null,
    decides ${integer} not null default 0,
    version ${integer} not null,
    delivered_version ${integer} not null,
    channel text,
    ts text,
    due_at ${integer},
    attempts ${integer} not null,
    owner text,
    lease_until ${integer},
    created_at ${integer} not null,
    owed_at ${integer} not null,
    check (delivered_version <= version),
    check ((owner is null) = (lease_until is null)),
    check ((channel is null) = (ts is null)),
    check (change is not null or kind not in ('card', 'reply'))
  ) ${strict}`,
  'create index messages_due on messages (due_at) where due_at is not null',
  'create index messages_to_decide on messages (due_at) where due_at is not null and decides = 1',
  'create index messages_of_requester on messages (requester, due_at) where due_at is not null',
  'create index messages_of_change on messages (change, kind, id)',
  'create index messages_at on messages (channel, ts)',
  "create index messages_delivered on messages (created_at) where due_at is null and kind <> 'card'",
];

const buttonPayloads = ({ integer, strict }: SqlDialect): string[] => [
  `create table button_payloads (
    id text primary key not null,
    person text not null,
    kind text not null check (kind in ('list', 'page')),
    content text not null,
    created_at ${integer} not null,
    expires_at ${integer} not null
  ) ${strict}`,
  'create index button_payloads_of_person on button_payloads (person, created_at)',
  'create index button_payloads_expire on button_payloads (expires_at)',
];

const kv = ({ integer, strict }: SqlDialect): string[] => [
  `create table kv (key text primary key not null, value text not null, at ${integer} not null) ${strict}`,
  `create table installation (id text primary key not null, created_at ${integer} not null) ${strict}`,
];
