import type { App } from '@slack/bolt';
import { catalogue } from '../commands/index.ts';
import { listenToButtons } from './buttons.ts';
import { listenToForms } from './forms.ts';
import { hear } from './hear.ts';
import { publishHome } from './home.ts';
import { changesSomething, take, type Track } from './intake.ts';
import type { Reception } from './reception.ts';

/** Every way in: command, mention, button, form, suggestions, home. Each acks first and works afterwards. */
export function listen(app: App, reception: Reception, track: Track): void {
  listenToCommands(app, reception, track);
  listenToMentions(app, reception, track);
  listenToButtons(app, reception, track);
  listenToForms(app, reception, track);
  listenToShortcuts(app, reception, track);
  app.event('app_home_opened', async ({ event }) => {
    if (event.tab === 'home') track(() => publishHome(reception, event.user));
  });
  app.event('subteam_members_changed', async ({ event }) => reception.people.groupChanged(event.subteam_id));
}

function listenToCommands(app: App, reception: Reception, track: Track): void {
  app.command(/.*/, ({ ack, body }) => {
    const line = lineOf(body.command, body.text);
    const { user_id: person, channel_id: channel, trigger_id: trigger, response_url: responseUrl } = body;
    const team = reception.people.originOf({ team: body.team_id, enterprise: body.enterprise_id });
    return take(reception, track, {
      kind: 'command',
      key: `command:${trigger}`,
      said: line,
      changes: changesSomething(line),
      from: { person, team, channel, responseUrl, trigger },
      ack: async (text) => (await (text ? ack({ response_type: 'ephemeral', text }) : ack()), true),
      work: (heard) => hear(reception, heard, line),
    });
  });
}

/** The main command's words, or another command's name before them: `/logs acme-shop/live` is `logs acme-shop/live`. */
function lineOf(command: string, text: string | undefined): string {
  const name = command.replace(/^\//, '').toLowerCase();
  const isPath = [...catalogue.keys()].some((path) => path === name || path.startsWith(`${name} `));
  return isPath ? `${name} ${text ?? ''}` : (text ?? '');
}

/** The one shortcut opens the list of commands, from wherever somebody is. */
function listenToShortcuts(app: App, reception: Reception, track: Track): void {
  app.shortcut(/.*/, ({ ack, shortcut: { user, trigger_id: trigger, enterprise } }) =>
    take(reception, track, {
      kind: 'command',
      key: `shortcut:${trigger}`,
      said: '',
      changes: false,
      from: {
        person: user.id,
        team: reception.people.originOf({ team: user.team_id, enterprise: enterprise?.id }),
        channel: undefined,
        trigger,
      },
      ack: async () => (await ack(), false),
      work: (heard) => hear(reception, heard, ''),
    }),
  );
}

function listenToMentions(app: App, reception: Reception, track: Track): void {
  const myName = new RegExp(`^\\s*<@${reception.botUser}(\\|[^>]*)?>`);
  app.event('app_mention', async ({ event, body }) => {
    const { user: person, channel, thread_ts: thread } = event;
    if (person === undefined || 'bot_id' in event) return;
    const line = event.text.replace(myName, '');
    const team = reception.people.originOf({ team: event.team ?? body.team_id, enterprise: body.enterprise_id });
    await take(reception, track, {
      kind: 'mention',
      key: `mention:${body.event_id}`,
      said: line,
      changes: changesSomething(line),
      from: { person, team, channel, thread, trigger: undefined },
      // Bolt acks events by itself.
      ack: () => Promise.resolve(false),
      work: (heard) => hear(reception, heard, line),
    });
  });
}
