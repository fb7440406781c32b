import { sql, type Insertable, type Selectable, type Updateable } from 'kysely';
import { forUpdate } from './sql-dialect.ts';
import { askedByColumn, claim, type Claim, inShares, type Shares } from './lease.ts';
import type { State } from '../words/states.ts';
import type { ChangeTable, ReadHandle, Tx } from './schema.ts';

export type Change = Selectable<ChangeTable>;

/** The initial values of a change, without its number, version and counters. */
export type NewChange = Omit<Insertable<ChangeTable>, Counters>;
type Counters = 'number' | 'version' | 'attempts' | 'throttle_count';

/** The columns that a move may write: all but those pinned when the change was made. */
type ChangePatch = Pick<
  Updateable<ChangeTable>,
  Touch | 'state' | 'expires_at' | 'settled_at' | 'sent_at' | 'receipt' | 'operation' | 'lost_at'
>;
type Touch =
  | 'authorization'
  | 'due_at'
  | 'owner'
  | 'lease_until'
  | 'attempts'
  | 'throttle_count'
  | 'poll_state'
  | 'reminders'
  | 'last_note'
  | 'progress'
  | 'post_review'
  | 'undo';

/** Saves a new change with version 1; resolves with the row. */
export function insertChange(tx: Tx, row: NewChange): Promise<Change> {
  return tx
    .insertInto('changes')
    .values({ ...row, version: 1, attempts: 0, throttle_count: 0 })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export function findChange(db: ReadHandle, number: number): Promise<Change | undefined> {
  return db.selectFrom('changes').selectAll().where('number', '=', number).executeTakeFirst();
}

/** As `findChange`, but locks the row until this transaction ends; waits if another transaction has it locked. */
export function findChangeForUpdate(tx: Tx, number: number): Promise<Change | undefined> {
  return tx.selectFrom('changes').selectAll().where('number', '=', number).modifyEnd(forUpdate(tx)).executeTakeFirst();
}

/** Whether this is a batch: several changes under one approval, each with a row of its own. */
export const isBatch = ({ progress }: Pick<Change, 'progress'>): boolean => progress !== null;
/** Whether it is part of a batch, and so shares the batch's card, replies and approval. */
export const isPartOfBatch = ({ batch }: Pick<Change, 'batch'>): boolean => batch !== null;

/** The changes of a batch, oldest first. */
export const changesInBatch = (db: ReadHandle, batch: number): Promise<Change[]> =>
  db.selectFrom('changes').selectAll().where('batch', '=', batch).orderBy('number').execute();

/** Makes a batch due, because one of its changes has moved. False if the batch is over. */
export async function wakeBatch(tx: Tx, batch: number, now: number): Promise<boolean> {
  const open = tx.updateTable('changes').set({ due_at: now }).where('number', '=', batch);
  const woken = await open.where('state', 'in', ['running', 'stopped']).returning('number').execute();
  return woken.length > 0;
}

/** How many batches are running. */
export async function countRunning(db: ReadHandle): Promise<number> {
  const running = db.selectFrom('changes').select((of) => of.fn.countAll<number>().as('count'));
  return (await running.where('state', '=', 'running').executeTakeFirstOrThrow()).count;
}

/** Finds a change whose commit got no answer, by its requester, fingerprint and time; undefined: it was not saved. */
export function findSaved(
  db: ReadHandle,
  { requester, fingerprint, created_at }: Pick<NewChange, 'requester' | 'fingerprint' | 'created_at'>,
): Promise<Change | undefined> {
  const saved = db
    .selectFrom('changes')
    .selectAll()
    .where('requester', '=', requester)
    .where('fingerprint', '=', fingerprint);
  return saved.where('created_at', '=', created_at).orderBy('number', 'desc').limit(1).executeTakeFirst();
}

/** Moves the change and increments its version. Undefined, with nothing written, if it was moved since it was read. */
export function updateChange(tx: Tx, { number, version }: Change, patch: ChangePatch): Promise<Change | undefined> {
  return tx
    .updateTable('changes')
    .set({ ...patch, version: version + 1 })
    .where('number', '=', number)
    .where('version', '=', version)
    .returningAll()
    .executeTakeFirst();
}

/**
 * Writes a worker's notes between two moves; the version stays the same. Undefined, with nothing written, if the change
 * was moved or claimed since it was read.
 */
export function touchChange(
  tx: Tx,
  { number, version, owner }: Change,
  patch: Pick<ChangePatch, Touch>,
): Promise<Change | undefined> {
  return tx
    .updateTable('changes')
    .set(patch)
    .where('number', '=', number)
    .where('version', '=', version)
    .where('owner', 'is not distinct from', owner)
    .returningAll()
    .executeTakeFirst();
}

/**
 * Claims up to `limit` due changes, in turns among people and within each person's share; see `claim`. Skips changes
 * that this process is `sending`: the running step handles them.
 */
export function claimDue(
  tx: Tx,
  wanted: Claim,
  shares: Shares = {},
  sending: readonly number[] = [],
): Promise<Change[]> {
  const own = (one: Change, other: Change): number => (one.due_at ?? 0) - (other.due_at ?? 0);
  const { groups, ...turns } = inShares(shares, askedByColumn);
  const condition =
    sending.length === 0 ? sql`true` : sql`not (state = 'sending' and number in (${sql.join(sending)}))`;
  const order = { columns: ['requester', 'caller', 'due_at'], own, ...turns };
  return claim<Change>(tx, 'changes', wanted, order, { condition, groups });
}

/** Delays an approved change until `dueAt` (epoch ms), unless a send was already attempted. */
export async function coolDown(
  tx: Tx,
  { number, scheduled_at: at }: Pick<Change, 'number' | 'scheduled_at'>,
  dueAt: number,
): Promise<void> {
  await tx
    .updateTable('changes')
    .set({ due_at: Math.max(dueAt, at ?? dueAt) })
    .where('number', '=', number)
    .where('state', '=', 'approved')
    .where('attempts', '=', 0)
    .where('throttle_count', '=', 0)
    .execute();
}

/** The first that waits for approval of the same, and has no time; or undefined. */
export const findWaiting = (
  db: ReadHandle,
  change: Pick<NewChange, 'target' | 'call' | 'args'>,
): Promise<Change | undefined> =>
  likeIt(db, change)
    .where('state', '=', 'waiting')
    .where('scheduled_at', 'is', null)
    .orderBy('number')
    .limit(1)
    .executeTakeFirst();

/**
 * Another change like this, sent since then (epoch ms), that took effect or still may, if one of the two skipped its
 * approval: in an emergency the same may be asked for twice. What is sent at a time is meant for that time.
 */
export async function findSentAsWell(db: ReadHandle, change: Change, since: number): Promise<Change | undefined> {
  const { number, batch, post_review: review } = change;
  const sent = likeIt(db, change).where('number', '<>', number).where('sent_at', '>=', since);
  const effective = sent.where('state', 'not in', ['rejected', 'failed', 'did_not_happen']);
  const same = review === null ? effective.where('post_review', 'is not', null) : effective;
  const found = await same.limit(1).executeTakeFirst();
  const asked = (found && batch !== null ? await findChange(db, batch) : undefined) ?? change;
  return asked.scheduled_at === null ? found : undefined;
}

/** Those that ask for the same. */
const likeIt = (db: ReadHandle, { target, call, args }: Pick<NewChange, 'target' | 'call' | 'args'>) =>
  db.selectFrom('changes').selectAll().where('target', '=', target).where('call', '=', call).where('args', '=', args);

/** Those of these changes that are neither settled nor unknown: they will end without a person. */
export async function underWay(db: ReadHandle, numbers: readonly number[]): Promise<ReadonlySet<number>> {
  if (numbers.length === 0) return new Set();
  const open = db.selectFrom('changes').select('number').where('number', 'in', numbers).where('settled_at', 'is', null);
  return new Set((await open.where('state', '<>', 'unknown').execute()).map(({ number }) => number));
}

/** How many changes a person (`requesters`: all of their ids) has in these states. */
export async function countOpen(
  db: ReadHandle,
  of: { readonly requesters: readonly string[] } | { readonly caller: string },
  states: readonly ('waiting' | 'approved' | 'sending')[],
  only?: { readonly isScheduled: boolean },
): Promise<number> {
  const inThose = db
    .selectFrom('changes')
    .select((each) => each.fn.countAll<number>().as('count'))
    .where('state', 'in', states);
  const all = only ? inThose.where('scheduled_at', only.isScheduled ? 'is not' : 'is', null) : inThose;
  const own =
    'caller' in of
      ? all.where('caller', '=', of.caller)
      : all.where('requester', 'in', of.requesters).where('caller', 'is', null);
  return (await own.executeTakeFirstOrThrow()).count;
}

/** The change that this request of a caller made. */
export const findOfCaller = (db: ReadHandle, caller: string, request: string): Promise<Change | undefined> =>
  db
    .selectFrom('changes')
    .selectAll()
    .where('caller', '=', caller)
    .where('caller_request', '=', request)
    .executeTakeFirst();

/** When a caller asked for its `nth` newest change, epoch ms; what its batches and timers began does not count. */
export async function nthNewestRequest(db: ReadHandle, caller: string, nth: number): Promise<number | undefined> {
  const asked = db.selectFrom('changes').select('created_at').where('caller', '=', caller);
  const own = asked.where('caller_request', 'is not', null).orderBy('number', 'desc');
  return (
    await own
      .offset(nth - 1)
      .limit(1)
      .executeTakeFirst()
  )?.created_at;
}

/** Who asked for a change: a program, or a person without one. */
export type AskedBy = 'callers' | 'people';

/** Conditions for a list; those left out do not apply. `beforeNumber` gives the next page. */
type ChangeFilter = {
  readonly target?: string;
  readonly requesters?: readonly string[] | undefined;
  /** Only those that this program asked for. */
  readonly caller?: string;
  readonly by?: AskedBy | undefined;
  readonly state?: State;
  /** Only those that belong to no batch. */
  readonly isOwn?: boolean;
  /** Only those that are, or were, to be sent at a time. */
  readonly isScheduled?: boolean;
  /** Only those that were sent by break-glass, are over, and that nobody has reviewed. */
  readonly isUnreviewed?: boolean;
  /** Not settled (true), or settled (false). */
  readonly isOpen?: boolean;
  readonly beforeNumber?: number | undefined;
  readonly limit: number;
};

/** `post_review` of a change that nobody has reviewed. */
export const unreviewed = 'open';

/** The matching changes, newest first, `limit` at most. */
export function listChanges(db: ReadHandle, filter: ChangeFilter): Promise<Change[]> {
  const { target, requesters, caller, by, state, isOwn, isOpen, isScheduled, isUnreviewed, beforeNumber } = filter;
  let found = db.selectFrom('changes').selectAll();
  if (target !== undefined) found = found.where('target', '=', target);
  if (requesters !== undefined) found = found.where('requester', 'in', requesters);
  if (caller !== undefined) found = found.where('caller', '=', caller);
  if (by !== undefined) found = found.where('caller', by === 'callers' ? 'is not' : 'is', null);
  if (isOwn) found = found.where('batch', 'is', null);
  if (state !== undefined) found = found.where('state', '=', state);
  if (isScheduled) found = found.where('scheduled_at', 'is not', null);
  if (isUnreviewed) found = found.where('post_review', '=', unreviewed).where('settled_at', 'is not', null);
  if (isOpen !== undefined) found = found.where('settled_at', isOpen ? 'is' : 'is not', null);
  if (beforeNumber !== undefined) found = found.where('number', '<', beforeNumber);
  return found.orderBy('number', 'desc').limit(filter.limit).execute();
}

/** The change whose card, or a copy of it, is the message `ts` in `channel`. */
export function findByCard(db: ReadHandle, channel: string, ts: string): Promise<Change | undefined> {
  return db
    .selectFrom('changes')
    .innerJoin('messages as card', 'card.change', 'changes.number')
    .selectAll('changes')
    .where('card.channel', '=', channel)
    .where('card.ts', '=', ts)
    .where('card.kind', 'in', ['card', 'copy'])
    .executeTakeFirst();
}

/** The changes with these numbers, in no particular order. */
export async function changesNumbered(db: ReadHandle, numbers: readonly number[]): Promise<readonly Change[]> {
  if (numbers.length === 0) return [];
  return db.selectFrom('changes').selectAll().where('number', 'in', numbers).execute();
}

/** The targets of these changes, what they were asked for with, and their review, in no particular order. */
export async function changesInBrief(db: ReadHandle, numbers: readonly number[]) {
  if (numbers.length === 0) return [];
  const columns = ['number', 'target', 'targets', 'authorization', 'sent_at', 'lost_at', 'settled_at'] as const;
  return db.selectFrom('changes').select(columns).select('post_review').where('number', 'in', numbers).execute();
}
