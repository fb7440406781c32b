import type { Forced } from '../../commands/kit/builtin.ts';
import type { Environment } from '../../hosting/contract/target.ts';
import { findChange, type Change } from '../../storage/changes.ts';
import type { Tx } from '../../storage/database.ts';
import { freeLock, heldLock, locksOf } from '../../storage/locks.ts';
import { person as mention, say } from '../../text.ts';
import { closableFrom } from '../changes/change.ts';
import { answerDelivery, holdOf, keyOf, type Actor, detailsOf } from './admin-actions.ts';
import { standing } from '../changes/card.ts';
import type { ChangesContext } from '../changes/context.ts';
import { exclusiveTransaction } from '../../storage/exclusive-transaction.ts';

/**
 * Frees one environment from the lock of an unknown or settled change, never of one that is approved, being sent or
 * followed. The change stays as it is. Lock, audit line and messages are one transaction.
 */
export function forceUnlock(context: ChangesContext, actor: Actor, env: Environment): Promise<Forced> {
  return exclusiveTransaction(context.database, async (tx, at): Promise<Forced> => {
    const held = await heldLock(tx, keyOf(env), at);
    if (held === undefined) return { kind: 'not locked' };
    const change = held.change === null ? undefined : await findChange(tx, held.change);
    if (change === undefined) return { kind: 'held by a person', hold: holdOf(held) };
    const stands = standing(change);
    if (change.state !== 'unknown' && change.settled_at === null) {
      return { kind: 'under way', change: change.number, stands };
    }
    await freeLock(tx, held);
    await tell(context, actor, tx, at, change, env);
    const others = (await locksOf(tx, change.number)).map(({ target }) => target.replace(/^environment:/, ''));
    const arrives = change.state === 'unknown' && at < closableFrom(change) ? closableFrom(change) : undefined;
    return { kind: 'freed', change: change.number, stands, arrives, others };
  });
}

async function tell(
  context: ChangesContext,
  actor: Actor,
  tx: Tx,
  at: number,
  change: Change,
  env: Environment,
): Promise<void> {
  const { person } = actor;
  await answerDelivery(tx, actor, at);
  const open = change.state === 'unknown' ? say` This one is still unknown and has to be closed.` : '';
  const text = say`🔓 **${mention(person.id)} removed its lock on ${env.name}.** Other changes to it can go ahead.${open}`;
  const details = { target: env.name, target_key: keyOf(env), ...detailsOf(actor) };
  const note = { by: person.id, at, reply: { text }, ops: true, details };
  await context.changeStore.remark(tx, change, 'force_unlock', note);
}
