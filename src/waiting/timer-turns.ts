import { idsOf } from '../policy/people.ts';
import { isAnyDue } from '../storage/lease.ts';
import { claimTimers, type Timer } from '../storage/timers.ts';
import { settledWithin } from '../base/time-limit.ts';
import { createPoller } from '../post/poller.ts';
import type { SendContext } from '../send/context.ts';
import { handleSetBack } from '../send/failover-and-restore.ts';
import { whileCounted, createTasks } from '../send/tasks.ts';
import { fireTimer } from './timers.ts';
import type { Worker } from '../send/worker.ts';

const pollMs = 1_000;
/** Longer than a turn takes: its reads have their own time limit. */
const leaseMs = 60_000;
const maxTimers = 4;
const maxTimersEach = 2;

/** Creates what fires the timers of access that is over. `onTurn` is called after each: there may be messages to post. */
export function createTimerTurns(context: SendContext, onTurn: () => void): Worker {
  const underWay = new Map<string, number>();
  const stopping = new AbortController();
  const tasks = createTasks(context.onTrouble, () => {
    onTurn();
    poller.nudge();
  });
  const look = async (): Promise<void> => {
    const free = maxTimers - tasks.running.size;
    if (free <= 0 || !(await isAnyDue(context.database, ['timers'], await context.database.now()))) return;
    await handleSetBack(context);
    for (const timer of await claim(context, free, underWay)) {
      const fired = whileCounted(underWay, timer.requester, () => fireTimer(context, timer, stopping.signal));
      tasks.run(`timer ${timer.id}`, fired);
    }
  };
  const onTrouble = (error: unknown): void => context.onTrouble('looking for access that is over', error);
  const poller = createPoller({ everyMs: pollMs, look, onTrouble });
  return {
    nudge: poller.nudge,
    start: poller.start,
    stop: async (graceMs) => {
      stopping.abort();
      await poller.stop();
      await settledWithin(graceMs, tasks.running);
    },
  };
}

const claim = (
  { database, owner, policy }: SendContext,
  limit: number,
  underWay: ReadonlyMap<string, number>,
): Promise<readonly Timer[]> =>
  database.transactionWithoutFsync(async (tx) => {
    const rules = policy();
    const shares = { underWay, maxEach: maxTimersEach, idsOf: (id: string) => idsOf(rules, id) };
    return claimTimers(tx, { owner, now: await database.now(tx), leaseMs, limit }, shares);
  });
