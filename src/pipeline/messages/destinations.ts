import { findChange, type Change } from '../../storage/changes.ts';
import { findCard, type Message, type MessagePlace } from '../../storage/messages.ts';
import { say } from '../../text.ts';
import { headingOf } from '../changes/freeze.ts';
import { Undeliverable, type MessageContent, type Messenger, type Recipient } from './messenger.ts';
import type { Outbox } from './post-retries.ts';

/** One place where a message may be posted, and its content there. */
export type MessageDestination = { readonly to: Recipient; readonly as: MessageContent };

/** Where a message was posted. `refused`: Slack's error code from the first place, if that one refused it. */
export type Posted = { readonly place: MessagePlace; readonly refused?: string };

/** Posts to the first place that accepts it; undefined: there are no places. Rejects with `Undeliverable`. */
export async function postSomewhere(
  messenger: Messenger,
  destinations: readonly MessageDestination[],
): Promise<Posted | undefined> {
  const codes: string[] = [];
  for (const { to, as } of destinations) {
    try {
      const place = await messenger.post(to, as);
      return { place, ...(codes[0] !== undefined && { refused: codes[0] }) };
    } catch (error) {
      if (!(error instanceof Undeliverable) || error.kind !== 'gone') throw error;
      if (!codes.includes(error.message)) codes.push(error.message);
    }
  }
  if (codes.length > 0) throw new Undeliverable('gone', codes.join(', '));
  return undefined;
}

/** The places for a message, best first. Cards and replies fall back to the requester's direct messages. */
export async function destinationsOf(
  { database: { db }, opsChannel }: Pick<Outbox, 'database' | 'opsChannel'>,
  { kind, recipient, change: number }: Message,
  content: MessageContent,
): Promise<readonly MessageDestination[]> {
  if (kind === 'ops') {
    const channel = opsChannel();
    return channel === undefined ? [] : [{ to: { channel }, as: content }];
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

/** Outside its thread, a reply has to name its change. */
const withHeading = (change: Change, content: MessageContent): MessageContent =>
  'headline' in content ? content : { ...content, text: say`${headingOf(change)}\n${content.text}` };
