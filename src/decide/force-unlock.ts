import type { Environment } from '../hosting/contract/target.ts';
import { findChange, type Change } from '../storage/changes.ts';
import type { Tx } from '../storage/database.ts';
import { freeLock, locksOf, locksOn } from '../storage/locks.ts';
import { wakeQueues } from '../storage/queue.ts';
import { list, mention, say, type Text } from '../words/text.ts';
import { closableFrom } from '../change/change.ts';
import { lockInfoOf, type Actor, actorDetails, type LockInfo } from './admin-actions.ts';
import { answerDelivery } from './claim-delivery.ts';
import { stateText } from '../change/states-and-events.ts';
import type { ChangeContext } from '../change/context.ts';
import { exclusiveTransaction } from '../storage/transactions.ts';
import { targetKey } from '../access/targets.ts';

/** The result of removing a change's lock. `stands` is a sentence about the state of the change. */
export type ForceUnlockResult =
  | { readonly kind: 'not locked' }
  | { readonly kind: 'held by a person'; readonly lock: LockInfo }
  | { readonly kind: 'under way'; readonly change: number; readonly stands: Text }
  | {
      readonly kind: 'freed';
      readonly change: number;
      readonly stands: Text;
      /** Until when its write can still reach the host, epoch ms; undefined: it can't. */
      readonly arrives: number | undefined;
      /** Ids of the environments that it still locks. */
      readonly others: readonly string[];
      /** The numbers of other changes that still lock this environment. */
      readonly still: readonly number[];
    };

/**
 * Frees one environment from the lock of an unknown or settled change, never of a change that is approved, being sent
 * or followed. The change stays as it is. Lock, audit line and messages are one transaction.
 */
export function forceUnlock(context: ChangeContext, actor: Actor, env: Environment): Promise<ForceUnlockResult> {
  return exclusiveTransaction(context.database, async (tx, at): Promise<ForceUnlockResult> => {
    const locks = await locksOn(tx, [targetKey(env)], at);
    const [held] = locks;
    if (held === undefined) return { kind: 'not locked' };
    const numbers = locks.flatMap(({ change }) => change ?? []);
    const holders = await Promise.all(numbers.map((number) => findChange(tx, number)));
    const [first] = holders;
    if (first === undefined) return { kind: 'held by a person', lock: lockInfoOf(held) };
    const change = holders.find((one) => one !== undefined && mayFree(one));
    if (change === undefined) return { kind: 'under way', change: first.number, stands: stateText(first) };
    await freeLock(tx, { target: held.target, change: change.number });
    await wakeQueues(tx, [held.target], at);
    const still = numbers.filter((number) => number !== change.number);
    await announceFreed(context, actor, tx, at, { change, env, still });
    const others = (await locksOf(tx, change.number, at)).map(({ target }) => target.replace(/^environment:/, ''));
    const arrives = change.state === 'unknown' && at < closableFrom(change) ? closableFrom(change) : undefined;
    return { kind: 'freed', change: change.number, stands: stateText(change), arrives, others, still };
  });
}

/** Whether the lock may be freed: not while the change is approved, being sent or followed. */
const mayFree = ({ state, settled_at }: Change): boolean => state === 'unknown' || settled_at !== null;

type FreedLock = { readonly change: Change; readonly env: Environment; readonly still: readonly number[] };

async function announceFreed(
  context: ChangeContext,
  actor: Actor,
  tx: Tx,
  at: number,
  { change, env, still }: FreedLock,
): Promise<void> {
  const { person } = actor;
  await answerDelivery(tx, actor.inbox, at);
  const open = change.state === 'unknown' ? say` This one is still unknown and has to be closed.` : '';
  const then =
    still.length > 0
      ? say`It is still locked by ${list(
          still.map((number) => `#${number}`),
          5,
        )}.`
      : say`Other changes to it can go ahead.`;
  const text = say`🔓 **${mention(person.id)} removed its lock on ${env.name}.** ${then}${open}`;
  const details = { target: env.name, target_key: targetKey(env), ...actorDetails(actor) };
  const note = { by: person.id, at, reply: { text }, ops: true, details };
  await context.changeStore.remark(tx, change, 'force_unlock', note);
}
