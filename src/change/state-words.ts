import type { Change } from '../storage/changes.ts';
import { parseStored } from '../storage/schema.ts';
import { coolsDown, type ChangeEvent } from './change.ts';
import { states } from '../words/states.ts';
import { inline, plain, say, type Text } from '../words/text.ts';

/** The state of a change, in an emoji and in a sentence. */

/** The emoji of a state. A later warning takes its place, such as that access is still open. */
export function markOf(change: Pick<Change, 'state' | 'settled_at' | 'last_note'>): string {
  const isOver = change.settled_at !== null;
  const mark = change.state === 'accepted' && isOver ? '☑️' : states[change.state].mark;
  return isOver && ['☑️', '✅'].includes(mark) && isWarning(change) ? '⚠️' : mark;
}

/** The emoji that a reply begins with, by event. */
export const markFor: Readonly<Partial<Record<ChangeEvent['kind'], string>>> = {
  finish: '✅',
  complete: '✅',
  unverified: '☑️',
  fail: '❌',
  confirmed_happened: '✅',
  confirmed_not: '❌',
  reject: '❌',
  reject_late: '❌',
  outcome_lost: '⚠️',
};

const isWarning = ({ last_note: note }: Pick<Change, 'last_note'>): boolean =>
  note !== null && plain(parseStored<Text>(note)).startsWith('⚠️');

/** The time for *Stop* begins only when the message with it is posted (`coolsDown`). */
const stoppable = 'Not sent yet: ten seconds after the last approval at the earliest. Until then it can be stopped.';

/** The state of a change in one line. */
export function stateText(change: Pick<Change, 'state' | 'settled_at' | 'last_note' | 'cools_down'>): Text {
  if (change.last_note !== null) return parseStored(change.last_note);
  if (change.state === 'approved' && coolsDown(change)) return inline(stoppable);
  if (change.state === 'accepted' && change.settled_at !== null)
    return inline('Accepted; this cannot be verified from here.');
  return inline(states[change.state].says);
}

/** A warning about a change that is asked again. */
export const mayBeDone = ({ target_name: where }: Pick<Change, 'target_name'>): Text =>
  say`This may have been done already: please compare ${where} with the host's panel first.`;
