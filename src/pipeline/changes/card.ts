import type { Args, Offer } from '../../errors.ts';
import type { Change } from '../../storage/changes.ts';
import type { Vote } from '../../storage/votes.ts';
import { bold, channel, inShort, joined, mention, say, time, type Text } from '../../text.ts';
import { whoIsAsked } from '../access/approver-lookup.ts';
import { authorizationOf } from '../access/authorization.ts';
import { coolsDown } from './change.ts';
import { factsOf, frozenCardOf, headingOf, type FrozenCard } from './freeze.ts';
import { markOf, stateText } from './state-words.ts';

/** The decisions about a change; each has its own button. */
export const decisionKinds = [
  'approve',
  'decline',
  'cancel',
  'stop',
  'happened',
  'did_not_happen',
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

/** A change as people see it now: frozen words, current state, buttons. Plain data; `slack/` draws it. */
export type Card = {
  readonly mark: string;
  readonly headline: Text;
  readonly lines: readonly Text[];
  readonly warning: Text | undefined;
  readonly facts: FrozenCard['facts'];
  readonly buttons: readonly Button[];
};

/** A message other than the card: a thread reply, a direct message, a notice. Stored as JSON until it is posted. */
export type Note = {
  readonly text: Text;
  readonly buttons?: readonly Button[];
  /** The text without what holds only until the change moves on. It replaces the text then. */
  readonly lasting?: Text;
  /** Only edits: if the message to edit can't be edited or is gone, this is dropped. */
  readonly minor?: true;
  /** Once this is posted, the batch's file is added to it. */
  readonly withFile?: true;
};

/** Runs a command. */
export const runButton = ({ label, args }: Omit<Offer, 'opens'>): Button => ({ label, press: { kind: 'run', args } });

/** The label of the next button until something is sent. */
export const everythingLabel = 'Everything that will be sent';
/** Opens the frozen change in full; `of` undefined: what the form shows. */
export const everythingButton = (of: ShownChange | undefined, label: string = everythingLabel): Button => ({
  label,
  press: { kind: 'call', page: 1, of },
});

/** Approves by a form, with an optional note. */
export const approveWithNote = (shown: ShownVersion): Button => ({
  label: 'Approve with a note…',
  press: { kind: 'note', verdict: 'approve', ...shown },
});

/** Who approved, and when. */
export type Approved = Pick<Vote, 'person' | 'at'>;
export const approvedBy = (approved: readonly Approved[]): readonly Text[] =>
  approved.map(({ person: who, at }) => say`${mention(who)}, ${time(at)}`);

/** Who reads a card that is not in its channel. */
export type CardReader = {
  /** Whether they asked for the change. */
  readonly isAsker: boolean;
  /** The channel of its card, if it says where that is. */
  readonly cardIn?: string | undefined;
};

/** The card of a change row. `approved` are the approvals so far, oldest first. `reader`: left out, everybody reads it. */
export function renderCard(
  change: Change,
  approved: readonly Approved[],
  installation: string,
  reader?: CardReader,
): Card {
  const frozen = frozenCardOf(change);
  const done = change.state === 'done' || change.state === 'happened';
  return {
    mark: markOf(change),
    headline: say`**${done ? frozen.done : frozen.title}** · #${change.number}`,
    lines: [
      joined(
        [
          say`Asked by ${askersNamed(change)}`,
          change.reason === null ? undefined : say`“${change.reason}”`,
          timerLine(change),
          reader?.cardIn === undefined ? undefined : say`card in ${channel(reader.cardIn)}`,
        ],
        ' · ',
      ),
      ...stateLines(change),
    ],
    // Once a change is settled or unknown, its warning is pointless.
    warning: change.settled_at === null && change.state !== 'unknown' ? frozen.warning : undefined,
    facts: [...frozen.facts, ...approvalFacts(change, approved)],
    buttons: buttonsFor(reader, cardButtons(change, installation)),
  };
}

/** Who can approve the change and until when, and who has approved. */
function approvalFacts(change: Change, approved: readonly Approved[]): FrozenCard['facts'] {
  const { asks = [] } = authorizationOf(change);
  const already = approved.map(({ person: who }) => who);
  const asked = say`${whoIsAsked(asks, { without: already })}, until ${time(change.expires_at)}`;
  return factsOf({
    Approve: change.state === 'waiting' ? asked : undefined,
    'Approved by': joined(approvedBy(approved), '; '),
  });
}

/** The decision buttons, *Approve with a note…* and *Everything that will be sent*, until the change is settled. */
function cardButtons(change: Change, installation: string): readonly Button[] {
  if (change.settled_at !== null) return [];
  const isBefore = change.state === 'waiting' || change.state === 'approved';
  const shown = { installation, number: change.number };
  const everything = everythingButton(shown, isBefore ? everythingLabel : 'Everything that was sent');
  const buttons = decisionButtons(change, installation);
  if (change.state !== 'waiting') return [...buttons, everything];
  const withNote = approveWithNote({ ...shown, version: change.version });
  return [...buttons.slice(0, 1), withNote, everything, ...buttons.slice(1)];
}

/** A warning about a change that is asked again. */
export const mayBeDone = ({ target_name: where }: Pick<Change, 'target_name'>): Text =>
  say`This may have been done already: please compare ${where} with the host's panel first.`;

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

/** Only those who asked for a change can cancel it, and only others can approve or decline it. */
const refusedTo: Readonly<Record<'askers' | 'others', ReadonlySet<DecisionKind>>> = {
  askers: new Set(['approve', 'decline']),
  others: new Set(['cancel']),
};

/** The buttons without those that this reader could only be refused; undefined: all of them. */
export function buttonsFor(reader: Pick<CardReader, 'isAsker'> | undefined, all: readonly Button[]): readonly Button[] {
  if (reader === undefined) return all;
  const refused = refusedTo[reader.isAsker ? 'askers' : 'others'];
  return all.filter(({ press }) => !('verdict' in press && refused.has(press.verdict)));
}

export function decisionButtons(change: Change, installation: string): readonly Button[] {
  if (change.settled_at !== null) return [];
  const button = decisionButtonOf(change, installation);
  if (change.state === 'waiting') {
    const { title, warning } = frozenCardOf(change);
    const then = coolsDown(change)
      ? 'It is sent ten seconds after the last approval; until then it can be stopped.'
      : undefined;
    const again = change.lost_at === null ? undefined : mayBeDone(change);
    const says = joined([title, then, again, warning], '\n');
    return [
      button('approve', 'Approve', { style: 'primary', ...confirming('Approve', change.number, says) }),
      button('decline', 'Decline…'),
      button('cancel', 'Cancel'),
    ];
  }
  if (change.state === 'approved') {
    return [coolsDown(change) ? button('stop', 'Stop', { style: 'danger' }) : button('cancel', 'Cancel')];
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

function stateLines(change: Change): readonly Text[] {
  if (change.state === 'approved' && change.last_note !== null) return [stateText(change)];
  if (change.state === 'approved' && change.attempts + change.throttle_count > 0 && change.due_at !== null) {
    return [say`Not sent yet. I'll try again at ${time(change.due_at)}.`];
  }
  return [change.state === 'unknown' ? say`**Outcome unknown.** It will not be sent again.` : stateText(change)];
}

function timerLine(change: Change): Text | undefined {
  const { timerOf } = authorizationOf(change);
  return timerOf === undefined ? undefined : say`by the timer of #${timerOf}`;
}

/** Who asked for the change, and who handed the request on to them. */
export const askersNamed = ({ requester, handed_on_by: by }: Pick<Change, 'requester' | 'handed_on_by'>): Text =>
  say`${mention(requester)}${by === null ? '' : say`, handed on by ${mention(by)}`}`;

/** The frozen facts of a change as text, long lists shortened, for a form or a dry run. */
export function factLines(facts: FrozenCard['facts']): Text {
  const lines = facts.map(([label, value]) => joined([bold(`${label}:`), inShort(value)]));
  return joined(lines, '\n');
}
