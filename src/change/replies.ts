import { catalogue } from '../commands/index.ts';
import { spokenDuration } from '../words/duration.ts';
import type { Args } from '../base/errors.ts';
import type { Receipt } from '../hosting/client.ts';
import { isBatch, type Change } from '../storage/changes.ts';
import type { PauseScope } from '../storage/kv.ts';
import type { Lock } from '../storage/locks.ts';
import { bold, joined, named, mention, say, time, type Span, type Text } from '../words/text.ts';
import type { TransitionNote } from './change-messages.ts';
import { askedPeople, toldPeople, whoIsNotified } from '../access/approver-lookup.ts';
import { closableMinute, coolsDown } from './change.ts';
import { callOf } from './pin.ts';
import { askersMayClose, authorizationOf, skippedBy } from '../access/authorization.ts';
import { glassBroken, reviewWanted, toldOfGlass } from './glass-replies.ts';
import { tooFewApprove } from '../access/nobody-approves.ts';
import { hostSays, statusInWords } from '../hosting/host-trouble.ts';
import { lockInBrief } from './lock-in-the-way.ts';
import { lockedMeanwhile } from './unknown-replies.ts';
import { approvalRequest, askedIn } from './asked-in.ts';
import { type Note, type Telling } from './card.ts';
import { mayBeDone } from './states-and-events.ts';
import { receiptFor } from './write-result.ts';
import { runButton, type Button } from './buttons.ts';
import { argsToAskAgain } from '../language/reparse.ts';
import { membersUnknownQuietly } from '../access/unknown-groups.ts';

/** The sentences in a change's thread, one per event. Pure. */

type Circumstances = {
  readonly held?: Lock | undefined;
  readonly twin?: Change | undefined;
  readonly paused?: PauseScope | undefined;
};

/**
 * The first reply under a new card. Undefined if the change is sent at once: the next reply says so. `held`: a lock in
 * its way. `twin`: another change with the same call that waits for approval.
 */
export function asked(change: Change, { held, twin, paused }: Circumstances = {}): Telling | undefined {
  const { asks: all = [], breakGlass } = authorizationOf(change);
  const same =
    twin && say`**#${twin.number} is the same request,** from ${mention(twin.requester)}, and is waiting too.`;
  if (breakGlass)
    return soon(glassBroken(change, breakGlass), change, paused, joined([reviewWanted(change, breakGlass), same]));
  if (change.state === 'approved') {
    const isWaited = coolsDown(change) || change.scheduled_at !== null;
    return isWaited ? soon(say`No approval is needed.`, change, paused) : undefined;
  }
  const notified = whoIsNotified(all);
  const then =
    change.risk === 'routine' ? 'I will send it when that lock is gone.' : 'It can be approved when that lock is gone.';
  const busy = change.scheduled_at === null && held ? say`${lockInBrief(held, change)} ${then}` : undefined;
  return {
    text: joined([approvalRequest(change), notified.length > 0 ? say`Notified: ${notified}` : undefined, same, busy]),
  };
}

/** The ops channel hears that nobody can approve a change: one message for each change. */
export const opsIfTooFew = (change: Change): Pick<TransitionNote, 'ops' | 'tellKey'> =>
  tooFewApprove(authorizationOf(change).asks) === undefined ? {} : { ops: true, tellKey: `${change.number}:too_few` };

type Counted = {
  /** How many more approvals are needed, perhaps fewer once the members of the `unknown` groups are known. */
  readonly left: number;
  readonly unknown?: readonly string[] | undefined;
  readonly note?: string | undefined;
};

/** The reply to an approval after which more are needed. `by`: the approver's name. */
export const approvalCounted = (by: string, { left, unknown = [], note }: Counted): Note => ({
  text: joined([
    say`${approvedWith(by, note)} ${left === 1 ? 'One more approval is' : `${left} more approvals are`} needed.`,
    unknown.length > 0
      ? say`Some approvals may not count right now: ${membersUnknownQuietly(unknown)} Please press Approve again when it does.`
      : undefined,
  ]),
});

/** The last approval needed, by somebody with that name. Their own click notifies nobody: the card mentions them. */
export const approved = (change: Change, by: string, paused: PauseScope | undefined, note?: string): Telling =>
  soon(approvedWith(by, note), change, paused);

const approvedWith = (by: string, note: string | undefined): Text =>
  note === undefined ? say`Approved by ${named(by)}.` : say`Approved by ${named(by)}: “${note}”.`;

/** What follows holds only until the change moves on. */
const soon = (lasting: Text, change: Change, paused: PauseScope | undefined, wanted?: Text): Telling => ({
  text: joined([lasting, wanted, sendingSoon(change, paused)]),
  lasting,
});

/** Why a change waits. */
export const pausedInWords: Readonly<Record<PauseScope, string>> = {
  all: 'All sending is paused.',
  callers: 'Programs are paused.',
};
const resumes: Readonly<Record<PauseScope, string>> = { all: 'resume', callers: 'resume callers' };

const sendingSoon = (change: Change, paused: PauseScope | undefined): Text => {
  if (change.scheduled_at !== null)
    return say`It is to be sent from ${time(change.scheduled_at, 'date')} on, after I have checked everything again.`;
  if (paused) return say`${pausedInWords[paused]} It will be sent after ${resumes[paused]}, if it is still valid then.`;
  if (isBatch(change)) return say`It begins now.`;
  if (callOf(change) === undefined) return say`Nothing has to be sent for it.`;
  const skips = skippedBy(change);
  if (skips && toldOfGlass(skips).length > 0) return say`I'll send it 10 s after somebody else is told.`;
  return coolsDown(change) ? say`Sending in 10 s.` : say`Sending it now.`;
};

/** Says that it ends unsent. If it was asked again after a loss, it may have been done before that. */
const unsent = ({ lost_at }: Pick<Change, 'lost_at'>): Text =>
  lost_at === null
    ? say`Nothing was sent.`
    : say`Nothing was sent since I asked again (${time(lost_at, 'date')}), but it may have been done before.`;

/** A person ended the change before it was sent. */
export const ended = (
  change: Pick<Change, 'lost_at'>,
  how: 'Declined' | 'Cancelled' | 'Stopped',
  by: Text | Span,
  reason?: string,
): Text =>
  reason === undefined
    ? say`**${how} by ${by}.** ${unsent(change)}`
    : say`**${how} by ${by}:** “${reason}”. ${unsent(change)}`;

/** A person closed an unknown outcome. */
export const closed = (happened: boolean, by: Span): Text =>
  happened ? say`**${by} says it happened.**` : say`**${by} says it did not happen.**`;

/** What the host's answer to the write means. */
export function answered(receipt: Receipt, change: Change): Text {
  switch (receipt.kind) {
    case 'accepted':
      return say`Sent. The host accepted it${butUnread(receipt)}.`;
    case 'rejected':
      return say`**The host rejected it** (${statusInWords(receipt.status)}). Nothing was changed.${hostSays(receipt.message)}`;
    case 'throttled':
      return say`The host is busy (429) and took nothing.${hostSays(receipt.message)}`;
    case 'unknown':
      return outcomeUnknown(
        say`I sent it at ${time(change.sent_at ?? change.created_at)}, and ${receipt.why}.${hostSays(receipt.message)}`,
      );
  }
}

const butUnread = (receipt: Receipt | undefined): string =>
  receipt?.kind === 'accepted' && receipt.isUnread ? ", but I couldn't read its answer" : '';

/** The process died while sending or just before. */
export const orphaned = (change: Change): Text =>
  outcomeUnknown(
    say`I began to send this at ${time(change.sent_at ?? change.created_at)} and have no answer on record.`,
  );

const outcomeUnknown = (why: Text): Text =>
  say`**Outcome unknown.** ${why} It may or may not have happened. I won't send it again.`;

/** The database says unsent, which is wrong or, if `sentAt` (epoch ms) is undefined, may be wrong. */
export const forgotten = (sentAt: number | undefined): Text =>
  sentAt === undefined
    ? say`My database was set back: I saw this further along than it says now. It may have been sent.`
    : say`My database was set back: I sent this at ${time(sentAt)}, but it says I didn't.`;

/** The same for a change that is now unknown. */
export const unknownAfterLoss = (sentAt: number | undefined): Text => outcomeUnknown(forgotten(sentAt));

/** The database was set back (`why`), and the change, which needed no approval, may have been sent before. */
export const unknownAfterSetBack = (why: Text): Text =>
  say`**Outcome unknown.** ${why} This may have been sent already. I won't send it again.`;

/** The database was set back (`why`), so the approvers are asked again until `expiresAt` (epoch ms). */
export function askedAgain(
  change: Change,
  why: Text,
  expiresAt: number,
): Pick<TransitionNote, 'reply' | 'lastNote' | 'decide' | 'tell'> {
  const { who, rest } = askedIn({ ...change, expires_at: expiresAt });
  const says = say`${why} ${mayBeDone(change)}`;
  return {
    reply: {
      text: joined([
        say`⏳ ${who}: **I'm asking again, and earlier approvals no longer count.**`,
        says,
        say`It waits for your approval until ${time(expiresAt)}.`,
        rest,
      ]),
    },
    lastNote: say`**Waiting for approval again.** ${says}`,
    decide: true,
    tell: [...toldPeople(authorizationOf(change)), change.requester],
  };
}

/** The database was set back (`why`): the timer of the grant reads the list and decides whether a new change is needed. */
export function leftToTimer(why: Text, timerOf: number): Pick<TransitionNote, 'reply' | 'lastNote'> {
  const lastNote = say`I ended this when my database was set back. It may have been done before.`;
  const text = say`⛔ ${why} This may have been done already, so I've ended it. The timer of #${timerOf} reads the list again first, and takes off only what is still on it.`;
  return { reply: { text }, lastNote };
}

/** The messages about an unknown outcome: to the requester, the approvers and ops, with buttons to close it. */
export function alarm(
  change: Change,
  says: Text,
): Pick<TransitionNote, 'reply' | 'lastNote' | 'ops' | 'decide' | 'tell'> {
  const asked = askedPeople(authorizationOf(change));
  const all = [change.requester, ...asked];
  const whom = joined(all.slice(0, 6).map((id) => [mention(id)]));
  const from = say`The buttons work from ${time(closableMinute(change))}: until then it could still reach the host.`;
  const again = askAgain(change);
  const others = askersMayClose(change) ? undefined : say`Whoever asked for it can't press them.`;
  return {
    reply: {
      text: joined(['⚠️', whom, says, lockedMeanwhile(change), pleaseCheck(change), others, from, again.says]),
      buttons: again.buttons,
    },
    lastNote: says,
    ops: true,
    decide: true,
    tell: all,
  };
}

/** What whoever hears of an unknown outcome for the first time is asked. */
export const pleaseCheck = ({ target_name: where }: Pick<Change, 'target_name'>): Text =>
  say`Please check ${where} in the host's panel, then press ${bold('It happened')} or ${bold('It did not happen')}.`;

/** A routine change locks nothing, so people can ask for it again while its outcome is unknown. */
export function askAgain(change: Change): { readonly says: Text | undefined; readonly buttons: readonly Button[] } {
  if (change.risk !== 'routine') return { says: undefined, buttons: [] };
  const command = catalogue.get(change.command);
  const twice = command?.shape === 'action' ? command.twice : undefined;
  const says = joined(['Asking again may do it twice.', twice]);
  return { says, buttons: [againButton(change)] };
}

/** Done: proven by a read, or reported by the host. */
export const finished = (how: { readonly proof: Text } | 'host', afterMs: number): Text =>
  how === 'host'
    ? say`Done after ${spokenDuration(afterMs)}: the host reports it finished.`
    : say`${how.proof}: confirmed ${spokenDuration(afterMs)} later.`;

const unverifiedReasons = {
  'never finished':
    "After an hour the host still says it's running, so I've stopped asking. Please check the host's panel.",
  'asked in vain':
    "For ten minutes the host gave no answer that says how it's going, so I've stopped asking. Please check the host's panel.",
  'not followed': 'The host does not say when it is finished.',
  'no proof': 'This cannot be verified from here.',
  'not read': "I couldn't read it back, so I can't tell what came of it. Please check the host's panel.",
} as const;

/** Accepted by the host, and nothing more can be verified. */
export function unverified(
  change: Pick<Change, 'receipt'>,
  why: { readonly proof: Text } | keyof typeof unverifiedReasons,
): Text {
  const accepted = say`Accepted by the host${butUnread(receiptFor(change))}.`;
  return typeof why === 'object'
    ? say`${accepted} Read back: ${why.proof}. I don't know why.`
    : say`${accepted} ${unverifiedReasons[why]}`;
}

/** The host reports a failure. */
export const failed = (message: string | undefined): Text => say`The host reports that it failed.${hostSays(message)}`;

/** The host stopped answering about an operation that it had accepted. */
export const lostSight = (why: string): Text =>
  say`**Outcome unknown.** The host accepted it, and ${why}. I won't send it again.`;

/** Nothing was sent, and why; shown on the card. */
export const nothingSent = (change: Pick<Change, 'lost_at'>, why: Text): Text => say`**${unsent(change)}** ${why}`;

/** The same in the thread, with *Ask again*. */
export const notSent = (change: Pick<Change, 'lost_at'>, why: Text, again: Args | undefined): Note => ({
  text: say`⛔ ${nothingSent(change, why)}`,
  buttons: again ? [runButton({ label: 'Ask again', args: again })] : [],
});

/** Asks for the same again. */
export const againButton = (change: Change): Button => runButton({ label: 'Ask again', args: argsToAskAgain(change) });

/**
 * The messages about a change that ends unsent. Without *Ask again* if it was invalidated: that would be refused again.
 * A timer's requester reads of its attempts in one message.
 */
export const endsUnsent = (change: Change, kind: 'expire' | 'invalidated' | 'supersede', why: Text) => ({
  reply: notSent(change, why, kind === 'invalidated' ? undefined : argsToAskAgain(change)),
  lastNote: nothingSent(change, why),
  tell: authorizationOf(change).timerOf === undefined ? [change.requester] : [],
});

/** Another attempt will follow. */
export const tryingAgain = (why: Text, at: number): Text =>
  say`${why} Nothing was sent. I'll try again at ${time(at)}.`;
