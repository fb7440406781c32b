import { sql, type Insertable, type Selectable, type Updateable } from 'kysely';
import { forUpdate } from './sql-dialect.ts';
import { claim, onlyThat, personBy, type Claim, inShares, type Shares } from './lease.ts';
import type { ChangeTable, State } from './schema.ts';
import type { Reader, Tx } from './tx.ts';

/** One row of `changes`, as it was read. */
export type Change = Selectable<ChangeTable>;

/** What a change is born with; its number, version and counters are given by the database. */
export type NewChange = Omit<Insertable<ChangeTable>, Counters>;
type Counters = 'number' | 'version' | 'tries' | 'throttled';

/** What a move may write: everything but what was frozen when the change was made. */
export type ChangePatch = Pick<
  Updateable<ChangeTable>,
  | Touch
  | 'state'
  | 'approved_at'
  | 'expires_at'
  | 'settled_at'
  | 'sent_at'
  | 'receipt'
  | 'operation'
  | 'lost_at'
  | 'superseded_by'
  | 'undo'
>;
type Touch = 'due_at' | 'owner' | 'lease_until' | 'tries' | 'throttled' | 'followed' | 'reminders' | 'outcome';

/** Saves a new change, with version 1; resolves with the whole row. */
export function insertChange(tx: Tx, row: NewChange): Promise<Change> {
  const counters = { version: 1, tries: 0, throttled: 0 };
  return tx
    .insertInto('changes')
    .values({ ...row, ...counters })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** The change of that number, or undefined. */
export function findChange(db: Reader, number: number): Promise<Change | undefined> {
  return db.selectFrom('changes').selectAll().where('number', '=', number).executeTakeFirst();
}

/** As `findChange`, and nobody else moves it before this transaction ends; waits for whoever is just doing so. */
export function holdChange(tx: Tx, number: number): Promise<Change | undefined> {
  return tx.selectFrom('changes').selectAll().where('number', '=', number).modifyEnd(forUpdate(tx)).executeTakeFirst();
}

/** The change that was saved with this asker, fingerprint and moment, or undefined: where the answer to a commit was lost. */
export function findSaved(
  db: Reader,
  { asker, fingerprint, created_at }: Pick<NewChange, 'asker' | 'fingerprint' | 'created_at'>,
): Promise<Change | undefined> {
  const saved = db.selectFrom('changes').selectAll().where('asker', '=', asker).where('fingerprint', '=', fingerprint);
  return saved.where('created_at', '=', created_at).orderBy('number', 'desc').limit(1).executeTakeFirst();
}

/** Moves the change and counts its version up; undefined, with nothing written, if somebody moved it since it was read. */
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
 * Writes what a worker notes between two moves; the version stays. Undefined, with nothing written, if somebody moved
 * or claimed the change since it was read.
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
    .where((is) => (owner === null ? is('owner', 'is', null) : is('owner', '=', owner)))
    .returningAll()
    .executeTakeFirst();
}

/** Gives the caller up to `limit` changes that are due, people by turns and none more than their share; see `claim`. */
export function claimDue(tx: Tx, wanted: Claim, shares: Shares = {}): Promise<Change[]> {
  const whose = ({ asker }: Pick<Change, 'asker'>): string => personBy(shares.idsOf ?? onlyThat, asker);
  const own = (one: Change, other: Change): number => (one.due_at ?? 0) - (other.due_at ?? 0);
  const { conditions, ...turns } = inShares('asker', shares);
  return claim<Change>(tx, 'changes', wanted, { columns: ['asker', 'due_at'], whose, own, ...turns }, conditions);
}

/** Lets an approved change be sent from `dueAt` on (epoch ms); one that was tried already goes its own way. */
export async function coolDown(tx: Tx, number: number, dueAt: number): Promise<void> {
  await tx
    .updateTable('changes')
    .set({ due_at: dueAt })
    .where('number', '=', number)
    .where('state', '=', 'approved')
    .where('tries', '=', 0)
    .where('throttled', '=', 0)
    .execute();
}

/**
 * Whether another change by the same kind of command (`allowlist …`) was made, or may have been made, to the same target
 * since this one was settled.
 */
export async function isTouchedSince(db: Reader, { number, target, command, settled_at }: Change): Promise<boolean> {
  const [family = ''] = command.split(' ');
  const since = settled_at ?? 0;
  const later = await db
    .selectFrom('changes')
    .select('number')
    .where('target', '=', target)
    .where('number', '<>', number)
    .where('command', 'like', `${family} %`)
    .where('state', 'in', ['sending', 'accepted', 'done', 'unknown', 'happened'])
    .where(sql`coalesce(sent_at, settled_at)`, '>=', since)
    .limit(1)
    .executeTakeFirst();
  return later !== undefined;
}

/** A change that waits for approval of the same call, or undefined. */
export function findWaiting(
  db: Reader,
  { target, call }: Pick<NewChange, 'target' | 'call'>,
): Promise<Change | undefined> {
  const waiting = db.selectFrom('changes').selectAll().where('target', '=', target).where('state', '=', 'waiting');
  return waiting.where('call', '=', call).orderBy('number').limit(1).executeTakeFirst();
}

/** Those of these changes that will come to an end by themselves. */
export async function underWay(db: Reader, numbers: readonly number[]): Promise<ReadonlySet<number>> {
  if (numbers.length === 0) return new Set();
  const open = db.selectFrom('changes').select('number').where('number', 'in', numbers).where('settled_at', 'is', null);
  return new Set((await open.where('state', '<>', 'unknown').execute()).map(({ number }) => number));
}

/** How many changes of this person, by all of their ids, are in one of these states, which end with it. */
export async function countOpen(
  db: Reader,
  askers: readonly string[],
  states: readonly ('waiting' | 'approved' | 'sending')[],
): Promise<number> {
  const { count } = await db
    .selectFrom('changes')
    .select((of) => of.fn.countAll<number>().as('count'))
    .where('asker', 'in', askers)
    .where('state', 'in', states)
    .executeTakeFirstOrThrow();
  return count;
}

/** What to list; what is left out does not matter. Newest first, `limit` at most, below `beforeNumber` for a next page. */
export type ChangeFilter = {
  readonly target?: string;
  readonly askers?: readonly string[];
  readonly state?: State;
  readonly beforeNumber?: number;
  readonly limit: number;
};

/** The changes that fit, newest first. */
export function listChanges(db: Reader, filter: ChangeFilter): Promise<Change[]> {
  const { target, askers, state, beforeNumber } = filter;
  let found = db.selectFrom('changes').selectAll();
  if (target !== undefined) found = found.where('target', '=', target);
  if (askers !== undefined) found = found.where('asker', 'in', askers);
  if (state !== undefined) found = found.where('state', '=', state);
  if (beforeNumber !== undefined) found = found.where('number', '<', beforeNumber);
  return found.orderBy('number', 'desc').limit(filter.limit).execute();
}

/** The change whose card, or a copy of it, stands at this place: a thread's channel and its first message's `ts`. */
export function findByCard(db: Reader, channel: string, ts: string): Promise<Change | undefined> {
  return db
    .selectFrom('changes')
    .innerJoin('messages as card', 'card.change', 'changes.number')
    .selectAll('changes')
    .where('card.channel', '=', channel)
    .where('card.ts', '=', ts)
    .where('card.kind', 'in', ['card', 'copy'])
    .executeTakeFirst();
}

/** What these changes are about, in no order. */
export async function aboutChanges(
  db: Reader,
  numbers: readonly number[],
): Promise<Pick<Change, 'number' | 'target' | 'targets'>[]> {
  if (numbers.length === 0) return [];
  const columns = ['number', 'target', 'targets'] as const;
  return db.selectFrom('changes').select(columns).where('number', 'in', numbers).execute();
}
