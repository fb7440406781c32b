import type { Kysely, Transaction, Generated } from 'kysely';
import type { State, Risk } from '../words/states.ts';
import type { WaitingTable } from './waiting-table.ts';

/**
 * The tables, the same in both databases. Times are epoch milliseconds and flags 0 or 1. Structured values (calls,
 * cards, arguments) are JSON in TEXT columns, kept verbatim because some are hashed.
 */

/** An open transaction. Everything that writes takes one, so that a move, its audit line and its messages are atomic. */
export type Tx = Transaction<Schema>;

/** What a read runs on: an open transaction, or the database. */
export type ReadHandle = Kysely<Schema>;

/** The tables by their names. */
export type Schema = {
  installation: InstallationTable;
  changes: ChangeTable;
  votes: VoteTable;
  audit: AuditTable;
  locks: LockTable;
  shared_locks: SharedLockTable;
  waiting: WaitingTable;
  inbox: InboxTable;
  messages: MessageTable;
  timers: TimerTable;
  button_payloads: ButtonPayloadTable;
  kv: KvTable;
};

/** One row with the id of this database, so that a button from another one never moves a change here. */
type InstallationTable = { id: string; created_at: number };

/** One request to change something. */
export type ChangeTable = {
  number: Generated<number>;
  /** Path of the command: `allowlist add`. */
  command: string;
  risk: Risk;
  /** JSON: the command's arguments, with ids instead of names, without options stored in other columns (reason). */
  args: string;
  /** `environment:<id>`, `domain:<id>` or `company`; `batch`: see `targets`. Locks have keys of their own. */
  target: string;
  target_name: string;
  /** 1: its target's name had to be typed, so there is time to press *Stop* before it is sent. */
  cools_down: number;
  /**
   * JSON array of whole targets as they were requested: first what it changes (a batch: all of it), then what it only
   * reads (push: its source).
   */
  targets: string;
  /** JSON: what `look` read before the card was made; `null` if the command has no `look`. */
  snapshot: string;
  /** JSON: the preconditions, which must be the same when it is sent. */
  preconditions: string;
  /** JSON: the pinned call, sent byte for byte once references to secrets are filled in; a batch: its items; `null`: nothing is sent. */
  call: string;
  /** JSON: the pinned title, warning and facts. */
  card: string;
  /** Hash of `call` and `card`. */
  fingerprint: string;
  reason: string | null;
  /** The id of the delivery that asked for it, `r-` and ten hex digits; null: a timer or a queue did. */
  request: string | null;
  requester: string;
  /** The requester's name at the time of the request. */
  requester_name: string;
  requester_team: string;
  /** Who handed the request on to its requester: counts as its asker too, and can't approve it. Null: nobody. */
  handed_on_by: string | null;
  /** The program that asked for it, for its requester (`callers` of the policy); null: none. */
  caller: string | null;
  /** The `Idempotency-Key` of that request, unique for each caller; null: no caller asked. */
  caller_request: string | null;
  /** The number of the batch that this change belongs to; null: none. */
  batch: number | null;
  /** JSON: how far a batch is (`BatchProgress` in `change/batch.ts`). Null: it is no batch. */
  progress: string | null;
  /** Where its card belongs: not always where it was requested. */
  channel: string;
  /** JSON: the approval it needs, the rule that says so, and the hash of the policy. */
  authorization: string;
  state: State;
  /** Incremented by every move; guards against concurrent moves. */
  version: number;
  created_at: number;
  /** When the approval (or the request, if it needs none) expires; where it is to be sent later, the end of that window. */
  expires_at: number;
  /** When it is to be sent, at the earliest; null: as soon as it may be. */
  scheduled_at: number | null;
  settled_at: number | null;
  /** When the worker handles it next; null: nothing to do. */
  due_at: number | null;
  owner: string | null;
  lease_until: number | null;
  /** Attempts that ended before a byte was written. */
  attempts: number;
  /** How often the host answered 429. */
  throttle_count: number;
  sent_at: number | null;
  /** JSON: the host's answer. */
  receipt: string | null;
  operation: string | null;
  /** JSON: the state of following the operation (polls, whether the host ever knew it, failures in a row). */
  poll_state: string | null;
  /** Since when its outcome is in doubt: *unknown*, or asked again after a failover. Epoch ms. */
  lost_at: number | null;
  /** Reminders sent about its unknown outcome; null: people have not been told yet what the host shows. */
  reminders: number | null;
  /** JSON Text: the last sentence about its state: why it has not been sent yet, or how it ended. Null: the state says all. */
  last_note: string | null;
  /** Of a change sent by break-glass: `open`, or JSON: its `PostReview`. Null: it needs none. */
  post_review: string | null;
  /** JSON: the arguments that undo it, what it left at the host, and until when *Undo* is offered. */
  undo: string | null;
};

/** Approvals; one vote for each person and change. */
export type VoteTable = {
  change: number;
  person: string;
  at: number;
};

/** The audit trail: append-only, each line chained to the one before. */
export type AuditTable = {
  seq: number;
  at: number;
  change: number | null;
  /** A move of a change (`send`), or something a person did (`pause`). */
  event: string;
  /** Slack user id, or `sitehand`. */
  actor: string;
  /** JSON, kept verbatim. */
  details: string;
  previous: string;
  hash: string;
  /** The `target_key` in the details, indexed for searches; not part of the hash. */
  target: string | null;
};

/** Exclusive locks: they keep every other change away from a target. */
export type LockTable = {
  target: string;
  change: number | null;
  person: string | null;
  reason: string;
  taken_at: number;
  until: number | null;
};

/** Shared locks, which changes have on what they only read. Several coexist, and routine changes pass them. */
type SharedLockTable = Pick<LockTable, 'target' | 'taken_at' | 'until'> & { change: number };

/** Deliveries from Slack that may change something: written before they are acked, kept until they are answered. */
export type InboxTable = {
  /** The same for copies of one delivery, so that each is handled once. */
  key: string;
  kind: 'command' | 'mention' | 'button' | 'form';
  person: string;
  channel: string;
  /** What the answer needs, with pasted keys removed; wiped when answered. */
  content: string | null;
  owner: string;
  lease_until: number;
  received_at: number;
  closed_at: number | null;
};

/** Messages owed or posted: a row is posted, then edited, until `delivered_version` reaches `version`. */
export type MessageTable = {
  id: Generated<number>;
  /** Unique, so that a message is posted only once: `1042:card`, `1042:3`, `1042:running`. */
  key: string;
  change: number | null;
  /**
   * `card` and `reply` belong to a change; `copy` is the card in an approver's direct messages; `direct` goes to a
   * person, `notice` to a channel, `ops` to the ops channel.
   */
  kind: 'card' | 'reply' | 'copy' | 'direct' | 'notice' | 'ops';
  /** A channel or person; null: where the change's card is. */
  recipient: string | null;
  /** JSON: what it is about, if that is no change, as in `targets` of a change. Only who may read all of it is told. */
  about: string | null;
  /** JSON: what it tells (`Telling` in `change/card.ts`); null for a card, which is drawn from its change. */
  body: string | null;
  /** 1 if what it says depends on how its change is; null: an older version queued it, and it may. */
  follows: Generated<number | null>;
  /** The version that brought its last news: later ones only draw it again. */
  news_version: Generated<number>;
  /** A hash of how it has read since its last version, where it stands; null, or another hash: unknown. */
  shown: string | null;
  /** The requester of its change, or its recipient. Claims take turns among them. */
  requester: string;
  /** 1 if it has buttons to decide with: such messages are posted first. */
  decides: Generated<number>;
  version: number;
  delivered_version: number;
  /** Where Slack posted it. */
  channel: string | null;
  ts: string | null;
  due_at: number | null;
  attempts: number;
  owner: string | null;
  lease_until: number | null;
  created_at: number;
  /** Since when its newest version is owed; restarts while Slack refuses our token. */
  owed_at: number;
  /** Since when it is reported that its newest version could not be told; it may still be tried. */
  untold_at: number | null;
};

/** Timed access, with everything needed to remove it without listing sites. */
export type TimerTable = {
  id: Generated<number>;
  /** The change that granted it; a change has one timer at most. */
  change: number;
  /** `environment:<id>`. */
  target_key: string;
  /** JSON: the whole environment. */
  target: string;
  /** JSON array: the addresses whose access ends, in their canonical spelling. */
  addresses: string;
  /** 1 if the removal may leave the list empty, because the list held no permanent access when this was granted. */
  may_empty: number;
  /** Who asked for the access; `channel`: where. */
  requester: string;
  requester_name: string;
  requester_team: string;
  channel: string;
  /** When the access ends. */
  ends_at: number;
  /** When the worker handles it next: at its end, for a retry, or for a reminder; null once it is over. */
  due_at: number | null;
  /** The change that removes the addresses, until its outcome is known. */
  created_change: number | null;
  /** Failed attempts to end the access. */
  attempts: number;
  /** JSON Text: why the last attempt failed. */
  last_note: string | null;
  /** Reads in a row that found none of its addresses. */
  times_missing: Generated<number>;
  /** Since when no more attempts are made; since then the ops channel is reminded instead. */
  gave_up_at: number | null;
  ended_at: number | null;
  end_reason: 'removed' | 'kept' | 'moved' | 'gone' | 'not_there' | null;
  owner: string | null;
  lease_until: number | null;
};

/** The data behind buttons, until it expires. */
export type ButtonPayloadTable = {
  id: string;
  person: string;
  /** `list`: the arguments of a command, or the choices of a form. `page`: an answer to share or page through. */
  kind: 'list' | 'page';
  content: string;
  created_at: number;
  expires_at: number;
};

/** Keys and small values shared by all replicas: `pause`, the published head of the audit chain. */
export type KvTable = { key: string; value: string; at: number };
