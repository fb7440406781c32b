import { findChange, type Change } from '../../storage/changes.ts';
import { findCard, type Message, type MessagePlace } from '../../storage/messages.ts';
import type { ReadHandle } from '../../storage/tx.ts';
import { say } from '../../text.ts';
import { headingOf } from '../changes/freeze.ts';
import type { Card, Note } from '../changes/card.ts';
import { Undeliverable, type Recipient, type Messenger } from './messenger.ts';

/** One place where a message may be posted, and its content there. */
export type MessageDestination = { readonly to: Recipient; readonly as: Card | Note };

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
  db: ReadHandle,
  { kind, recipient, change: number }: Message,
  what: Card | Note,
  ops: string | undefined,
): Promise<readonly MessageDestination[]> {
  if (kind === 'ops') return ops === undefined ? [] : [{ to: { channel: ops }, as: what }];
  if (kind === 'notice') return [{ to: { channel: recipient ?? '' }, as: what }];
  if (kind === 'direct' || kind === 'copy') return [{ to: { person: recipient ?? '' }, as: what }];
  const change = number === null ? undefined : await findChange(db, number);
  if (change === undefined) return [];
  if (kind === 'card') {
    const direct = { to: { person: change.requester }, as: what };
    return change.channel === change.requester
      ? [direct]
      : [{ to: { channel: recipient ?? change.channel }, as: what }, direct];
  }
  const card = await findCard(db, change.number);
  const direct = { to: { person: change.requester }, as: named(change, what) };
  return card?.channel && card.ts ? [{ to: { channel: card.channel, thread: card.ts }, as: what }, direct] : [direct];
}

/** Outside its thread, a reply has to name its change. */
const named = (change: Change, what: Card | Note): Card | Note =>
  'headline' in what ? what : { ...what, text: say`${headingOf(change)}\n${what.text}` };
