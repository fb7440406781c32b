import { parseStored } from '../storage/parse-json.ts';
import { findChange, type Change, changesInBatch, isBatch } from '../storage/changes.ts';
import { findCard, isNews, type Message } from '../storage/messages.ts';
import { isNewestToDecide, isToldLater } from '../storage/redraw.ts';
import type { MessageContent } from './messenger.ts';
import { type ReadHandle } from '../storage/schema.ts';
import { idsOf, samePerson } from '../policy/memberships.ts';
import { listVotes, type Vote } from '../storage/votes.ts';
import { authorizationOf } from '../access/authorization.ts';
import { type Note, type Telling, renderCard, type Approved, type Card } from '../change/card.ts';
import { isDirect, mayHear } from '../access/assert-channel.ts';
import { storedTargets } from '../access/targets.ts';
import { isHiddenFrom, type StoredTargets } from '../access/visibility.ts';
import type { CardReader } from '../change/buttons.ts';
import type { ChangeContext } from '../change/context.ts';
import { drawTelling, isPastRequest, withdrawnRequest } from '../change/told.ts';
import { renderBatch } from '../change/batch-card.ts';

/** What a message says now, and whether whoever it is for may still read it. */

/** Undefined: what it was to say needs no telling any more. */
export async function contentOf(context: ChangeContext, message: Message): Promise<MessageContent | undefined> {
  const { database, policy } = context;
  const change = message.change === null ? undefined : await findChange(database.db, message.change);
  const isCard = message.kind === 'card' || message.kind === 'copy';
  if (!isCard) return noteOf(context, message, change);
  // A copy that was never posted is not needed once the decision is made.
  if (change === undefined || (message.kind === 'copy' && message.ts === null && change.state !== 'waiting'))
    return undefined;
  const approved = await approvedOf(database.db, change);
  // Whoever approved keeps the card, to see what comes of it and to stop it. The others have nothing left to do.
  const hasVoted = approved.some(({ person }) => idsOf(policy(), person).includes(message.recipient ?? ''));
  if (message.kind === 'copy' && change.state !== 'waiting' && !hasVoted) return withdrawnRequest(change, approved);
  const reader = message.kind === 'copy' ? await copyReader(database, change) : undefined;
  return currentCard(database.db, change, approved, database.installation, reader);
}

const approvedOf = async (db: ReadHandle, change: Change): Promise<readonly Vote[]> =>
  authorizationOf(change).approval === 'none' ? [] : listVotes(db, change.number);

/** A direct message that was never posted is dropped if nothing is left of it, or another one has told more or asked again. */
async function noteOf(
  { database: { db, installation } }: ChangeContext,
  message: Message,
  change: Change | undefined,
): Promise<Note | undefined> {
  if (message.body === null) return undefined;
  const isUnposted = message.kind === 'direct' && message.ts === null;
  if (isUnposted && !isNews(message)) return undefined;
  const telling = parseStored<Telling>(message.body);
  if (change === undefined || message.follows === 0) return telling;
  const isNewest = await isNewestToDecide(db, message);
  const isPast = isPastRequest(message, telling, change) || (message.decides === 1 && !isNewest);
  if (isUnposted && (isPast || (await isOutdated(db, message, telling, change)))) return undefined;
  return drawTelling(message, telling, { change, approved: await approvedOf(db, change), installation, isNewest });
}

const isOutdated = async (db: ReadHandle, message: Message, { when }: Telling, { version }: Change): Promise<boolean> =>
  when?.version !== version && isToldLater(db, message);

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

/** The card of a change, which may be a batch, as it is now. As `renderCard`. */
export async function currentCard(
  db: ReadHandle,
  change: Change,
  approved: readonly Approved[],
  installation: string,
  reader?: CardReader,
): Promise<Card> {
  if (!isBatch(change)) return renderCard(change, approved, installation, reader);
  return renderBatch(change, await changesInBatch(db, change.number), approved, installation, reader);
}
