import { type Directory, actors, channelsOf, directMessageId } from './directory.ts';
import type { Session } from './session.ts';

/** What a session shows: the acting person, channel, thread and tab. */
export type Place = Pick<Session, 'me' | 'channel' | 'thread' | 'tab'>;

/** The place after going from `from` to `to`: a channel the person sees. The thread closes if either changes. */
export function navigate(directory: Directory, from: Place, to: Partial<Place>): Place {
  const me = to.me ?? from.me;
  const wanted = to.channel ?? (from.channel === directMessageId(from.me) ? directMessageId(me) : from.channel);
  const seen = channelsOf(directory, me).map(({ id }) => id);
  const channel = wanted === directMessageId(me) || seen.includes(wanted) ? wanted : (seen[0] ?? directMessageId(me));
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

/** The place in the page's address, `#person/channel`; by default the first person in #acme-shop. */
export function placeFromHash(directory: Directory, hash: string): Place {
  const [person = '', channel = ''] = hash.slice(1).split('/');
  const known = actors(directory);
  const me = (known.find(({ id }) => id === person) ?? known[0])?.id ?? '';
  const defaultChannel = channelsOf(directory, me).find(({ name }) => name === 'acme-shop')?.id ?? '';
  return navigate(
    directory,
    { me, channel: defaultChannel, thread: undefined, tab: 'messages' },
    { channel: channel || defaultChannel },
  );
}

/** The page's address for a place. */
export const hashOf = ({ me, channel }: Place): string => `#${me}/${channel}`;
