import { askersMayClose, heldAs } from '../access/authorization.ts';
import { type Args, type Offer, Refusal } from '../base/errors.ts';
import type { Change } from '../storage/changes.ts';
import { joined, say, type Text, time, typed } from '../words/text.ts';
import { coolsDown } from './change.ts';
import { pinnedCardOf, headingOf } from './pin.ts';
import { isToReview } from './post-review.ts';
import { mayBeDone } from './states-and-events.ts';
import type { Database } from '../storage/database.ts';
import { restoredTo } from '../storage/timeline.ts';

/** The buttons about a change: what each does, which there are in which state, and for whom. */

/** The decisions about a change; each has its own button. */
export const decisionKinds = [
  'approve',
  'decline',
  'cancel',
  'stop',
  'happened',
  'did_not_happen',
  // What was sent by break-glass, with what is to be said of it.
  'reviewed',
  // For a batch: begin no more for now; go on; go on and retry what was not sent; end it.
  'halt',
  'go_on',
  'retry',
  'end',
] as const;
export type DecisionKind = (typeof decisionKinds)[number];

/** A change that a person was shown; `installation` is the id of its database. */
export type ShownChange = { readonly installation: string; readonly number: number };
/** The same, with the version that they saw. */
export type ShownVersion = ShownChange & { readonly version: number };

/** What a button does. Decisions, undo and call name a change in a database; the others carry arguments or a row's id. */
export type Press =
  | ({ readonly kind: 'decision'; readonly verdict: DecisionKind } & ShownVersion)
  /** Opens the form for a note with an approval. */
  | ({ readonly kind: 'note'; readonly verdict: 'approve' } & ShownVersion)
  /** Opens the form that asks which environments a batch leaves out. */
  | ({ readonly kind: 'without'; readonly verdict: 'go_on' } & ShownVersion)
  | { readonly kind: 'run' | 'form' | 'review'; readonly args: Args }
  | ({ readonly kind: 'undo' } & ShownChange)
  | { readonly kind: 'share' | 'file'; readonly id: string }
  | { readonly kind: 'page'; readonly id: string; readonly from: number }
  /** Opens the checklist of the offer at this index of a kept page. */
  | { readonly kind: 'checklist'; readonly id: string; readonly at: number }
  /** Opens everything that will be sent, at this page. `of`: the change; undefined: what the form shows. */
  | { readonly kind: 'call'; readonly page: number; readonly of: ShownChange | undefined };
export type Button = {
  readonly label: string;
  readonly press: Press;
  readonly style?: 'primary' | 'danger';
  readonly confirm?: { readonly title: string; readonly says: Text; readonly yes: string };
};

/** Runs a command. */
export const runButton = ({ label, args }: Omit<Offer, 'opens'>): Button => ({ label, press: { kind: 'run', args } });

/** The label of the next button until something is sent. */
export const everythingLabel = 'Everything that will be sent';
/** Opens the pinned change in full; `of` undefined: what the form shows. `isAhead`: something may still be sent. */
export const everythingButton = (of: ShownChange | undefined, isAhead = true): Button => ({
  label: isAhead ? everythingLabel : 'Everything that was sent',
  press: { kind: 'call', page: 1, of },
});

/** Approves by a form, with an optional note. */
export const approveWithNote = (shown: ShownVersion): Button => ({
  label: 'Approve with a note…',
  press: { kind: 'note', verdict: 'approve', ...shown },
});

/** Who reads a card that is not in its channel. */
export type CardReader = {
  /** Whether they asked for the change. */
  readonly isAsker: boolean;
  /** The channel of its card, if it says where that is. */
  readonly cardIn?: string | undefined;
};

/** Makes the decision buttons of this version of a change. */
export const decisionButtonOf =
  ({ number, version }: Pick<Change, 'number' | 'version'>, installation: string) =>
  (verdict: DecisionKind, label: string, more: Pick<Button, 'style' | 'confirm'> = {}): Button => ({
    label,
    press: { kind: 'decision', verdict, installation, number, version },
    ...more,
  });

/** The question that a button asks before it acts. */
export const confirming = (yes: string, number: number, says: Text): Pick<Button, 'confirm'> => ({
  confirm: { title: `${yes} #${number}?`, says, yes },
});

/**
 * Only those who asked for a change can cancel it, and only others can approve or decline it. Others alone close it too,
 * unless it needed no approval and a person asked.
 */
const refusedTo: Readonly<Record<'askers' | 'askersOfOthers' | 'others', ReadonlySet<DecisionKind>>> = {
  askers: new Set(['approve', 'decline', 'reviewed']),
  askersOfOthers: new Set(['approve', 'decline', 'reviewed', 'happened', 'did_not_happen']),
  others: new Set(['cancel']),
};

/** The buttons without those that this reader could only be refused; undefined: all of them. */
export function buttonsFor(
  reader: Pick<CardReader, 'isAsker'> | undefined,
  change: Change,
  all: readonly Button[],
): readonly Button[] {
  if (reader === undefined) return all;
  const askers = askersMayClose(change) ? 'askers' : 'askersOfOthers';
  const refused = refusedTo[reader.isAsker ? askers : 'others'];
  return all.filter(({ press }) => !('verdict' in press && refused.has(press.verdict)));
}

/** Whether anybody who can read it may stop it once it is approved: also what a program asked for, while it is held. */
export const mayBeStopped = (change: Change): boolean => coolsDown(change) || heldAs(change) !== null;

/** Opens the form for a review; drawn only while there is something to review. */
export const reviewButton = (change: Change, installation: string): Button =>
  decisionButtonOf(change, installation)('reviewed', 'Review…');

export function decisionButtons(change: Change, installation: string): readonly Button[] {
  if (change.settled_at !== null) return isToReview(change) ? [reviewButton(change, installation)] : [];
  const button = decisionButtonOf(change, installation);
  if (change.state === 'waiting') {
    const { title, warning } = pinnedCardOf(change);
    const stops = change.scheduled_at === null ? 'Then it can be stopped for ten seconds.' : undefined;
    const then = coolsDown(change) ? stops : undefined;
    const again = change.lost_at === null ? undefined : mayBeDone(change);
    // Slack takes 300 characters, so what would be lost comes first.
    const says = joined([title, warning, again, then], '\n');
    return [
      button('approve', 'Approve', { style: 'primary', ...confirming('Approve', change.number, says) }),
      button('decline', 'Decline…'),
      button('cancel', 'Cancel'),
    ];
  }
  if (change.state === 'approved') {
    return [mayBeStopped(change) ? button('stop', 'Stop', { style: 'danger' }) : button('cancel', 'Cancel')];
  }
  if (change.state !== 'unknown') return [];
  const close = (verdict: 'happened' | 'did_not_happen', yes: string, seen: string): Button =>
    button(verdict, yes, {
      confirm: {
        title: `${yes}?`,
        says: say`${headingOf(change)}\nYou checked the host and saw ${seen}. This closes the change and frees what it locked. It sends nothing.`,
        yes,
      },
    });
  return [
    close('happened', 'It happened', 'that it was done'),
    close('did_not_happen', 'It did not happen', 'no sign of it'),
  ];
}

/**
 * Throws `Refusal` for a button of another database, where its number means another change. That includes the database
 * whose backup was restored here: its numbers may be used again, and what happened after the backup is unknown.
 */
export async function refuseUnlessOurs(
  { db, installation: ours }: Pick<Database, 'db' | 'installation'>,
  installation: string,
  done: 'done' | 'shown' = 'done',
): Promise<void> {
  if (installation === ours) return;
  const from = await restoredTo(db, installation);
  if (from !== undefined) {
    throw new Refusal(
      say`My database was restored from a backup of ${time(from, 'date')}, so buttons posted before the restore no longer work. Nothing was ${done}.`,
      { hint: say`Look for a newer card of this change, or type ${typed('changes')} to see what I know.` },
    );
  }
  throw new Refusal(`This button belongs to another Sitehand installation. Nothing was ${done}.`, {
    hint: 'Please use the button on that installation’s own card.',
  });
}
