import { setTimeout as wait } from 'node:timers/promises';
import { isDirect } from '../../access/direct-messages.ts';
import type { ChannelLook } from '../../post/messenger.ts';
import type { Change } from '../../storage/changes.ts';
import { findCard } from '../../storage/messages.ts';
import { channel, say, type Text } from '../../words/text.ts';
import type { SlackContext } from '../context/context.ts';

/** Where the card of a change is: in its channel; in direct messages, and why; or not posted yet. */
type CardPlace = 'channel' | 'direct' | 'uninvited' | 'refused' | 'open';

/** How long we wait for a card to be posted, and how often we look. Only in channels that may not take it. */
const waitMs = 2_000;
const lookEveryMs = 100;

/** Where the card of a new change is. We can post in a channel that we are not in if Slack lets us, so its card tells. */
export async function cardPlace({ pipeline }: Pick<SlackContext, 'pipeline'>, change: Change): Promise<CardPlace> {
  if (isDirect(change.channel)) return 'direct';
  const otherwise = elsewhere(await pipeline.lookAt(change.channel).catch(() => undefined));
  if (otherwise === undefined) return 'channel';
  for (let waited = 0; waited < waitMs; waited += lookEveryMs) {
    const at = (await findCard(pipeline.database.db, change.number))?.channel;
    if (at) return at === change.channel ? 'channel' : otherwise;
    await wait(lookEveryMs);
  }
  return 'open';
}

/** Why a card may not be in its channel; undefined: that takes it, as far as Slack says now. */
function elsewhere(look: ChannelLook | undefined): 'uninvited' | 'refused' | undefined {
  if (look === undefined) return undefined;
  if (look.kind === 'hidden') return 'uninvited';
  if (look.kind !== 'seen' || look.archived || look.shared) return 'refused';
  return look.member ? undefined : 'uninvited';
}

/** What became of a request, and where its card is. Under a card that was moved, its thread says how to invite us. */
export function savedAs(change: Change, place: CardPlace): Text {
  const progress = change.state === 'waiting' ? 'is waiting for approval' : 'is on its way';
  const where = {
    channel: say`${channel(change.channel)}`,
    direct: say`our direct messages`,
    uninvited: say`our direct messages, because I'm not in ${channel(change.channel)}`,
    refused: say`our direct messages, because ${channel(change.channel)} takes no posts of mine`,
    open: say`${channel(change.channel)}, or in our direct messages if I can't post there`,
  };
  return say`**#${change.number} ${progress}.** Its card is in ${where[place]}.`;
}
