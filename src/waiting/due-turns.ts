import { settledWithin } from '../base/time-limit.ts';
import { idsOf } from '../policy/memberships.ts';
import { createPoller } from '../post/poller.ts';
import type { SendContext } from '../send/context.ts';
import { handleSetBack } from '../send/failover-and-restore.ts';
import { createTasks, whileCounted } from '../send/tasks.ts';
import type { Worker } from '../send/worker.ts';
import { exclusiveTransaction } from '../storage/transactions.ts';
import { isAnyDue, type Claim, type Shares } from '../storage/lease.ts';
import type { Tx } from '../storage/schema.ts';
import { claimWaiting, readWaiting, type Waiting } from '../storage/waiting.ts';
import type { WaitingKind } from '../storage/waiting-table.ts';

/** Turns of what waits and is due. Each kind has places of its own, so none holds up another. */

/** How much of one kind is handled at a time. */
type Room = {
  /** What one of them is called in the log. */
  readonly what: string;
  /** How many are handled at once in this process. Nobody has more than half of these places. */
  readonly atOnce: number;
  /** How many are begun in a minute in all replicas together. */
  readonly perMinute?: number;
  /** Longer than handling one takes. */
  readonly leaseMs: number;
  /** Whether any may begin now; without it, they may. */
  readonly mayBegin?: () => boolean;
};

/** What was claimed, and how it is handled. `stopping` aborts when this process stops. */
type Due = {
  readonly id: number;
  readonly requester: string;
  readonly handle: (stopping: AbortSignal) => Promise<void>;
};

/** One kind of what is due. */
export type DueKind = Room & { readonly claim: (tx: Tx, wanted: Claim, shares: Shares) => Promise<readonly Due[]> };

/** A kind in the table `waiting`. */
export const waitingKind = <K extends WaitingKind>(
  kind: K,
  room: Room,
  handle: (row: Waiting<K>, stopping: AbortSignal) => Promise<void>,
): DueKind => ({
  ...room,
  claim: async (tx, wanted, shares) =>
    (await claimWaiting(tx, kind, wanted, shares, room.perMinute)).map((row) => ({
      id: row.id,
      requester: row.requester,
      // Read here, so that a row that can't be read holds up no other.
      handle: async (stopping) => handle(readWaiting(row), stopping),
    })),
});

const pollMs = 1_000;

/** Creates what handles all that is due. `onTurn` is called after each: there may be messages to post. */
export function createDueTurns(context: SendContext, kinds: readonly DueKind[], onTurn: () => void): Worker {
  const { database, onTrouble } = context;
  const stopping = new AbortController();
  const onEnd = (): void => {
    onTurn();
    poller.nudge();
  };
  const places = kinds.map((kind) => placesFor(context, kind, stopping.signal, onEnd));
  const look = async (): Promise<void> => {
    if (!(await isAnyDue(database, ['waiting', 'timers'], await database.now()))) return;
    await handleSetBack(context);
    await Promise.all(places.map((one) => one.fill()));
  };
  const trouble = (error: unknown): void => onTrouble('looking for what is due', error);
  const poller = createPoller({ everyMs: pollMs, look, onTrouble: trouble });
  return {
    nudge: poller.nudge,
    start: poller.start,
    stop: async (graceMs) => {
      stopping.abort();
      await poller.stop();
      const running = places.flatMap((one) => [...one.running]);
      await settledWithin(graceMs, running);
    },
  };
}

/** The places of one kind. `fill` begins turns in those that are free, and never rejects. */
function placesFor(context: SendContext, kind: DueKind, stopping: AbortSignal, onEnd: () => void) {
  const { what, atOnce, mayBegin = () => true } = kind;
  const underWay = new Map<string, number>();
  const { running, run } = createTasks(context.onTrouble, onEnd);
  const fill = async (): Promise<void> => {
    const free = atOnce - running.size;
    if (free <= 0 || !mayBegin()) return;
    for (const { id, requester, handle } of await claimDueOf(context, kind, free, underWay)) {
      const turn = whileCounted(underWay, requester, async () => handle(stopping));
      run(`a turn of ${what} ${id}`, turn);
    }
  };
  const trouble = (error: unknown): void => context.onTrouble(`looking for a ${what} that is due`, error);
  return { running, fill: async () => fill().catch(trouble) };
}

function claimDueOf(
  { database, owner, policy }: SendContext,
  { claim, leaseMs, perMinute, atOnce }: DueKind,
  limit: number,
  underWay: ReadonlyMap<string, number>,
): Promise<readonly Due[]> {
  const rules = policy();
  const shares = { underWay, maxEach: Math.ceil(atOnce / 2), idsOf: (id: string) => idsOf(rules, id) };
  const take = async (tx: Tx): Promise<readonly Due[]> =>
    claim(tx, { owner, now: await database.now(tx), leaseMs, limit }, shares);
  // Under the global lock, nobody else counts how many were begun at the same time.
  return perMinute === undefined ? database.transactionWithoutFsync(take) : exclusiveTransaction(database, take);
}
