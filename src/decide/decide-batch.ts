import { Refusal } from '../base/errors.ts';
import { changesInBatch, isBatch, type Change } from '../storage/changes.ts';
import type { Tx } from '../storage/database.ts';
import { say } from '../words/text.ts';
import {
  badChanges,
  continued,
  batchItemsOf,
  batchProgress,
  stoppedFor,
  retried,
  standingsOf,
  type ChangeInBatch,
  type BatchProgress,
} from '../change/batch.ts';
import { endedReply, stopNote, whyStopped } from '../change/batch-card.ts';
import type { DecisionKind } from '../change/buttons.ts';
import type { TransitionNote } from '../change/change-messages.ts';
import type { SendContext } from '../send/context.ts';
import { together } from './look-and-pin.ts';
import { requesterUnless } from './decision-note.ts';
import { takeBackUnsent } from '../send/run-batch.ts';
import { authorize, type Person } from '../access/access-check.ts';
import { refuseUnlessConfirmed, shownOf, type Confirmation } from '../change/confirmation.ts';
import { withoutEnvironments } from '../send/pin-batch.ts';
import type { Pinned } from '../change/pin.ts';

type BatchDecision = {
  readonly verdict: DecisionKind;
  readonly person: string;
  readonly leaveOut?: readonly string[];
};

/**
 * Applies a decision about a batch by the person with this name, and returns its note. A stop also cancels what is not
 * sent yet. Throws `Refusal` if it can't be decided yet.
 */
export async function applyBatchDecision(
  context: SendContext,
  tx: Tx,
  batch: Change,
  { verdict, person, leaveOut = [] }: BatchDecision,
  { name, at }: { readonly name: string; readonly at: number },
): Promise<
  Pick<TransitionNote, 'also' | 'reply' | 'replyKey' | 'tellKey' | 'lastNote' | 'ops' | 'tell'> & {
    readonly without?: readonly string[];
  }
> {
  if (!isBatch(batch) || !isAboutBatch(verdict)) return {};
  const [progress, changes] = [batchProgress(batch), await changesInBatch(tx, batch.number)];
  const tell = requesterUnless(batch, context.policy(), person);
  switch (verdict) {
    case 'halt': {
      const after = await takeBackUnsent(context, tx, { batch, changes }, { by: person, at });
      const why = { kind: 'person' } as const;
      const lastNote = whyStopped(after.batch, why, name);
      return {
        lastNote,
        tell,
        ...stopNote(after.batch, after.changes, stoppedFor(after.batch, why), lastNote),
      };
    }
    case 'go_on':
      refuseUnlessShown(batch, progress, changes);
      return goneOnWithout(batch, progress, changes, leaveOut);
    case 'retry':
      refuseUnlessShown(batch, progress, changes);
      return { also: saved(retried(progress, changes)) };
    case 'end':
      refuseUnlessOver(batch, progress, changes);
      return { reply: endedReply(batch, changes, 'end'), replyKey: `${batch.number}:ended`, tell };
  }
}

/** Throws `Refusal` if a change ended badly and the card has not shown that yet: people must see it first. */
function refuseUnlessShown({ number }: Change, progress: BatchProgress, changes: readonly ChangeInBatch[]): void {
  if (badChanges(progress, changes).every((one) => progress.shownBad?.includes(one))) return;
  throw new Refusal(say`#${number}: It has changed since you saw it. Look at its card again. Nothing was changed.`);
}

/**
 * Throws `Refusal` while a change is under way, or its outcome is unknown: an ended batch wouldn't remind anybody of
 * that.
 */
function refuseUnlessOver({ number }: Change, progress: BatchProgress, changes: readonly ChangeInBatch[]): void {
  const standings = standingsOf(progress, changes);
  const underWay = standings.filter((one) => one === 'under way').length;
  if (underWay > 0) {
    throw new Refusal(
      say`#${number} was not ended, because ${underWay} of its changes ${underWay === 1 ? 'is' : 'are'} still under way. Please press again when nothing is.`,
    );
  }
  const unknown = standings.filter((one) => one === 'unknown').length;
  if (unknown === 0) return;
  throw new Refusal(
    say`#${number} was not ended, because ${unknown} of its outcomes ${unknown === 1 ? 'is' : 'are'} unknown. Please close ${unknown === 1 ? 'it' : 'them'} first.`,
  );
}

const isAboutBatch = (verdict: DecisionKind): verdict is 'halt' | 'go_on' | 'retry' | 'end' =>
  ['halt', 'go_on', 'retry', 'end'].includes(verdict);
const saved = (progress: BatchProgress) => ({ progress: JSON.stringify(progress) });

/** The note of a batch that goes on without these environments. `without`: their names, for the trail. */
function goneOnWithout(
  batch: Change,
  progress: BatchProgress,
  changes: readonly ChangeInBatch[],
  ids: readonly string[],
) {
  const all = (batchItemsOf(batch) ?? []).map(({ target }, at) => ({ target, at }));
  const without = all.filter(({ target }) => ids.includes(target.id));
  const next = continued(
    progress,
    changes,
    without.map(({ at }) => at),
  );
  return { also: saved(next), without: without.map(({ target }) => target.name) };
}

/** A reviewed change, and how it was confirmed; `isAsShown`: it asks for the approval that the review showed. */
type ConfirmedChange = {
  readonly pinned: Pinned;
  readonly confirmation: Confirmation;
  readonly isAsShown: boolean;
};

/**
 * What is left of a reviewed batch without the environments that its requester left out. The rules decide again which
 * approval that needs. Throws `Refusal` (`NotAsShown`) if the whole batch was not confirmed as it is, or if nothing is
 * left.
 */
export function applyLeftOut(
  { policy, company }: Pick<SendContext, 'policy' | 'company'>,
  shown: Pinned,
  person: Person,
  confirmation: Confirmation,
): ConfirmedChange {
  const ids = typeof confirmation === 'string' ? [] : (confirmation.leaveOut ?? []);
  if (ids.length === 0) return { pinned: shown, confirmation, isAsShown: true };
  refuseUnlessConfirmed(shown, confirmation);
  const kept = withoutEnvironments(shown, ids);
  const { batchValidity } = shown.authorization;
  const authorization = kept.items
    ? // What is left may be valid for longer by its own rules, and that was not shown.
      {
        ...together(authorize(policy(), person, kept, company()), kept.items).authorization,
        ...(batchValidity !== undefined && { batchValidity }),
      }
    : kept.authorization;
  const pinned = { ...kept, authorization };
  const [now, then] = [pinned, shown].map((one) => JSON.stringify(one.authorization.approval));
  return { pinned, confirmation: { shown: shownOf(pinned), typedName: undefined }, isAsShown: now === then };
}
