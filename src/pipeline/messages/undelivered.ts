import type { Change } from '../../storage/changes.ts';
import type { Tx } from '../../storage/database.ts';
import { findMessage, enqueueMessage, type Message } from '../../storage/messages.ts';
import { channel, code, joined, person, plain, say, type Text } from '../../text.ts';
import { cardOf } from '../changes/freeze.ts';
import { oweOps } from './ops-messages.ts';
import { sharedWord, Undeliverable } from './messenger.ts';
import type { Card, Note } from '../changes/card.ts';

/** What is said when a message could not be said where it should: to the asker, and to the ops channel. */

/** A message that is not delivered: what it says, of which change, and why Slack did not take it. */
export type Loss = {
  readonly message: Message;
  readonly what: Card | Note | undefined;
  readonly change: Change | undefined;
  readonly error: unknown;
};

const prefix = 'untold:';
/** Of a message whose very drawing Slack does not take, in characters. */
const maxUndrawnLength = 300;

/** Tells the asker and the ops channel of a message that is given up; of such a message itself nobody is told. */
export async function tellOfLoss(tx: Tx, loss: Loss, at: number): Promise<void> {
  const { message, change } = loss;
  if (message.key.includes(prefix)) return;
  await oweOps(tx, `${prefix}${message.key}`, forOps(loss), at);
  if (change === undefined || !isReachable(loss, change)) return;
  const key = `${prefix}${change.number}:${message.recipient ?? 'card'}`;
  const body = JSON.stringify({ text: forAsker(loss, change) });
  await enqueueMessage(tx, { key, change: change.number, kind: 'direct', recipient: change.asker, body, at });
}

/** Whether the asker's direct messages are not what has just refused it. */
const isReachable = ({ message: { kind, recipient }, error }: Loss, { asker }: Change): boolean =>
  !(isKind(error, 'gone') && (kind === 'card' || kind === 'reply' || recipient === asker));

function forOps(loss: Loss): Text {
  const { message, what, change, error } = loss;
  const text =
    what === undefined ? say`` : 'headline' in what ? joined([what.headline, ...what.lines], '\n') : what.text;
  // A direct message names its change by itself.
  const isNamed = message.kind === 'reply' && change !== undefined;
  const whole = isNamed ? say`${named(change)}\n${text}` : text;
  const told = isKind(error, 'drawing') ? say`${plain(whole).slice(0, maxUndrawnLength)}` : whole;
  return say`⚠️ **${whom(loss)} could not be told** (${why(loss)}; ${code(message.key)}):\n${told}`;
}

const forAsker = (loss: Loss, change: Change): Text =>
  say`${named(change)}\n⚠️ ${whom(loss)} could not be told of it (${why(loss)}). ${code(`change ${change.number}`)} shows how it stands.`;

const named = (change: Change): Text => say`**#${change.number} · ${cardOf(change).title}**`;

function whom({ message: { kind, recipient }, change }: Loss): Text {
  if (kind === 'direct' || kind === 'copy') return say`${person(recipient ?? '')}`;
  if (kind === 'ops') return say`This channel`;
  if (change === undefined) return say`${channel(recipient ?? '')}`;
  const place = channel(change.channel);
  return /^[DUW]/.test(change.channel) ? say`${person(change.asker)}` : say`${place} and ${person(change.asker)}`;
}

const why = ({ error }: Loss): Text =>
  isKind(error, 'gone') || isKind(error, 'drawing') ? say`${code(error.message)}` : say`Slack took nothing for a day`;

const isKind = (error: unknown, kind: Undeliverable['kind']): error is Undeliverable =>
  error instanceof Undeliverable && error.kind === kind;

/** Tells the ops channel, once for each change, that its channel does not take what is posted and its asker reads it directly. */
export async function tellOfMove(tx: Tx, change: Change, word: string, at: number): Promise<void> {
  const key = `elsewhere:${change.number}`;
  if (await findMessage(tx, `ops:${key}`)) return;
  const says = say`⚠️ ${refuses(change.channel, word)} ${person(change.asker)} reads of #${change.number} in direct messages.`;
  await oweOps(tx, key, says, at);
}

/** Under a card that stands in direct messages: why. */
export const standsHere = (place: string, word: string): Text =>
  isUninvited(word)
    ? say`I cannot post in ${channel(place)}, so this stands here. ${'/invite'} me there to have it in the channel.`
    : say`${refuses(place, word)} So this stands here.`;

const refuses = (place: string, word: string): Text =>
  word === sharedWord
    ? say`${channel(place)} is shared with another organisation now: sites are not spoken of there.`
    : say`${channel(place)} does not take what I post (${code(word)}).`;

/** Nothing is wrong with such a channel; whoever asked there is told how to have cards in it. */
export const isUninvited = (word: string): boolean => word === 'not_in_channel' || word === 'channel_not_found';
