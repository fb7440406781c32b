import type { Change } from '../storage/changes.ts';
import type { Message } from '../storage/messages.ts';
import { joined, say, type Text } from '../words/text.ts';
import { approvedBy, type Approved, type Note } from './card.ts';
import { markOf, stateText } from './state-words.ts';
import { frozenCardOf } from './freeze.ts';

/** What becomes of messages that people were sent about a change when it moves on. Pure. */

/** What is left of a direct request to approve once others have decided: who decided what. It only replaces the request. */
export function withdrawnRequest(change: Change, approved: readonly Approved[]): Note {
  const { number, state, settled_at } = change;
  const title = say`**${frozenCardOf(change).title}** · #${number}`;
  const by = approved.length > 0 ? say`Approved by ${joined(approvedBy(approved), '; ')}.` : undefined;
  // Another message may ask the same people to decide something about these.
  const isOpen = state === 'unknown' || state === 'stopped';
  const says = isOpen || settled_at !== null ? stateText(change) : undefined;
  const rest = isOpen ? undefined : 'Nothing is left for you to decide.';
  return {
    text: joined([joined([markOf(change), title]), by, says, rest], '\n'),
    ...(settled_at === null && { lasting: joined([title, by], '\n') }),
    minor: true,
  };
}

/** What is left of a message to somebody who may no longer read what it is about, or in a channel that may not hear it. */
export function noLongerShown({ kind, change }: Pick<Message, 'kind' | 'change'>): Text {
  const who = kind === 'notice' ? 'This channel' : 'You';
  return say`${who} may no longer see ${change === null ? 'what this was about' : `#${change}`}, so I've taken out what was here.`;
}

/** What is left of a message about an unknown outcome once it is known. */
export const wasUnknown = say`⚠️ **The outcome was unknown.**`;

const endedUnsent: ReadonlySet<Change['state']> = new Set([
  'declined',
  'expired',
  'cancelled',
  'invalidated',
  'superseded',
]);

/** What somebody was told directly, with the state that the change has now. It only replaces that message. */
export const updatedNote = (change: Change, lasting: Text): Note => ({
  text: withState(change, lasting),
  lasting,
  minor: true,
});

/**
 * A reply that said that the change will be sent. While that is held up, it says so and keeps its buttons. Without the
 * promise once it was held up and goes on, is asked again, or ended unsent. Undefined: it stays as it is.
 */
export function updatedReply(change: Change, note: Note, lasting: Text, wasHeldUp: boolean): Note | undefined {
  if (change.state === 'approved') return { ...note, text: withState(change, lasting), minor: true };
  return wasHeldUp || change.state === 'waiting' || endedUnsent.has(change.state)
    ? { text: lasting, minor: true }
    : undefined;
}

const withState = (change: Change, lasting: Text): Text =>
  joined([lasting, joined([markOf(change), stateText(change)])], '\n');
