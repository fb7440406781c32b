import { claimDue, touchChange, type Change } from '../storage/changes.ts';
import { idsOf } from '../policy/memberships.ts';
import { askedBy, isAnyDue, unowned, type IdsOf } from '../storage/lease.ts';
import { isBack } from '../base/lost-connection.ts';
import { handleSetBack } from './failover-and-restore.ts';
import { createChecksAfter } from './check-around.ts';
import { createPoller } from '../post/poller.ts';
import { endUnsent } from './blocked.ts';
import { execute } from './execute.ts';
import { follow } from './follow.ts';
import { markLost } from './lost-commit.ts';
import { reconcile } from './reconcile.ts';
import { remind } from './reminders.ts';
import { runBatch } from './run-batch.ts';
import { alarm, orphaned } from '../change/replies.ts';
import { say } from '../words/text.ts';
import { settledWithin } from '../base/time-limit.ts';
import { whileCounted, createTasks } from './tasks.ts';
import type { SendContext } from './context.ts';

/** Moves what is due one step on, until it is stopped. */
export type Worker = {
  /** Polls now instead of at the next interval. */
  readonly nudge: () => void;
  readonly start: () => void;
  /** Takes no more work and waits at most `graceMs` for running steps. */
  readonly stop: (graceMs: number) => Promise<void>;
};

const pollMs = 1_000;
/** Poll delays for a change that was just rescheduled. */
const soonMs = [250, 2_050];
/** Longer than a step takes: writes have their own lease, and reads their own time limit. */
const stepLeaseMs = 60_000;
const maxSteps = 24;
/** How many steps one person may have, so that hanging writes of one person don't take all slots. */
const maxStepsEach = 4;
/** Slots reserved for people who have nothing running. */
const reserved = 8;
/** Delay after a step threw, for example because the database didn't answer. */
const brokenRetryMs = 5_000;

/** One step of a change, by its state. */
export async function step(context: SendContext, change: Change): Promise<void> {
  const known = context.history.newerThan(change);
  if (known) return markLost(context, change, known);
  context.history.saw(change);
  switch (change.state) {
    case 'approved':
      return execute(context, change);
    case 'sending':
      return markUnknown(context, change);
    case 'accepted':
      return follow(context, change);
    case 'unknown':
      return reconcile(context, change);
    case 'running':
    case 'stopped':
      return runBatch(context, change);
    case 'waiting':
      if ((await context.database.now()) < change.expires_at) return remind(context, change);
      return endUnsent(context, change, 'expire', say`It wasn't approved in time.`);
    case 'done':
    case 'failed':
    case 'rejected':
    case 'happened':
    case 'did_not_happen':
    case 'declined':
    case 'expired':
    case 'cancelled':
    case 'invalidated':
    case 'superseded':
    case 'ended':
      throw new Error(`#${change.number} is ${change.state} and due, but a settled change is never due`);
  }
}

/** Runs `step`. If it throws, the change is rescheduled soon instead of at the end of its lease. */
async function stepOrPutBack(context: SendContext, change: Change): Promise<void> {
  try {
    await step(context, change);
  } catch (error) {
    await putBack(context, change).catch(async () => {
      // If the database comes back too late, the lease ends by itself.
      if (await isBack(context.database, stepLeaseMs)) await putBack(context, change).catch(() => undefined);
    });
    throw error;
  }
}

/** Does nothing if the change was moved or claimed in the meantime. */
async function putBack({ database }: SendContext, change: Change): Promise<void> {
  await database.transactionWithoutFsync(async (tx) => {
    await touchChange(tx, change, { due_at: (await database.now(tx)) + brokenRetryMs, ...unowned });
  });
}

/** The change is still in *sending* after its lease: its sender is gone or could not save the answer. */
async function markUnknown({ database, changeStore }: SendContext, change: Change): Promise<void> {
  await database.transaction(async (tx) => {
    const at = await database.now(tx);
    const says = orphaned(change);
    await changeStore.advance(tx, change, { kind: 'outcome_lost' }, { by: 'sitehand', at, ...alarm(change, says) });
  });
}

/**
 * What this process is running: steps per requester's id, and the numbers of changes in a step, because a send may
 * outlast its lease while the database is away.
 */
type UnderWay = { readonly changes: Map<string, number>; readonly stepping: Set<number> };

/** Counts the step while it runs; nobody else claims the change meanwhile. */
async function noted({ changes, stepping }: UnderWay, change: Change, work: () => Promise<void>): Promise<void> {
  stepping.add(change.number);
  await whileCounted(changes, askedBy(change), work).finally(() => stepping.delete(change.number));
}

/** Creates the worker without starting it. `onStep` is called after every step: there may be messages to post. */
export function createWorker(context: SendContext, onStep: () => void): Worker {
  const underWay: UnderWay = { changes: new Map(), stepping: new Set() };
  const checks = createChecksAfter(context, onStep);
  const onEnd = (): void => {
    onStep();
    poller.nudge();
    soon.add();
  };
  const steps = createTasks(context.onTrouble, onEnd);
  const poll = async (): Promise<void> => {
    await handleSetBack(context);
    for (const change of await claimSteps(context, maxSteps - steps.running.size, underWay)) {
      const work = noted(underWay, change, () => stepOrPutBack(context, change));
      steps.run(
        `a step of #${change.number}`,
        work.finally(() => checks.stepped(change)),
      );
    }
  };
  const onTrouble = (error: unknown): void => context.onTrouble('looking for work', error);
  const poller = createPoller({ everyMs: pollMs, look: poll, onTrouble });
  const soon = createSoonPolls(poller.nudge);
  return {
    nudge: poller.nudge,
    start: poller.start,
    stop: async (graceMs) => {
      soon.clear();
      await poller.stop();
      await settledWithin(graceMs, [...steps.running, ...checks.running]);
    },
  };
}

/** Polls soon after a step, for what it rescheduled by less than the interval. */
function createSoonPolls(nudge: () => void): { readonly add: () => void; readonly clear: () => void } {
  const waiting = new Set<NodeJS.Timeout>();
  return {
    add: () => {
      for (const afterMs of waiting.size < maxSteps ? soonMs : []) {
        const timer = setTimeout(() => {
          waiting.delete(timer);
          nudge();
        }, afterMs);
        waiting.add(timer.unref());
      }
    },
    clear: () => waiting.forEach((timer) => clearTimeout(timer)),
  };
}

async function claimSteps(
  { database, owner, policy }: SendContext,
  free: number,
  underWay: UnderWay,
): Promise<readonly Change[]> {
  if (!(await isAnyDue(database, ['changes'], await database.now()))) return [];
  return database.transactionWithoutFsync(async (tx) => {
    const claim = { owner, now: await database.now(tx), leaseMs: stepLeaseMs };
    const rules = policy();
    const ids: IdsOf = (id) => idsOf(rules, id);
    const claimed: Change[] = [];
    const take = async (limit: number, maxEach: number): Promise<void> => {
      if (limit <= 0) return;
      const running = new Map(underWay.changes);
      for (const whose of claimed.map(askedBy)) running.set(whose, (running.get(whose) ?? 0) + 1);
      const turns = { underWay: running, maxEach, idsOf: ids };
      claimed.push(...(await claimDue(tx, { ...claim, limit }, turns, [...underWay.stepping])));
    };
    // One person's changes may fill the first claim. Once that person has their share, claim again for the others.
    let before: number;
    do {
      before = claimed.length;
      await take(free - reserved - before, maxStepsEach);
    } while (claimed.length - before >= maxStepsEach && claimed.length < free - reserved);
    // The ordinary slots are full. Give the reserved ones to people with nothing running.
    if (claimed.length >= free - reserved) await take(free - claimed.length, 1);
    return claimed;
  });
}
