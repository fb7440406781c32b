import { parseStored } from '../storage/parse-json.ts';
import type { Environment } from '../hosting/contract/target.ts';
import type { Change } from '../storage/changes.ts';
import { say, type Text } from '../words/text.ts';
import { standingsOfStates, states } from '../words/states.ts';

/**
 * A batch: one request for the same change of many environments. The batch is itself a change, which waits for approval
 * and has the card. For each environment, in order, it begins a change, which is checked, locked and sent at most once
 * like any other. This file decides, as pure functions, what the batch does next.
 */

/** What is pinned for one environment: the columns that its change will have. */
export type BatchItem = {
  readonly target: Environment;
  readonly args: string;
  readonly snapshot: string;
  readonly preconditions: string;
  readonly call: string;
  readonly card: string;
  readonly fingerprint: string;
};

/** What was done about one item. What became of it is read from its change: `itemStanding`. */
export type ItemProgress = {
  /** The number of the change begun for it. */
  readonly change?: number;
  /** Why no change was begun. */
  readonly skipped?: Text;
  /** A person left this item out after a stop. */
  readonly isLeftOut?: true;
};

export type BatchProgress = {
  /** One for each item, in the same order. */
  readonly items: readonly ItemProgress[];
  /** The item that goes first and alone: the others wait until its site is known to be well. */
  readonly canary?: { readonly item: number; readonly isPassed: boolean };
  /** Changes that ended badly before somebody let the batch go on. */
  readonly passedOver: readonly number[];
  /** Why it stopped last. */
  readonly why?: StopReason;
  /** How often it has stopped. */
  readonly stops?: number;
  /** The reply about the stop was written while changes were under way, so it is written again when they have ended. */
  readonly isSummaryPending?: boolean;
  /** The batch's time ended while an outcome was unknown. */
  readonly isOver?: boolean;
  /** The changes that the card has shown to have ended badly since the stop. */
  readonly shownBad?: readonly number[];
  /** When the card was last drawn again, epoch ms. */
  readonly drawnAt?: number;
  /** How often people were reminded of unknown outcomes, and when the next reminder is due, epoch ms. */
  readonly reminders?: { readonly count: number; readonly nextAt: number };
};

/** Why it stopped: bad ends of items, a person, a canary that is not known to be well, nothing left to try, or its time. */
export type StopReason =
  | { readonly kind: 'ended badly'; readonly items: readonly number[] }
  | { readonly kind: 'canary'; readonly says: Text }
  | { readonly kind: 'person' | 'all tried' | 'time over' };

/**
 * `accepted`: the host took it, and nothing shows whether it was done. `changed meanwhile`: not sent, because the
 * target has changed since it was pinned; it needs a new review.
 */
export const standings = [...standingsOfStates, 'to do', 'left out'] as const;
export type Standing = (typeof standings)[number];

/** What this file reads of a change of the batch. */
export type ChangeInBatch = Pick<Change, 'number' | 'state' | 'settled_at'>;

/** Whether the canary's site is well after its change. `later`: not known yet. */
export type CanarySite = 'well' | 'later' | { readonly says: Text };

type BatchStep =
  /** Begin a change for each of these items. `isCanaryPassed`: record that the canary's site is well. */
  | { readonly kind: 'begin'; readonly items: readonly number[]; readonly isCanaryPassed: boolean }
  | { readonly kind: 'halt'; readonly why: StopReason }
  | { readonly kind: 'wait' }
  | { readonly kind: 'all done' | 'all accepted' }
  /** No more changes are begun, and none is under way. */
  | { readonly kind: 'end' };

/** How many changes of a batch may be under way: this many may still end after a stop. */
export const maxUnderWay = 8;

/** The progress of a change that is a batch. Throws for any other. */
export function batchProgress({ progress, ...change }: Pick<Change, 'progress' | 'number'>): BatchProgress {
  if (progress === null) throw new Error(`#${change.number} is no batch`);
  return parseStored(progress);
}

/** The progress of a batch that stops now. */
export function stoppedFor(batch: Pick<Change, 'progress' | 'number'>, why: StopReason): BatchProgress {
  const progress = batchProgress(batch);
  return { ...progress, why, stops: (progress.stops ?? 0) + 1 };
}

/** The pinned items of a batch; undefined: it is an ordinary change. */
export function batchItemsOf({ call }: Pick<Change, 'call'>): readonly BatchItem[] | undefined {
  const pinned = parseStored<{ readonly items?: readonly BatchItem[] } | null>(call);
  return pinned?.items;
}

/** How far an item is, given the change that was begun for it; undefined: its row was not read. */
export function itemStanding(item: ItemProgress, change: ChangeInBatch | undefined): Standing {
  if (item.isLeftOut) return 'left out';
  if (item.skipped) return 'not sent';
  if (change === undefined) return item.change === undefined ? 'to do' : 'under way';
  const isOver = change.state === 'accepted' && change.settled_at !== null;
  return isOver ? 'accepted' : states[change.state].inBatch;
}

const endedWell = (standing: Standing): boolean => standing === 'done' || standing === 'accepted';

/** Whether a batch stops when one of its changes ends like this. It doesn't stop if only the target had changed. */
const stopsAt = ({ state }: ChangeInBatch): boolean =>
  ['unknown', 'failed', 'rejected', 'did_not_happen', 'expired', 'invalidated'].includes(state);

/** The change that was begun for an item, out of those of its batch. */
export const begunFor = <One extends ChangeInBatch>(item: ItemProgress, changes: readonly One[]): One | undefined =>
  changes.find(({ number }) => number === item.change);

/** How far each item is. `changes`: those that the batch began. */
export const standingsOf = ({ items }: BatchProgress, changes: readonly ChangeInBatch[]): readonly Standing[] =>
  items.map((item) => itemStanding(item, begunFor(item, changes)));

type Situation = {
  readonly state: 'running' | 'stopped';
  /** False: no more changes may be begun. */
  readonly isValid: boolean;
  readonly canarySite: CanarySite;
};

/** What the batch does next. */
export function nextStep(
  progress: BatchProgress,
  changes: readonly ChangeInBatch[],
  { state, isValid, canarySite }: Situation,
): BatchStep {
  const all = standingsOf(progress, changes);
  const indexesOf = (wanted: Standing): readonly number[] =>
    all.flatMap((standing, at) => (standing === wanted ? [at] : []));
  const [toDo, underWay] = [indexesOf('to do'), indexesOf('under way')];
  const isLeft = all.includes('not sent') || all.includes('unknown');
  const stopped = badItems(progress, changes);
  if (state === 'running' && stopped.length > 0) return { kind: 'halt', why: { kind: 'ended badly', items: stopped } };
  if (all.every((one) => one === 'left out' || endedWell(one))) return endOf(all);
  if (!isValid) return stepWhenOver(all, state);
  if (state === 'stopped') {
    return { kind: toDo.length + underWay.length > 0 || isLeft ? 'wait' : 'end' };
  }
  const canary = canaryStep(progress, all, canarySite);
  if (canary !== 'passed') return canary;
  if (toDo.length === 0) {
    if (underWay.length > 0) return { kind: 'wait' };
    return isLeft ? { kind: 'halt', why: { kind: 'all tried' } } : { kind: 'end' };
  }
  const items = toDo.slice(0, Math.max(0, maxUnderWay - underWay.length));
  const isCanaryPassed = progress.canary !== undefined && !progress.canary.isPassed;
  return items.length > 0 ? { kind: 'begin', items, isCanaryPassed } : { kind: 'wait' };
}

/** How it ends if nothing went wrong. */
const endOf = (all: readonly Standing[]): BatchStep => ({
  kind: all.includes('accepted') ? 'all accepted' : all.includes('done') ? 'all done' : 'end',
});

/** What a batch does that may begin nothing any more. */
function stepWhenOver(all: readonly Standing[], state: Situation['state']): BatchStep {
  if (all.includes('under way')) return { kind: 'wait' };
  // It stays open until somebody has closed what is unknown, and reminds of it.
  if (all.includes('unknown'))
    return state === 'stopped' ? { kind: 'wait' } : { kind: 'halt', why: { kind: 'time over' } };
  return { kind: 'end' };
}

/** The changes that ended badly, without those that a person has let it go on after. */
export const badChanges = (progress: BatchProgress, changes: readonly ChangeInBatch[]): readonly number[] =>
  badItems(progress, changes).flatMap((at) => progress.items[at]?.change ?? []);

/** The items whose changes stop the batch, except those after which a person let it go on. */
const badItems = ({ items, passedOver }: BatchProgress, changes: readonly ChangeInBatch[]): readonly number[] =>
  items.flatMap((item, at) => {
    const begun = item.isLeftOut ? undefined : begunFor(item, changes);
    return begun && stopsAt(begun) && !passedOver.includes(begun.number) ? [at] : [];
  });

function canaryStep({ canary }: BatchProgress, all: readonly Standing[], site: CanarySite): BatchStep | 'passed' {
  if (canary === undefined || canary.isPassed) return 'passed';
  const standing = all[canary.item];
  if (standing === 'to do') return { kind: 'begin', items: [canary.item], isCanaryPassed: false };
  if (standing === 'under way') return { kind: 'wait' };
  if (standing === undefined || !endedWell(standing))
    return haltAtCanary(say`it was not sent, so its site proves nothing`);
  if (site === 'later') return { kind: 'wait' };
  return site === 'well' ? 'passed' : haltAtCanary(site.says);
}

const haltAtCanary = (says: Text): BatchStep => ({ kind: 'halt', why: { kind: 'canary', says } });

/**
 * The progress after a person lets a stopped batch go on. Bad ends are passed over, and so is a canary whose site was
 * not shown to be well. A canary that is still to do or under way stays the canary. `without`: items that are left out.
 */
export function continued(
  progress: BatchProgress,
  changes: readonly ChangeInBatch[],
  without: readonly number[] = [],
): BatchProgress {
  const { canary, passedOver, items, why } = progress;
  const all = standingsOf(progress, changes);
  const isOpen = ['to do', 'under way', 'done', 'accepted'].includes(all[canary?.item ?? -1] ?? '');
  const isLeftOut = (at: number): boolean => without.includes(at) && all[at] === 'to do';
  const isWaived = why?.kind === 'canary' || !isOpen || (canary !== undefined && isLeftOut(canary.item));
  return {
    ...progress,
    ...(canary && { canary: { ...canary, isPassed: canary.isPassed || isWaived } }),
    passedOver: [...passedOver, ...badChanges(progress, changes)],
    items: items.map((item, at) => (isLeftOut(at) ? { isLeftOut: true } : item)),
  };
}

/**
 * As `continued`, and items that were not sent are tried again; a canary among them goes first again. Items that were
 * or may have been sent are never begun again, nor are those whose target changed in the meantime.
 */
export function retried(progress: BatchProgress, changes: readonly ChangeInBatch[]): BatchProgress {
  const all = standingsOf(progress, changes);
  const next = continued(progress, changes);
  const { canary } = all[progress.canary?.item ?? -1] === 'not sent' ? progress : next;
  return {
    ...next,
    ...(canary && { canary }),
    items: next.items.map((item, at) => (all[at] === 'not sent' ? {} : item)),
  };
}
