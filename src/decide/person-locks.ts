import type { Authorization } from '../access/authorization.ts';
import { targetKey } from '../access/targets.ts';
import { scrub } from '../base/secret.ts';
import type { ChangeContext } from '../change/context.ts';
import { lockInWords, withHolder } from '../change/lock-in-the-way.ts';
import { counted } from '../commands/kit/page.ts';
import type { Environment } from '../hosting/contract/target.ts';
import { samePerson } from '../policy/memberships.ts';
import type { Tx } from '../storage/database.ts';
import { deletePersonLocks, locksOn, takeLocks, type Lock } from '../storage/locks.ts';
import { enqueueMessage } from '../storage/messages.ts';
import { wakeQueues } from '../storage/queue.ts';
import { exclusiveTransaction } from '../storage/transactions.ts';
import { joined, list, mention, say, time, type Text } from '../words/text.ts';
import { lockInfoOf, recordEach, type Actor, type LockInfo, type SaidIn } from './admin-actions.ts';

/** The locks that people take and free, on one environment or on many in one transaction. */

/** An environment on which somebody may do it, and by which rules. */
export type AllowedOn = { readonly env: Environment; readonly authorization: Authorization | undefined };

/** `taken`: what is locked now, by these terms. `left`: what somebody else or a change holds, and is as it was. */
export type LockResult = {
  readonly terms: LockInfo;
  readonly taken: readonly Environment[];
  readonly left: readonly { readonly env: Environment; readonly says: Text }[];
};

/** `left`: what a change holds or, without a lock, what is not locked. */
export type UnlockResult = {
  readonly freed: readonly { readonly env: Environment; readonly lock: LockInfo }[];
  readonly left: readonly { readonly env: Environment; readonly lock: LockInfo | undefined }[];
};

/** How many are named in an announcement; its sender reads all of them. */
const maxNamed = 20;
/** How many owners, and reasons, are told apart. */
const maxApart = 3;

/** What an announcement calls them, and the line that names them if they are several. */
function calledIn(all: readonly Environment[]) {
  const [only, ...others] = all;
  const names = list(
    all.map(({ name }) => name),
    maxNamed,
  );
  return only && others.length === 0
    ? { what: only.name, it: 'it', was: 'was', is: 'it is', names: [] }
    : { what: counted(all.length, 'environment'), it: 'them', was: 'were', is: 'they are', names: say`\n${names}` };
}

/** The locks in force on these environments, by the key of their target. */
const heldOn = async (tx: Tx, of: readonly AllowedOn[], at: number): Promise<ReadonlyMap<string, readonly Lock[]>> => {
  const keys = of.map(({ env }) => targetKey(env));
  return Map.groupBy(await locksOn(tx, keys, at), ({ target }) => target);
};

/**
 * Locks them for one person, who may do so on each, for `forMs` or until they are unlocked. Those that somebody else
 * holds are left.
 */
export async function lockAll(
  context: ChangeContext,
  actor: Actor & SaidIn,
  of: readonly AllowedOn[],
  { reason, forMs }: { readonly reason: string; readonly forMs: number | undefined },
): Promise<LockResult> {
  const saidIn = await actor.saidIn();
  return exclusiveTransaction(context.database, async (tx, at) => {
    const person = actor.person.id;
    const why = scrub(reason);
    const until = forMs === undefined ? undefined : at + forMs;
    const held = await heldOn(tx, of, at);
    const free: AllowedOn[] = [];
    const left: LockResult['left'][number][] = [];
    for (const one of of) {
      const lock = held.get(targetKey(one.env))?.find((other) => other.person !== person);
      const wants = { targets: JSON.stringify([one.env]) };
      if (lock) left.push({ env: one.env, says: lockInWords(await withHolder(tx, lock, wants), at) });
      else free.push(one);
    }
    const taken = free.map(({ env }) => env);
    const terms = { person, reason: why, ...(until !== undefined && { until }) };
    const missed = await takeLocks(tx, taken.map(targetKey), terms, at);
    if (missed) throw new Error(`${missed.target} was locked meanwhile`);
    const lines = free.map((one) => ({ ...one, reason: why, until }));
    const { what, it, is, names } = calledIn(taken);
    const end = until === undefined ? say`until ${is} unlocked` : say`until ${time(until, 'date')}`;
    // Whoever reads this may not know of the others.
    const not = left.length > 0 ? say` **${left.length} more of them could not be locked.**` : '';
    const says = say`**${mention(person)} locked ${what}** ${end}: “${why}”. Changes to ${it} are refused.${not}${names}`;
    await recordEach(context, actor, tx, at, { event: 'lock', lines, says }, saidIn);
    return { terms: { by: { person }, why, until }, taken, left };
  });
}

/** Removes the locks of people for one person, who may do so on each. */
export async function unlockAll(
  context: ChangeContext,
  actor: Actor & SaidIn,
  of: readonly AllowedOn[],
): Promise<UnlockResult> {
  const saidIn = await actor.saidIn();
  return exclusiveTransaction(context.database, async (tx, at) => {
    const held = await heldOn(tx, of, at);
    const theirs = [...held].flatMap(([target, locks]) => (locks.some(({ person }) => person !== null) ? target : []));
    const deleted = new Map((await deletePersonLocks(tx, theirs)).map((lock) => [lock.target, lock]));
    await wakeQueues(tx, theirs, at);
    const freed: Freed[] = [];
    const left: UnlockResult['left'][number][] = [];
    for (const one of of) {
      const lock = deleted.get(targetKey(one.env));
      const [stays] = held.get(targetKey(one.env)) ?? [];
      if (lock) freed.push({ ...one, lock });
      else left.push({ env: one.env, lock: stays && lockInfoOf(stays) });
    }
    const { id } = actor.person;
    const byOwner = Map.groupBy(freed, ({ lock: { person } }) =>
      person === null || samePerson(context.policy(), person, id) ? id : person,
    );
    const { what, was, names } = calledIn(freed.map(({ env }) => env));
    const says = say`**${what} ${was} unlocked by ${mention(id)}**: ${whose(byOwner, id)}.${names}`;
    await recordEach(context, actor, tx, at, { event: 'unlock', lines: freed, says }, saidIn);
    for (const [owner, locks] of byOwner) if (owner !== id) await tellOwner(tx, owner, locks, id, at);
    return { freed: freed.map(({ env, lock }) => ({ env, lock: lockInfoOf(lock) })), left };
  });
}

type Freed = AllowedOn & { readonly lock: Lock };

/** Whose locks they were, by owner, and why. */
function whose(byOwner: ReadonlyMap<string, readonly Freed[]>, own: string): Text {
  const each = [...byOwner].map(([owner, locks]) => {
    const [one, several] = locks.length === 1 ? ['lock', 'the lock'] : ['locks', `${locks.length} locks`];
    const are = owner === own ? say`their own ${one}` : say`${several} of ${mention(owner)}`;
    return say`${are} (${reasonsOf(locks)})`;
  });
  const more = each.length - maxApart;
  return joined([...each.slice(0, maxApart), more > 0 ? `those of ${more} more` : undefined], ', ');
}

/** The reasons, each once. */
function reasonsOf(locks: readonly Freed[]): Text {
  const all = [...new Set(locks.map(({ lock: { reason } }) => reason))];
  const more = all.length - maxApart;
  return joined([...all.slice(0, maxApart).map((why) => say`“${why}”`), more > 0 ? `${more} more` : undefined], ', ');
}

/** Whoever kept others away has to know that they no longer do. */
async function tellOwner(tx: Tx, owner: string, locks: readonly Freed[], by: string, at: number): Promise<void> {
  const all = locks.map(({ env }) => env);
  const { what, names } = calledIn(all);
  const [were, now] = all.length === 1 ? ['lock', 'It no longer keeps'] : ['locks', 'They no longer keep'];
  const text = say`🔓 **${mention(by)} removed your ${were} of ${what}** (${reasonsOf(locks)}). ${now} changes out.${names}`;
  const key = `unlocked:${all[0]?.id}:${owner}:${at}`;
  const about = JSON.stringify(all);
  await enqueueMessage(tx, { key, kind: 'direct', recipient: owner, about, body: JSON.stringify({ text }), at });
}
