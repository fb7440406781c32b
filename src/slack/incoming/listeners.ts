import type { App } from '@slack/bolt';
import { catalogue } from '../../commands/index.ts';
import { listenToButtons } from './buttons.ts';
import { listenToForms } from './form-events.ts';
import { hear } from '../answers/dispatch.ts';
import { publishHome } from '../answers/home.ts';
import { natureOf, take, type Track } from './receive.ts';
import { listenToMentions } from './mentions.ts';
import type { Reception } from '../context/context.ts';
import { changedGroup, openedHome, typedCommand, usedShortcut } from '../context/payload-shapes.ts';

/** Every way in: command, mention, button, form, suggestions, home. Each acks first and works afterwards. */
export function listen(app: App, reception: Reception, track: Track): void {
  listenToCommands(app, reception, track);
  listenToMentions(app, reception, track);
  listenToButtons(app, reception, track);
  listenToForms(app, reception, track);
  listenToShortcuts(app, reception, track);
  app.event('app_home_opened', async ({ event }) => {
    if (event.tab !== 'home') return;
    const { user } = openedHome.parse(event);
    reception.homes.opened(user);
    track(() => reception.turns.usual(() => publishHome(reception, user), user));
  });
  app.event('subteam_members_changed', async ({ event }) => {
    reception.people.groupChanged(changedGroup.parse(event).subteam_id);
  });
}

function listenToCommands(app: App, reception: Reception, track: Track): void {
  app.command(/.*/, async ({ ack, body }) => {
    const { command, text, enterprise, from } = typedCommand.parse(body);
    const team = reception.people.originOf({ team: from.team, enterprise });
    const line = lineOf(command, text);
    return take(reception, track, {
      kind: 'command',
      key: `command:${from.trigger}`,
      said: line,
      ...natureOf(line),
      from: { ...from, team },
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
    const { user, enterprise, trigger_id: trigger } = usedShortcut.parse(body);
    return take(reception, track, {
      kind: 'command',
      key: `shortcut:${trigger}`,
      said: '',
      changes: false,
      lane: 'usual',
      from: {
        person: user.id,
        team: reception.people.originOf({ team: user.team_id, enterprise: enterprise?.id }),
        channel: undefined,
        trigger,
      },
      ack: async () => (await ack(), false),
      work: (heard) => hear(reception, heard, ''),
    });
  });
}
