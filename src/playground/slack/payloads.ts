import { stateOf } from './inputs.ts';
import type { Fields } from './json-fields.ts';
import { APP_ID, BOT_ID, BOT_USER, TEAM } from './seed.ts';
import type { Channel, Message, Person, View } from './shapes.ts';
import { blocksOf, titleOf } from './views.ts';

/** The deprecated verification token of payloads; do not trust it. */
const TOKEN = 'not-to-be-trusted';

/** A message as the Web API and payloads show it. */
export function messagePayload(message: Message): Fields {
  const byBot = message.author === BOT_USER ? { bot_id: BOT_ID, app_id: APP_ID } : {};
  return {
    type: 'message',
    user: message.author,
    ts: message.ts,
    team: TEAM.id,
    text: message.text,
    ...byBot,
    blocks: message.blocks,
    ...(message.attachments.length > 0 ? { attachments: message.attachments } : {}),
    ...(message.threadTs === undefined ? {} : { thread_ts: message.threadTs }),
    ...(message.edited === undefined ? {} : { edited: { user: message.author, ts: message.edited } }),
    ...(message.metadata === undefined ? {} : { metadata: message.metadata }),
    ...(message.files.length > 0 ? { files: message.files.map((id) => ({ id })) } : {}),
  };
}

/** A view as the Web API and payloads show it. */
export function viewPayload(view: View): Fields {
  const { title, close = null, submit = null, ...content } = view.content;
  return {
    private_metadata: '',
    callback_id: '',
    external_id: '',
    clear_on_close: false,
    notify_on_close: false,
    ...content,
    id: view.id,
    team_id: TEAM.id,
    title: title ?? { type: 'plain_text', text: titleOf(view), emoji: true },
    close,
    submit,
    blocks: blocksOf(view),
    state: stateOf(view.values),
    hash: view.hash,
    root_view_id: view.rootId,
    previous_view_id: view.previousId ?? null,
    app_id: APP_ID,
    app_installed_team_id: TEAM.id,
    bot_id: BOT_ID,
  };
}

/** A channel's name as payloads give it: private channels get no name. */
function channelName(channel: Channel): string {
  if (channel.kind === 'im') return 'directmessage';
  return channel.kind === 'private' ? 'privategroup' : channel.name;
}

/** A channel as interactive payloads name it. */
export const channelReference = (channel: Channel): Fields => ({ id: channel.id, name: channelName(channel) });

/** The Enterprise Grid a person belongs to, as interactive payloads name it. */
const enterpriseOf = ({ enterprise_user: of }: Person): Fields | null =>
  of ? { id: of.enterprise_id, name: of.enterprise_name } : null;

/** The fields of a slash command. */
export function commandPayload(
  person: Person,
  channel: Channel,
  typed: { readonly command: string; readonly text: string; readonly triggerId: string; readonly responseUrl: string },
): Fields {
  return {
    token: TOKEN,
    team_id: person.team_id,
    team_domain: TEAM.domain,
    ...(person.enterprise_user && {
      enterprise_id: person.enterprise_user.enterprise_id,
      enterprise_name: person.enterprise_user.enterprise_name,
    }),
    channel_id: channel.id,
    channel_name: channelName(channel),
    user_id: person.id,
    user_name: person.name,
    command: typed.command,
    text: typed.text,
    api_app_id: APP_ID,
    is_enterprise_install: 'false',
    response_url: typed.responseUrl,
    trigger_id: typed.triggerId,
  };
}

/** The fields of every interactive payload of the given type. */
export function interactionPayload(type: string, person: Person): Fields {
  return {
    type,
    token: TOKEN,
    api_app_id: APP_ID,
    team: { id: TEAM.id, domain: TEAM.domain },
    enterprise: enterpriseOf(person),
    is_enterprise_install: false,
    user: { id: person.id, username: person.name, name: person.name, team_id: person.team_id },
  };
}

/** An event in its wrapper, as the Events API delivers it. `eventId` stays the same on re-delivery. */
export function eventPayload(event: Fields, eventId: string, seconds: number): Fields {
  return {
    token: TOKEN,
    team_id: TEAM.id,
    api_app_id: APP_ID,
    event,
    type: 'event_callback',
    event_id: eventId,
    event_time: seconds,
    event_context: `4-${eventId}`,
    is_ext_shared_channel: false,
    authorizations: [
      { enterprise_id: null, team_id: TEAM.id, user_id: BOT_USER, is_bot: true, is_enterprise_install: false },
    ],
  };
}
