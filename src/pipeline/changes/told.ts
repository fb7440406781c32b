import type { Change } from '../../storage/changes.ts';
import { joined, say, type Text } from '../../text.ts';
import { approvedBy, type Approved, type Note } from './card.ts';
import { markOf, stateText } from './state-words.ts';
import { frozenCardOf } from './freeze.ts';

/** What becomes of messages that people were sent about a change when it moves on. Pure. */

/** What is left of a direct request to approve once others have decided: who decided what. It only replaces the request. */
export function withdrawnRequest(change: Change, approved: readonly Approved[]): Note {
  const { title } = frozenCardOf(change);
  const isOver = change.settled_at !== null || change.state === 'unknown';
  return {
    text: joined(
      [
        say`${markOf(change)} **${title}** · #${change.number}`,
        approved.length > 0 ? say`Approved by ${joined(approvedBy(approved), '; ')}.` : undefined,
        isOver ? stateText(change) : undefined,
        change.state === 'unknown' ? undefined : 'Nothing is left for you to decide.',
      ],
      '\n',
    ),
    minor: true,
  };
}

/** What is left of a message about an unknown outcome once it is known. */
export const wasUnknown = say`⚠️ **The outcome was unknown.**`;

/** What somebody was told directly, with the state that the change has now. It only replaces that message. */
export const updatedNote = (change: Change, lasting: Text): Note => ({
  text: joined([lasting, joined([markOf(change), stateText(change)])], '\n'),
  lasting,
  minor: true,
});
