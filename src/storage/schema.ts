import type { Generated } from 'kysely';

/**
 * The tables, as both databases keep them: times are epoch milliseconds, flags 0 or 1, and everything that is hashed
 * or comes back as it went in (calls, cards, words) is TEXT holding JSON, kept verbatim.
 */
export type Schema = {
  installation: InstallationTable;
  changes: ChangeTable;
  votes: VoteTable;
  audit: AuditTable;
  locks: LockTable;
  inbox: InboxTable;
  messages: MessageTable;
  timers: TimerTable;
  answers: AnswerTable;
  settings: SettingTable;
};

/** One row: tells two databases apart, so that a button of the one never moves a change of the other. */
export type InstallationTable = { id: string; created_at: number };

/** Every state a change can be in; `src/pipeline/changes/change.ts` holds the moves between them. */
export type State =
  | 'waiting'
  | 'approved'
  | 'sending'
  | 'accepted'
  | 'done'
  | 'failed'
  | 'rejected'
  | 'unknown'
  | 'happened'
  | 'did not happen'
  | 'declined'
  | 'cancelled'
  | 'expired'
  | 'void'
  | 'superseded';
export type Risk = 'routine' | 'sensitive' | 'destructive';

/** One request to change the world. */
export type ChangeTable = {
  number: Generated<number>;
  /** Path of the command: `allowlist add`. */
  command: string;
  risk: Risk;
  /** JSON: the command's words with ids instead of names, without options that are kept apart (reason). */
  words: string;
  /** `environment:<id>`, `domain:<id>` or `company`: what locks are taken on. */
  target: string;
  target_name: string;
  target_live: number;
  /** JSON array of whole targets as they were when it was asked for: what it changes, then what it only reads (push: its source). */
  targets: string;
  /** JSON: what `look` saw when the card was made; `null` where the command looks at nothing. */
  before: string;
  /** JSON of what it rests on: must be the same again when it is sent. */
  rests: string;
  /** JSON: the frozen call, byte for byte what is sent. */
  call: string;
  /** JSON: the frozen title, warning and facts. */
  card: string;
  /** Hash of `call` and `card`. */
  fingerprint: string;
  reason: string | null;
  asker: string;
  /** The asker's name as it was. */
  asker_name: string;
  asker_team: string;
  /** Where it was asked, and where its card stands. */
  channel: string;
  /** JSON: what approval it needs, by which rule of which policy text (hash). */
  permit: string;
  state: State;
  /** Goes up with every move; guards against two movers at once. */
  version: number;
  created_at: number;
  approved_at: number | null;
  /** When approval (or, without one, the wish) is no longer valid. */
  expires_at: number;
  settled_at: number | null;
  /** When the worker has to look at it next; null: nothing to do. */
  due_at: number | null;
  owner: string | null;
  lease_until: number | null;
  /** How often a connection was tried in vain, and how often the host said 429. */
  tries: number;
  throttled: number;
  sent_at: number | null;
  /** JSON: what the host answered. */
  receipt: string | null;
  operation: string | null;
  /** JSON: how following stands (polls, whether the host ever knew the operation, failures in a row). */
  followed: string | null;
  /** Since when its outcome has been unknown. */
  lost_at: number | null;
  /** How often people were reminded of its unknown outcome; null: what can be read of it has not been told yet. */
  reminders: number | null;
  /** JSON Text: the last word, once there is one. */
  outcome: string | null;
  /** JSON: the words that take it back, what it had left at the host, and until when they are offered. */
  undo: string | null;
  superseded_by: number | null;
  bundle: string | null;
  bundle_order: number | null;
};

/** Who approved or declined; one vote a person and change. */
export type VoteTable = {
  change: number;
  person: string;
  verdict: 'approve' | 'decline';
  reason: string | null;
  /** Version of the change that the person saw. */
  version: number;
  at: number;
};

/** The trail: append-only, each line chained to the one before. */
export type AuditTable = {
  seq: number;
  at: number;
  change: number | null;
  /** What happened: a move of a change (`sending`), or a deed of a person (`pause`). */
  event: string;
  /** Slack user id, or `sitehand`. */
  actor: string;
  /** JSON, kept verbatim. */
  details: string;
  previous: string;
  hash: string;
  /** What it is about, as its details say by `target_key`: to be found by, and no part of the hash. */
  target: string | null;
};

/** Who holds a target. */
export type LockTable = {
  target: string;
  change: number | null;
  person: string | null;
  reason: string;
  taken_at: number;
  until: number | null;
};

/** What Slack delivered and was acked, until it is answered. */
export type InboxTable = {
  /** What makes a delivery the same as another one: the guard against duplicates. */
  key: string;
  kind: 'command' | 'mention' | 'button' | 'form';
  person: string;
  channel: string;
  /** What the answer needs, scrubbed of pasted keys; wiped when answered. */
  content: string | null;
  owner: string;
  lease_until: number;
  received_at: number;
  closed_at: number | null;
};

/** Every message we owe or have posted: a row is drawn (posted, then edited) until `drawn_version` reaches `version`. */
export type MessageTable = {
  id: Generated<number>;
  /** Names the message, so that it is said once: `1042:card`, `1042:3`, `1042:running`. */
  key: string;
  change: number | null;
  /**
   * `card` and `reply` belong to a change; `copy` is the card in an approver's direct messages; `direct` goes to a
   * person, `ops` to the ops channel.
   */
  kind: 'card' | 'reply' | 'copy' | 'direct' | 'notice' | 'ops';
  /** Channel or person; null: where the change's card stands. */
  recipient: string | null;
  /** JSON; null for a card, which is rendered from its change when it is drawn. */
  body: string | null;
  /** Whose request it is about, or whom it is for: messages are posted by turns among them. */
  requester: string;
  /** 1 where somebody is to decide by its buttons: it is posted before all others. */
  decides: Generated<number>;
  version: number;
  drawn_version: number;
  /** Where it stands, as Slack answered. */
  channel: string | null;
  ts: string | null;
  due_at: number | null;
  tries: number;
  owner: string | null;
  lease_until: number | null;
  created_at: number;
  /** Since when its newest version is owed; begins anew while Slack does not take our token. */
  owed_at: number;
};

/** Access that ends by itself: all that is needed to take it away again, without any listing of sites. */
export type TimerTable = {
  id: Generated<number>;
  /** The change that granted it: it has one timer at most. */
  change: number;
  /** `environment:<id>`, and the whole environment as JSON. */
  target_key: string;
  target: string;
  /** JSON array: the addresses whose access ends, in their canonical spelling. */
  addresses: string;
  /** Whether the list may be left empty: nobody was let in for good when it was granted. */
  may_empty: number;
  /** Who asked for the access, and where. */
  requester: string;
  requester_name: string;
  requester_team: string;
  channel: string;
  /** When the access ends. */
  ends_at: number;
  /** When the worker looks at it next: at its end, for a further try, or to remind; null once it is over. */
  due_at: number | null;
  /** The change that takes the addresses away, while its end is not known. */
  created_change: number | null;
  /** Firings that did not end the access. */
  attempts: number;
  /** JSON Text: why the last one did not. */
  last_note: string | null;
  /** How many looks in a row have found none of its addresses there. */
  times_missing: Generated<number>;
  /** Since when nothing is tried any more, and the ops channel is reminded instead. */
  gave_up_at: number | null;
  ended_at: number | null;
  end_reason: 'removed' | 'kept' | 'moved' | 'gone' | 'not there' | null;
  owner: string | null;
  lease_until: number | null;
};

/** Words or a stored answer behind a button, until they expire. */
export type AnswerTable = {
  id: string;
  person: string;
  /** `words` to run, or a `page` to share or to turn. */
  kind: 'words' | 'page';
  content: string;
  created_at: number;
  expires_at: number;
};

/** Small facts for all replicas: `pause`, the witnessed head of the audit chain. */
export type SettingTable = { key: string; value: string; at: number };
