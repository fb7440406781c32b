import { setTimeout as wait } from 'node:timers/promises';
import { claimDue, touchChange, type Change } from '../../storage/changes.ts';
import { idsOf } from '../../policy/people.ts';
import { unowned, type IdsOf } from '../../storage/lease.ts';
import { claimTimers, type Timer } from '../../storage/timers.ts';
import { createPoller } from '../messages/poller.ts';
import type { Execution } from './execute.ts';
import { execute } from './execute.ts';
import { follow, type Following } from './follow.ts';
import { declareLost } from './lost-commit.ts';
import { remind } from './reminders.ts';
import { alarm, nothingSent, notSent, orphaned } from '../changes/replies.ts';
import { say } from '../../text.ts';
import { fireTimer, type Timekeeping } from './timers.ts';
import { reconcile, type Reconciling } from './reconcile.ts';
import { wordsOfChange } from '../language/reparse.ts';

/** What the back half needs; `main.ts` gives it. */
export type BackOffice = Execution & Following & Reconciling & Timekeeping;

/** The back half: moves whatever is due one step on, until it is told to stop. */
export type Worker = {
  /** Looks for work now rather than at the next beat. */
  readonly nudge: () => void;
  readonly start: () => void;
  /** Takes no more work and waits for what runs, `graceMs` at most. */
  readonly stop: (graceMs: number) => Promise<void>;
};

const beatMs = 1_000;
/** When a change is looked at again that was put off for a read, or for an operation. */
const aMoment = [250, 2_050];
/** Longer than a step takes: the write has its own lease, and a read its budget. */
const leaseMs = 60_000;
const atOnce = 24;
/** And of one person's: a host that hangs on their writes leaves places for everybody else's. */
const atOnceEach = 4;
/** The last places are for those who have nothing under way. */
const kept = 8;
const timersAtOnce = 4;
const timersAtOnceEach = 2;
/** When a change is looked at again whose step broke, as where the database did not answer. */
const brokenAgainMs = 5_000;

/** One step of a change: what is next for the state it is in. */
export async function step(context: BackOffice, change: Change): Promise<void> {
  const known = context.history.newerThan(change);
  if (known) return declareLost(context, change, known);
  context.history.saw(change);
  switch (change.state) {
    case 'approved':
      return execute(context, change);
    case 'sending':
      return declareUnknown(context, change);
    case 'accepted':
      return follow(context, change);
    case 'unknown':
      return reconcile(context, change);
    case 'waiting':
      return (await context.database.now()) < change.expires_at ? remind(context, change) : expire(context, change);
    case 'done':
    case 'failed':
    case 'rejected':
    case 'happened':
    case 'did not happen':
    case 'declined':
    case 'expired':
    case 'cancelled':
    case 'void':
    case 'superseded':
      throw new Error(`#${change.number} is ${change.state} and due: nothing is due of a settled change`);
  }
}

/** The same; where it breaks, the change is free again in a moment, rather than when its lease is over. */
async function stepOrPutBack(context: BackOffice, change: Change): Promise<void> {
  try {
    await step(context, change);
  } catch (error) {
    // What was moved or claimed meanwhile is let alone. Where the database is away, the lease ends by itself.
    await putBack(context, change).catch(() => undefined);
    throw error;
  }
}

async function putBack({ database }: BackOffice, change: Change): Promise<void> {
  await database.unflushed(async (tx) => {
    await touchChange(tx, change, { due_at: (await database.now(tx)) + brokenAgainMs, ...unowned });
  });
}

/** Found in `sending` with its lease over: whoever sent it is gone, and nobody knows how far it came. */
async function declareUnknown({ database, changeStore }: BackOffice, change: Change): Promise<void> {
  await database.transaction(async (tx) => {
    const at = await database.now(tx);
    const says = orphaned(change);
    await changeStore.advance(tx, change, { kind: 'lose' }, { by: 'sitehand', at, ...alarm(change, says) });
  });
}

async function expire({ database, changeStore }: BackOffice, change: Change): Promise<void> {
  await database.transaction(async (tx) => {
    const at = await database.now(tx);
    const why = say`Nobody approved it in time.`;
    const reply = notSent(why, wordsOfChange(change));
    const note = { by: 'sitehand', at, reply, outcome: nothingSent(why), tell: [change.asker] };
    await changeStore.advance(tx, change, { kind: 'expire' }, note);
  });
}

/** How much of whom is worked on, by the id they asked with. */
type UnderWay = Readonly<Record<'changes' | 'timers', Map<string, number>>>;

/** Counts the work as theirs for as long as it takes. */
async function counted(underWay: Map<string, number>, who: string, work: () => Promise<void>): Promise<void> {
  underWay.set(who, (underWay.get(who) ?? 0) + 1);
  try {
    await work();
  } finally {
    const left = (underWay.get(who) ?? 0) - 1;
    if (left > 0) underWay.set(who, left);
    else underWay.delete(who);
  }
}

/** Starts nothing by itself. `onStep` is told after every step: there may be something to say now. */
export function createWorker(context: BackOffice, onStep: () => void): Worker {
  const steps = new Set<Promise<void>>();
  const timers = new Set<Promise<void>>();
  const underWay: UnderWay = { changes: new Map(), timers: new Map() };
  const run = (running: Set<Promise<void>>, what: string, work: Promise<void>): void => {
    const task = work
      .catch((error: unknown) => context.onTrouble(what, error))
      .finally(() => {
        running.delete(task);
        onStep();
        poller.nudge();
        lookLater();
      });
    running.add(task);
  };
  const look = async (): Promise<void> => {
    const claimed = await claimAll(context, atOnce - steps.size, timersAtOnce - timers.size, underWay);
    for (const change of claimed.changes) {
      const step = counted(underWay.changes, change.asker, () => stepOrPutBack(context, change));
      run(steps, `a step of #${change.number}`, step);
    }
    for (const timer of claimed.timers) {
      const fired = counted(underWay.timers, timer.requester, () => fireTimer(context, timer));
      run(timers, `timer ${timer.id}`, fired);
    }
  };
  const later = new Set<NodeJS.Timeout>();
  /** What a step has put off for a moment is not left to the next beat. */
  const lookLater = (): void => {
    for (const afterMs of later.size < atOnce ? aMoment : []) {
      const timer = setTimeout(() => {
        later.delete(timer);
        poller.nudge();
      }, afterMs);
      later.add(timer.unref());
    }
  };
  const onTrouble = (error: unknown): void => context.onTrouble('looking for work', error);
  const poller = createPoller({ everyMs: beatMs, look, onTrouble });
  return {
    nudge: poller.nudge,
    start: poller.start,
    stop: async (graceMs) => {
      for (const timer of later) clearTimeout(timer);
      await poller.stop();
      await settledWithin(graceMs, [...steps, ...timers]);
    },
  };
}

/** Resolves when all of it has ended, or when the time is over. */
export async function settledWithin(graceMs: number, running: Iterable<Promise<unknown>>): Promise<void> {
  const over = new AbortController();
  const late = wait(graceMs, undefined, { signal: over.signal }).catch(() => undefined);
  await Promise.race([Promise.allSettled(running), late]);
  over.abort();
}

async function claimAll(
  { database, owner, policy }: BackOffice,
  free: number,
  freeForTimers: number,
  underWay: UnderWay,
): Promise<{ changes: readonly Change[]; timers: readonly Timer[] }> {
  return database.unflushed(async (tx) => {
    const claim = { owner, now: await database.now(tx), leaseMs };
    const rules = policy();
    const ids: IdsOf = (id) => idsOf(rules, id);
    const shares = { underWay: underWay.timers, maxEach: timersAtOnceEach, idsOf: ids };
    const claimed: Change[] = [];
    const take = async (limit: number, maxEach: number): Promise<void> => {
      if (limit <= 0) return;
      const had = new Map(underWay.changes);
      for (const { asker } of claimed) had.set(asker, (had.get(asker) ?? 0) + 1);
      claimed.push(...(await claimDue(tx, { ...claim, limit }, { underWay: had, maxEach, idsOf: ids })));
    };
    await take(free - kept, atOnceEach);
    // Who has most due may be all that is seen at first: once they have their share, others are seen.
    for (let before = 0; claimed.length - before >= atOnceEach && claimed.length < free - kept;) {
      before = claimed.length;
      await take(free - kept - before, atOnceEach);
    }
    // Where that left some of these places, nobody is waiting for the last ones.
    if (claimed.length >= free - kept) await take(free - claimed.length, 1);
    const timers = freeForTimers > 0 ? await claimTimers(tx, { ...claim, limit: freeForTimers }, shares) : [];
    return { changes: claimed, timers };
  });
}
