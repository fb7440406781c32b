import { sql, type Selectable, type UpdateObject } from 'kysely';
import { claim, sameId, personKey, requesterGroups, unowned, type Claim, type IdsOf, type Turns } from './lease.ts';
import type { MessageTable, Schema, ReadHandle, Tx } from './schema.ts';

/** One row of `messages`: a message that is owed (`due_at` is set) or was posted. */
export type Message = Selectable<MessageTable>;

/** A message to queue; `at` in epoch ms. A card needs no body, a reply no recipient. */
export type NewMessage = Subject &
  Pick<Message, 'key'> &
  Partial<Pick<Message, 'recipient' | 'body'>> & {
    readonly at: number;
    /** It has buttons to decide on its change. A card has such buttons while its change waits. */
    readonly decides?: boolean;
    /** What it says depends on how its change is, so it is drawn again with it. Cards always are. */
    readonly follows?: boolean;
    /** False: it only replaces what was said before under its key, and is not worth a message of its own. */
    readonly isNews?: boolean;
  };

/**
 * What a message is about decides who is told. Every message to a person or a channel names its change or its targets,
 * or says `ownWords`. The ops channel hears of everything.
 */
type Subject =
  | { readonly kind: Message['kind']; readonly change: number; readonly about?: undefined }
  | { readonly kind: 'direct' | 'notice'; readonly change?: null; readonly about: string | typeof ownWords }
  | { readonly kind: 'ops'; readonly change?: null; readonly about?: undefined };

/** The message is about what its recipient asked for: whoever asked may always hear how it ended. */
export const ownWords = null;

/** Where Slack put a message. */
export type MessagePlace = { readonly channel: string; readonly ts: string };

/** Whether its reader has not been told what it was queued for; else it is only drawn again. */
export const isNews = ({ delivered_version: told, news_version: news }: Message): boolean => told < news;

/** The longest body, in characters of JSON. */
export const maxMessageBody = 200_000;
/** How many rows one call deletes. */
const batchSize = 500;

/**
 * Queues a message, due at `at` (epoch ms). If the key exists, that message gets this body and a new version, so it is
 * edited or posted in its newest form. Undefined: it is for the card or the thread of a change that has neither, because
 * its batch's card shows it. Rejects with a RangeError beyond `maxMessageBody`.
 */
export async function enqueueMessage(tx: Tx, message: NewMessage): Promise<Message | undefined> {
  const { key, kind, at, change = null, about = null, recipient = null, body = null } = message;
  if ((body?.length ?? 0) > maxMessageBody) throw new RangeError('the message is too long to be kept');
  if (await isInBatchThread(tx, kind, change)) return undefined;
  const [requester, waits] = [
    sql<string>`(select requester from changes where number = ${change})`,
    sql<number>`(select case when state = 'waiting' then 1 else 0 end from changes where number = ${change})`,
  ];
  const decides = body === null ? sql<number>`coalesce(${waits}, 0)` : Number(message.decides === true);
  const follows = Number(message.follows ?? body === null);
  const news = { recipient, about, body, decides, follows, ...owedAt(at) };
  const news_version = message.isNews === false ? 0 : sql<number>`messages.version + 1`;
  return tx
    .insertInto('messages')
    .values({
      key,
      kind,
      change,
      ...news,
      version: 1,
      delivered_version: 0,
      created_at: at,
      requester: change === null ? (recipient ?? '') : requester,
    })
    .onConflict((on) => on.column('key').doUpdateSet({ ...news, news_version, version: sql`messages.version + 1` }))
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Whether this would be the card of a change of a batch, or a reply under it: it has neither. */
async function isInBatchThread(tx: Tx, kind: Message['kind'], change: number | null): Promise<boolean> {
  if (change === null || (kind !== 'card' && kind !== 'reply')) return false;
  const found = tx.selectFrom('changes').select('number').where('number', '=', change).where('batch', 'is not', null);
  return (await found.executeTakeFirst()) !== undefined;
}

/**
 * Slack's rate limits are tight, so the order matters. Messages to decide on go first. Among one person's messages:
 * posts before edits; cards before replies, because a card shows the state of its change by itself; posts by age,
 * whatever their retries; edits of the newest change first, because people look at it most.
 */
const order: Omit<Turns<Message>, 'whose'> = {
  columns: ['requester', 'decides', 'kind', 'ts', 'change'],
  isFirst: ({ decides, ts }) => decides === 1 && ts === null,
  own: (one, other) =>
    Number(one.ts !== null) - Number(other.ts !== null) ||
    Number(one.kind !== 'card') - Number(other.kind !== 'card') ||
    (one.ts === null ? one.id - other.id : (other.change ?? 0) - (one.change ?? 0)),
};

/** When each requester last had a message posted or edited (epoch ms), by the id they asked with. */
type LastServed = ReadonlyMap<string, number>;

/**
 * Claims up to `limit` messages to post or edit, in turns; see `claim`. Threads keep their order: a reply is claimed once
 * the card and all earlier replies of its change were posted, given up or reported as untold. Edits do not wait.
 */
export function claimMessages(
  tx: Tx,
  wanted: Claim,
  servedIds: LastServed = new Map(),
  idsOf: IdsOf = sameId,
): Promise<Message[]> {
  const whose = ({ requester }: Pick<Message, 'requester'>): string => personKey(idsOf, requester);
  const served = new Map<string, number>();
  for (const [requester, at] of servedIds)
    served.set(whose({ requester }), Math.max(at, served.get(whose({ requester })) ?? at));
  const itsTurn = sql`(
    kind <> 'reply' or ts is not null or (
      exists (
        select 1 from messages card
        where card.change = messages.change and card.kind = 'card'
          and (card.ts is not null or card.due_at is null or card.untold_at is not null)
      ) and not exists (
        select 1 from messages earlier
        where earlier.change = messages.change and earlier.kind = 'reply' and earlier.id < messages.id
          and earlier.ts is null and earlier.due_at is not null and earlier.untold_at is null
      )
    )
  )`;
  // The longest overdue messages may all be one busy person's, so recent requesters are groups of their own.
  const lately = [...served.keys()].flatMap(idsOf);
  const groups = [
    sql`decides = 1 and ts is null`,
    ...requesterGroups(lately).map((theirs) => sql`(decides = 0 or ts is not null) and ${theirs}`),
  ];
  return claim<Message>(tx, 'messages', wanted, { ...order, whose, served }, { condition: itsTurn, groups });
}

/** A message as it was claimed. Updates apply only while the claimer still owns it. */
type Claimed = Pick<Message, 'id' | 'version' | 'owner'>;

/**
 * Records that the claimed version was posted at `place`, and reads as `shown` says; if a newer version is owed, the
 * message stays due. False, with nothing written, if another owner has claimed it since.
 */
export async function markDelivered(
  tx: Tx,
  claimed: Claimed,
  { channel, ts }: MessagePlace,
  shown: string | null = null,
): Promise<boolean> {
  const { version } = claimed;
  const released = await release(tx, claimed, {
    channel,
    ts,
    shown,
    delivered_version: sql`case when delivered_version < ${version} then ${version} else delivered_version end`,
    due_at: sql`case when version > ${version} then due_at end`,
    attempts: 0,
    untold_at: null,
  });
  return released !== undefined;
}

/** The newest row of a message that another owner has claimed since. */
export const findClaimed = (tx: Tx, { id }: Claimed): Promise<Message | undefined> =>
  tx.selectFrom('messages').selectAll().where('id', '=', id).executeTakeFirst();

/** Column values of a message that is owed from `at` (epoch ms) on. */
const owedAt = (at: number) => ({ due_at: at, owed_at: at, attempts: 0, untold_at: null });

/** Column values that make a message due again, from `at` (epoch ms) on. */
export const redrawnAt = (at: number) => ({ version: sql<number>`version + 1`, ...owedAt(at) });

export const isPostedOrOwed = sql<boolean>`(ts is not null or due_at is not null)`;

/** Makes a posted message due again at `at` (epoch ms), whatever is recorded of how it reads. */
export async function redrawMessage(tx: Tx, { id }: Claimed, at: number): Promise<void> {
  const again = { ...redrawnAt(at), shown: null };
  await tx.updateTable('messages').set(again).where('id', '=', id).execute();
}

/**
 * Updates and releases a claimed message; resolves with its version by now, or undefined, with nothing written, if
 * another owner has claimed it since.
 */
async function release(
  tx: Tx,
  { id, owner }: Claimed,
  patch: UpdateObject<Schema, 'messages'>,
): Promise<number | undefined> {
  const updated = await tx
    .updateTable('messages')
    .set({ ...patch, ...unowned })
    .where('id', '=', id)
    .where('owner', 'is not distinct from', owner)
    .returning('version')
    .executeTakeFirst();
  return updated?.version;
}

/**
 * Puts the claimed version of a message back until `due` and counts an attempt; null: it is given up. Later replies of
 * its change wait for it, unless it is given up or `untold`: since then its loss is reported. Both in epoch ms. False if
 * a newer version is owed, which stays due, or if another owner has claimed it since, with nothing written.
 */
export const retryLater = async (
  tx: Tx,
  claimed: Claimed,
  { due, untold }: { readonly due: number | null; readonly untold: number | null },
): Promise<boolean> => {
  const isNewest = sql`version = ${claimed.version}`;
  const version = await release(tx, claimed, {
    due_at: sql`case when ${isNewest} then cast(${due} as bigint) else due_at end`,
    attempts: sql`case when ${isNewest} then attempts + 1 else attempts end`,
    untold_at: sql`case when ${isNewest} then cast(${untold} as bigint) end`,
    // Slack may have made the edit all the same.
    shown: null,
  });
  return version === claimed.version;
};

/** Puts claimed messages back until `dueAt` (epoch ms) without counting an attempt: their channel is busy. */
export async function releaseUntil(tx: Tx, messages: readonly Claimed[], dueAt: number): Promise<void> {
  const ids = messages.map(({ id }) => id);
  const owners = messages.flatMap(({ owner }) => owner ?? []);
  await tx
    .updateTable('messages')
    .set({ due_at: dueAt, ...unowned })
    .where('id', 'in', ids)
    .where('owner', 'in', owners)
    .execute();
}

/** As `retryLater`, while Slack refuses everything from us: counts no attempt and restarts the age at `now`. */
export async function deferWhileBlocked(tx: Tx, claimed: Claimed, now: number, dueAt: number): Promise<void> {
  await release(tx, claimed, { due_at: dueAt, owed_at: now });
}

/** Makes all owed ops messages without a lease due at `dueAt` (epoch ms). */
export async function rescheduleOps(tx: Tx, dueAt: number): Promise<void> {
  await tx
    .updateTable('messages')
    .set({ due_at: dueAt })
    .where('kind', '=', 'ops')
    .where('due_at', 'is not', null)
    .where('owner', 'is', null)
    .execute();
}

/** Gives up all but the newest `most` owed ops messages; resolves with how many it gave up. */
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

/** Gives up the claimed version of a message: it need not be told. Replies of its change no longer wait for it. */
export const giveUpMessage = (tx: Tx, claimed: Claimed): Promise<boolean> =>
  retryLater(tx, claimed, { due: null, untold: null });

export function findCard(db: ReadHandle, change: number): Promise<Message | undefined> {
  const cards = db.selectFrom('messages').selectAll().where('change', '=', change).where('kind', '=', 'card');
  return cards.orderBy('id').limit(1).executeTakeFirst();
}

export const findMessage = (db: ReadHandle, key: string): Promise<Message | undefined> =>
  db.selectFrom('messages').selectAll().where('key', '=', key).executeTakeFirst();

/** Deletes up to 500 messages, except cards, that are not owed and were created before `before` (epoch ms). */
export async function forgetMessages(tx: Tx, before: number): Promise<number> {
  const old = tx
    .selectFrom('messages')
    .select('id')
    .where('due_at', 'is', null)
    .where('kind', '<>', 'card')
    .where('created_at', '<', before)
    .limit(batchSize);
  const gone = await tx.deleteFrom('messages').where('id', 'in', old).returning('id').execute();
  return gone.length;
}
