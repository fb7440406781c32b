import { sql, type Selectable } from 'kysely';
import { claim, onlyThat, personBy, unowned, type Claim, type IdsOf, type Turns } from './lease.ts';
import type { MessageTable } from './schema.ts';
import type { Reader, Tx } from './tx.ts';

/** One row of `messages`: a message that we owe (`due_at` is set) or have posted. */
export type Message = Selectable<MessageTable>;

/**
 * What is to be said, and under which key; `at` in epoch ms. A card needs no body, a reply no recipient. `decides`: it has
 * buttons that decide what becomes of the change; a card has them while its change waits.
 */
export type NewMessage = Pick<Message, 'key' | 'kind'> &
  Partial<Pick<Message, 'change' | 'recipient' | 'body'>> & { readonly at: number; readonly decides?: boolean };

/** Where Slack put a message. */
export type Place = { readonly channel: string; readonly ts: string };

/** What a body may weigh, in characters of JSON. */
export const BODY_LIMIT = 200_000;
/** How many rows one call removes. */
const BATCH = 500;

/**
 * Owes a message, due at once. If the key is known already the message gets this body and a new version: it will be
 * edited where it stands, or posted in its newest form. Rejects with a RangeError beyond `BODY_LIMIT`.
 */
export async function enqueueMessage(
  tx: Tx,
  { key, kind, at, change = null, recipient = null, body = null, decides: mayDecide = false }: NewMessage,
): Promise<Message> {
  if ((body?.length ?? 0) > BODY_LIMIT) throw new RangeError('the message is too long to be kept');
  const [asker, waits] = [
    sql<string>`(select asker from changes where number = ${change})`,
    sql<number>`(select case when state = 'waiting' then 1 else 0 end from changes where number = ${change})`,
  ];
  const decides = body === null ? sql<number>`coalesce(${waits}, 0)` : Number(mayDecide);
  const news = { recipient, body, decides, due_at: at, owed_at: at, tries: 0 };
  return tx
    .insertInto('messages')
    .values({
      key,
      kind,
      change,
      ...news,
      version: 1,
      drawn_version: 0,
      created_at: at,
      requester: change === null ? (recipient ?? '') : asker,
    })
    .onConflict((on) => on.column('key').doUpdateSet({ ...news, version: sql`messages.version + 1` }))
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * A channel takes one message at a time, and edits are few a minute. What somebody is to decide goes first. Of one's own a
 * card goes before what is said below another one, because it shows how its change stands by itself; then the longest owed
 * has its turn, however often it was put back. Of edits the newest is looked at most.
 */
const order: Omit<Turns<Message>, 'whose'> = {
  columns: ['requester', 'decides', 'kind', 'ts', 'change'],
  isFirst: ({ decides, ts }) => decides === 1 && ts === null,
  own: (one, other) =>
    Number(one.ts !== null) - Number(other.ts !== null) ||
    Number(one.kind !== 'card') - Number(other.kind !== 'card') ||
    (one.ts === null ? one.id - other.id : (other.change ?? 0) - (one.change ?? 0)),
};

/** Whose message was posted lately, and when; by the id they asked with. */
export type LastServed = ReadonlyMap<string, number>;

/**
 * Gives the caller up to `limit` messages to post or edit, by turns; see `claim`. The thread keeps its order: a reply is posted
 * once its change's card stands or was given up, and once every earlier reply of the change stands or was given up. Edits wait for nobody.
 */
export function claimMessages(
  tx: Tx,
  wanted: Claim,
  servedIds: LastServed = new Map(),
  idsOf: IdsOf = onlyThat,
): Promise<Message[]> {
  const whose = ({ requester }: Pick<Message, 'requester'>): string => personBy(idsOf, requester);
  const served = new Map<string, number>();
  for (const [requester, at] of servedIds)
    served.set(whose({ requester }), Math.max(at, served.get(whose({ requester })) ?? at));
  const itsTurn = sql`(
    kind <> 'reply' or ts is not null or (
      exists (
        select 1 from messages card
        where card.change = messages.change and card.kind = 'card'
          and (card.ts is not null or card.due_at is null)
      ) and not exists (
        select 1 from messages earlier
        where earlier.change = messages.change and earlier.kind = 'reply' and earlier.id < messages.id
          and earlier.ts is null and earlier.due_at is not null
      )
    )
  )`;
  // What is overdue longest is a single person's where they ask for much: whoever had a turn lately is looked at apart.
  const lately = [...served.keys()].flatMap(idsOf);
  const isOthers = lately.length === 0 ? sql`true` : sql`requester not in (${sql.join(lately)})`;
  const conditions = [
    sql`decides = 1`,
    ...[isOthers, ...lately.map((one) => sql`requester = ${one}`)].map((of) => sql`decides = 0 and ${of}`),
  ];
  return claim<Message>(
    tx,
    'messages',
    wanted,
    { ...order, whose, served },
    conditions.map((one) => sql`${one} and ${itsTurn}`),
  );
}

/** A claimed message, as it was when it was claimed: what is noted of it counts only while it is still its claimer's. */
type Claimed = Pick<Message, 'id' | 'version' | 'owner'>;

/**
 * Notes that the claimed version of a message stands at `place`; if a newer one is owed by now, the message stays due.
 * False, with nothing written, where somebody else has claimed it since.
 */
export async function drawn(tx: Tx, { id, version, owner }: Claimed, { channel, ts }: Place): Promise<boolean> {
  const noted = await tx
    .updateTable('messages')
    .set({
      channel,
      ts,
      drawn_version: sql`case when drawn_version < ${version} then ${version} else drawn_version end`,
      due_at: sql`case when version > ${version} then due_at end`,
      tries: 0,
      ...unowned,
    })
    .where('id', '=', id)
    .where('owner', owner === null ? 'is' : '=', owner)
    .executeTakeFirst();
  return noted.numUpdatedRows > 0n;
}

/** Puts a claimed message back until `dueAt` (epoch ms) and counts the try; later replies of its change wait with it. */
export async function postpone(tx: Tx, { id, owner }: Claimed, dueAt: number): Promise<void> {
  await tx
    .updateTable('messages')
    .set({ due_at: dueAt, tries: sql`tries + 1`, ...unowned })
    .where('id', '=', id)
    .where('owner', owner === null ? 'is' : '=', owner)
    .execute();
}

/** Puts claimed messages back until `dueAt` (epoch ms), untried: another one of the same place went before them. */
export async function putOff(tx: Tx, messages: readonly Claimed[], dueAt: number): Promise<void> {
  const ids = messages.map(({ id }) => id);
  const owners = messages.flatMap(({ owner }) => owner ?? []);
  await tx
    .updateTable('messages')
    .set({ due_at: dueAt, ...unowned })
    .where('id', 'in', ids)
    .where('owner', 'in', owners)
    .execute();
}

/** As `postpone`, while Slack takes nothing from us at all: the try does not count, and the message grows no older. */
export async function suspend(tx: Tx, { id, owner }: Claimed, now: number, dueAt: number): Promise<void> {
  await tx
    .updateTable('messages')
    .set({ due_at: dueAt, owed_at: now, ...unowned })
    .where('id', '=', id)
    .where('owner', owner === null ? 'is' : '=', owner)
    .execute();
}

/** All that is owed to the ops channel, and that nobody works on, is due at `dueAt`. */
export async function rescheduleOps(tx: Tx, dueAt: number): Promise<void> {
  await tx
    .updateTable('messages')
    .set({ due_at: dueAt })
    .where('kind', '=', 'ops')
    .where('due_at', 'is not', null)
    .where('owner', 'is', null)
    .execute();
}

/** Owes the ops channel no more than its newest `most` messages; resolves with how many were given up. */
export async function dropOldOps(tx: Tx, most: number): Promise<number> {
  const owed = tx.selectFrom('messages').select('id').where('kind', '=', 'ops').where('due_at', 'is not', null);
  const oldestKept = await owed
    .orderBy('id', 'desc')
    .offset(most - 1)
    .limit(1)
    .executeTakeFirst();
  if (oldestKept === undefined) return 0;
  const dropped = await tx
    .updateTable('messages')
    .set({ due_at: null, ...unowned })
    .where('kind', '=', 'ops')
    .where('due_at', 'is not', null)
    .where('id', '<', oldestKept.id)
    .executeTakeFirst();
  return Number(dropped.numUpdatedRows);
}

/**
 * Owes `version` of a message no longer; replies of its change go on without it. A version owed meanwhile stays due.
 * False, with nothing written, where somebody else has claimed it since.
 */
export async function giveUp(tx: Tx, { id, version, owner }: Claimed): Promise<boolean> {
  const given = await tx
    .updateTable('messages')
    .set({ due_at: sql`case when version > ${version} then due_at end`, ...unowned })
    .where('id', '=', id)
    .where('owner', owner === null ? 'is' : '=', owner)
    .executeTakeFirst();
  return given.numUpdatedRows > 0n;
}

/** Owes the card of a change in its newest form; `all`: every copy of it too. Edits are few a minute. */
export async function redrawCards(tx: Tx, change: number, at: number, all: boolean): Promise<void> {
  await tx
    .updateTable('messages')
    .set({ version: sql`version + 1`, due_at: at, owed_at: at, tries: 0 })
    .where('change', '=', change)
    .where('kind', 'in', all ? ['card', 'copy'] : ['card'])
    .execute();
}

/** The card of a change, or undefined. */
export function cardOf(db: Reader, change: number): Promise<Message | undefined> {
  return db
    .selectFrom('messages')
    .selectAll()
    .where('change', '=', change)
    .where('kind', '=', 'card')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
}

/** The message of that key, or undefined. */
export function findMessage(db: Reader, key: string): Promise<Message | undefined> {
  return db.selectFrom('messages').selectAll().where('key', '=', key).executeTakeFirst();
}

/** What was said of a change, or is still owed, with buttons to decide it; its cards and their copies apart. */
export function messagesToDecide(tx: Tx, change: number): Promise<(Message & { readonly body: string })[]> {
  return tx
    .selectFrom('messages')
    .selectAll()
    .where('change', '=', change)
    .where('kind', 'in', ['reply', 'ops', 'direct'])
    .where('decides', '=', 1)
    .where((is) => is.or([is('ts', 'is not', null), is('due_at', 'is not', null)]))
    .orderBy('id')
    .$narrowType<{ body: string }>()
    .execute();
}

/** Removes up to 500 messages that are no longer owed and were made before `before` (epoch ms); cards stay. */
export async function forgetMessages(tx: Tx, before: number): Promise<number> {
  const old = tx
    .selectFrom('messages')
    .select('id')
    .where('due_at', 'is', null)
    .where('kind', '<>', 'card')
    .where('created_at', '<', before)
    .limit(BATCH);
  const gone = await tx.deleteFrom('messages').where('id', 'in', old).returning('id').execute();
  return gone.length;
}
