import type { Fields } from '../json-fields.ts';
import { Impossible } from '../refused.ts';
import { BOT_USER, TEAM } from '../seed.ts';
import type { Channel, Group, Person, Posting } from '../shapes.ts';
import { type Outcome, type ActionContext, sendEvent } from './context.ts';

/** What an administrator can change about a person. */
export type PersonChange = Partial<
  Pick<
    Person,
    | 'deleted'
    | 'is_restricted'
    | 'is_ultra_restricted'
    | 'is_stranger'
    | 'display_name'
    | 'real_name'
    | 'tz'
    | 'tz_offset'
    | 'team_id'
    | 'enterprise_user'
  >
>;

/** What can change about a channel; `bot` invites or removes the bot. */
export type ChannelChange = {
  readonly bot?: boolean;
  readonly archived?: boolean;
  readonly shared?: boolean;
  readonly name?: string;
  readonly posting?: Posting;
  /** Whether a reply to a deleted message is refused, and not posted in the channel itself. */
  readonly strictThreads?: boolean;
  /** Another organisation is invited to the channel. */
  readonly invited?: boolean;
};

/** Deactivates a person, makes them a guest, or renames them. */
export function changePerson({ workspace }: ActionContext, id: string, change: PersonChange): Person {
  const person = workspace.people.get(id);
  if (person === undefined) throw new Impossible(`there is no person ${id}`);
  const changed = { ...person, ...change };
  workspace.people.set(id, changed);
  workspace.events.emit('person', { person: id });
  return changed;
}

/** Changes a group's members and tells the app. */
export async function changeGroup(
  context: ActionContext,
  id: string,
  users: readonly string[],
): Promise<Group & { readonly outcome: Outcome }> {
  const { workspace } = context;
  const group = workspace.groups.get(id);
  if (group === undefined) throw new Impossible(`there is no group ${id}`);
  const stranger = users.find((user) => !workspace.people.has(user));
  if (stranger !== undefined) throw new Impossible(`there is no person ${stranger}`);
  const changed = { ...group, users, updated: Math.floor(workspace.now() / 1000) };
  workspace.groups.set(id, changed);
  workspace.events.emit('group', { group: id });
  return { ...changed, outcome: await sendMembersChanged(context, group, changed) };
}

/** Disables or enables a group. The app is not told. */
export function disableGroup({ workspace }: ActionContext, id: string, isDisabled = true): Group {
  const group = workspace.groups.get(id);
  if (group === undefined) throw new Impossible(`there is no group ${id}`);
  const { deleted: _, ...enabled } = group;
  const changed = isDisabled ? { ...enabled, deleted: Math.floor(workspace.now() / 1000) } : enabled;
  workspace.groups.set(id, changed);
  workspace.events.emit('group', { group: id });
  return changed;
}

function sendMembersChanged(context: ActionContext, before: Group, after: Group): Promise<Outcome> {
  const added = after.users.filter((user) => !before.users.includes(user));
  const removed = before.users.filter((user) => !after.users.includes(user));
  const event: Fields = {
    type: 'subteam_members_changed',
    subteam_id: after.id,
    team_id: TEAM.id,
    date_previous_update: before.updated,
    date_update: after.updated,
    added_users: added,
    added_users_count: added.length,
    removed_users: removed,
    removed_users_count: removed.length,
    event_ts: context.workspace.nextTs(),
  };
  const bot = context.workspace.people.get(BOT_USER);
  if (bot === undefined) throw new Impossible('the bot has left the workspace');
  return sendEvent(context, bot, 'subteam_members_changed', event);
}

/** Invites or removes the bot, archives, shares or renames a channel, or sets its posting rules. */
export function changeChannel({ workspace }: ActionContext, id: string, { bot, ...change }: ChannelChange): Channel {
  const channel = workspace.channels.get(id);
  if (channel === undefined) throw new Impossible(`there is no channel ${id}`);
  const others = channel.members.filter((member) => member !== BOT_USER);
  const members = bot === undefined ? channel.members : bot ? [...others, BOT_USER] : others;
  const changed = { ...channel, ...change, members };
  workspace.channels.set(id, changed);
  workspace.events.emit('channel', { channel: id });
  return changed;
}
