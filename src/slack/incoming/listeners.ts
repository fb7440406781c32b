import type { App } from '@slack/bolt';
import { catalogue } from '../../commands/index.ts';
import { listenToButtons } from './buttons.ts';
import { listenToForms } from './form-events.ts';
import { handleLine } from '../answers/dispatch.ts';
import { publishHome } from '../answers/home.ts';
import { natureOf } from '../context/deliveries.ts';
import { acceptDelivery, type Track } from './receive.ts';
import { listenToMentions } from './mentions.ts';
import type { SlackContext } from '../context/context.ts';
import { commandShape, groupChangeShape, homeOpenedShape, shortcutShape, senderIn } from '../context/payload-shapes.ts';

/** Listens to what Slack delivers: commands, mentions, buttons, forms, suggestions, App Home. Acks before it works. */
export function listen(app: App, context: SlackContext, track: Track): void {
  listenToCommands(app, context, track);
  listenToMentions(app, context, track);
  listenToButtons(app, context, track);
  listenToForms(app, context, track);
  listenToShortcuts(app, context, track);
  app.event('app_home_opened', async ({ event }) => {
    if (event.tab !== 'home') return;
    const { user } = homeOpenedShape.parse(event);
    context.homes.opened(user);
    track(() => context.turns.usual(() => publishHome(context, user), user));
  });
  app.event('subteam_members_changed', async ({ event }) => {
    context.people.groupChanged(groupChangeShape.parse(event).subteam_id);
  });
}

function listenToCommands(app: App, context: SlackContext, track: Track): void {
  app.command(/.*/, async ({ ack, body }) => {
    const { command, text, enterprise, from } = commandShape.parse(body);
    const team = context.people.originOf({ team: from.team, enterprise });
    const line = lineOf(command, text);
    return acceptDelivery(context, track, {
      kind: 'command',
      key: `command:${from.trigger}`,
      content: line,
      ...natureOf(line),
      from: { ...from, team },
      ack: async (text) => (await (text ? ack({ response_type: 'ephemeral', text }) : ack()), true),
      work: (interaction) => handleLine(context, interaction, line),
    });
  });
}

/** The words of the main command; another command puts its name first: `/logs acme-shop/live` is `logs acme-shop/live`. */
function lineOf(command: string, text: string | undefined): string {
  const name = command.replace(/^\//, '').toLowerCase();
  const isPath = [...catalogue.keys()].some((path) => path === name || path.startsWith(`${name} `));
  return isPath ? `${name} ${text ?? ''}` : (text ?? '');
}

/** The only shortcut opens the list of commands from anywhere in Slack. */
function listenToShortcuts(app: App, context: SlackContext, track: Track): void {
  app.shortcut(/.*/, async ({ ack, body }) => {
    const used = shortcutShape.parse(body);
    const trigger = used.trigger_id;
    return acceptDelivery(context, track, {
      kind: 'command',
      key: `shortcut:${trigger}`,
      content: '',
      changes: false,
      lane: 'usual',
      from: { ...senderIn(context, used), channel: undefined, trigger },
      ack: async () => (await ack(), false),
      work: (interaction) => handleLine(context, interaction, ''),
    });
  });
}
