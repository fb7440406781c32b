import { type Directory, actors, channelsOf, directMessageId } from './directory.ts';
import type { Seat } from './seat.ts';

/** Where somebody looks. */
export type Looking = Pick<Seat, 'me' | 'channel' | 'thread' | 'tab'>;

/** Where somebody who goes from `from` to `to` ends: in a channel they see, with only what belongs there open. */
export function arrive(directory: Directory, from: Looking, to: Partial<Looking>): Looking {
  const me = to.me ?? from.me;
  const wished = to.channel ?? (from.channel === directMessageId(from.me) ? directMessageId(me) : from.channel);
  const seen = channelsOf(directory, me).map(({ id }) => id);
  const channel = wished === directMessageId(me) || seen.includes(wished) ? wished : (seen[0] ?? directMessageId(me));
  const moved = channel !== from.channel || me !== from.me;
  const stays = moved ? undefined : from.thread;
  const tab = to.tab ?? (to.channel === undefined ? from.tab : 'messages');
  return {
    me,
    channel,
    thread: 'thread' in to ? to.thread : stays,
    tab: tab === 'home' && channel !== directMessageId(me) ? 'messages' : tab,
  };
}

/** Where the address of the page points to, `#person/channel`; the first person and #acme-shop otherwise. */
export function fromAddress(directory: Directory, hash: string): Looking {
  const [person = '', channel = ''] = hash.slice(1).split('/');
  const known = actors(directory);
  const me = (known.find(({ id }) => id === person) ?? known[0])?.id ?? '';
  const usual = channelsOf(directory, me).find(({ name }) => name === 'acme-shop')?.id ?? '';
  return arrive(directory, { me, channel: usual, thread: undefined, tab: 'messages' }, { channel: channel || usual });
}

/** The address of the page for where somebody looks. */
export const toAddress = ({ me, channel }: Looking): string => `#${me}/${channel}`;
