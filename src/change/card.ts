import { isBatch, type Change } from '../storage/changes.ts';
import type { Vote } from '../storage/votes.ts';
import { bold, channel, inShort, joined, mention, say, time, type Text, through } from '../words/text.ts';
import { whoIsAsked } from '../access/approver-lookup.ts';
import { fromWhen } from '../access/escalation.ts';
import { tooFewApprove } from '../access/nobody-approves.ts';
import { authorizationOf } from '../access/authorization.ts';
import { glassMark } from '../access/break-glass.ts';
import { glassLine } from './post-review.ts';
import {
  approveWithNote,
  buttonsFor,
  decisionButtons,
  everythingButton,
  type Button,
  type CardReader,
} from './buttons.ts';
import { closableMinute } from './change.ts';
import { factsOf, pinnedCardOf, isDone, titleNow, type PinnedCard } from './pin.ts';
import { reasonText } from '../access/reason.ts';
import { markOf, stateText } from './states-and-events.ts';

/** A change as people see it now: pinned words, current state, buttons. Plain data; `slack/` draws it. */
export type Card = {
  readonly mark: string;
  readonly headline: Text;
  readonly lines: readonly Text[];
  readonly warning: Text | undefined;
  readonly facts: PinnedCard['facts'];
  readonly buttons: readonly Button[];
};

/** A message other than the card as it reads now: a thread reply, a direct message, a notice. */
export type Note = {
  readonly text: Text;
  readonly buttons?: readonly Button[];
  /** What is said instead to whoever may not read what the message is about; by default, nothing. */
  readonly hidden?: Text;
  /** Once this is posted, the batch's file is added to it. */
  readonly withFile?: true;
};

/** What a message tells, in the words of its moment. Stored as JSON; `drawTelling` makes the note of it, every time. */
export type Telling = Note & {
  /** The text without what holds only until the change moves on. */
  readonly lasting?: Text | undefined;
  /** The change at that moment. */
  readonly when?: Pick<Change, 'state' | 'version'> | undefined;
};

/** Who approved, and when. */
export type Approved = Pick<Vote, 'person' | 'at'>;
export const approvedBy = (approved: readonly Approved[]): readonly Text[] =>
  approved.map(({ person: who, at }) => say`${mention(who)}, ${time(at)}`);

/** The card of a change row. `approved` are the approvals so far, oldest first. `reader`: left out, everybody reads it. */
export function renderCard(
  change: Change,
  approved: readonly Approved[],
  installation: string,
  reader?: CardReader,
): Card {
  const pinned = pinnedCardOf(change);
  const reason = reasonText(change);
  const glass = glassLine(change);
  return {
    mark: markOf(change),
    headline: say`**${titleNow(change)}** · #${change.number}`,
    lines: [
      joined(
        [
          say`Asked by ${askersNamed(change)}`,
          reason && say`“${reason}”`,
          timerLine(change),
          reader?.cardIn === undefined ? undefined : say`card in ${channel(reader.cardIn)}`,
        ],
        ' · ',
      ),
      ...(glass ? [say`${glassMark} **Break-glass:** ${glass}`] : []),
      ...stateLines(change),
    ],
    // Once a change is settled or unknown, its warning is pointless.
    warning: change.settled_at === null && change.state !== 'unknown' ? pinned.warning : undefined,
    // Its outcome says what is true now; `change <n>` shows what was approved. A batch is named by its facts alone.
    facts: [...(isDone(change) && !isBatch(change) ? [] : pinned.facts), ...approvalFacts(change, approved)],
    buttons: buttonsFor(reader, change, cardButtons(change, installation)),
  };
}

/** Who can approve the change and until when, and who has approved. */
export function approvalFacts(change: Change, approved: readonly Approved[]): PinnedCard['facts'] {
  const { asks = [] } = authorizationOf(change);
  const already = approved.map(({ person: who }) => who);
  const until = say`${whoIsAsked(asks, { without: already, when: fromWhen(change) })}, until ${time(change.expires_at)}`;
  const asked = joined([until, tooFewApprove(asks)], '. ');
  return factsOf({
    Approve: change.state === 'waiting' ? asked : undefined,
    'Approved by': joined(approvedBy(approved), '; '),
  });
}

/** The decision buttons, *Approve with a note…* and *Everything that will be sent*, until the change is settled. */
function cardButtons(change: Change, installation: string): readonly Button[] {
  if (change.settled_at !== null) return decisionButtons(change, installation);
  const isBefore = change.state === 'waiting' || change.state === 'approved';
  const shown = { installation, number: change.number };
  const everything = everythingButton(shown, isBefore);
  const buttons = decisionButtons(change, installation);
  if (change.state !== 'waiting') return [...buttons, everything];
  const withNote = approveWithNote({ ...shown, version: change.version });
  return [...buttons.slice(0, 1), withNote, everything, ...buttons.slice(1)];
}

function stateLines(change: Change): readonly Text[] {
  if (change.state === 'approved' && change.last_note !== null)
    return [joined([stateText(change), say`I keep trying until ${time(change.expires_at)}.`])];
  if (change.state === 'approved' && change.attempts + change.throttle_count > 0 && change.due_at !== null) {
    return [say`Not sent yet. I'll try again at ${time(change.due_at)}.`];
  }
  return [joined([stateText(change), change.state === 'unknown' ? whatToDo(change) : undefined])];
}

/** A card stands where nobody has read its thread, for example in App Home. */
const whatToDo = (change: Change): Text =>
  say`Please check ${change.target_name} in the host's panel. It can be closed from ${time(closableMinute(change))}.`;

function timerLine(change: Change): Text | undefined {
  const { timerOf } = authorizationOf(change);
  return timerOf === undefined ? undefined : say`by the timer of #${timerOf}`;
}

/** Who asked for the change: a caller for somebody, or a person and whoever handed the request on to them. */
export const askersNamed = ({
  requester,
  handed_on_by: by,
  caller,
}: Pick<Change, 'requester' | 'handed_on_by' | 'caller'>): Text =>
  say`${through(caller, mention(requester))}${by === null ? '' : say`, handed on by ${mention(by)}`}`;

/** The pinned facts of a change as text, long lists shortened, for a form or a dry run. */
export function factLines(facts: PinnedCard['facts']): Text {
  const lines = facts.map(([label, value]) => joined([bold(`${label}:`), inShort(value)]));
  return joined(lines, '\n');
}
