import { findChange, type Change } from '../storage/changes.ts';
import { findCard, type Message } from '../storage/messages.ts';
import { say } from '../words/text.ts';
import { headingOf } from '../change/pin.ts';
import type { PostContext } from './context.ts';
import { Undeliverable, type Landed, type MessageContent, type Messenger, type Recipient } from './messenger.ts';

/** One place where a message may be posted, and its content there. */
export type MessageDestination = { readonly to: Recipient; readonly as: MessageContent };

/** Where a message was posted, and what it shows there. */
export type Posted = {
  readonly place: Landed;
  readonly as: MessageContent;
  /** Why the first place did not take it, if that one refused it. */
  readonly refused?: Undeliverable;
  /** Why it stands there as it was. */
  readonly unedited?: Undeliverable;
};

/**
 * Posts to the first place that accepts it; undefined if there are no places. Rejects with `Undeliverable`: `gone` only
 * if every place is known to refuse it for itself. A reply whose thread is gone first waits for another card.
 */
export async function postSomewhere(
  messenger: Messenger,
  { attempts }: Pick<Message, 'attempts'>,
  destinations: readonly MessageDestination[],
): Promise<Posted | undefined> {
  const refusals: Undeliverable[] = [];
  for (const { to, as } of destinations) {
    try {
      const place = await messenger.post(to, as);
      return { place, as, ...(refusals[0] && { refused: refusals[0] }) };
    } catch (error) {
      if (!(error instanceof Undeliverable) || !error.mayGoElsewhere) throw error;
      if (error.why === 'no message' && attempts === 0) throw new Undeliverable('later', error.message, 0, error.why);
      refusals.push(error);
    }
  }
  const codes = new Set(refusals.map(({ message }) => message));
  const kind = refusals.every((one) => one.kind === 'gone') ? 'gone' : 'unknown';
  if (codes.size > 0) throw new Undeliverable(kind, [...codes].join(', '));
  return undefined;
}

/** The places for a message, best first. Cards and replies fall back to the requester's direct messages. */
export async function destinationsOf(
  { database: { db }, policy }: PostContext,
  { kind, recipient, change: number }: Message,
  content: MessageContent,
): Promise<readonly MessageDestination[]> {
  if (kind === 'ops') {
    const { ops } = policy().channels;
    return ops === undefined ? [] : [{ to: { channel: ops }, as: content }];
  }
  if (kind === 'notice') return [{ to: { channel: recipient ?? '' }, as: content }];
  if (kind === 'direct' || kind === 'copy') return [{ to: { person: recipient ?? '' }, as: content }];
  const change = number === null ? undefined : await findChange(db, number);
  if (change === undefined) return [];
  if (kind === 'card') return destinationsOfCard(change, recipient, content);
  const card = await findCard(db, change.number);
  const direct = { to: { person: change.requester }, as: withHeading(change, content) };
  return card?.channel && card.ts
    ? [{ to: { channel: card.channel, thread: card.ts }, as: content }, direct]
    : [direct];
}

function destinationsOfCard(
  { channel, requester }: Change,
  recipient: string | null,
  content: MessageContent,
): readonly MessageDestination[] {
  const direct = { to: { person: requester }, as: content };
  return channel === requester ? [direct] : [{ to: { channel: recipient ?? channel }, as: content }, direct];
}

/** The content where a message stands, if it was posted. A reply outside the thread of its change's card has a heading. */
export async function contentInPlace(
  { database: { db } }: Pick<PostContext, 'database'>,
  { kind, change: number, channel, ts }: Message,
  content: MessageContent,
): Promise<MessageContent> {
  const change = kind !== 'reply' || number === null || ts === null ? undefined : await findChange(db, number);
  if (change === undefined) return content;
  const card = await findCard(db, change.number);
  const isInThread = card?.channel === channel && card.ts !== null && Number(card.ts) < Number(ts);
  return isInThread ? content : withHeading(change, content);
}

/** Outside its thread, a reply has to name its change. */
const withHeading = (change: Change, content: MessageContent): MessageContent =>
  'headline' in content ? content : { ...content, text: say`${headingOf(change)}\n${content.text}` };
