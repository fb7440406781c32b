import { authorizationOf, skippedBy } from '../access/authorization.ts';
import { glassMark } from '../access/break-glass.ts';
import { parseStored } from '../storage/parse-json.ts';
import type { Change } from '../storage/changes.ts';
import { coolsDown, type ChangeEvent } from './change.ts';
import { glassInShort, type Skipped } from './post-review.ts';
import { stateLabel, states } from '../words/states.ts';
import { inline, joined, plain, say, time, type Text } from '../words/text.ts';

/** The states and the events of a change, in words. */

/** The emoji of a state. A later warning takes its place, such as that access is still open. */
export function markOf(change: Marked): string {
  if (change.state === 'approved' && skippedBy(change)) return glassMark;
  const isOver = change.settled_at !== null;
  const mark = change.state === 'accepted' && isOver ? '☑️' : states[change.state].mark;
  return isOver && ['☑️', '✅'].includes(mark) && isWarning(change) ? '⚠️' : mark;
}

type Marked = Pick<Change, 'state' | 'settled_at' | 'last_note' | 'authorization' | 'lost_at'>;

/** Its symbol, and its state in a word: what nobody approved is not called approved. */
export function stateInShort(change: Marked): string {
  const isUnapproved = skippedBy(change) !== undefined || authorizationOf(change).approval === 'none';
  return `${markOf(change)} ${change.state === 'approved' && isUnapproved ? 'to be sent' : stateLabel(change.state)}`;
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
const stoppable = 'Not sent yet: it can still be stopped.';

/** The state of a change in one line. */
export function stateText(
  change: Pick<Change, 'state' | 'settled_at' | 'last_note' | 'cools_down' | 'scheduled_at'>,
): Text {
  if (change.last_note !== null) return parseStored(change.last_note);
  if (isAhead(change)) {
    const then = say`It is to be sent from ${time(change.scheduled_at, 'date')} on. Until then it can be taken back.`;
    return change.state === 'waiting' ? joined([states.waiting.says, then]) : then;
  }
  if (change.state === 'approved' && coolsDown(change)) return inline(stoppable);
  if (change.state === 'accepted' && change.settled_at !== null)
    return inline('Accepted; this cannot be verified from here.');
  return inline(states[change.state].says);
}

type Timed = Pick<Change, 'state' | 'scheduled_at'>;
/** Whether it has a time, and has not been sent. */
const isAhead = (change: Timed): change is Timed & { readonly scheduled_at: number } =>
  change.scheduled_at !== null && (change.state === 'waiting' || change.state === 'approved');

/**
 * What a list says beside the state: that it skipped its approval or a freeze, and how it was cancelled, which names who
 * did it, or when it is to be sent.
 */
export function besideState(change: Parameters<typeof stateText>[0] & Skipped): Text | undefined {
  const ahead = isAhead(change) ? say`to be sent ${time(change.scheduled_at, 'date')}` : undefined;
  const says = joined([glassInShort(change), change.state === 'cancelled' ? stateText(change) : ahead], ' · ');
  return says.length === 0 ? undefined : says;
}

/** A warning about a change that is asked again. */
export const mayBeDone = ({ target_name: where }: Pick<Change, 'target_name'>): Text =>
  say`This may have been done already: please compare ${where} with the host's panel first.`;

/** An audit event in words that follow the actor's name. Unknown events are returned as they are. */
export const eventInWords = (event: string): string => labels[event] ?? event;

const labels: Readonly<Record<string, string>> = {
  asked: 'asked for it',
  no_approval_needed: 'the rules ask for no approval',
  break_glass: 'broke the glass: it skips its approval, or a freeze',
  waiting: 'asked for approval',
  reminded: 'reminded those who can approve',
  asked_anew: 'looked again who can approve it',
  post_review: 'reviewed it afterwards',
  post_review_reminded: 'reminded those who can review it',
  vote: 'approved it; more are needed',
  approve: 'approved it',
  decline: 'declined it; nothing was sent',
  cancel: 'stopped it; nothing was sent',
  send: 'began to send it',
  connect_failed: 'could not reach the host; nothing was sent',
  send_aborted: 'wrote nothing; nothing was sent',
  throttle: 'the host was busy and took nothing',
  accept: 'the host accepted it',
  reject: 'the host rejected it',
  outcome_lost: 'lost sight of it: outcome unknown',
  finish: 'it is done',
  complete: 'it is done; nothing had to be sent',
  start: 'began sending',
  halt: 'stopped; nothing more is sent for now',
  summed_up: 'nothing of it is under way any more',
  go_on: 'let it go on',
  end: 'ended it; not all were done',
  all_done: 'all of them are done',
  all_accepted: 'the host accepted all of them; not all can be verified from here',
  timer_set: 'set when the access ends',
  timer_moved: 'moved when the access ends',
  timer_left: 'kept the end of the access: it is already later',
  timer_not_set: 'could not set when the access ends: the list had changed',
  timer_tried: 'could not end the access yet',
  timer_gave_up: 'gave up ending the access: it is still open',
  timer_ended: 'the access no longer has to be ended',
  fail: 'the host reports that it failed',
  unverified: 'accepted; nothing more can be seen from here',
  expire: 'expired; nothing was sent',
  invalidated: 'invalidated; nothing was sent',
  supersede: 'superseded; nothing was sent',
  commit_lost: 'found that the database had lost what was sent: outcome unknown',
  ask_again: 'asked for approval again: the database may have lost what was done',
  confirmed_happened: 'says that it happened',
  confirmed_not: 'says that it did not happen',
  evidence: 'read back what can be read',
  unknown_reminded: 'reminded those who can say what came of it',
  site_checked: 'reported how the site is now',
  late_answer: 'an answer came late',
  accept_late: 'a late answer: the host had accepted it',
  reject_late: 'a late answer: the host had rejected it',
  send_aborted_late: 'found that it had written nothing; nothing was sent',
  policy: 'these rules apply from then on',
  sealed: 'sealed the lines before: the trail has a key from here on',
  rekeyed: 'switched to a new key of the trail',
  trail_altered: 'found that the trail was altered',
  trail_confirmed: 'somebody on the machine confirmed the trail as it stands',
  lock: 'locked it',
  unlock: 'unlocked it',
  force_unlock: 'took its lock away',
  queue_join: 'queued a request behind a lock',
  queue_leave: 'left a queue; nothing was sent',
  queue_turn: 'it was the turn of a queued request',
  queue_used: 'submitted a queued request',
  queue_end: 'ended the place of a request in a queue',
  hand_on: 'handed on a request that they may not run',
  hand_on_used: 'ran a request that was handed on',
  hand_on_end: 'ended a handed-on request',
  pause: 'paused all sending',
  resume: 'resumed all sending',
  pause_callers: 'paused all programs',
  resume_callers: 'resumed all programs',
  use: 'bound a channel to a site, or freed it',
  watch_start: 'started a watch of its error log',
  watch_stop: 'stopped a watch',
  watch_end: 'ended a watch',
  watch_pause: 'paused a watch: whether its owner may read is unknown',
  watch_resume: 'went on with a watch',
  digest_start: 'started a weekly digest',
  digest_told: 'posted a weekly digest',
  digest_skip: 'skipped a weekly digest: the rights or names could not be read',
  digest_stop: 'stopped a weekly digest',
  digest_end: 'ended a weekly digest',
  restored: 'restored the database from a backup',
  reveal: 'asked for the address of a visitor',
  changes_export: 'exported a time line as a file',
  audit_export: 'exported the trail as a file',
};
