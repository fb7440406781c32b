import { type Fields, isTrue, textOf } from '../json-fields.ts';
import { Refused } from '../refused.ts';
import { BOT_USER, TEAM } from '../seed.ts';
import type { Channel } from '../shapes.ts';
import { directMessage, directMessageId } from '../workspace.ts';
import { type Context, type Methods, knownPerson, page, required, visibleChannel } from './method.ts';

/** A channel as conversations.info shows one. */
function channelObject(channel: Channel): Fields {
  const shared = { is_archived: channel.archived, is_ext_shared: channel.shared, is_org_shared: false };
  const common = {
    id: channel.id,
    created: 1_700_000_000,
    ...shared,
    is_shared: channel.shared,
    context_team_id: TEAM.id,
  };
  if (channel.kind === 'im') return { ...common, is_im: true, user: channel.members.find((id) => id !== BOT_USER) };
  return {
    ...common,
    name: channel.name,
    name_normalized: channel.name,
    is_channel: channel.kind === 'public',
    is_group: channel.kind === 'private',
    is_im: false,
    is_mpim: false,
    is_private: channel.kind === 'private',
    is_member: channel.members.includes(BOT_USER),
    num_members: channel.members.length,
    is_pending_ext_shared: channel.invited === true,
    ...(channel.shared ? { shared_team_ids: [TEAM.id, 'T0PARTNER'] } : {}),
  };
}

const KIND = { public: 'public_channel', private: 'private_channel', im: 'im' } as const;

function list({ workspace }: Context, args: Fields): Fields {
  const types = (textOf(args['types']) || 'public_channel').split(',').map((type) => type.trim());
  const unknown = types.find((type) => ![...Object.values<string>(KIND), 'mpim'].includes(type));
  if (unknown !== undefined) throw new Refused('invalid_types');
  const visible = [...workspace.channels.values()].filter(
    (channel) =>
      types.includes(KIND[channel.kind]) &&
      (channel.kind === 'public' || channel.members.includes(BOT_USER)) &&
      !(channel.archived && isTrue(args['exclude_archived'])),
  );
  const { items, next } = page(visible, args);
  return { channels: items.map(channelObject), ...next };
}

/** The channels of a person, of those that the bot may see. */
function ofPerson({ workspace }: Context, args: Fields): Fields {
  const person = textOf(args['user']) || BOT_USER;
  knownPerson(workspace, person);
  const types = new Set((textOf(args['types']) || 'public_channel').split(',').map((type) => type.trim()));
  const theirs = [...workspace.channels.values()].filter(
    ({ kind, members }) =>
      types.has(KIND[kind]) && members.includes(person) && (kind === 'public' || members.includes(BOT_USER)),
  );
  const { items, next } = page(theirs, args);
  return { channels: items.map(channelObject), ...next };
}

function open({ workspace }: Context, args: Fields): Fields {
  const users = required(args, 'users').split(',');
  if (users.length > 1) throw new Refused('method_not_supported_for_channel_type');
  const person = knownPerson(workspace, users[0] ?? '');
  if (person.id === BOT_USER) throw new Refused('cannot_dm_bot');
  if (person.deleted) throw new Refused('user_disabled');
  const known = workspace.channels.has(directMessageId(person.id));
  const channel = directMessage(workspace, person.id);
  const shown = isTrue(args['return_im']) ? channelObject(channel) : { id: channel.id };
  return { channel: shown, ...(known ? { already_open: true, no_op: true } : {}) };
}

function members({ workspace }: Context, args: Fields): Fields {
  const { items, next } = page(visibleChannel(workspace, required(args, 'channel')).members, args);
  return { members: items, ...next };
}

const read = { token: 'bot', scope: 'channels:read' } as const;

/** Channels and direct messages. https://docs.slack.dev/reference/methods/conversations.info */
export const CONVERSATIONS: Methods = {
  'conversations.info': {
    ...read,
    run: ({ workspace }, args) => ({ channel: channelObject(visibleChannel(workspace, required(args, 'channel'))) }),
  },
  'conversations.list': { ...read, run: list },
  'users.conversations': { ...read, run: ofPerson },
  'conversations.members': { ...read, run: members },
  'conversations.open': { token: 'bot', scope: 'im:write', run: open },
};
