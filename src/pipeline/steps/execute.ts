import { NotSent, type Opened } from '../../hosting/client.ts';
import { passing } from '../../failpoints.ts';
import { findChange, touchChange, type Change } from '../../storage/changes.ts';
import type { Database, Tx } from '../../storage/database.ts';
import { alone } from '../../storage/sql-dialect.ts';
import { unowned } from '../../storage/lease.ts';
import { heldLock } from '../../storage/locks.ts';
import { redrawCards } from '../../storage/messages.ts';
import { readSetting } from '../../storage/kv.ts';
import { inline, joined, say, type Text } from '../../text.ts';
import { lockKey, storedTargets } from '../access/targets.ts';
import { leaseMs } from '../changes/change.ts';
import { callOf, cardOf } from '../changes/freeze.ts';
import { pauseIfPromoted } from './lost-commit.ts';
import { saveOutcome, triedInVain, type Bookkeeping } from './outcome.ts';
import { recheck, type Recheck } from '../changes/recheck.ts';
import { standing } from '../changes/card.ts';
import { wordsOfChange } from '../language/reparse.ts';
import { settleAccess } from '../changes/timed-access.ts';
import { lockedBy, markFor, nothingSent, notSent } from '../changes/replies.ts';

/** The one door for writes: opens a connection on which one write can be sent. */
export type Send = { readonly open: () => Promise<Opened> };

export type Execution = Recheck &
  Bookkeeping & {
    readonly send: Send;
    /** A clock that never jumps, in milliseconds; the wall clock is asked besides. */
    readonly ticks: () => number;
    readonly wall: () => number;
  };

/** A process that was stopped longer than this between saving and writing does not write. */
const freshMs = 2_000;
const heldUp = { kind: 'not sent', why: 'I was held up for too long between deciding and sending' } as const;
const unansweredAgainMs = 5_000;

/**
 * Sends an approved change at most once: rights and drift, then the connection, then `sending` is saved, then, unless
 * more than two seconds passed, the one write. What cannot be known afterwards is called unknown and never sent again.
 */
export async function execute(desk: Execution, change: Change): Promise<void> {
  const { database } = desk;
  if ((await database.now()) >= change.expires_at) return giveUp(desk, change, 'expire', tooLate(change));
  const inTheWay = await whatHoldsIt(database, change);
  if (inTheWay) return hold(desk, change, inTheWay);
  const checked = await recheck(desk, change);
  if (checked.kind === 'void') return giveUp(desk, change, 'void', checked.why);
  if (checked.kind === 'drifted') return giveUp(desk, change, 'supersede', checked.why);
  if (checked.kind === 'later' || checked.kind === 'host trouble') return hold(desk, change, checked.why);
  passing('rechecked', change.number);
  const call = callOf(change);
  if (call === undefined) return complete(desk, change);
  const opened = await desk.send.open().catch((error: unknown) => {
    if (error instanceof NotSent) return error;
    throw error;
  });
  if (opened instanceof NotSent) return stumble(desk, change, inline(opened.message));
  passing('opened', change.number);
  const sending = await commitSending(desk, change).catch((error: unknown) => {
    opened.abandon();
    throw error;
  });
  if (sending === undefined) {
    opened.abandon();
    return hold(desk, change, say`Something came in between.`);
  }
  desk.history.sent(sending.change);
  passing('sending saved', change.number);
  if (desk.ticks() - sending.ticks > freshMs || Math.abs(desk.wall() - sending.wall) > freshMs) {
    opened.abandon();
    return saveOutcome(desk, sending.change, heldUp);
  }
  return saveOutcome(desk, sending.change, await opened.write(call));
}

type Sending = { readonly change: Change; readonly ticks: number; readonly wall: number };

/** The last look, in the transaction that says `sending`: version, validity, pause. Undefined: somebody was first. */
async function commitSending(desk: Execution, seen: Change): Promise<Sending | undefined> {
  const before = { ticks: desk.ticks(), wall: desk.wall() };
  const change = await desk.database.transaction(async (tx) => {
    await alone(tx);
    const now = await desk.database.now(tx);
    const change = await findChange(tx, seen.number);
    if (change?.version !== seen.version || change.owner !== desk.owner) return undefined;
    if (desk.history.newerThan(change)) return undefined;
    if (await whatHoldsIt(desk.database, change, tx)) return undefined;
    if (await pauseIfPromoted(desk, tx, now)) return undefined;
    const sending = { kind: 'send', owner: desk.owner, leaseMs } as const;
    const sent = await desk.ledger.advance(tx, change, sending, { by: 'sitehand', at: now });
    desk.database.stillOurs();
    return sent;
  });
  return change && { change, ...before };
}

/** Nothing has to be written: what was just looked at is as it was agreed on, and so the change is done. */
async function complete(desk: Execution, seen: Change): Promise<void> {
  const isDone = await desk.database.transaction(async (tx) => {
    await alone(tx);
    const at = await desk.database.now(tx);
    const change = await findChange(tx, seen.number);
    if (change?.version !== seen.version || change.owner !== desk.owner) return false;
    if (await whatHoldsIt(desk.database, change, tx)) return false;
    const says = say`Nothing had to be written. ${cardOf(change).done}.`;
    const saying = { by: 'sitehand', at, reply: { text: joined([markFor.complete, says]) }, outcome: says };
    const moved = await desk.ledger.advance(tx, change, { kind: 'complete' }, saying);
    if (moved) await settleAccess(tx, desk.ledger, moved, at, { isProven: true });
    return moved !== undefined;
  });
  if (!isDone) await hold(desk, seen, say`Something came in between.`);
}

/** A pause, or a lock of somebody else: nothing is sent while it lasts. */
async function whatHoldsIt(database: Database, change: Change, tx?: Tx): Promise<Text | undefined> {
  const db = tx ?? database.db;
  if ((await readSetting(db, 'pause')) !== undefined) return say`All sending is paused.`;
  const [target] = storedTargets(change);
  const lock = target && (await heldLock(db, lockKey(target), await database.now(tx)));
  return lock && lock.change !== change.number ? lockedBy(lock, change.target_name) : undefined;
}

/** With what its card said last: why it waited. */
const tooLate = (change: Change): Text =>
  joined([say`It was not sent in time.`, change.outcome === null ? undefined : say`Until then: ${standing(change)}`]);

/** Back to the shelf without a move, and the card says why: it may be otherwise in a moment. */
async function hold({ database }: Execution, change: Change, why: Text): Promise<void> {
  await database.transaction(async (tx) => {
    const now = await database.now(tx);
    const outcome = JSON.stringify(say`**Not sent yet.** ${why}`);
    const held = await touchChange(tx, change, { due_at: now + unansweredAgainMs, ...unowned, outcome });
    if (held && held.outcome !== change.outcome) await redrawCards(tx, change.number, now, false);
  });
}

async function giveUp(
  { database, ledger }: Execution,
  change: Change,
  kind: 'expire' | 'void' | 'supersede',
  why: Text,
): Promise<void> {
  await database.transaction(async (tx) => {
    const reply = notSent(why, kind === 'void' ? undefined : wordsOfChange(change));
    await ledger.advance(
      tx,
      change,
      { kind },
      { by: 'sitehand', at: await database.now(tx), reply, outcome: nothingSent(why), tell: [change.asker] },
    );
  });
}

/** No connection: nothing was sent; tried again, or expired once the tries are used up. */
async function stumble(desk: Execution, change: Change, why: Text): Promise<void> {
  await desk.database.transaction(async (tx) => {
    const at = await desk.database.now(tx);
    const saying = triedInVain(change, { kind: 'stumble' }, at, why);
    await desk.ledger.advance(tx, change, { kind: 'stumble' }, saying);
  });
}
