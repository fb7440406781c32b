import type { Person } from '../../access/access-check.ts';
import { mayBeShown } from '../../access/sight.ts';
import { targetsOf } from '../../access/targets.ts';
import { lockInWords, lockWarning, lockAndHolder } from '../../change/lock-in-the-way.ts';
import type { Resolved } from '../../language/resolve.ts';
import { TooLate, within } from '../../base/time-limit.ts';
import type { Text } from '../../words/text.ts';
import type { SlackContext } from '../context/context.ts';

/** A form that waits longer may lose its trigger. */
const lookMs = 300;

/**
 * Says at the top of a form who has locked its targets: what an action waits for, and what `unlock` removes. Undefined:
 * nobody, it could not be looked up in time, or this person may neither run the command there nor see the status. The
 * lock is checked again before anything is saved or sent. Call it only after the ack.
 */
export async function lockNote(
  { pipeline, log }: SlackContext,
  person: Person,
  resolved: Resolved,
): Promise<Text | undefined> {
  const { database, company } = pipeline;
  const { command, path } = resolved.parsed;
  const { target, alsoReads } = targetsOf(resolved, company());
  const isUnlock = path === 'unlock';
  if (!(command.shape === 'action' || isUnlock) || target === undefined) return undefined;
  const belongsTo = [path, 'status'].map((one) => [{ path: one, targets: [target] }]);
  if (!belongsTo.some((shown) => mayBeShown(pipeline, person, shown) === 'yes')) return undefined;
  const risk = command.shape === 'action' ? command.risk : 'destructive';
  const wants = { risk, targets: JSON.stringify([target, ...alsoReads]) };
  const look = async (): Promise<Text | undefined> => {
    const now = await database.now();
    const held = await lockAndHolder(database.db, wants, now);
    return held && (isUnlock ? lockInWords(held, now) : lockWarning(held, now));
  };
  return within(lookMs, look()).catch((error: unknown) => {
    if (!(error instanceof TooLate)) log.warn({ err: error }, 'could not look for a lock');
    return undefined;
  });
}
