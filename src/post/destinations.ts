import { findChange, type Change } from '../storage/changes.ts';
import { findCard, type Message, type MessagePlace } from '../storage/messages.ts';
import { say } from '../words/text.ts';
import { headingOf } from '../change/freeze.ts';
import type { PostContext } from './context.ts';
import { Undeliverable, type Landed, type MessageContent, type Messenger, type Recipient } from './messenger.ts';
import { parseStored } from '../storage/parse-json.ts';
import { idsOf, samePerson } from '../policy/people.ts';
import { listVotes } from '../storage/votes.ts';
import { authorizationOf } from '../access/authorization.ts';
import type { Note } from '../change/card.ts';
import { currentCard } from '../change/current-card.ts';
import { isDirect } from '../access/direct-messages.ts';
import { mayHear } from '../access/assert-channel.ts';
import { storedTargets } from '../access/targets.ts';
import { isHiddenFrom, type StoredTargets } from '../access/visibility.ts';
import type { CardReader } from '../change/buttons.ts';
import type { ChangeContext } from '../change/context.ts';
import { withdrawnRequest } from '../change/told.ts';

/** One place where a message may be posted, and its content there. */
export type MessageDestination = { readonly to: Recipient; readonly as: MessageContent };

/** Where a message was posted. */
export type Posted = {
  readonly place: Landed;
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
      return { place, ...(refusals[0] && { refused: refusals[0] }) };
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

/** The content for the place where a message stands. A reply outside the thread of its change's card has a heading. */
export async function contentInPlace(
  { database: { db } }: Pick<PostContext, 'database'>,
  { kind, change: number }: Message,
  { channel, ts }: MessagePlace,
  content: MessageContent,
): Promise<MessageContent> {
  const change = kind !== 'reply' || number === null ? undefined : await findChange(db, number);
  if (change === undefined) return content;
  const card = await findCard(db, change.number);
  const isInThread = card?.channel === channel && card.ts !== null && Number(card.ts) < Number(ts);
  return isInThread ? content : withHeading(change, content);
}

/** Outside its thread, a reply has to name its change. */
const withHeading = (change: Change, content: MessageContent): MessageContent =>
  'headline' in content ? content : { ...content, text: say`${headingOf(change)}\n${content.text}` };

/** What a message says now, and whether whoever it is for may still read it. */

/** Undefined: what it was to say needs no telling any more. */
export async function contentOf(
  { database, policy }: ChangeContext,
  message: Message,
): Promise<MessageContent | undefined> {
  const isCard = message.kind === 'card' || message.kind === 'copy';
  if (!isCard) return message.body === null ? undefined : unlessTold(message, parseStored<Note>(message.body));
  const change = message.change === null ? undefined : await findChange(database.db, message.change);
  // A copy that was never posted is not needed once the decision is made.
  if (change === undefined || (message.kind === 'copy' && message.ts === null && change.state !== 'waiting'))
    return undefined;
  const approved = authorizationOf(change).approval === 'none' ? [] : await listVotes(database.db, change.number);
  // Whoever approved keeps the card, to see what comes of it and to stop it. The others have nothing left to do.
  const hasVoted = approved.some(({ person }) => idsOf(policy(), person).includes(message.recipient ?? ''));
  if (message.kind === 'copy' && change.state !== 'waiting' && !hasVoted) return withdrawnRequest(change, approved);
  const reader = message.kind === 'copy' ? await copyReader(database, change) : undefined;
  return currentCard(database.db, change, approved, database.installation, reader);
}

/** An edit of a direct message that was never posted is not needed: another message has told the same since. */
const unlessTold = (message: Message, note: Note): Note | undefined =>
  message.kind === 'direct' && note.minor && message.ts === null ? undefined : note;

/** Copies go to approvers and to those who are only notified. They say where the card is, unless only its requester can see it. */
async function copyReader({ db }: ChangeContext['database'], change: Change): Promise<CardReader> {
  const channel = (await findCard(db, change.number))?.channel ?? change.channel;
  return { isAsker: false, cardIn: isDirect(channel) ? undefined : channel };
}

/** Whether its reader certainly may not read what it is about. */
export async function isHidden(context: ChangeContext, message: Message): Promise<boolean> {
  const { kind, recipient } = message;
  const about = recipient === null ? undefined : await subjectOf(context, message);
  if (about === undefined || recipient === null) return false;
  if (kind === 'notice') return !mayHear(context.policy(), recipient, storedTargets(about));
  return (kind === 'direct' || kind === 'copy') && isHiddenFrom(context, recipient, about);
}

/** What a message is about; undefined: nothing that is kept from its reader, who may have asked for it. */
async function subjectOf(
  { database, policy }: ChangeContext,
  { recipient, about, change: number }: Message,
): Promise<StoredTargets | undefined> {
  if (about !== null) return { targets: about };
  const change = number === null ? undefined : await findChange(database.db, number);
  return change && !samePerson(policy(), recipient ?? '', change.requester) ? change : undefined;
}
