import { minuteMs } from '../words/duration.ts';
import type { Change } from '../storage/changes.ts';
import type { Message } from '../storage/messages.ts';
import { parseStored } from '../storage/parse-json.ts';
import { joined, say, type Text } from '../words/text.ts';
import { states } from '../words/states.ts';
import { type Button } from './buttons.ts';
import { approvedBy, type Approved, type Note, type Telling } from './card.ts';
import { frozenCardOf } from './freeze.ts';
import { markOf, stateText } from './state-words.ts';
import type { Undo } from './undo.ts';

/** What a message about a change says, drawn from what it tells and from how the change is now. Pure. */

/** How it stands when the message is drawn. */
type Now = {
  readonly change: Change;
  readonly approved: readonly Approved[];
  readonly installation: string;
  /** Whether nothing newer like it asks its reader to decide: only one message at a time has the buttons. */
  readonly isNewest: boolean;
};

/** The note of a message about a change. */
export function drawTelling(message: Message, telling: Telling, now: Now): Note {
  const { change } = now;
  if (isAnswered(message, telling, change)) return withdrawnRequest(change, now.approved);
  const { lasting, when, ...told } = telling;
  const text = lasting === undefined ? told.text : textNow(message, { ...told, lasting, when }, change);
  return { ...told, text, ...(told.buttons && { buttons: told.buttons.flatMap((one) => live(one, message, now)) }) };
}

/** Whether it asked somebody to approve what no longer waits. The requester's own messages tell them how it goes on. */
export const isAnswered = ({ kind, recipient }: Message, { when }: Telling, { state, requester }: Change): boolean =>
  kind === 'direct' && recipient !== requester && state !== 'waiting' && (when?.state ?? 'waiting') === 'waiting';

/** The button as it works now, if it does. What a restored database posts anew, it also takes back. */
function live(button: Button, { ts }: Message, { change, installation, isNewest }: Now): readonly Button[] {
  const { press } = button;
  if (press.kind === 'undo' && undoneBy(change) !== undefined) return [];
  if (press.kind === 'decision' && !(isNewest && press.version === change.version)) return [];
  const isOurs = 'installation' in press && (press.kind === 'decision' || ts === null);
  return [isOurs ? { ...button, press: { ...press, installation } } : button];
}

type Promise = Telling & { readonly lasting: Text };

/** The words of its moment while they hold; then what lasts of them, and how the change is now. */
function textNow({ kind, created_at }: Message, { text, lasting, when, buttons = [] }: Promise, change: Change): Text {
  const undone = buttons.some(({ press }) => press.kind === 'undo') ? undoneBy(change) : undefined;
  if (undone !== undefined) return joined([lasting, say`#${undone} has undone it.`]);
  const withState = joined([lasting, joined([markOf(change), stateText(change)])], '\n');
  if (isHeldUp(change)) return withState;
  if (when?.version === change.version) return text;
  // A promise that was kept stays as it was said.
  const wasKept = when?.state === 'approved' && isSentSoon(change, created_at);
  if (kind === 'reply') return when?.state === 'approved' && !wasKept ? lasting : text;
  return wasKept && !isReported(change) ? text : withState;
}

/** Whether an approved change could not be sent at once. */
const isHeldUp = (change: Change): boolean =>
  change.state === 'approved' && (change.last_note !== null || wasTried(change));

const wasTried = ({ attempts, throttle_count: throttled }: Change): boolean => attempts + throttled > 0;

/** Longer than the ten seconds of *Stop*, and than a busy worker takes. */
const soonMs = minuteMs / 2;

/** Whether it went on as `asOf` (epoch ms) promised: it was not held up, asked again, or ended unsent. */
const isSentSoon = (change: Change, asOf: number): boolean =>
  !endedUnsent.has(change.state) &&
  change.state !== 'waiting' &&
  !wasTried(change) &&
  (change.sent_at === null || change.sent_at - asOf < soonMs);

const endedUnsent: ReadonlySet<Change['state']> = new Set([
  'declined',
  'expired',
  'cancelled',
  'invalidated',
  'superseded',
]);

/** Whether everybody who was told of a change directly hears that it is in this state. */
const isReported = ({ state, settled_at }: Change): boolean =>
  settled_at !== null || state === 'waiting' || state === 'unknown' || state === 'stopped';

const undoneBy = ({ undo }: Change): number | undefined =>
  undo === null ? undefined : parseStored<Undo>(undo).undoneBy;

/** What is left of a request to approve once others have decided: who decided what. */
export function withdrawnRequest(change: Change, approved: readonly Approved[]): Note {
  const { number, state, settled_at } = change;
  const mark = isReported(change) ? markOf(change) : states.approved.mark;
  const title = say`**${frozenCardOf(change).title}** · #${number}`;
  const by = approved.length > 0 ? say`Approved by ${joined(approvedBy(approved), '; ')}.` : undefined;
  // Another message may ask the same people to decide something about these.
  const isOpen = state === 'unknown' || state === 'stopped';
  const says = isOpen || settled_at !== null ? stateText(change) : undefined;
  const rest = isOpen ? undefined : 'Nothing is left for you to decide.';
  return { text: joined([joined([mark, title]), by, says, rest], '\n') };
}

/** What is left of a message to somebody who may no longer read what it is about, or in a channel that may not hear it. */
export function noLongerShown({ kind, change }: Pick<Message, 'kind' | 'change'>): Text {
  const who = kind === 'notice' ? 'This channel' : 'You';
  return say`${who} may no longer see ${change === null ? 'what this was about' : `#${change}`}, so I've taken out what was here.`;
}

/** What is left of a message about an unknown outcome once it is known. */
export const wasUnknown = say`⚠️ **The outcome was unknown.**`;
