import { findChange, type Change } from '../../storage/changes.ts';
import { cardOf as cardMessageOf, type Message, type Place } from '../../storage/messages.ts';
import type { Reader } from '../../storage/tx.ts';
import { say } from '../../text.ts';
import { cardOf } from '../changes/freeze.ts';
import type { Card, Note } from '../changes/card.ts';
import { Undeliverable, type Recipient, type Messenger } from './messenger.ts';

/** One place where a message may stand, and what it says there. */
type Destination = { readonly to: Recipient; readonly as: Card | Note };

/** Where a message stands now, and Slack's word for the place that should have had it and did not take it. */
export type Posted = { readonly place: Place; readonly refused?: string };

/** Posts a message at the first of its places that takes it; undefined: it has none. Rejects with `Undeliverable`. */
export async function postSomewhere(
  messenger: Messenger,
  destinations: readonly Destination[],
): Promise<Posted | undefined> {
  const words: string[] = [];
  for (const { to, as } of destinations) {
    try {
      const place = await messenger.post(to, as);
      return { place, ...(words[0] !== undefined && { refused: words[0] }) };
    } catch (error) {
      if (!(error instanceof Undeliverable) || error.kind !== 'gone') throw error;
      if (!words.includes(error.message)) words.push(error.message);
    }
  }
  if (words.length > 0) throw new Undeliverable('gone', words.join(', '));
  return undefined;
}

/** The places of a message, best first: of a card and of what is said below it the asker's direct messages are the last. */
export async function destinationsOf(
  db: Reader,
  { kind, recipient, change: number }: Message,
  what: Card | Note,
  ops: string | undefined,
): Promise<readonly Destination[]> {
  if (kind === 'ops') return ops === undefined ? [] : [{ to: { channel: ops }, as: what }];
  if (kind === 'notice') return [{ to: { channel: recipient ?? '' }, as: what }];
  if (kind === 'direct' || kind === 'copy') return [{ to: { person: recipient ?? '' }, as: what }];
  const change = number === null ? undefined : await findChange(db, number);
  if (change === undefined) return [];
  if (kind === 'card') {
    const direct = { to: { person: change.asker }, as: what };
    return change.channel === change.asker
      ? [direct]
      : [{ to: { channel: recipient ?? change.channel }, as: what }, direct];
  }
  const card = await cardMessageOf(db, change.number);
  const direct = { to: { person: change.asker }, as: named(change, what) };
  return card?.channel && card.ts ? [{ to: { channel: card.channel, thread: card.ts }, as: what }, direct] : [direct];
}

/** Away from its card a reply has to say what it is about. */
const named = (change: Change, what: Card | Note): Card | Note =>
  'headline' in what ? what : { ...what, text: say`**#${change.number} · ${cardOf(change).title}**\n${what.text}` };
