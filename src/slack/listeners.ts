import type { App } from '@slack/bolt';
import { z } from 'zod';
import { catalogue } from '../commands/index.ts';
import { listenToButtons } from './buttons.ts';
import { listenToForms } from './forms.ts';
import { hear } from './hear.ts';
import { publishHome } from './home.ts';
import { changesSomething, take, type Track } from './intake.ts';
import { listenToMentions, orNothing } from './mentions.ts';
import type { Reception } from './reception.ts';

/** Every way in: command, mention, button, form, suggestions, home. Each acks first and works afterwards. */
export function listen(app: App, reception: Reception, track: Track): void {
  listenToCommands(app, reception, track);
  listenToMentions(app, reception, track);
  listenToButtons(app, reception, track);
  listenToForms(app, reception, track);
  listenToShortcuts(app, reception, track);
  app.event('app_home_opened', async ({ event }) => {
    if (event.tab !== 'home') return;
    const { user } = z.object({ user: z.string() }).parse(event);
    reception.homes.opened(user);
    track(() => publishHome(reception, user));
  });
  app.event('subteam_members_changed', async ({ event }) => {
    reception.people.groupChanged(z.object({ subteam_id: z.string() }).parse(event).subteam_id);
  });
}

/** What is delivered, as far as it is believed. What lacks any of it is nobody's, or nowhere, or not known to be new: refused. */
const typed = z.object({
  command: z.string(),
  text: orNothing,
  user_id: z.string(),
  team_id: orNothing,
  channel_id: z.string(),
  trigger_id: z.string(),
  response_url: orNothing,
});
const shortcut = z.object({
  user: z.object({ id: z.string(), team_id: orNothing }),
  trigger_id: z.string(),
});

function listenToCommands(app: App, reception: Reception, track: Track): void {
  app.command(/.*/, async ({ ack, body }) => {
    const read = typed.parse(body);
    const line = lineOf(read.command, read.text);
    const {
      user_id: person,
      team_id: team,
      channel_id: channel,
      trigger_id: trigger,
      response_url: responseUrl,
    } = read;
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
  app.shortcut(/.*/, async ({ ack, body }) => {
    const { user, trigger_id: trigger } = shortcut.parse(body);
    return take(reception, track, {
      kind: 'command',
      key: `shortcut:${trigger}`,
      said: '',
      changes: false,
      from: { person: user.id, team: user.team_id, channel: undefined, trigger },
      ack: async () => (await ack(), false),
      work: (heard) => hear(reception, heard, ''),
    });
  });
}
