import type { App } from '@slack/bolt';
import { z } from 'zod';
import { catalogue } from '../commands/index.ts';
import { Refusal } from '../errors.ts';
import { listenToButtons } from './buttons.ts';
import { listenToForms } from './forms.ts';
import { hear, speaker } from './hear.ts';
import { publishHome } from './home.ts';
import { changesSomething, take, type Track } from './intake.ts';
import type { Heard, Reception } from './reception.ts';

/** Every way in: command, mention, button, form, suggestions, home. Each acks first and works afterwards. */
export function listen(app: App, reception: Reception, track: Track): void {
  listenToCommands(app, reception, track);
  listenToMentions(app, reception, track);
  listenToButtons(app, reception, track);
  listenToForms(app, reception, track);
  listenToShortcuts(app, reception, track);
  app.event('app_home_opened', async ({ event }) => {
    if (event.tab !== 'home') return;
    reception.homes.opened(event.user);
    track(() => publishHome(reception, event.user));
  });
  app.event('subteam_members_changed', async ({ event }) => reception.people.groupChanged(event.subteam_id));
}

function listenToCommands(app: App, reception: Reception, track: Track): void {
  app.command(/.*/, ({ ack, body }) => {
    const line = lineOf(body.command, body.text);
    const {
      user_id: person,
      team_id: team,
      channel_id: channel,
      trigger_id: trigger,
      response_url: responseUrl,
    } = body;
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
  app.shortcut(/.*/, ({ ack, shortcut: { user, trigger_id: trigger } }) =>
    take(reception, track, {
      kind: 'command',
      key: `shortcut:${trigger}`,
      said: '',
      changes: false,
      from: { person: user.id, team: user.team_id, channel: undefined, trigger },
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
    const from = { person, team: event.team ?? body.team_id, channel, thread, trigger: undefined };
    // Bolt acks events by itself.
    const ack = (): Promise<boolean> => Promise.resolve(false);
    // Slack tells of a mention again when its message is edited, under another event id.
    const key = `mention:${channel}:${event.ts}`;
    const edited = editedAt(event);
    if (edited !== undefined) {
      const work = (heard: Heard): Promise<void> => refuseEdit(reception, heard);
      // Written down so that it is answered once; nothing of it is kept.
      return take(reception, track, {
        kind: 'mention',
        key: `${key}:${edited}`,
        said: '',
        changes: true,
        from,
        ack,
        work,
      });
    }
    const line = event.text.replace(myName, '');
    const work = (heard: Heard): Promise<void> => hear(reception, heard, line);
    await take(reception, track, {
      kind: 'mention',
      key,
      said: line,
      changes: changesSomething(line),
      from,
      ack,
      work,
    });
  });
}

/** When the message was edited, as Slack says; undefined: it is as it was written. */
const editedAt = (event: object): string | undefined => mention.safeParse(event).data?.edited?.ts;
const mention = z.object({ edited: z.object({ ts: z.string() }).optional() });

/** What an edited message asks for may have run already, in other words. */
async function refuseEdit(reception: Reception, heard: Heard): Promise<void> {
  await speaker(reception, heard);
  throw new Refusal("Edits aren't run, so nothing was done by this one.", { hint: 'Send it as a new message.' });
}
