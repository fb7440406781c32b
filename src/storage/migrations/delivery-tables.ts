import type { SqlDialect } from '../sql-dialect.ts';

/** The tables for deliveries, messages and button payloads. */

export const inbox = ({ integer, strict }: SqlDialect): string[] => [
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

export const messages = ({ integer, counted, strict }: SqlDialect): string[] => [
  `create table messages (
    id ${counted},
    key text not null unique,
    change ${integer} references changes (number),
    kind text not null,
    recipient text,
    about text,
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
    untold_at ${integer},
    check (delivered_version <= version),
    check ((owner is null) = (lease_until is null)),
    check ((channel is null) = (ts is null)),
    check (change is not null or kind not in ('card', 'reply', 'copy')),
    check (change is null or about is null)
  ) ${strict}`,
  'create index messages_due on messages (due_at) where due_at is not null',
  'create index messages_to_decide on messages (due_at) where due_at is not null and decides = 1',
  'create index messages_of_requester on messages (requester, due_at) where due_at is not null',
  'create index messages_of_change on messages (change, kind, id)',
  'create index messages_at on messages (channel, ts)',
  'create index messages_untold on messages (untold_at) where untold_at is not null',
  "create index messages_delivered on messages (created_at) where due_at is null and kind <> 'card'",
];

/** What a message needs in order to be drawn again; an older version leaves these columns out. */
export const followingMessages = ({ integer }: SqlDialect): string[] => [
  `alter table messages add column follows ${integer}`,
  `alter table messages add column news_version ${integer} not null default 1`,
  'alter table messages add column shown text',
];

export const buttonPayloads = ({ integer, strict }: SqlDialect): string[] => [
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
