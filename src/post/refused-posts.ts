import { skippedBy } from '../access/authorization.ts';
import { findChange, type Change } from '../storage/changes.ts';
import type { Tx } from '../storage/database.ts';
import {
  retryLater,
  rescheduleOps,
  deferWhileBlocked,
  type Message,
  findCard,
  findMessage,
  enqueueMessage,
  isNews,
} from '../storage/messages.ts';
import { forgetCardPlace } from '../storage/redraw.ts';
import { noteOpsPost, enqueueOps } from './ops-channel-health.ts';
import type { SenderContext } from './context.ts';
import type { Undeliverable, MessageContent } from './messenger.ts';
import { dayMs } from '../words/duration.ts';
import { answerPrefix, untoldMessages } from '../storage/messages-of-person.ts';
import { channel, code, joined, mention, plain, say, time, typed, type Text } from '../words/text.ts';
import { headingOf } from '../change/pin.ts';
import { isDirect } from '../access/assert-channel.ts';
import { pleaseTell } from '../change/asked-in.ts';
import type { Note } from '../change/card.ts';
import type { ChangeContext } from '../change/context.ts';
import { contentOf, isHidden } from './content.ts';

/** What happens after Slack refuses a message: when it is tried again and given up, and who is told. */

/**
 * A message is given up when Slack has not accepted it for a day, whatever it said. The loss is reported, and App Home
 * shows it; the change itself stays.
 */
const maxMs = dayMs;
/** The fewest attempts before that: time in which this process was down or its token refused must not count. */
const minAttempts = 20;
/** Retry delay while Slack refuses our token. */
const tokenRetryMs = 5_000;
/** Retry delay while the ops channel accepts no posts. */
const opsRetryMs = 60_000;
/** The delay before the first retry, by how much it grows with each, and the longest: 20 attempts take half an hour. */
const [firstRetryMs, growth, maxRetryMs] = [1_000, 1.4, 300_000];

/**
 * Schedules the next attempt of a message that Slack did not accept, or gives it up. Reports the loss, and at once if
 * every place is known to refuse it for itself: somebody may have to be told in another way.
 */
export async function afterFailure(context: SenderContext, tx: Tx, failed: Omit<Undelivered, 'change'>): Promise<void> {
  const { message, error } = failed;
  const now = await context.database.now(tx);
  if (error.kind === 'token') return deferWhileBlocked(tx, message, now, now + tokenRetryMs);
  if (message.kind === 'ops' && error.mayGoElsewhere) return keepForOps(context, tx, message, error, now);
  const [isOver, isLost] = isOverOrLost(message, error, now);
  const untold = isLost ? now : message.untold_at;
  const due = isOver ? null : now + retryDelay(message, error);
  // A newer version is tried at once, and what it meets is reported.
  if (!(await retryLater(tx, message, { due, untold }))) return;
  const change = message.change === null ? undefined : await findChange(tx, message.change);
  const loss = { ...failed, change };
  if (isLost) await reportUndelivered(tx, loss, now);
  if (change && error.why === 'no message') await forgetCardPlace(tx, change.number, now);
  // A first failure often passes at once.
  const note = isLost || message.attempts > 0 ? cardUntold(loss) : undefined;
  if (change && note) context.onUntold(change, note);
}

/** Nobody else may read these messages, so they are kept. One post a minute tests the channel. */
async function keepForOps(
  context: SenderContext,
  tx: Tx,
  message: Message,
  { message: word }: Undeliverable,
  now: number,
): Promise<void> {
  await deferWhileBlocked(tx, message, now, now + opsRetryMs);
  await rescheduleOps(tx, now + opsRetryMs);
  await noteOps(context, tx, word, now);
}

/** Whether it is given up now, and whether that it could not be told is reported now. */
function isOverOrLost(
  { kind, owed_at, attempts, untold_at }: Message,
  error: Undeliverable,
  now: number,
): readonly [isOver: boolean, isLost: boolean] {
  const isOld = kind !== 'ops' && now - owed_at > maxMs && attempts >= minAttempts;
  const isOver = error.kind === 'drawing' || isOld;
  return [isOver, isOver || (error.kind === 'gone' && untold_at === null)];
}

/** As long as Slack or our own rate limits ask for, if they do. */
const retryDelay = ({ attempts }: Message, error: Undeliverable): number =>
  error.afterMs || Math.min(maxRetryMs, Math.round(firstRetryMs * growth ** attempts));

/** Notes whether the ops channel took a post. */
export async function noteOps(context: SenderContext, tx: Tx, refused: string | null, at: number): Promise<void> {
  const channel = context.policy().channels.ops;
  if (channel !== undefined && (await noteOpsPost(tx, { channel, refused }, at))) context.onOps();
}

/** A message that is given up, or refused everywhere: its content, its change, and the error from Slack. */
type Undelivered = {
  readonly message: Message;
  readonly content: MessageContent | undefined;
  readonly change: Change | undefined;
  readonly error: Undeliverable;
};

const prefix = 'untold:';
/** For how long App Home shows what its reader was not told, and how much of it. */
const shownForMs = 7 * dayMs;
const maxShown = 5;
/** How much of a message is quoted, in characters, if Slack refuses its content. */
const maxQuoteLength = 300;

/** Tells the requester and the ops channel that a message was given up; if that report is lost too, nobody. */
async function reportUndelivered(tx: Tx, loss: Undelivered, at: number): Promise<void> {
  const { message, change } = loss;
  if (message.key.includes(prefix)) return;
  await enqueueOps(tx, `${prefix}${message.key}`, forOps(loss), at);
  if (change === undefined) return;
  const isAsking = isUnapproved(change) && isRequest(message, change);
  const card = isAsking ? await findCard(tx, change.number) : undefined;
  const isUnread = isDirect(card?.channel ?? change.channel);
  if (isAsking && !isUnread) await askInThread(tx, message, change, at);
  if (!isReachable(loss, change)) return;
  const key = `${prefix}${change.number}:${message.recipient ?? 'card'}`;
  const rest = isAsking && isUnread ? pleaseTell(recipientText(loss)) : undefined;
  const body = JSON.stringify({ text: joined([forRequester(loss, change), rest]) });
  await enqueueMessage(tx, { key, change: change.number, kind: 'direct', recipient: change.requester, body, at });
}

/** Whether others have to hear of it: to approve it, or because it goes without that. */
const isUnapproved = (change: Change): boolean => change.state === 'waiting' || skippedBy(change) !== undefined;

/** Whether it asks somebody for approval, the first time or as a reminder. */
const isRequest = ({ kind, recipient }: Message, { requester }: Change): boolean =>
  kind === 'copy' || (kind === 'direct' && recipient !== requester);

/** Mentions in the thread somebody who can't be told directly. */
async function askInThread(tx: Tx, { key, recipient }: Message, change: Change, at: number): Promise<void> {
  const what =
    change.state === 'waiting'
      ? say`This is waiting for approval until ${time(change.expires_at)}.`
      : say`You can stop or review it on its card.`;
  const text = say`${mention(recipient ?? '')}: I can't reach you directly. ${what}`;
  const body = JSON.stringify({ text });
  await enqueueMessage(tx, { key: `${prefix}${key}`, change: change.number, kind: 'reply', body, at });
}

/** False if the requester's direct messages refused this very message. */
const isReachable = ({ message: { kind, recipient }, error }: Undelivered, { requester }: Change): boolean =>
  !(error.kind === 'gone' && (kind === 'card' || kind === 'reply' || recipient === requester));

function forOps(loss: Undelivered): Text {
  const { message, content, change, error } = loss;
  // Answers are private: they may name what only this person can see.
  if (message.key.startsWith(answerPrefix))
    return say`⚠️ **I couldn't answer ${recipientText(loss)}** (${reasonText(loss)}; ${code(message.key)}).`;
  const whole = wordsOf(message, content, change);
  const quote = error.kind === 'drawing' ? say`${plain(whole).slice(0, maxQuoteLength)}` : whole;
  return say`⚠️ **I couldn't deliver this to ${recipientText(loss)}** (${reasonText(loss)}; ${code(message.key)}):\n${quote}`;
}

function wordsOf({ kind }: Message, content: MessageContent | undefined, change: Change | undefined): Text {
  if (content === undefined) return [];
  if ('headline' in content) return joined([content.headline, ...content.lines], '\n');
  // Replies do not name their change; direct messages do.
  return kind === 'reply' && change ? say`${headingOf(change)}\n${content.text}` : content.text;
}

const forRequester = (loss: Undelivered, change: Change): Text =>
  say`${headingOf(change)}\n⚠️ I couldn't tell ${recipientText(loss)} about it (${reasonText(loss)}). ${typed(`change ${change.number}`)} shows where it is now.`;

function recipientText({ message: { kind, recipient }, change }: Undelivered): Text {
  if (kind === 'direct' || kind === 'copy') return say`${mention(recipient ?? '')}`;
  if (kind === 'ops') return say`this channel`;
  if (change === undefined) return say`${channel(recipient ?? '')}`;
  const requester = mention(change.requester);
  return isDirect(change.channel) ? [requester] : say`${channel(change.channel)} and ${requester}`;
}

const reasonText = ({ error }: Undelivered): Text =>
  error.kind === 'gone' || error.kind === 'drawing'
    ? say`${code(error.message)}`
    : say`Slack didn't accept it for a day: ${code(error.message)}`;

/** For the requester, if this is the card of a change that was never posted: how it is, and that it has no card. */
function cardUntold({ message, content, change, error }: Undelivered): Note | undefined {
  const isUnposted = message.kind === 'card' && message.ts === null && error.afterMs === 0;
  if (!isUnposted || content === undefined || change === undefined) return undefined;
  const tries = error.kind === 'drawing' ? '' : ` I'll keep trying for a day.`;
  return {
    text: say`**Slack doesn't take the card of #${change.number} anywhere right now** (${code(error.message)}).${tries} ${typed(`change ${change.number}`)} shows where it is. Now it says:\n${wordsOf(message, content, change)}`,
  };
}

/** What this person was to be told lately and never was, if they may still read it; newest first. */
export async function untoldTo(context: ChangeContext, ids: readonly string[]): Promise<readonly Note[]> {
  const { database } = context;
  const since = (await database.now()) - shownForMs;
  const messages = await untoldMessages(database.db, ids, { since, limit: maxShown });
  const notes: Note[] = [];
  for (const message of messages) {
    const content = (await isHidden(context, message)) ? undefined : await contentOf(context, message);
    if (content === undefined || !isNews(message)) continue;
    const change = message.change === null ? undefined : await findChange(database.db, message.change);
    notes.push({ text: say`${time(message.owed_at, 'date')}:\n${wordsOf(message, content, change)}` });
  }
  return notes;
}

/** Says in its thread, once for each change, that its card can't be edited. */
export async function explainUnedited(tx: Tx, { number }: Change, refused: Undeliverable, at: number): Promise<void> {
  const key = `${number}:unedited`;
  if (await findMessage(tx, key)) return;
  const text = say`Slack doesn't let me edit this card (${code(refused.message)}), so it and its buttons may be out of date. The rest is told in this thread, and ${typed(`change ${number}`)} shows where it is now.`;
  await enqueueMessage(tx, { key, change: number, kind: 'reply', body: JSON.stringify({ text } satisfies Note), at });
}

/** Tells the ops channel, once for each change, that its messages go to the requester because its channel refuses them. */
export async function reportMoved(tx: Tx, change: Change, refused: Undeliverable, at: number): Promise<void> {
  const key = `elsewhere:${change.number}`;
  if (await findMessage(tx, `ops:${key}`)) return;
  const says = say`⚠️ ${refusalText(change.channel, refused)} ${mention(change.requester)} gets #${change.number} in direct messages instead.`;
  await enqueueOps(tx, key, says, at);
}

/** The reply under a card that was posted in direct messages instead of `place`. */
export const movedNote = (place: string, refused: Undeliverable): Text =>
  refused.why === 'uninvited'
    ? say`I can't post in ${channel(place)}, so here it is instead. ${'/invite'} me there to get cards in the channel.`
    : say`${refusalText(place, refused)} So here it is instead.`;

const refusalText = (place: string, { why, message: word }: Undeliverable): Text =>
  why === 'shared'
    ? say`${channel(place)} is now shared with another organisation, so I don't post about sites there.`
    : say`${channel(place)} doesn't accept my posts (${code(word)}).`;
