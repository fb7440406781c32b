import { appendAudit } from '../storage/audit.ts';
import { insertChange, updateChange, wakeBatch, type Change, type NewChange } from '../storage/changes.ts';
import type { Target } from '../hosting/contract/target.ts';
import { targetKey } from '../access/targets.ts';
import type { Tx } from '../storage/database.ts';
import { extendShared, freeLocks, limitLocks, limitShared, shareLocks, takeLocks } from '../storage/locks.ts';
import { enqueueMessage } from '../storage/messages.ts';
import { redraw } from '../storage/redraw.ts';
import { wakeQueues } from '../storage/queue.ts';
import { acquireGlobalLock } from '../storage/sql-dialect.ts';
import { enqueueCopies, enqueueReply, type TransitionNote } from './change-messages.ts';
import { lockingMove, move, type ChangeEvent, type Locks } from './change.ts';
import { withHolder, type Held, lockNeedsOf } from './lock-in-the-way.ts';
import { emptyQueuesBehind } from './queue.ts';

/** An audited action that belongs to no change. `about`: who may audit all of these reads its line. */
export type AdminAction = Pick<TransitionNote, 'by' | 'at' | 'details'> & {
  readonly event: string;
  readonly about: readonly Target[] | 'company';
};

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

type ChangeStoreOptions = {
  /** Key of the audit chain; undefined: the chain is a plain hash. */
  readonly auditKey: Buffer | undefined;
  /** Id of the database; every decision button carries it. */
  readonly installation: string;
  /** Called for every audit line before its transaction commits, so it is only good for metrics. */
  readonly onEvent: (event: string) => void;
};

export function createChangeStore(options: ChangeStoreOptions): ChangeStore {
  const record: ChangeStore['remark'] = (...event) => recordIn(options, ...event);
  const recordAction: ChangeStore['note'] = async (tx, { event, by: actor, at, about, details }) => {
    options.onEvent(event);
    const entry = { at, change: null, event, actor, details: JSON.stringify({ ...aboutDetails(about), ...details }) };
    await appendAudit(tx, entry, options.auditKey);
  };
  return {
    begin: async (tx, row, note) => {
      const change = await insertChange(tx, row);
      if (change.state === 'approved' && lockingMove(change) === 'approve') await acquireLocks(tx, change, note.at);
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
      await redraw(tx, moved.number, at);
      // A batch that is over is not woken.
      if (moved.batch !== null && !(await wakeBatch(tx, moved.batch, at))) await redraw(tx, moved.batch, at);
      await record(tx, moved, event.kind, note);
      return moved;
    },
    remark: async (tx, change, event, note) => {
      await redraw(tx, change.number, note.at);
      await record(tx, change, event, note);
    },
    note: recordAction,
  };
}

/** What a line says it is about. One target is also named and found by itself. */
function aboutDetails(about: AdminAction['about']): Readonly<Record<string, unknown>> {
  if (about === 'company') return {};
  const [first, ...more] = about;
  const targets = about.map(({ kind, id, name, ...target }) => ({
    kind,
    id,
    name,
    ...('site' in target && target.site && { site: target.site.name }),
  }));
  return { ...(first && more.length === 0 && { target: first.name, target_key: targetKey(first) }), targets };
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
  if (reply === undefined) return;
  await enqueueReply(tx, change, note, reply, { key: `${change.number}:${line.seq}`, installation });
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
