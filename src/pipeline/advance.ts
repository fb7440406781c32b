import type { Tx } from '../storage/database.ts';
import { appendAudit } from '../storage/audit.ts';
import { insertChange, updateChange, type Change, type NewChange } from '../storage/changes.ts';
import { freeLocks, limitLocks, takeLocks, type Lock } from '../storage/locks.ts';
import { owe } from '../storage/messages.ts';
import { move, type Happening } from './change.ts';
import { cardOf } from './freeze.ts';
import type { Note } from './render.ts';
import { say, type Text } from '../text.ts';
import { thawed } from '../storage/json.ts';

/** What goes with a move: who made it, and what is said of it. */
export type Saying = {
  /** Slack user id, or `sitehand`. */
  readonly by: string;
  /** Epoch milliseconds, the database's clock. */
  readonly at: number;
  /** For the audit trail: plain JSON, no secrets. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** A reply in the thread. */
  readonly reply?: Note;
  /** Whether the ops channel is told the same. */
  readonly ops?: boolean;
  /** The last word, shown on the card from then on. */
  readonly outcome?: Text;
  readonly also?: Partial<Pick<Change, 'receipt' | 'followed' | 'superseded_by'>>;
};

/** Something that a person did beside changes. */
export type Deed = Pick<Saying, 'by' | 'at' | 'details'> & { readonly event: string };

/** A target that the change needs is held by somebody or something else; the transaction must not be committed. */
export class LockHeld extends Error {
  readonly lock: Lock;

  constructor(lock: Lock) {
    super(`${lock.target} is locked`);
    this.lock = lock;
  }
}

/** The only hand that moves a change. Each move writes the row, its audit line, its locks and what is said of it, in one transaction. */
export type Ledger = {
  /** Saves a new change that needs no approval; throws `LockHeld`. */
  readonly begin: (tx: Tx, row: NewChange, saying: Saying) => Promise<Change>;
  /** Moves a change; undefined where the move cannot be made (any more): somebody else was first. */
  readonly advance: (tx: Tx, change: Change, happening: Happening, saying: Saying) => Promise<Change | undefined>;
  /** Says something of a change without moving it: evidence, a late answer. */
  readonly remark: (tx: Tx, change: Change, event: string, saying: Saying) => Promise<void>;
  /** Writes down what somebody did that is no change: a lock, a pause. `details` is plain JSON, without secrets. */
  readonly note: (tx: Tx, deed: Deed) => Promise<void>;
};

/**
 * @param auditKey key of the audit chain; undefined: the chain is a plain hash.
 * @param onEvent told of every line, before it is committed: for counting, not for believing.
 */
export function createLedger(auditKey: Buffer | undefined, onEvent: (event: string) => void): Ledger {
  const record = async (tx: Tx, change: Change, event: string, saying: Saying): Promise<void> => {
    onEvent(event);
    const details = JSON.stringify({ target: change.target_name, version: change.version, ...saying.details });
    const line = await appendAudit(
      tx,
      { at: saying.at, change: change.number, event, actor: saying.by, details },
      auditKey,
    );
    if (saying.reply === undefined) return;
    const message = { change: change.number, at: saying.at };
    const key = `${change.number}:${line.seq}`;
    await owe(tx, { ...message, key, kind: 'reply', body: JSON.stringify(saying.reply) });
    if (!saying.ops) return;
    // Away from its thread, a sentence has to name its change.
    const text = say`**#${change.number} · ${cardOf(change).title}**\n${saying.reply.text}`;
    await owe(tx, { ...message, key: `${key}:ops`, kind: 'ops', body: JSON.stringify({ text }) });
  };
  const redraw = (tx: Tx, change: Change, at: number): Promise<unknown> =>
    owe(tx, { key: `${change.number}:card`, change: change.number, kind: 'card', at });

  return {
    begin: async (tx, row, saying) => {
      const change = await insertChange(tx, row);
      if (change.risk !== 'routine') await lock(tx, change, saying.at);
      await redraw(tx, change, saying.at);
      await record(tx, change, 'asked', saying);
      return change;
    },
    advance: async (tx, change, happening, saying) => {
      const next = move(change, happening, saying.at);
      if (next === undefined) return undefined;
      if (next.locks === 'take') await lock(tx, change, saying.at);
      const outcome = saying.outcome && JSON.stringify(saying.outcome);
      const moved = await updateChange(tx, change, { ...next.patch, ...saying.also, ...(outcome && { outcome }) });
      if (moved === undefined) return undefined;
      if (next.locks === 'free') await freeLocks(tx, change.number);
      if (typeof next.locks === 'object') await limitLocks(tx, change.number, saying.at + next.locks.keepMs);
      await redraw(tx, moved, saying.at);
      await record(tx, moved, happening.kind, saying);
      return moved;
    },
    remark: record,
    note: async (tx, { event, by: actor, at, details }) => {
      onEvent(event);
      await appendAudit(tx, { at, change: null, event, actor, details: JSON.stringify(details ?? {}) }, auditKey);
    },
  };
}

async function lock(tx: Tx, change: Change, now: number): Promise<void> {
  const targets = [change.target, ...thawed<string[]>(change.reads)];
  const held = await takeLocks(tx, targets, { change: change.number, reason: `#${change.number}` }, now);
  if (held) throw new LockHeld(held);
}
