import type { Environment } from '../hosting/contract/target.ts';
import {
  listChanges,
  type Change,
  countOpen,
  findOfCaller,
  nthNewestRequest,
  type NewChange,
} from '../storage/changes.ts';
import type { ReadHandle } from '../storage/schema.ts';
import { batchTarget, storedTargets, targetKey } from '../access/targets.ts';
import { batchProgress, standingsOf } from '../change/batch.ts';
import { Refusal, type Offer } from '../base/errors.ts';
import type { Tx } from '../storage/database.ts';
import { acquireGlobalLock } from '../storage/sql-dialect.ts';
import { hourMs } from '../words/duration.ts';
import { say, beginning, plain, type Text } from '../words/text.ts';
import { authorizationOf } from '../access/authorization.ts';
import { pinnedCardOf } from '../change/pin.ts';

/** What is open: about an environment, and of one person or caller, who may have only so many changes that wait. */

/** How many open changes of an environment are read, and how many open batches, the newest first. */
const maxRead = 100;

/** The open changes about an environment, newest first. `more`: there may be others. */
export type OpenAbout = (env: Environment) => Promise<{ readonly open: readonly Change[]; readonly more: boolean }>;

/**
 * Who reads what is open about environments: the changes of one alone, and the batches that have still to begin one.
 * Batches are read once, and first, so that a change that one begins meanwhile is in one of the two.
 */
export async function openAbout(db: ReadHandle): Promise<OpenAbout> {
  const batches = await listChanges(db, { target: batchTarget, isOpen: true, limit: maxRead });
  const left = batches.map((batch) => {
    const standings = standingsOf(batchProgress(batch), []);
    return storedTargets(batch).filter((_, at) => standings[at] === 'to do');
  });
  return async (env) => {
    const own = await listChanges(db, { target: targetKey(env), isOpen: true, limit: maxRead });
    const about = batches.filter((_, at) => left[at]?.some(({ id }) => id === env.id));
    const open = [...own, ...about].toSorted((one, other) => other.number - one.number);
    return { open, more: own.length === maxRead || batches.length === maxRead };
  };
}

/** How many changes of one person, or of one caller, may wait for approval. */
const maxWaiting = 5;
/** How many may be on their way to the host: more would keep everybody else waiting. */
const maxUnderWay = 50;
/** How many may wait for their time. */
const maxScheduled = 20;
/** How many changes one caller may ask for in an hour: people must not be worn down by its requests. */
const maxAskedByCaller = 20;
const maxTitleLength = 100;

/** Throws `Refusal` if the requester (all their ids count), or the caller, has too many changes waiting or on their way, or the caller asked too often. */
export async function refuseTooMany(tx: Tx, row: NewChange, requesters: readonly string[]): Promise<void> {
  const { state, authorization, caller = null, created_at } = row;
  const notAsked = (): Text => say`Not asked: “${beginning(plain(pinnedCardOf(row).title), maxTitleLength)}”.`;
  // A timer's removal was allowed together with the grant.
  if (authorizationOf({ authorization }).timerOf !== undefined) return;
  // One at a time, so that parallel requests count each other.
  await acquireGlobalLock(tx);
  const whose = caller === null ? { requesters } : { caller };
  const many = (says: Text, hint: string, offer: Offer): Refusal =>
    new Refusal(says, { hint: say`${notAsked()} ${hint}`, offers: [offer] });
  const last = caller === null ? undefined : await nthNewestRequest(tx, caller, maxAskedByCaller);
  if (last !== undefined && last > created_at - hourMs)
    throw new Refusal(say`**You already asked for ${maxAskedByCaller} changes within an hour.** Nothing was asked.`, {
      hint: notAsked(),
      isLater: true,
    });
  if (state === 'waiting') {
    if ((await countOpen(tx, whose, ['waiting'])) < maxWaiting) return;
    throw many(
      say`**You already have ${maxWaiting} changes waiting for approval.** Nothing was asked.`,
      'Cancel one of the others, or have it approved.',
      { label: 'Show them', args: ['changes', '--mine', '--waiting'] },
    );
  }
  if (row.scheduled_at != null) {
    if ((await countOpen(tx, whose, ['approved'], { isScheduled: true })) < maxScheduled) return;
    throw many(
      say`**You already have ${maxScheduled} changes that wait for their time.** Nothing was asked.`,
      'Cancel one of the others.',
      { label: 'Show them', args: ['changes', '--mine', '--scheduled'] },
    );
  }
  if ((await countOpen(tx, whose, ['approved', 'sending'], { isScheduled: false })) < maxUnderWay) return;
  throw many(
    say`**You already have ${maxUnderWay} changes on their way to the host.** Nothing was asked.`,
    'Ask again when some of the others are finished.',
    { label: 'Show them', args: ['changes', '--mine'] },
  );
}

/** This request of a caller has made a change already. */
export class AskedBefore extends Refusal {
  readonly change: Change;

  constructor(change: Change) {
    super(say`This was asked before, and is #${change.number}. Nothing was asked again.`);
    this.change = change;
  }
}

/** Throws `AskedBefore`. The lock keeps the same request, sent twice, apart. */
export async function refuseIfAsked(tx: Tx, { caller, caller_request: request }: NewChange): Promise<void> {
  if (!caller || !request) return;
  await acquireGlobalLock(tx);
  const before = await findOfCaller(tx, caller, request);
  if (before) throw new AskedBefore(before);
}
