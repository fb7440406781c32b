import { type Fields, isTrue } from '../json-fields.ts';
import { Refused } from '../refused.ts';
import { APP_ID, BOT_ID, BOT_USER, TEAM } from '../seed.ts';
import type { Group, Person } from '../shapes.ts';
import { type Context, type Methods, knownPerson, page, required } from './method.ts';

/** A person as users.info shows one. */
function userObject(person: Person): Fields {
  const { title, real_name, display_name, is_stranger, ...rest } = person;
  const profile = {
    title,
    real_name,
    display_name,
    real_name_normalized: real_name,
    ...(person.is_bot ? { bot_id: BOT_ID } : {}),
  };
  const flags = { is_admin: false, is_owner: false, is_app_user: false, updated: 1_700_000_000 };
  return { ...rest, real_name, ...flags, ...(is_stranger ? { is_stranger } : {}), profile };
}

function groupObject(group: Group, withUsers: boolean): Fields {
  return {
    id: group.id,
    team_id: TEAM.id,
    is_usergroup: true,
    is_external: false,
    name: group.name,
    handle: group.handle,
    description: '',
    date_update: group.updated,
    date_delete: group.deleted ?? 0,
    user_count: group.users.length,
    ...(withUsers ? { users: group.users } : {}),
  };
}

function usersList({ workspace }: Context, args: Fields): Fields {
  const { items, next } = page([...workspace.people.values()], args);
  return { members: items.map(userObject), cache_ts: Math.floor(workspace.now() / 1000), ...next };
}

function groupMembers({ workspace }: Context, args: Fields): Fields {
  const group = workspace.groups.get(required(args, 'usergroup'));
  if (group === undefined) throw new Refused('no_such_subteam');
  if (group.deleted !== undefined && !isTrue(args['include_disabled'])) throw new Refused('subteam_disabled');
  return { users: group.users };
}

function botsInfo(_: Context, args: Fields): Fields {
  if (required(args, 'bot') !== BOT_ID) throw new Refused('bot_not_found');
  return {
    bot: { id: BOT_ID, app_id: APP_ID, user_id: BOT_USER, name: 'Sitehand', deleted: false, updated: 1_700_000_000 },
  };
}

/** People and user groups. https://docs.slack.dev/reference/methods/users.info */
export const USERS: Methods = {
  'users.info': {
    token: 'bot',
    scope: 'users:read',
    run: ({ workspace }, args) => ({ user: userObject(knownPerson(workspace, required(args, 'user'))) }),
  },
  'users.list': { token: 'bot', scope: 'users:read', run: usersList },
  'bots.info': { token: 'bot', scope: 'users:read', run: botsInfo },
  'usergroups.list': {
    token: 'bot',
    scope: 'usergroups:read',
    run: ({ workspace }, args) => ({
      usergroups: [...workspace.groups.values()]
        .filter((group) => group.deleted === undefined || isTrue(args['include_disabled']))
        .map((group) => groupObject(group, isTrue(args['include_users']))),
    }),
  },
  'usergroups.users.list': { token: 'bot', scope: 'usergroups:read', run: groupMembers },
};
