import { createHash } from 'node:crypto';
import { attachFile } from './attach-file.ts';
import { failpoint, type Drawing as DrawnPoint } from '../base/failpoints.ts';
import { isAnyDue } from '../storage/lease.ts';
import { idsOf } from '../policy/memberships.ts';
import {
  claimMessages,
  isNews,
  markDelivered,
  giveUpMessage,
  releaseUntil,
  type Message,
} from '../storage/messages.ts';
import { joined, plain } from '../words/text.ts';
import { afterPosted, isEdit, isSecondPost, saveResult, secondPost } from './after-posting.ts';
import { contentInPlace, destinationsOf, postSomewhere, type MessageDestination, type Posted } from './destinations.ts';
import { contentOf, isHidden } from './content.ts';
import type { PostContext, SenderContext } from './context.ts';
import { afterFailure, movedNote } from './refused-posts.ts';
import { createPoller, type Poller } from './poller.ts';
import { noLongerShown } from '../change/told.ts';
import { createPostQueues, enqueueAt } from './fair-order.ts';
import { Undeliverable, type MessageContent } from './messenger.ts';

const intervalMs = 500;
/** Long enough for a whole queue of `maxLineMs`, plus its last message with all fallback places. */
const messageLeaseMs = 40_000;
const maxLineMs = 5_000;
const atOnce = 20;
const maxUnderWay = 60;
const maxInLine = 20;
/** Delay for a message whose place already has a full queue. */
const busyRetryMs = 300;
/**
 * Posts and edits due messages at every interval and when nudged. A slow place does not delay the others. `restMs`: the
 * longest time for which rate limits, ours or Slack's, still hold back a place.
 */
export function createMessageSender(
  context: PostContext,
  onOps: SenderContext['onOps'],
): Poller & { readonly restMs: () => number } {
  let restsUntil = 0;
  const onPace = (afterMs: number): void => {
    restsUntil = Math.max(restsUntil, performance.now() + afterMs);
    poller.nudgeIn(afterMs);
  };
  const sender: SenderContext = { ...context, turns: createPostQueues(), onOps, onPace };
  const onTrouble = (error: unknown): void => context.onTrouble('posting', error);
  const poll = async (): Promise<void> => {
    const { tried, lines } = await deliverDue(sender);
    for (const line of lines) void line.catch(onTrouble).finally(poller.nudge);
    if (tried > 0) poller.nudge();
  };
  const poller = createPoller({ everyMs: intervalMs, look: poll, onTrouble });
  return {
    ...poller,
    restMs: () => Math.max(0, restsUntil - performance.now()),
    stop: async () => {
      await poller.stop();
      sender.turns.isOver = true;
      await Promise.allSettled([...sender.turns.lines.values()].map(({ end }) => end));
    },
  };
}

type Begun = { readonly tried: number; readonly lines: readonly Promise<void>[] };

/**
 * Posts or edits one batch of due messages, in fair order. Resolves once all of them are under way, with the number of
 * attempts; `lines` has one queue for each place.
 */
export async function deliverDue(context: SenderContext): Promise<Begun> {
  const { database, owner, policy, turns } = context;
  const limit = Math.min(atOnce, maxUnderWay - turns.underWay);
  if (!context.isTaken() || limit <= 0) return { tried: 0, lines: [] };
  if (!(await isAnyDue(database, ['messages'], await database.now()))) return { tried: 0, lines: [] };
  const claimedAt = performance.now();
  const due = await database.transactionWithoutFsync(async (tx) =>
    claimMessages(tx, { owner, now: await database.now(tx), leaseMs: messageLeaseMs, limit }, turns.served, (id) =>
      idsOf(policy(), id),
    ),
  );
  const ready = await Promise.all(due.map((message) => prepare(context, message)));
  const lines: Promise<void>[] = [];
  for (const [place, line] of Map.groupBy(ready, placeOf)) {
    if ((turns.lines.get(place)?.messages ?? 0) + line.length > maxInLine) await delay(context, line, busyRetryMs);
    else lines.push(enqueueAt(turns, place, line.length, () => drawInLine(context, line, claimedAt)));
  }
  return { tried: due.length, lines };
}

/** Posts to one place share a queue, because a place takes one at a time. Each edit has a queue of its own. */
const placeOf = ({ message, destinations }: Ready): string => {
  const to = isEdit(message) ? undefined : destinations?.[0]?.to;
  if (to === undefined) return message.key;
  return 'person' in to ? to.person : to.channel;
};

/** Puts the rest back when the place is rate-limited or slow, or we stop: the lease may end before their turn. */
async function drawInLine(context: SenderContext, line: readonly Ready[], claimedAt: number): Promise<void> {
  for (const [at, ready] of line.entries()) {
    if (context.turns.isOver || performance.now() - claimedAt > maxLineMs)
      return delay(context, line.slice(at), busyRetryMs);
    const afterMs = await draw(context, ready);
    if (afterMs > 0) return delay(context, line.slice(at + 1), afterMs);
  }
}

async function delay(
  { database, onPace, onTrouble }: SenderContext,
  line: readonly Ready[],
  afterMs: number,
): Promise<void> {
  if (line.length === 0) return;
  try {
    const messages = line.map(({ message }) => message);
    await database.transactionWithoutFsync(async (tx) =>
      releaseUntil(tx, messages, (await database.now(tx)) + afterMs),
    );
    onPace(afterMs);
  } catch (error) {
    // Harmless: their leases expire by themselves.
    onTrouble('putting messages off', error);
  }
}

/** A message with its current content and possible places, or the error from looking those up. */
type Ready = {
  readonly message: Message;
  readonly content?: MessageContent | undefined;
  readonly destinations?: readonly MessageDestination[];
  readonly error?: unknown;
};

async function prepare(context: SenderContext, message: Message): Promise<Ready> {
  try {
    const content = await contentOf(context, message);
    if (content === undefined || isEdit(message)) return { message, content };
    return { message, content, destinations: await destinationsOf(context, message, content) };
  } catch (error) {
    return { message, error };
  }
}

/** Posts or edits one message. Resolves with the milliseconds to wait if its place is rate-limited, else 0. */
async function draw(context: SenderContext, ready: Ready): Promise<number> {
  const { message, content } = ready;
  if (message.kind === 'card' && message.change !== null) context.onCard(message.change);
  try {
    if (ready.error !== undefined) throw ready.error;
    const drawing = content && (await drawingOf(context, message, content));
    if (isAsShown(message, drawing)) await saveUnchanged(context, message, drawing);
    else await putAndSave(context, ready, drawing);
    return 0;
  } catch (thrown) {
    const error = thrown instanceof Undeliverable ? thrown : new Undeliverable('later', 'no answer');
    const { afterMs } = error;
    // Rate limits, ours and Slack's, are expected and not reported.
    if (afterMs === 0) context.onTrouble(`posting ${message.key}`, thrown);
    else context.onPace(afterMs);
    await saveResult(context, message, (tx) => afterFailure(context, tx, { message, content, error }));
    return afterMs;
  }
}

async function putAndSave(context: SenderContext, ready: Ready, drawing: Drawing | undefined): Promise<void> {
  const { message } = ready;
  const at = (): DrawnPoint => ({ how: isEdit(message) ? 'edit' : 'post', says: drawing ? startOf(drawing.as) : '' });
  if (drawing) failpoint('posting', message.key, at);
  const posted = drawing && (await put(context, ready, drawing));
  if (drawing) failpoint('posted', message.key, at);
  let isSecond = false;
  await saveResult(context, message, async (tx) => {
    if (posted === undefined) return void (await giveUpMessage(tx, message));
    if (await markDelivered(tx, message, posted.place, hashOf(posted.as, posted.place, message.version)))
      return afterPosted(context, tx, message, posted);
    isSecond = await isSecondPost(context, tx, message, posted);
  });
  if (isSecond && posted) await markSecond(context, message, posted);
  if (drawing) failpoint('noted', message.key, at);
}

/** Its result is saved: a failure must not draw it again. */
async function markSecond({ messenger, onTrouble }: SenderContext, { key }: Message, { place }: Posted): Promise<void> {
  await messenger
    .edit(place, secondPost)
    .catch((error: unknown) => onTrouble(`marking the second message for ${key}`, error));
}

const startOf = (content: MessageContent): string =>
  plain('headline' in content ? joined([content.mark, content.headline]) : content.text);

/**
 * What a message shows now. `as`: where it stands, if it was posted. `covers`: in the words for who may not read it,
 * which are not worth a message.
 */
type Drawing = { readonly content: MessageContent; readonly as: MessageContent; readonly covers?: true };

/**
 * Whoever may not read what a message is about hears no more of it, and what they were told before is covered up. So it
 * is in a channel that may not hear of it. A message may have other words for that.
 */
async function drawingOf(
  context: SenderContext,
  message: Message,
  content: MessageContent,
): Promise<Drawing | undefined> {
  if (!(await isHidden(context, message))) return { content, as: await contentInPlace(context, message, content) };
  const hidden = 'text' in content ? content.hidden : undefined;
  if (hidden === undefined && !isEdit(message)) return undefined;
  const cover = { text: hidden ?? noLongerShown(message) };
  return { content: cover, as: cover, covers: true };
}

/** With its place and version, because an older Sitehand that posts, edits or loses the message leaves the hash alone. */
const hashOf = (content: MessageContent, { channel, ts }: Pick<Message, 'channel' | 'ts'>, version: number): string =>
  createHash('sha256')
    .update(JSON.stringify([channel, ts, version, content]))
    .digest('base64url');

/** Whether it reads like that already: Slack limits edits. */
const isAsShown = (message: Message, drawing: Drawing | undefined): drawing is Drawing =>
  drawing !== undefined && message.shown === hashOf(drawing.as, message, message.delivered_version);

/** If this is lost, the message is only drawn once more. */
const saveUnchanged = ({ database }: SenderContext, message: Message, { as }: Drawing): Promise<unknown> =>
  database.transactionWithoutFsync(async (tx) => {
    const { channel, ts, version } = message;
    if (channel === null || ts === null) return;
    await markDelivered(tx, message, { channel, ts }, hashOf(as, { channel, ts }, version));
  });

async function put(context: SenderContext, ready: Ready, drawing: Drawing): Promise<Posted | undefined> {
  const edited = await edit(context, ready.message, drawing);
  if (edited) return edited;
  const { content, covers } = drawing;
  const destinations = covers ? undefined : ready.destinations;
  return post(context, ready.message, destinations ?? (await destinationsOf(context, ready.message, content)));
}

/** Edits the message. Undefined: it is to be posted, because it never was, or can't be edited and is worth another. */
async function edit(context: SenderContext, message: Message, { as, covers }: Drawing): Promise<Posted | undefined> {
  const { channel, ts, kind } = message;
  if (channel === null || ts === null) return undefined;
  const posted = { place: { channel, ts }, as };
  if ('text' in as && as.withFile) {
    await attachFile(context, message, { place: posted.place, note: as });
    return posted;
  }
  try {
    await context.messenger.edit(posted.place, as, { isCopy: kind === 'copy' || kind === 'direct' });
    return posted;
  } catch (error) {
    if (!(error instanceof Undeliverable) || error.kind !== 'gone') throw error;
    // The card is still there, and its thread tells the rest.
    if (kind === 'card' && error.why === 'no edits') return { ...posted, unedited: error };
    const isCopyThere = kind === 'copy' && error.why !== 'no message';
    const isMinor = 'headline' in as ? isCopyThere : covers === true || !isNews(message);
    return isMinor ? posted : undefined;
  }
}

async function post(
  { messenger, onTrouble }: SenderContext,
  message: Message,
  destinations: readonly MessageDestination[],
): Promise<Posted | undefined> {
  const posted = await postSomewhere(messenger, message, destinations);
  if (message.kind !== 'card' || posted?.refused === undefined) return posted;
  const wanted = destinations[0]?.to;
  const intended = wanted && 'channel' in wanted ? wanted.channel : '';
  const { channel, ts } = posted.place;
  // The card is posted already, so a failure here must not post it again.
  await messenger
    .post({ channel, thread: ts }, { text: movedNote(intended, posted.refused) })
    .catch((error: unknown) => onTrouble(`explaining the place of ${message.key}`, error));
  return posted;
}
