import { authorizationOf } from '../access/authorization.ts';
import { parseStored } from '../storage/parse-json.ts';
import { type Change } from '../storage/changes.ts';
import { type Message } from '../storage/messages.ts';
import { joined, mention, say, type Text } from '../words/text.ts';
import { states } from '../words/states.ts';
import { type Button } from './buttons.ts';
import { coolsDown } from './change.ts';
import { approvedBy, type Approved, type Note, type Telling } from './card.ts';
import { pinnedCardOf, type Undo } from './pin.ts';
import { isToReview, postReviewOf } from './post-review.ts';
import { markOf, stateText } from './states-and-events.ts';

/** What a message about a change says, drawn from what it tells and from how the change is now. Pure. */

/** How it stands when the message is drawn. */
type Now = {
  readonly change: Change;
  readonly approved: readonly Approved[];
  readonly installation: string;
  /** Whether nothing newer like it asks its reader to decide: only one message at a time has the buttons. */
  readonly isNewest: boolean;
};

/** The note of a message about a change: the words of its moment while they hold; then what lasts of them. */
export function drawTelling(message: Message, telling: Telling, now: Now): Note {
  const { change } = now;
  if (isPastRequest(message, telling, change)) return withdrawnRequest(change, now.approved);
  const { lasting, when: _, ...said } = telling;
  const buttons = said.buttons?.flatMap((one) => live(one, message, now));
  const note = { ...said, ...(buttons && { buttons }) };
  if (lasting === undefined) return note;
  const by = said.buttons?.some(({ press }) => press.kind === 'undo') ? undoneBy(change) : undefined;
  if (by !== undefined) return { ...note, text: joined([lasting, say`#${by} has undone it.`]) };
  if (isHeldUp(change)) return { ...(message.kind === 'reply' && note), text: withState(lasting, change) };
  const when = whenOf(message, telling, change);
  return when.version === change.version ? note : sinceThen(message, note, { lasting, when }, change);
}

function withState(lasting: Text, change: Change): Text {
  const review = postReviewOf(change);
  const reviewed = review && say`🔎 Reviewed by ${mention(review.by)}: “${review.says}”`;
  return joined([lasting, joined([markOf(change), stateText(change)]), reviewed], '\n');
}

type When = NonNullable<Telling['when']>;

/**
 * The change when the message was queued. An older Sitehand did not store it: of its messages, requests have nothing
 * that lasts, and the version stands only in buttons.
 */
function whenOf({ kind }: Pick<Message, 'kind'>, { when, lasting, buttons = [] }: Telling, change: Change): When {
  if (when !== undefined) return when;
  if (lasting === undefined) return { state: 'waiting', version: change.version };
  const [version = 0] = buttons.flatMap(({ press }) => ('version' in press ? press.version : []));
  return { state: kind === 'reply' ? 'approved' : 'unknown', version };
}

/** A message about a change that has moved on. Its thread tells the rest; elsewhere the message says how it is. */
function sinceThen(
  { kind, created_at }: Message,
  note: Note,
  { lasting, when }: { readonly lasting: Text; readonly when: When },
  change: Change,
): Note {
  const isPromise = when.state === 'approved';
  const wasKept = isPromise && isSentSoon(change, created_at);
  const { buttons = [] } = note;
  const reviews = buttons.filter(({ press }) => 'verdict' in press && press.verdict === 'reviewed');
  const more = reviews.length > 0 && { buttons: reviews };
  if (kind === 'reply')
    return isPromise && (!wasKept || authorizationOf(change).breakGlass) ? { text: lasting, ...more } : note;
  const said = { text: withState(lasting, change), ...more };
  // What had Stop is drawn anew in any case.
  return wasKept && !isReported(change) && !coolsDown(change) ? note : said;
}

/**
 * Whether it asked somebody to approve what no longer waits, or is asked again by a newer message. The requester's own
 * messages tell them how it goes on.
 */
export function isPastRequest(message: Message, telling: Telling, change: Change): boolean {
  if (message.kind !== 'direct' || message.recipient === change.requester) return false;
  const { state, version } = whenOf(message, telling, change);
  return state === 'waiting' && (change.state !== 'waiting' || change.version !== version);
}

/** The button as it works now, if it does. What a restored database posts anew, it also takes back. */
function live(button: Button, { ts }: Message, { change, installation, isNewest }: Now): readonly Button[] {
  const { press } = button;
  if (press.kind === 'undo' && undoneBy(change) !== undefined) return [];
  if (press.kind === 'decision' && press.verdict === 'reviewed') return isNewest && isToReview(change) ? [button] : [];
  if (press.kind === 'decision' && !(isNewest && press.version === change.version)) return [];
  const isOurs = 'installation' in press && (press.kind === 'decision' || ts === null);
  return [isOurs ? { ...button, press: { ...press, installation } } : button];
}

/** Whether an approved change could not be sent at once. */
const isHeldUp = (change: Change): boolean =>
  change.state === 'approved' && (change.last_note !== null || wasTried(change));

const wasTried = ({ attempts, throttle_count: throttled }: Change): boolean => attempts + throttled > 0;

/** Longer than the ten seconds of *Stop* last. */
const soonMs = 15_000;

/** Whether it was sent as `asOf` (epoch ms) promised. What sends nothing itself, such as a batch, does not say when it began. */
const isSentSoon = (change: Change, asOf: number): boolean =>
  change.sent_at !== null && change.sent_at - asOf < soonMs && !wasTried(change);

/** Whether everybody who was told of a change directly hears that it is in this state. */
const isReported = ({ state, settled_at }: Change): boolean =>
  settled_at !== null || state === 'waiting' || state === 'unknown' || state === 'stopped';

const undoneBy = ({ undo }: Change): number | undefined =>
  undo === null ? undefined : parseStored<Undo>(undo).undoneBy;

/** What is left of a request to approve once others have decided: who decided what. */
export function withdrawnRequest(change: Change, approved: readonly Approved[]): Note {
  const { number, settled_at } = change;
  const mark = isReported(change) ? markOf(change) : states.approved.mark;
  const title = say`**${pinnedCardOf(change).title}** · #${number}`;
  const by = approved.length > 0 ? say`Approved by ${joined(approvedBy(approved), '; ')}.` : undefined;
  // Another message may ask the same people to decide something about these.
  const isOpen = settled_at === null && isReported(change);
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
