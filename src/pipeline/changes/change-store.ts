import type { Tx } from '../../storage/database.ts';
import { appendAudit } from '../../storage/audit.ts';
import {
  insertChange,
  updateChange,
  wakeBatch,
  type Change,
  type NewChange,
  isPartOfBatch,
} from '../../storage/changes.ts';
import { sameId, type IdsOf } from '../../storage/lease.ts';
import { extendShared, freeLocks, limitLocks, limitShared, shareLocks, takeLocks } from '../../storage/locks.ts';
import { wakeQueues } from '../../storage/queue.ts';
import type { State } from '../../storage/schema.ts';
import { acquireGlobalLock } from '../../storage/sql-dialect.ts';
import {
  messagesToDecide,
  enqueueMessage,
  lastingMessages,
  redrawCards,
  replaceDirect,
} from '../../storage/messages.ts';
import { toldPeople } from '../access/approver-lookup.ts';
import { move, type ChangeEvent, type Locks } from './change.ts';
import { emptyQueuesBehind } from './queue.ts';
import { withHolder, lockNeedsOf, type Held } from './lock-in-the-way.ts';
import { headingOf } from './freeze.ts';
import { authorizationOf } from '../access/authorization.ts';
import { buttonsFor, decisionButtons, type Note } from './card.ts';
import { updatedNote, wasUnknown, withdrawnRequest } from './told.ts';
import { say, type Text } from '../../text.ts';
import { listVotes } from '../../storage/votes.ts';
import { parseStored } from '../../storage/parse-json.ts';

/** Who made a move, and the messages that go with it. */
export type TransitionNote = {
  /** Slack user id, or `sitehand`. */
  readonly by: string;
  /** Epoch milliseconds, the database's clock. */
  readonly at: number;
  /** For the audit trail: plain JSON, no secrets. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** A reply in the thread. */
  readonly reply?: Note;
  /** Whether the reply has the current decision buttons. */
  readonly decide?: boolean;
  /** Whether to redraw the card although the state stays the same. */
  readonly redraw?: boolean;
  /** Whether the ops channel gets the reply too. */
  readonly ops?: boolean;
  /** People who get the reply as a direct message too. */
  readonly tell?: readonly string[];
  /** The result in a sentence, which the card shows from then on. */
  readonly lastNote?: Text;
  readonly also?: Partial<Pick<Change, 'receipt' | 'poll_state' | 'undo' | 'progress'>>;
  /** The key of the reply in the thread: it replaces an earlier reply with the same key. By default the reply is new. */
  readonly replyKey?: string;
};

/** An audited action that belongs to no change. */
export type AdminAction = Pick<TransitionNote, 'by' | 'at' | 'details'> & { readonly event: string };

/** A person or another change holds a lock that this change needs. The transaction must be rolled back. */
export class LockHeld extends Error {
  readonly held: Held;

  constructor(held: Held) {
    super(`${held.lock.target} is locked`);
    this.held = held;
  }
}

/** The only code that moves changes. Each move writes row, locks, audit line and messages in one transaction. */
export type ChangeStore = {
  /** Saves a new change, waiting or approved, and sends the card to its approvers. Throws `LockHeld`. */
  readonly begin: (tx: Tx, row: NewChange, note: TransitionNote) => Promise<Change>;
  /** Moves a change. Undefined if the move isn't possible, or somebody else moved it first. */
  readonly advance: (tx: Tx, change: Change, event: ChangeEvent, note: TransitionNote) => Promise<Change | undefined>;
  /** Records an event of a change without moving it: a vote, evidence, a late answer. */
  readonly remark: (tx: Tx, change: Change, event: string, note: TransitionNote) => Promise<void>;
  /** Records an action that is not part of a change: a lock, a pause. `details` is plain JSON, without secrets. */
  readonly note: (tx: Tx, action: AdminAction) => Promise<void>;
};

export type ChangeStoreOptions = {
  /** Key of the audit chain; undefined: the chain is a plain hash. */
  readonly auditKey: Buffer | undefined;
  /** Id of the database; every decision button carries it. */
  readonly installation: string;
  /** Every id of the same person; by default each id is a person of its own. */
  readonly idsOf?: IdsOf;
  /** Called for every audit line before its transaction commits, so it is only good for metrics. */
  readonly onEvent: (event: string) => void;
};

export function createChangeStore(options: ChangeStoreOptions): ChangeStore {
  const record: ChangeStore['remark'] = (...event) => recordIn(options, ...event);
  const recordAction: ChangeStore['note'] = async (tx, { event, by: actor, at, details = {} }) => {
    options.onEvent(event);
    const entry = { at, change: null, event, actor, details: JSON.stringify(details) };
    await appendAudit(tx, entry, options.auditKey);
  };
  return {
    begin: async (tx, row, note) => {
      const change = await insertChange(tx, row);
      if (change.state === 'approved' && change.risk !== 'routine') await acquireLocks(tx, change, note.at);
      // The batch's card shows what happens to its changes.
      if (!isPartOfBatch(change))
        await enqueueMessage(tx, { key: `${change.number}:card`, change: change.number, kind: 'card', at: note.at });
      if (change.state === 'waiting') await enqueueCopies(tx, change, note.at);
      await record(tx, change, 'asked', note);
      return change;
    },
    advance: async (tx, change, event, note) => {
      const { at } = note;
      const next = move(change, event, at);
      if (next === undefined) return undefined;
      await acquireGlobalLock(tx);
      const last_note = note.lastNote === undefined ? null : JSON.stringify(note.lastNote);
      const moved = await updateChange(tx, change, { ...next.patch, ...note.also, last_note });
      if (moved === undefined) return undefined;
      // Apply locks only now: if the version was outdated, nothing moved, and no lock may be left behind.
      await applyLocks(tx, change, next.locks, at);
      if (moved.state === 'unknown') await emptyQueuesBehind(tx, recordAction, moved, at);
      await showMove(tx, change, moved, at, options.idsOf);
      // A batch that is over is not woken.
      if (moved.batch !== null && !(await wakeBatch(tx, moved.batch, at)))
        await redrawCards(tx, moved.batch, at, 'all');
      await record(tx, moved, event.kind, note);
      return moved;
    },
    remark: record,
    note: recordAction,
  };
}

/** Redraws the card, and its copies for those who approved the change: `idsOf` gives every id of a person. */
export async function redrawForVoters(tx: Tx, change: Change, at: number, idsOf: IdsOf): Promise<void> {
  const isApproved = !isPartOfBatch(change) && authorizationOf(change).approval !== 'none';
  const votes = isApproved ? await listVotes(tx, change.number) : [];
  await redrawCards(tx, change.number, at, { cardAndCopiesOf: votes.flatMap(({ person }) => idsOf(person)) });
}

/** Writes the audit line and its messages. */
async function recordIn(
  { auditKey, installation, onEvent }: ChangeStoreOptions,
  tx: Tx,
  change: Change,
  event: string,
  note: TransitionNote,
): Promise<void> {
  const { at, by: actor, reply } = note;
  onEvent(event);
  const about = { target: change.target_name, target_key: change.target, version: change.version };
  const details = JSON.stringify({ ...about, ...note.details });
  const line = await appendAudit(tx, { at, change: change.number, event, actor, details }, auditKey);
  if (note.redraw) await redrawCards(tx, change.number, at, 'all');
  if (reply === undefined || isPartOfBatch(change)) return;
  await enqueueReply(tx, change, note, reply, { key: `${change.number}:${line.seq}`, installation });
}

/** Queues the thread reply, and its copies for the ops channel and for people. */
async function enqueueReply(
  tx: Tx,
  change: Change,
  note: TransitionNote,
  reply: Note,
  { key, installation }: { readonly key: string; readonly installation: string },
): Promise<void> {
  const { at, decide, replyKey } = note;
  // The buttons move from the previous reminder to this one.
  if (decide) await removeButtons(tx, change, at);
  const toDecide = decide ? decisionButtons(change, installation) : [];
  const { buttons = [] } = reply;
  const decides = toDecide.length > 0;
  const body = JSON.stringify({ ...reply, buttons: [...buttons, ...toDecide] });
  // *Stop* works for ten seconds only, so it stays in the thread.
  const isBrief = decides && change.state === 'approved';
  const inThread = { change: change.number, kind: 'reply', body, decides, at } as const;
  await enqueueMessage(tx, { ...inThread, key: isBrief ? stopKey(change) : (replyKey ?? key) });
  const kept = reply.lasting ?? (decides && change.state === 'unknown' ? wasUnknown : undefined);
  const copied = { ...reply, ...(kept && { lasting: kept }), buttons: isBrief ? buttons : [...buttons, ...toDecide] };
  await enqueueElsewhere(tx, change, note, copied, { key, decides: decides && !isBrief });
}

/** Queues the copies of a reply for the ops channel and for people. They name the change. */
async function enqueueElsewhere(
  tx: Tx,
  change: Change,
  { at, ops, tell = [] }: TransitionNote,
  { text, lasting, buttons = [] }: Note,
  { key, decides }: { readonly key: string; readonly decides: boolean },
): Promise<void> {
  const named = (one: Text): Text => say`${headingOf(change)}\n${one}`;
  const bodyFor = (isAsker: boolean): string =>
    JSON.stringify({
      text: named(text),
      lasting: lasting && named(lasting),
      buttons: buttonsFor({ isAsker }, buttons),
    });
  const base = { change: change.number, decides, at };
  if (ops) await enqueueMessage(tx, { ...base, key: `${key}:ops`, kind: 'ops', body: bodyFor(false) });
  for (const recipient of new Set(tell)) {
    const body = bodyFor(recipient === change.requester);
    await enqueueMessage(tx, { ...base, key: `${key}:${recipient}`, kind: 'direct', recipient, body });
  }
}

/** Key of the message with *Stop*. The time to press it begins when that is posted, also after it was asked again. */
export const stopKey = ({ number, lost_at }: Pick<Change, 'number' | 'lost_at'>): string =>
  lost_at === null ? `${number}:stop` : `${number}:stop:${lost_at}`;

/** Redraws the card, and withdraws what no longer decides anything. */
async function showMove(tx: Tx, before: Change, moved: Change, at: number, idsOf: IdsOf = sameId): Promise<void> {
  // Messages besides the card have decision buttons while it is approved, unknown or asked again.
  if (before.state === 'approved' || before.lost_at !== null) await removeButtons(tx, before, at);
  // Other moves are seen on the card, and by those who approved it.
  const isNews = isReported(before) || isReported(moved);
  if (isNews) await updateLasting(tx, moved, at);
  // Reminders, and what was said when it was asked again.
  if (before.state === 'waiting' && moved.state !== 'waiting') await withdrawDirect(tx, moved, at);
  if (isNews) return redrawCards(tx, moved.number, at, 'all');
  await redrawForVoters(tx, moved, at, idsOf);
}

/** Whether everybody who was told of a change directly hears that it is, or no longer is, in this state. */
const isReported = ({ state, settled_at }: Change): boolean =>
  settled_at !== null || state === 'waiting' || state === 'unknown' || state === 'stopped';

/** Removes the decision buttons from all messages that have them. */
async function removeButtons(tx: Tx, change: Change, at: number): Promise<void> {
  for (const { key, kind, recipient, body } of await messagesToDecide(tx, change.number)) {
    const { text, lasting } = parseStored<Note>(body);
    const bare = JSON.stringify({ text, ...(lasting && { lasting }), minor: true } satisfies Note);
    await enqueueMessage(tx, { key, change: change.number, kind, recipient, body: bare, at });
  }
}

/**
 * Edits messages that no longer hold. What people were told directly says how the change is now; if it ended unsent, its
 * thread no longer says that it will be sent.
 */
async function updateLasting(tx: Tx, moved: Change, at: number): Promise<void> {
  for (const { key, kind, recipient, body } of await lastingMessages(tx, moved.number)) {
    const { lasting } = parseStored<Note>(body);
    if (lasting === undefined || (kind === 'reply' && !endedUnsent.has(moved.state))) continue;
    const note = kind === 'reply' ? { text: lasting, minor: true } : updatedNote(moved, lasting);
    await enqueueMessage(tx, { key, change: moved.number, kind, recipient, body: JSON.stringify(note), at });
  }
}

const endedUnsent: ReadonlySet<State> = new Set(['declined', 'expired', 'cancelled', 'invalidated', 'superseded']);

/** Sends the card with its buttons to everybody who is told directly. */
async function enqueueCopies(tx: Tx, change: Change, at: number): Promise<void> {
  for (const recipient of toldPeople(authorizationOf(change))) {
    await enqueueMessage(tx, {
      key: `${change.number}:card:${recipient}`,
      change: change.number,
      kind: 'copy',
      recipient,
      at,
    });
  }
}

/** Replaces the direct requests to decide, except the copies of the card, with what was decided. */
async function withdrawDirect(tx: Tx, change: Change, at: number): Promise<void> {
  const body = JSON.stringify(withdrawnRequest(change, await listVotes(tx, change.number)));
  await replaceDirect(tx, change.number, change.requester, body, at);
}

async function applyLocks(tx: Tx, change: Change, locks: Locks, now: number): Promise<void> {
  if (locks === 'keep') return;
  if (locks === 'take') return acquireLocks(tx, change, now);
  if (locks === 'free') return releaseLocks(tx, change, now);
  if (locks === 'extend') return extendShared(tx, change.number, now);
  if ('keepMs' in locks) return limitLocks(tx, change.number, now + locks.keepMs);
  await limitShared(tx, change.number, now + locks.sharedMs);
}

async function releaseLocks(tx: Tx, { number }: Change, now: number): Promise<void> {
  const freed = await freeLocks(tx, number);
  await wakeQueues(
    tx,
    freed.map(({ target }) => target),
    now,
  );
}

async function acquireLocks(tx: Tx, change: Change, now: number): Promise<void> {
  const { exclusive, shared } = lockNeedsOf(change);
  const held =
    (await takeLocks(tx, exclusive, { change: change.number, reason: `#${change.number}` }, now)) ??
    (await shareLocks(tx, shared, change.number, now));
  if (held) throw new LockHeld(await withHolder(tx, held, change));
}
